// The computer and the build of a report: a time means nothing without them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mmk::driver {

/// The CPU, its vector units, the versions of mmk, LLVM and the clock.
std::vector<std::pair<std::string, std::string>> environment();

/// Everything that a time depends on beside the kernel, by name. The fields of the computer come
/// first; those of mmk, in which two measurements may differ, come last: "mmk", "build", "llvm",
/// "clock".
std::vector<std::pair<std::string, std::string>> fingerprint(int64_t threads);
/// The version of the clock in such fields; reports from before it was recorded have the first.
std::string clockVersionOf(const std::vector<std::pair<std::string, std::string>> &fields);

/// Whether two measurements that differ in this field of the fingerprint can still be compared.
bool isOfMmk(std::string_view field);

/// The system's caches and its kernel, beside the fingerprint: what a reader wants to know of a
/// computer although measurements on others can be compared.
std::vector<std::pair<std::string, std::string>> systemDetails();

/// In UTC, "2026-11-26T06:10:00Z".
std::string timeNow();

/// Folder of compiled code: $MMK_CACHE_DIR, else $XDG_CACHE_HOME/mmk, else $HOME/.cache/mmk; made
/// when it is not there. Empty when it cannot be made.
std::string cacheDirectory();

} // namespace mmk::driver
