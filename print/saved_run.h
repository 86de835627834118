// Reports that `mmk run --json` has written, read back.
#pragma once

#include "print/side_by_side.h"

namespace mmk::driver {

/// One case of a saved run.
struct SavedCase {
  std::string kernel, name;
  std::map<std::string, int64_t> dims;
  std::map<std::string, std::string> environment;
  Side side;
  SideFigures figures;

  bool isOf(const SavedCase &other) const { return name == other.name && dims == other.dims; }
  std::string title() const;
};

/// The cases of a file, of one kernel on one machine; a UserError when it is no such run.
std::vector<SavedCase> readSavedRun(const std::string &file);

/// Two saved runs of one kernel, of the cases that both hold: a pair for each two variants, as each
/// shape may have its own. A UserError when a file is no report of one, or when they hold none in
/// common.
std::vector<SideBySide> compareSavedRuns(const std::string &fileA, const std::string &fileB);

} // namespace mmk::driver
