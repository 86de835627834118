#include "cli/environment.h"

#include "machines/host.h"
#include "runtime/clock_version.h"
#include "runtime/threads.h"
#include "store/identity.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/chrono.h>
#include <fstream>
#include <sys/stat.h>
#include <sys/utsname.h>

namespace mmk::driver {
namespace {

std::string cpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (const llvm::StringRef text(line); text.starts_with("model name"))
      return text.split(':').second.trim().str();
  return llvm::sys::getHostCPUName().str();
}

/// The features that decide the speed of a kernel, as far as the CPU has them.
std::string vectorFeatures() {
  const llvm::StringMap<bool> has = llvm::sys::getHostCPUFeatures();
  llvm::SmallVector<llvm::StringRef> found;
  for (llvm::StringRef feature :
       {"sse4.2",   "avx",      "f16c",       "fma",        "avx2",       "avxvnni",  "avx512f",
        "avx512bw", "avx512vl", "avx512vnni", "avx512bf16", "avx512fp16", "amx-bf16", "amx-int8",
        "neon",     "fullfp16", "bf16",       "i8mm",       "sve",        "sve2"})
    if (has.lookup(feature))
      found.push_back(feature);
  return llvm::join(found, " ");
}

std::string environmentVariable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// The system's frequency governor; "unknown" where it is not reported, as in virtual machines.
std::string governor() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  std::string name;
  return std::getline(file, name) ? name : "unknown";
}

} // namespace

std::vector<std::pair<std::string, std::string>> fingerprint(int64_t threads) {
  std::vector<std::pair<std::string, std::string>> fields = environment();
  fields.insert(fields.begin() + 2, {{"threads", std::to_string(threads)},
                                     {"cpus", std::to_string(availableThreads())},
                                     {"governor", governor()}});
  fields.insert(fields.end() - 2, {"build", tune::buildId()});
  return fields;
}

bool isOfMmk(std::string_view field) {
  return field == "mmk" || field == "build" || field == "llvm" || field == "clock";
}

std::string clockVersionOf(const std::vector<std::pair<std::string, std::string>> &fields) {
  for (const auto &[field, value] : fields)
    if (field == "clock")
      return value;
  return "1";
}

std::vector<std::pair<std::string, std::string>> environment() {
  static const std::string cpu = cpuModel(), features = vectorFeatures();
  return {{"cpu", cpu},
          {"features", features},
          {"mmk", MMK_VERSION},
          {"llvm", LLVM_VERSION_STRING},
          {"clock", std::to_string(clockVersion)}};
}

std::vector<std::pair<std::string, std::string>> systemDetails() {
  std::string caches;
  for (unsigned level : {1u, 2u, 3u})
    if (const int64_t bytes = cacheBytes(level); bytes > 0)
      caches += fmt::format("{}L{} {} KiB", caches.empty() ? "" : ", ", level, bytes / 1024);
  std::vector<std::pair<std::string, std::string>> details = {
      {"caches", caches.empty() ? "unknown" : caches}};
  if (struct utsname system = {}; ::uname(&system) == 0)
    details.emplace_back("system",
                         fmt::format("{} {} {}", system.sysname, system.release, system.machine));
  return details;
}

std::string timeNow() {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
}

std::string cacheDirectory() {
  std::filesystem::path folder = environmentVariable("MMK_CACHE_DIR");
  if (folder.empty())
    if (const std::string base = environmentVariable("XDG_CACHE_HOME"); !base.empty())
      folder = std::filesystem::path(base) / "mmk";
  if (folder.empty())
    if (const std::string home = environmentVariable("HOME"); !home.empty())
      folder = std::filesystem::path(home) / ".cache" / "mmk";
  if (folder.empty())
    return "";
  std::error_code error;
  std::filesystem::create_directories(folder.parent_path(), error);
  // Other users must not be able to write code here.
  if (::mkdir(folder.c_str(), 0700) == 0 || std::filesystem::is_directory(folder, error))
    return folder.string();
  return "";
}

} // namespace mmk::driver
