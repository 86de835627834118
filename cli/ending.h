// The end of a command: its exit code, and the two exceptions that end it early.
#pragma once

#include "support/diagnostics.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace mmk::driver {

enum ExitCode : int { success = 0, wrongResult = 1, userError = 2, bugInMmk = 3 };

/// An error of the user; what() is the whole text for standard error.
class UserError : public std::runtime_error {
public:
  /// A message about the command line; each line of it is one error.
  explicit UserError(const std::string &message);
  /// Messages about a program.
  explicit UserError(const Diagnostics &diagnostics);
  /// Several errors as one, by their whole texts.
  static UserError withText(const std::string &text);

private:
  struct Whole {};
  UserError(Whole, const std::string &text) : std::runtime_error(text) {}
};

/// An internal error of mmk.
class Bug : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace mmk::driver
