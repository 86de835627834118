// LLVM IR -> machine code, and the cache of it on disk.
#pragma once

#include "jit/target.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>

namespace mmk {

/// Display names of the back-end passes that machineCode leaves out.
llvm::ArrayRef<llvm::StringRef> skippedCodegenPasses();

/// Runs the mid-level optimisations.
void optimise(llvm::Module &module, const CodeTarget &target);

/// Machine code of an optimised module: a relocatable object, or assembly text.
llvm::SmallVector<char, 0> machineCode(llvm::Module &module, const CodeTarget &target,
                                       bool assembly = false);

/// A module as bitcode.
std::string bitcodeOf(const llvm::Module &module);

/// Object files on disk, by a digest of the bitcode and the target that they were made from. A file
/// is written under a temporary name and renamed, and ends with a digest of its contents: a torn or
/// damaged file is never used. A file that another user may have written is not used either. When
/// the disk fails, code is compiled without the cache.
class ObjectCache {
public:
  explicit ObjectCache(std::string directory) : directory_(std::move(directory)) {}

  /// Name of the object that `module` (not yet optimised) becomes for `target`.
  static std::string keyOf(const llvm::Module &module, const CodeTarget &target) {
    return keyOf(bitcodeOf(module), target);
  }
  static std::string keyOf(llvm::StringRef bitcode, const CodeTarget &target);

  std::unique_ptr<llvm::MemoryBuffer> find(const std::string &key) const;
  void keep(const std::string &key, llvm::StringRef object) const;

private:
  std::string pathOf(const std::string &key) const;
  std::string directory_;
};

} // namespace mmk
