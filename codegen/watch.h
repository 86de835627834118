// Watching: what of a kernel's synchronisation breaks at given dimensions. Where aicore-verify-sync
// proves that nothing does at any, this shows what does at some, with the bytes.
#pragma once

#include "ir/aicore.h"
#include "machines/machine.h"
#include "runtime/hazards.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mmk {

struct WatchFault {
  /// What the two instructions did, or null: an access beyond its buffer or tensor.
  std::optional<Hazard::What> hazard;
  int64_t block = 0;
  mlir::Operation *op = nullptr, *other = nullptr; ///< `other` may be null
  std::string message; ///< "the load into slot 1 of a in l1 may start before ..."
};

struct WatchReport {
  std::vector<WatchFault> faults; ///< in program order; the first few
  int64_t instructions = 0;       ///< watched, in all blocks
};

/// Walks the program of every block in program order and watches each access and each flag.
/// `dims`: the value of each of the kernel's dimensions, in order. The error is a program that
/// cannot be walked.
llvm::Expected<WatchReport> watchKernel(aicore::KernelOp kernel, const Machine &machine,
                                        llvm::ArrayRef<int64_t> dims);

} // namespace mmk
