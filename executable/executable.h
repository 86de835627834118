// A compiled kernel: machine code of a variant, ready to run at any shape.
#pragma once

#include "ir/aicore.h"
#include "machines/machine.h"
#include "runtime/core.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mmk {

struct ExecutableOptions {
  /// Folder of the object cache; empty for none.
  std::string cacheDirectory;
  /// The program tells a watch what it does (watch/watch.h), which costs time.
  bool watched = false;
  /// Compiled in less than half the time, for a program that runs but once.
  bool quick = false;
};

/// Values to run with, in the order of the kernel's declaration. Tensors are as large as the
/// dimensions say; results may not overlap anything. Those of a common kernel take no allocation:
/// a small one is over in less time than that.
struct Arguments {
  llvm::SmallVector<int64_t, 8> dims;
  llvm::SmallVector<double, 8> scalars;       ///< by parameter; ignored where it is a tensor
  llvm::SmallVector<const void *, 8> tensors; ///< by parameter; null where it is a scalar
  llvm::SmallVector<void *, 4> results;
  /// By parameter, then result, in elements; empty, or missing at the end, for a dense tensor in C
  /// order. The last stride of a result is 1. A watched run has dense tensors.
  llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 8> strides;
};

/// Peak bytes of one on-chip memory that a variant uses, of one core.
struct MemoryUse {
  std::string memory; ///< "l1"
  int64_t used = 0, capacity = 0;
};

/// An intermediate tensor in global memory, which a run allocates.
struct Workspace {
  std::string name;
  int64_t bytes = 0;
};

class Executable {
public:
  virtual ~Executable() = default;

  /// Compiles the aicore kernel in `module` for the CPU underneath. `module` is read, not changed.
  static llvm::Expected<std::unique_ptr<Executable>>
  compile(mlir::ModuleOp module, const Machine &machine, const ExecutableOptions &options = {});

  /// Runs every phase on all of the machine's cores, distributed over `threads` host threads, 0: as
  /// many as the process may use. `watch` looks on; a watched program needs one, any other has
  /// nothing to tell it. May be called from several threads at once. The first run that takes one
  /// of the ways for a product waits for its code.
  virtual llvm::Error run(const Arguments &arguments, unsigned threads,
                          RunWatch *watch = nullptr) = 0;

  /// What a run with these dimensions allocates beside its arguments.
  virtual std::vector<Workspace> workspaces(llvm::ArrayRef<int64_t> dims) const = 0;

  /// What runs have spent so far on code that is made when it is first called.
  virtual double lazyMs() const = 0;

  bool cached = false;  ///< the object came from the cache
  double compileMs = 0; ///< from aicore IR to code in memory, without what is made later
};

/// The same way, stopped at a text: LLVM IR, or assembly, or a relocatable object's bytes; those of
/// a named object have functions named after the kernel (executable/c_header.h calls them).
enum class CodeFormat { llvm, assembly, object, namedObject };
llvm::Expected<std::string> emitCode(mlir::ModuleOp module, const Machine &machine,
                                     CodeFormat format);

/// Bytes of global memory that a block has to itself.
int64_t blockGlobalBytes(aicore::KernelOp kernel);

/// What each on-chip memory holds, for reports.
std::vector<MemoryUse> memoryUse(aicore::KernelOp kernel);

} // namespace mmk
