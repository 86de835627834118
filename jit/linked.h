// Object code in the memory of this process, and the functions there that several variants share.
#pragma once

#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mmk {

/// A function that an object calls through a pointer (jit/lazy.h). `make` compiles it at its first
/// call: an object that defines it.
struct LazyCode {
  std::string name;
  std::function<llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>()> make;
};

/// Linked while it lives. May be used from several threads.
class LinkedObject {
public:
  /// Symbols that `object` does not define come from `callees`, which live as long, or from the
  /// process.
  static llvm::Expected<std::shared_ptr<const LinkedObject>>
  link(std::unique_ptr<llvm::MemoryBuffer> object,
       std::shared_ptr<const LinkedObject> callees = nullptr, std::vector<LazyCode> lazy = {});
  ~LinkedObject();

  /// The addresses of some of its symbols. Throws std::bad_alloc where there is no memory for the
  /// code: linking happens at the first look-up.
  llvm::Expected<llvm::SmallVector<llvm::orc::ExecutorAddr>>
  find(llvm::ArrayRef<std::string> names) const;

  /// Calls of lazy functions that did nothing because compiling them failed; and the last reason.
  uint64_t failures() const { return failures_; }
  std::string failure() const;
  /// Time spent compiling at first calls so far.
  double lazyMs() const { return lazyMs_; }

private:
  struct LazyFunction;

  explicit LinkedObject(llvm::orc::JITDylib &library);
  llvm::Error addPointers(std::vector<LazyCode> lazy);
  void *firstCall(LazyFunction &function);
  llvm::Expected<void *> addressOf(LazyFunction &function);

  llvm::orc::JITDylib &library_;
  std::shared_ptr<const LinkedObject> callees_;
  std::vector<std::unique_ptr<LazyFunction>> lazy_;
  std::atomic<uint64_t> failures_ = 0;
  std::atomic<double> lazyMs_ = 0;
  std::string failure_;
};

/// The object that was recently linked under `key`, or null: variants of a kernel call the same few
/// functions.
std::shared_ptr<const LinkedObject> findLinked(const std::string &key);
void keepLinked(const std::string &key, std::shared_ptr<const LinkedObject> object);
/// Empties the cache of linked objects; those in use live on.
void forgetLinked();

} // namespace mmk
