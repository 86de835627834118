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

/// A function that an object calls by its place (jit/later.h), and what it is compiled by when
/// that is first done: an object that defines it.
struct LaterCode {
  std::string name;
  std::function<llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>()> make;
};

/// Linked while it lives. May be used from several threads.
class LinkedObject {
public:
  /// What `object` does not define comes from `callees`, which live as long, or from the process.
  static llvm::Expected<std::shared_ptr<const LinkedObject>>
  link(std::unique_ptr<llvm::MemoryBuffer> object,
       std::shared_ptr<const LinkedObject> callees = nullptr, std::vector<LaterCode> later = {});
  ~LinkedObject();

  /// The addresses of some of its symbols.
  llvm::Expected<llvm::SmallVector<llvm::orc::ExecutorAddr>>
  find(llvm::ArrayRef<std::string> names) const;

  /// Calls of later functions that did nothing, as there was no code to be had for them; and why,
  /// the last time.
  uint64_t failures() const { return failures_; }
  std::string failure() const;
  /// What the first calls of later functions took, so far.
  double laterMs() const { return laterMs_; }

private:
  struct Later;

  explicit LinkedObject(llvm::orc::JITDylib &library);
  llvm::Error addPlaces(std::vector<LaterCode> later);
  void *firstCall(Later &function);
  llvm::Expected<void *> addressOf(Later &function);

  llvm::orc::JITDylib &library_;
  std::shared_ptr<const LinkedObject> callees_;
  std::vector<std::unique_ptr<Later>> later_;
  std::atomic<uint64_t> failures_ = 0;
  std::atomic<double> laterMs_ = 0;
  std::string failure_;
};

/// What was linked lately under `key`, or null: every variant of a kernel, and every run of a
/// process that serves many, has the same few functions to call.
std::shared_ptr<const LinkedObject> findLinked(const std::string &key);
void keepLinked(const std::string &key, std::shared_ptr<const LinkedObject> object);
/// As if nothing had been linked yet; what is in use stays until it is not.
void forgetLinked();

} // namespace mmk
