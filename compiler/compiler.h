// Lowers a checked kernel to the IR of one of its variants on one machine, for commands, the search
// and the library. Errors are values; the callers print them.
#pragma once

#include "compiler/choices.h"
#include "compiler/pipeline.h"
#include "machines/machine.h"
#include "support/diagnostics.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace mmk {

/// The IR of one variant of a kernel, or why there is none.
struct Lowering {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< null when the variant is not legal
  std::string variant;                      ///< its printable name
  Choices choices;                          ///< those of that name
  /// Messages of the passes: warnings and remarks on success, else the errors.
  Diagnostics messages;
  /// The nearest legal variant; nothing when the messages name one already, or none was found.
  std::optional<Choices> nearest;
  /// The passes failed without an error about the user's text, or the proof of their own flags
  /// failed: a bug of mmk.
  bool isBug = false;

  explicit operator bool() { return module.get() != nullptr; }
  aicore::KernelOp kernel(); ///< from LoweringLevel::aicore on
};

/// One program on one machine. Both outlive it. For one thread at a time.
class Compiler {
public:
  Compiler(const Program &program, const Machine &machine);

  /// The kernel as written, with all alternatives of its schedule.
  mlir::OwningOpRef<mlir::ModuleOp> toIr(const Kernel &kernel);

  /// The choices of a text, see parseChoices.
  llvm::Expected<Choices> choicesOf(const Kernel &kernel, const std::string &text) {
    return parseChoices(kernel, machine_, *toIr(kernel), text);
  }

  /// Lowers the kernel's IR to `level`, as the variant that the options choose. The search for the
  /// nearest legal variant is optional: a caller that only tests legality does without it. Where
  /// only directives that are left open have to change for it, it is what is lowered.
  Lowering lower(const Kernel &kernel, mlir::OwningOpRef<mlir::ModuleOp> module,
                 LoweringLevel level, const PipelineOptions &options = {},
                 bool findsNearest = true);

private:
  /// Whether neither the schedule nor the given choices name a directive of the changes.
  bool leavesOpen(const Kernel &kernel, const Choices &given, const Choices &changes) const;
  /// Adds the choices that the back end makes for the kernel where its schedule leaves them open.
  void addDefaults(mlir::ModuleOp module, PipelineOptions &options);

  const Program &program_;
  const Machine &machine_;
  std::unique_ptr<mlir::MLIRContext> context_;
  Pipeline pipeline_;
};

} // namespace mmk
