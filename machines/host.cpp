#include "machines/host.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace mmk {
namespace {

double cacheBytes(unsigned level, double atLeast) {
  return std::max(static_cast<double>(mmk::cacheBytes(level)), atLeast);
}

constexpr double mebibyte = 1024 * 1024;

using Detector = double (*)();
const std::map<std::string, Detector> &detectors() {
  static const std::map<std::string, Detector> byPath = {
      {"cube_cores", [] { return static_cast<double>(availableCores()); }},
      // The least that is assumed, so that a stage of two operands fits where L2 is small or hidden
      // by a hypervisor.
      {"memories.l1.bytes", [] { return cacheBytes(2, 4 * mebibyte); }},
      {"l2.bytes", [] { return cacheBytes(3, 0); }},
  };
  return byPath;
}

} // namespace

int64_t availableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return std::max(CPU_COUNT(&set), 1);
  return std::max(std::thread::hardware_concurrency(), 1u);
}

// The C library reads the caches of CPUs with an instruction for it; the kernel also knows those of
// others.
int64_t cacheBytes(unsigned level) {
  const int names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  if (level < 1 || level > std::size(names))
    return 0;
  if (const long bytes = sysconf(names[level - 1]); bytes > 0)
    return bytes;
  // Index 0 and 1 are the data and the instructions of the first level.
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" +
                     std::to_string(level == 1 ? 0 : level) + "/size");
  int64_t size = 0;
  char unit = 0;
  if (!(file >> size))
    return 0;
  file >> unit;
  return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
}

std::optional<double> detectFigure(const std::string &path) {
  const auto detector = detectors().find(path);
  if (detector == detectors().end())
    return std::nullopt;
  return detector->second();
}

std::vector<std::string> detectableFigures() {
  std::vector<std::string> paths;
  for (const auto &[path, detector] : detectors())
    paths.push_back(path);
  return paths;
}

} // namespace mmk
