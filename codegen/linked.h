// Object code in the memory of this process, and the functions there that several variants share.
#pragma once

#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace mmk {

/// Linked while it lives. May be used from several threads.
class LinkedObject {
public:
  /// What `object` does not define comes from `callees`, which live as long, or from the process.
  static llvm::Expected<std::shared_ptr<const LinkedObject>>
  link(std::unique_ptr<llvm::MemoryBuffer> object,
       std::shared_ptr<const LinkedObject> callees = nullptr);
  ~LinkedObject();

  /// The addresses of some of its symbols.
  llvm::Expected<llvm::SmallVector<llvm::orc::ExecutorAddr>>
  find(llvm::ArrayRef<std::string> names) const;

private:
  LinkedObject(llvm::orc::JITDylib &library, std::shared_ptr<const LinkedObject> callees)
      : library_(library), callees_(std::move(callees)) {}

  llvm::orc::JITDylib &library_;
  std::shared_ptr<const LinkedObject> callees_;
};

/// What was linked lately under `key`, or null: every variant of a kernel, and every run of a
/// process that serves many, has the same few functions to call.
std::shared_ptr<const LinkedObject> findLinked(const std::string &key);
void keepLinked(const std::string &key, std::shared_ptr<const LinkedObject> object);
/// As if nothing had been linked yet; what is in use stays until it is not.
void forgetLinked();

} // namespace mmk
