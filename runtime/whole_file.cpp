#include "runtime/whole_file.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace mmk {
namespace {

/// Names are drawn at random from 2^32: repeated collisions are no accident.
constexpr int attempts = 128;

llvm::Error failure(int code) {
  return llvm::errorCodeToError(std::error_code(code, std::generic_category()));
}

} // namespace

WholeFile::WholeFile(std::string path, std::string temporary, int descriptor)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

WholeFile::WholeFile(WholeFile &&other) noexcept
    : path_(std::move(other.path_)), temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

WholeFile::~WholeFile() {
  if (descriptor_ < 0)
    return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
  llvm::sys::DontRemoveFileOnSignal(temporary_);
}

llvm::Expected<WholeFile> WholeFile::beside(const std::string &path) {
  for (int attempt = 0;; ++attempt) {
    llvm::SmallString<128> drawn;
    if (std::error_code error =
            llvm::sys::fs::getPotentiallyUniqueFileName(path + ".%%%%%%%%", drawn))
      return llvm::errorCodeToError(error);
    const std::string temporary(drawn);
    // Registered for removal before it is created: llvm::sys::fs::TempFile registers it afterwards,
    // so that a signal in between leaves it behind.
    llvm::sys::RemoveFileOnSignal(temporary);
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0)
      return WholeFile(path, temporary, descriptor);
    const int code = errno;
    llvm::sys::DontRemoveFileOnSignal(temporary);
    if (code != EEXIST || attempt == attempts)
      return failure(code);
  }
}

llvm::Error WholeFile::keep() {
  if (::close(std::exchange(descriptor_, -1)) != 0 ||
      ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int code = errno;
    ::unlink(temporary_.c_str());
    llvm::sys::DontRemoveFileOnSignal(temporary_);
    return failure(code);
  }
  llvm::sys::DontRemoveFileOnSignal(temporary_);
  return llvm::Error::success();
}

} // namespace mmk
