// What `mmk tune --json` has written, read back: of a search, and of a guided one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mmk::driver {

struct SavedVariant {
  std::string variant;
  int64_t cycles = 0; ///< 0 on the host
  double microseconds = 0;
  std::optional<bool> passed; ///< nothing when its results were not checked
};

/// The fields that the two forms share.
struct SavedSearchCase {
  std::string kernel, machine, name;
  std::map<std::string, int64_t> dims;
  std::map<std::string, std::string> machineSet, environment; ///< empty in older files
};

/// A search at one case.
struct SavedTune : SavedSearchCase {
  std::optional<SavedVariant> best, byDefault;
  std::vector<SavedVariant> variants; ///< the best first
  std::vector<SavedVariant> failed;   ///< with wrong results
  double space = 0;
  int64_t counted = 0, remembered = 0, refused = 0, bounded = 0;
  bool isExhaustive = false;
};

/// The rounds of a guided search at one case.
struct SavedGuided : SavedSearchCase {
  struct Round {
    int64_t tried = 0;
    std::string change; ///< "--set buffers.l1=2"; empty where none was made
    SavedVariant before, after;
    bool isKept = false;
    std::string failure;
  };
  SavedVariant first, last;
  std::vector<Round> rounds;
  bool isAtItsBest = false;
};

/// A UserError when the file is no such report.
std::vector<SavedTune> readSavedTune(const std::string &file);
std::vector<SavedGuided> readSavedGuided(const std::string &file);

} // namespace mmk::driver
