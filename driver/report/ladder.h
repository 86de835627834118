// The versions of a kernel at one case, from the naive one to the best: each is a variant of the
// same file and adds one idea to the version before it.
#pragma once

#include "cli/run_case.h"
#include "cli/terminal.h"
#include "driver/session.h"
#include "explain/diagnosis.h"

#include <optional>
#include <string>
#include <vector>

namespace mmk::driver {

struct Version {
  std::string name;                       ///< "tiled"
  std::string idea;                       ///< what it adds, a sentence
  std::string variant;                    ///< its printable name
  Choices choices;                        ///< all of them
  Choices changes;                        ///< that differ from the version before
  std::optional<tune::Diagnosis> at = {}; ///< nothing on a machine without a clock
};

struct Ladder {
  std::vector<Version> versions;    ///< v0, v1, ...; the last one is the best
  std::vector<std::string> omitted; ///< steps that do not apply, each with the reason

  const Version &best() const { return versions.back(); }
};

/// The ladder up to the variant of the choices `best`. What `--set` fixes is the same in all
/// versions. A kernel whose default is not legal, and a `best` that is not, are UserErrors;
/// `bestFrom` says where it is from.
Ladder ladderOf(Session &session, const RunCase &run, const Choices &best,
                const std::string &bestFrom, Progress &progress);

} // namespace mmk::driver
