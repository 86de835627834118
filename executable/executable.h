// A compiled kernel: machine code of a variant, ready to run at any shape.
#pragma once

#include "ir/merged_dims.h"
#include "machines/machine.h"
#include "runtime/core.h"
#include "runtime/pack.h"

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
  /// The program reports its instructions to a watch (watch/watch.h), which takes time.
  bool watched = false;
  /// Compiled in less than half the time, for a program that runs once.
  bool fastCompile = false;
};

/// Values to run with, in the order of the kernel's declaration. Tensors have the sizes of the
/// dimensions; results may not overlap other tensors. The inline capacity avoids allocations, which
/// would take longer than a small kernel.
struct Arguments {
  llvm::SmallVector<int64_t, 8> dims;
  llvm::SmallVector<double, 8> scalars;       ///< by parameter; ignored where it is a tensor
  llvm::SmallVector<const void *, 8> tensors; ///< by parameter; null where it is a scalar
  llvm::SmallVector<void *, 4> results;
  /// By parameter, then result, in elements; empty, or missing at the end, for a dense tensor in C
  /// order. The last stride of a result is 1. A watched run has dense tensors.
  llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 8> strides;
  /// By parameter: whether its memory is what Executable::pack has filled; empty: none is.
  llvm::SmallVector<bool, 8> packed;
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

  /// Compiles the kernel in `module` for the host CPU. `module` is read, not changed.
  static llvm::Expected<std::unique_ptr<Executable>>
  compile(mlir::ModuleOp module, const Machine &machine, const ExecutableOptions &options = {});

  /// Runs every phase on all of the machine's cores, distributed over `threads` host threads, 0:
  /// all CPUs of the process. A watched program needs `watch`; others ignore it. May be called from
  /// several threads at once. The first run on a code path of a product waits for its compilation.
  virtual llvm::Error run(const Arguments &arguments, unsigned threads,
                          RunWatch *watch = nullptr) = 0;

  /// The tensors that a run with these dimensions allocates beside its arguments.
  virtual std::vector<Workspace> workspaces(llvm::ArrayRef<int64_t> dims) const = 0;

  /// The constant parameters that runs read from panels. A run packs those that are not bound as
  /// such, each time.
  virtual llvm::ArrayRef<PackedOperand> packedOperands() const = 0;
  /// The dimensions of tensors that have to be bound without gaps between them.
  virtual llvm::ArrayRef<aicore::MergedDims> mergedDims() const = 0;
  /// The extents of a parameter at these dimensions.
  virtual llvm::SmallVector<int64_t> extentsOf(size_t parameter,
                                               llvm::ArrayRef<int64_t> dims) const = 0;

  /// The time that runs have spent so far on compiling lazy functions.
  virtual double lazyMs() const = 0;

  bool cached = false;  ///< the object came from the cache
  double compileMs = 0; ///< from the back end's IR to code in memory, without lazy functions
};

/// Binds the constants of dense tensors as the executable reads them, so that runs need not: the
/// memory that `arguments` then point to. An error when there is not enough.
llvm::Expected<std::vector<PackedConstant>> packConstants(const Executable &executable,
                                                          Arguments &arguments);

/// The output of an earlier stage: LLVM IR, or assembly, or a relocatable object; a named object
/// has functions named after the kernel (executable/c_header.h calls them).
enum class CodeFormat { llvm, assembly, object, namedObject };
llvm::Expected<std::string> emitCode(mlir::ModuleOp module, const Machine &machine,
                                     CodeFormat format);

/// Bytes of a block's own piece of global memory.
int64_t blockGlobalBytes(aicore::KernelOp kernel);

/// How a constant parameter of a kernel is bound: "rows", as it is, or the spelling of a
/// PanelLayout.
struct ConstantLayout {
  std::string name, layout;
};
/// Those of all constants; `packed`: those of an executable, if there is one.
std::vector<ConstantLayout> constantLayouts(aicore::KernelOp kernel,
                                            llvm::ArrayRef<PackedOperand> packed);

/// The contents of each on-chip memory, for reports.
std::vector<MemoryUse> memoryUse(aicore::KernelOp kernel);

} // namespace mmk
