#include "machines/host.h"

#include <algorithm>
#include <map>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace mmk {
namespace {

/// The CPUs that this process may use, which is fewer than there are under taskset or in a
/// container.
double availableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return std::max(CPU_COUNT(&set), 1);
  return std::max(std::thread::hardware_concurrency(), 1u);
}

double cacheBytes(int name, double atLeast) {
  return std::max<double>(static_cast<double>(sysconf(name)), atLeast);
}

constexpr double mebibyte = 1024 * 1024;

using Detector = double (*)();
const std::map<std::string, Detector> &detectors() {
  static const std::map<std::string, Detector> byPath = {
      {"cube_cores", availableCores},
      // A stage of two operands has to fit also where L2 is small or hidden by a hypervisor.
      {"memories.l1.bytes", [] { return cacheBytes(_SC_LEVEL2_CACHE_SIZE, 4 * mebibyte); }},
      {"l2.bytes", [] { return cacheBytes(_SC_LEVEL3_CACHE_SIZE, 0); }},
  };
  return byPath;
}

} // namespace

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
