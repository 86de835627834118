// LLVM IR -> machine code, and the cache of it on disk.
#pragma once

#include "jit/target.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>

namespace mmk {

/// Runs the mid-level optimisations.
void optimise(llvm::Module &module, const CodeTarget &target);

/// Machine code of an optimised module: a relocatable object, or assembly text.
llvm::SmallVector<char, 0> machineCode(llvm::Module &module, const CodeTarget &target,
                                       bool assembly = false);

/// A module as bytes, from which it can be read again.
std::string bitcodeOf(const llvm::Module &module);

/// Objects by what they were made from. A file is written beside and renamed, and carries a digest
/// of its contents, so that a torn or damaged one is never used; nor is one that somebody else
/// could have written, or that lies in a folder which others may write to. Any failure of the disk
/// means no cache, not no result.
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
