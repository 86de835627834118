// A compiled kernel, behind the handle of the library.
#pragma once

#include "compiler/compiler.h"
#include "executable/executable.h"
#include "frontend/kernel.h"
#include "library/binding.h"
#include "library/failure.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

struct mmk_kernel {
  mmk::Program program;
  mmk::Machine machine;
  const mmk::Kernel *kernel = nullptr; ///< of `program`
  std::optional<mmk::library::Signature> signature;
  std::string variant;
  std::unique_ptr<mmk::Compiler> compiler;
  mmk::Lowering lowering; ///< for counting
  std::unique_ptr<mmk::Executable> executable;
  std::mutex counting; ///< MLIR's context is used by one thread at a time

  /// Without dimensions that are joined, for tensors whose strides do not allow it; compiled at the
  /// first such call. The program is this kernel's.
  std::unique_ptr<mmk_kernel> apart;
  bool joinsDimensions = true;
  mmk::Choices fixed;         ///< what the caller chose
  std::string cacheDirectory; ///< empty: none

  mmk::Lowering tiled; ///< before the program; lowered at the first call in place
  std::map<std::pair<size_t, size_t>, std::string> inPlace; ///< what whyNotInPlace has found

  /// Why the variant cannot run at these dimensions; empty where it can.
  std::string limitProblem(llvm::ArrayRef<int64_t> dims) const;

  /// Signature::WhyNotInPlace.
  std::string whyNotInPlace(size_t parameter, size_t result);

  /// The spellings of literal dimensions, for mmk_argument.
  std::vector<std::vector<std::string>> dimensions;
};

namespace mmk::library {

/// From the text to code in memory; the kernel is complete when there is no error.
mmk_error *compile(std::string text, std::string name, const mmk_compile_options &options,
                   mmk_kernel &kernel);

/// The kernel that joins no dimensions, compiled at the first call.
mmk_error *compileApart(mmk_kernel &kernel, mmk_kernel *&apart);

} // namespace mmk::library
