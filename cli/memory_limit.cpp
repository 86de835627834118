#include "cli/memory_limit.h"

#include "cli/ending.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>

namespace mmk::driver {
namespace {

/// The least that the compiler itself needs.
constexpr double leastLimit = 256.0 * (1 << 20);

double limit = std::numeric_limits<double>::infinity();

double firstNumber(const char *path, std::string_view key = "") {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key) && line.find_first_of("0123456789") != line.npos)
      return std::stod(line.substr(line.find_first_of("0123456789")));
  return -1;
}

/// Of the system, and of the container when it has a limit.
double freeBytes() {
  double bytes = firstNumber("/proc/meminfo", "MemAvailable:") * 1024;
  if (bytes < 0)
    bytes =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const double most = firstNumber("/sys/fs/cgroup/memory.max");
  const double used = firstNumber("/sys/fs/cgroup/memory.current");
  return most >= 0 && used >= 0 ? std::min(bytes, most - used) : bytes;
}

double sizeOf(const std::string &text) {
  double number = 0;
  const char *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(rest, end);
  for (const auto &[name, bytes] :
       {std::pair("", 1.0), std::pair("KiB", 0x1p10), std::pair("MiB", 0x1p20),
        std::pair("GiB", 0x1p30), std::pair("TiB", 0x1p40)})
    if (error == std::errc() && unit == name && number * bytes >= leastLimit &&
        std::isfinite(number))
      return number * bytes;
  throw UserError(
      fmt::format("--max-memory is a size from 256MiB on, in bytes, KiB, MiB, GiB or TiB, "
                  "such as 2GiB; found '{}'",
                  text));
}

/// Reserve for memory that cannot be computed beforehand: that of the compiler for an unusual
/// program.
void limitAllocations(double bytes) {
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  rlimit data = {};
  if (getrlimit(RLIMIT_DATA, &data) != 0 || bytes >= 0x1p62)
    return;
  data.rlim_cur = std::min(data.rlim_max, static_cast<rlim_t>(bytes));
  setrlimit(RLIMIT_DATA, &data);
#else
  (void)bytes;
#endif
}

} // namespace

void limitMemory(const std::optional<std::string> &text) {
  if (text)
    limit = sizeOf(*text);
  limitAllocations(text ? limit : std::max(freeBytes(), leastLimit));
}

AllowedMemory allowedMemory() {
  const double free = std::max(freeBytes(), 0.0);
  return {std::min(free, limit), limit < free};
}

} // namespace mmk::driver
