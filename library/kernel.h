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

  /// How it is compiled again for some calls, at the first of them; the program is this kernel's.
  struct Form {
    bool joinsDimensions = true; ///< or not, for tensors whose strides do not allow it
    mmk::Choices units = {};     ///< Chooser::unitsOf, of calls with such dimensions
    auto operator<=>(const Form &) const = default;
  };
  Form form;
  std::map<Form, std::unique_ptr<mmk_kernel>> others;
  std::mutex choosing; ///< of `byUnits`: never held while a form is compiled
  /// By which dimensions of a call are 1: the kernel for it, this one or one of `others`.
  std::map<llvm::SmallVector<bool, 16>, mmk_kernel *> byUnits;
  mmk::Choices fixed;         ///< what the caller chose
  mmk::Choices chosen;        ///< and what was chosen for the shape or the form beside it
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

/// The kernel in another form, compiled at the first call of this.
mmk_error *compileAs(mmk_kernel &kernel, const mmk_kernel::Form &form, mmk_kernel *&runs);

/// On a machine whose code fits itself to the shape: the form for these dimensions, which leaves
/// out those of extent 1 where loops along others are longer; compiled at the first call. The
/// kernel itself where it reads constants from panels, which are of its form.
mmk_kernel *formForUnits(mmk_kernel &kernel, llvm::ArrayRef<int64_t> dims);

} // namespace mmk::library
