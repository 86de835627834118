// A text taken through the frontend, for tests.
#pragma once

#include "frontend/compile.h"

namespace mmk {

struct Checked {
  explicit Checked(std::string text)
      : program(checkProgram("test.mmk", std::move(text), diagnostics, file)) {}

  bool isSound() const { return program.has_value(); }
  const Kernel &kernel() const { return *program->kernels.front(); }
  std::string messages() const { return diagnostics.render(); }
  /// Of the first message, without its place.
  std::string message() const {
    return diagnostics.all().empty() ? "" : diagnostics.all().front().message;
  }

  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  std::optional<Program> program;
};

} // namespace mmk
