// The error of a library call, before it becomes a C value.
#pragma once

#include "library/mmk.h"

#include <string>

struct mmk_error {
  mmk_error_kind kind;
  std::string message;
};

namespace mmk::library {

/// An error of the caller.
inline mmk_error *mistake(std::string message) {
  while (message.ends_with('\n'))
    message.pop_back();
  return new mmk_error{MMK_MISTAKE, std::move(message)};
}

inline mmk_error *bug(std::string message) { return new mmk_error{MMK_BUG, std::move(message)}; }

} // namespace mmk::library
