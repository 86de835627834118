// How a command ends: its exit code, and the two ways in which it ends early.
#pragma once

#include "support/diagnostics.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace mmk::driver {

enum ExitCode : int { allWell = 0, wrongResult = 1, usersMistake = 2, bugInMmk = 3 };

/// The user's mistake; what() is the whole text for standard error.
class Mistake : public std::runtime_error {
public:
  /// A message about the command line; each line of it is one error.
  explicit Mistake(const std::string &message);
  /// Messages about a program.
  explicit Mistake(const Diagnostics &diagnostics);
  /// Several mistakes as one, by their whole texts.
  static Mistake withText(const std::string &text);

private:
  struct Whole {};
  Mistake(Whole, const std::string &text) : std::runtime_error(text) {}
};

/// What cannot happen, unless mmk is wrong.
class Bug : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace mmk::driver
