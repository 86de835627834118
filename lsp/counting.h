// What a machine makes of a text: the messages of its passes, and the time of a case.
#pragma once

#include "compiler/compiler.h"
#include "frontend/compile.h"

#include <optional>

namespace mmk::lsp {

/// A text lowered for a machine, which outlives it. For one thread at a time.
class LoweredText {
public:
  LoweredText(const std::string &path, const std::string &text, const Machine &machine);

  /// What `mmk check` says: of the text, or, where that is sound, of its kernels' default variants.
  Diagnostics diagnostics();

  struct Count {
    std::string problem = ""; ///< why there is no time; else empty
    std::string variant = "";
    int64_t cycles = 0, bytes = 0; ///< bytes between global memory and all cores
    double microseconds = 0;
    std::string bound = ""; ///< the busiest pipe
  };
  /// The time of the default variant at a case.
  Count count(const std::string &kernel, const std::string &kernelCase);

private:
  Lowering *lowered(const Kernel &kernel);

  const Machine &machine_;
  Diagnostics ofText_;
  std::unique_ptr<SourceFile> file_;
  std::optional<Program> program_;
  std::optional<Compiler> compiler_;
  std::map<std::string, Lowering> lowered_; ///< by kernel
};

} // namespace mmk::lsp
