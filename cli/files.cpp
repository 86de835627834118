#include "cli/files.h"

#include "cli/ending.h"
#include "cli/terminal.h"
#include "runtime/whole_file.h"

#include "llvm/Support/Error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace mmk::driver {
namespace {

/// Far above what programs and reports have, and far below what would fill the memory.
constexpr size_t maximumBytes = size_t(16) << 20;

[[noreturn]] void refuse(std::string_view doing, const std::string &path, std::string_view why) {
  throw UserError(fmt::format("cannot {} {}: {}", doing, path, why));
}

/// A file descriptor that is closed when it goes out of scope.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number > STDERR_FILENO)
      ::close(number);
  }
};

std::string readWhole(int descriptor, const std::string &name, std::string_view kind) {
  std::string text;
  char block[65536];
  for (;;) {
    const ssize_t count = ::read(descriptor, block, sizeof block);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      refuse("read", name, std::strerror(errno));
    if (count == 0)
      return text;
    text.append(block, static_cast<size_t>(count));
    if (text.size() > maximumBytes)
      refuse("read", name, fmt::format("it has more than 16 MiB, which no {} needs", kind));
  }
}

std::string readFile(const std::string &path, std::string_view kind, std::string_view suffix) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    refuse("read", path, fmt::format("it is a directory, expected a {} file", suffix));
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0)
    refuse("read", path, std::strerror(errno));
  return readWhole(file.number, path, kind);
}

void writeThrough(const std::string &path, int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      refuse("write", path, std::strerror(errno));
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

} // namespace

std::string nameOfProgram(const std::string &path) { return path == "-" ? "<stdin>" : path; }

std::string readProgram(const std::string &path) {
  return path == "-" ? readWhole(STDIN_FILENO, "standard input", "program")
                     : readFile(path, "program", ".mmk");
}

std::string readReport(const std::string &path) { return readFile(path, "report", ".json"); }

void writeFile(const std::string &path, std::string_view bytes) {
  if (path == "-")
    return print(bytes);
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    refuse("write", path, "it is a directory");
  // A device or a pipe takes the bytes itself; to rename over it would replace it.
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    const Descriptor device{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
    if (device.number < 0)
      refuse("write", path, std::strerror(errno));
    return writeThrough(path, device.number, bytes);
  }
  llvm::Expected<WholeFile> file = WholeFile::beside(path);
  if (!file)
    refuse("write", path, llvm::toString(file.takeError()));
  writeThrough(path, file->descriptor(), bytes);
  if (llvm::Error error = file->keep())
    refuse("write", path, llvm::toString(std::move(error)));
}

void expectWritable(const std::string &path) {
  std::error_code ignored;
  if (path == "-")
    return;
  if (path.empty())
    throw UserError("cannot write a file without a name");
  if (fs::is_directory(path, ignored))
    refuse("write", path, "it is a directory");
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty())
    folder = ".";
  if (!fs::is_directory(folder, ignored))
    refuse("write", path, fmt::format("there is no folder {}", folder.string()));
  if (::access(folder.c_str(), W_OK) != 0)
    refuse("write", path, std::strerror(errno));
}

void makeFolder(const std::string &path) {
  if (path.empty())
    throw UserError("cannot make a folder without a name");
  std::error_code error;
  fs::create_directories(path, error);
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_directory(path, ignored))
    refuse("make the folder", path, "there is a file of this name");
  if (error)
    refuse("make the folder", path, error.message());
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    refuse("write into the folder", path, std::strerror(errno));
}

} // namespace mmk::driver
