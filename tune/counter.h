// Compiles variants of one kernel on one machine and counts them, without ever running one. Has an
// MLIR context of its own: one for each thread.
#pragma once

#include "compiler/compiler.h"
#include "store/result.h"

#include "llvm/ADT/ArrayRef.h"

namespace mmk::tune {

/// A variant, compiled and counted, or why it does not exist.
struct Counted {
  std::string variant; ///< printable name; empty when it does not exist
  std::string reason;  ///< why it does not, one line
  std::string bug;     ///< the compiler or the clock is wrong: its message
  std::vector<ShapeLimit> limits;
  std::vector<std::optional<Measure>> measures; ///< one a shape; nothing beyond the limits
  DiagnosticCode code = DiagnosticCode::none;   ///< of the reason

  bool exists() const { return !variant.empty(); }
};

class Counter {
public:
  /// All three outlive it.
  Counter(const Program &program, const Kernel &kernel, const Machine &machine)
      : kernel_(kernel), machine_(machine), compiler_(program, machine),
        ir_(compiler_.toIr(kernel)) {}

  /// Compiles the variant of these choices, as far as counting needs it, and counts it at every
  /// shape. On the host, which no clock counts, the measures hold its memory alone.
  Counted count(const Choices &choices, llvm::ArrayRef<Dims> shapes);

private:
  const Kernel &kernel_;
  const Machine &machine_;
  Compiler compiler_;
  mlir::OwningOpRef<mlir::ModuleOp> ir_; ///< of the kernel, before any choice
};

} // namespace mmk::tune
