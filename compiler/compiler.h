// From a checked kernel to the IR of one of its variants on one machine: what every command, the
// search and the library do first. What goes wrong is a value; how it is shown is theirs.
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
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< null when the variant does not exist
  std::string variant;                      ///< its printable name
  /// What the passes said: warnings and remarks on success, else the errors.
  Diagnostics said;
  /// A variant that does exist, close to the one that does not; nothing when the messages name one
  /// already, or none was found.
  std::optional<Choices> nearest;
  /// The passes failed without an error about the user's text, or the proof of their own flags
  /// failed: mmk is wrong.
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

  /// Takes the kernel's IR on to `level`, as the variant that the options choose. Who only asks
  /// whether it exists does without the search for the nearest that does.
  Lowering lower(const Kernel &kernel, mlir::OwningOpRef<mlir::ModuleOp> module,
                 LoweringLevel level, const PipelineOptions &options = {},
                 bool findsNearest = true);

private:
  const Program &program_;
  const Machine &machine_;
  std::unique_ptr<mlir::MLIRContext> context_;
  Pipeline pipeline_;
};

} // namespace mmk
