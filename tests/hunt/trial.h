// The properties of every sample.
#pragma once

#include "tests/hunt/sample.h"

#include <string>

namespace mmk::hunt {

struct Outcome {
  /// refused: no variant of the sample is legal, and the compiler gives the reason.
  enum class What { passed, refused, failed } what = What::passed;
  /// Of a failure: the property that does not hold; the shrinker preserves it.
  std::string property;
  std::string message;
  bool failed() const { return what == What::failed; }
};

/// The totals of a hunt, for its last line.
struct Tally {
  int64_t samples = 0, refused = 0;
  int64_t programs = 0; ///< compiled and run
  int64_t mutants = 0, mutantsSeen = 0;
  int64_t inPlace = 0; ///< results in the memory of a parameter
};

/// Everything that `sample.also` says. May end the process where a program does what it must not.
Outcome attempt(const Sample &sample, Tally &tally);

/// Writes the tensors of a sample to files in `folder`; "a=folder/a.npy" for each.
std::vector<std::string> saveInputs(const Sample &sample, const std::string &folder);

} // namespace mmk::hunt
