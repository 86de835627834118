#include "store/choice_memory.h"

#include "runtime/whole_file.h"
#include "store/store_file.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace mmk::tune {
namespace {

/// The first line of a file; another one is of another mmk.
constexpr llvm::StringLiteral firstLine = "mmk choice 2";

/// The text of a key, which the file repeats: a file of another key is none of this one.
std::string textOf(const ChoiceKey &key) {
  return fmt::format("{} {} {} {} {}", key.identity.kernel, key.identity.machine,
                     key.identity.build, key.dims, key.fixed);
}

std::string bodyOf(const ChoiceKey &key, const RememberedChoice &choice) {
  return fmt::format("{}\n{}\n{}\n{} {} {} {}\n", firstLine.str(), textOf(key),
                     variantText(choice.choices), choice.cycles, choice.defaultCycles,
                     choice.counted, choice.considered);
}

/// The start of the names of a build's files.
std::string prefixOf(const std::string &build) { return build.substr(0, 16) + "-"; }

} // namespace

std::string ChoiceMemory::pathOf(const ChoiceKey &key) const {
  return fmt::format("{}/{}{}", folder_, prefixOf(key.identity.build), digest(textOf(key)));
}

std::optional<RememberedChoice> ChoiceMemory::find(const ChoiceKey &key) const {
  if (folder_.empty())
    return std::nullopt;
  auto file = llvm::MemoryBuffer::getFile(pathOf(key));
  if (!file)
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> lines;
  (*file)->getBuffer().split(lines, '\n');
  if (lines.size() < 5 || lines[0] != firstLine || lines[1] != textOf(key))
    return std::nullopt;
  RememberedChoice choice;
  choice.choices = choicesFrom(lines[2]);
  llvm::SmallVector<llvm::StringRef> numbers;
  lines[3].split(numbers, ' ');
  int64_t *const figures[] = {&choice.cycles, &choice.defaultCycles, &choice.counted,
                              &choice.considered};
  if (numbers.size() != std::size(figures))
    return std::nullopt;
  for (size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i].getAsInteger(10, *figures[i]))
      return std::nullopt;
  if (lines[4] != digest(bodyOf(key, choice)))
    return std::nullopt;
  return choice;
}

llvm::Error ChoiceMemory::add(const ChoiceKey &key, const RememberedChoice &choice) const {
  if (folder_.empty())
    return llvm::Error::success();
  try {
    makePrivateFolder(folder_);
  } catch (const std::runtime_error &error) {
    return llvm::createStringError(error.what());
  }
  llvm::Expected<WholeFile> file = WholeFile::beside(pathOf(key));
  if (!file)
    return file.takeError();
  const std::string body = bodyOf(key, choice), text = body + digest(body) + "\n";
  if (::write(file->descriptor(), text.data(), text.size()) != std::ssize(text))
    return llvm::createStringError(fmt::format("{}: {}", pathOf(key), std::strerror(errno)));
  return file->keep();
}

int64_t ChoiceMemory::prune(const std::string &build) const {
  int64_t count = 0;
  std::error_code error;
  if (!folder_.empty())
    for (llvm::sys::fs::directory_iterator it(folder_, error), end; it != end && !error;
         it.increment(error))
      if (build.empty() || !llvm::sys::path::filename(it->path()).starts_with(prefixOf(build)))
        count += !llvm::sys::fs::remove(it->path());
  return count;
}

} // namespace mmk::tune
