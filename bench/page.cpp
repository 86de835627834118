#include "bench/page.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <fmt/format.h>
#include <fstream>

namespace mmk {

std::string cpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (const llvm::StringRef text(line); text.starts_with("model name"))
      return text.split(':').second.trim().str();
  return "unknown";
}

bool replaceTables(const std::string &page, const std::string &begin, const std::string &end,
                   const std::string &tables) {
  std::string old;
  if (auto buffer = llvm::MemoryBuffer::getFile(page))
    old = (*buffer)->getBuffer().str();
  const size_t from = old.find(begin), to = old.find(end);
  if (from == std::string::npos || to == std::string::npos) {
    fmt::print(stderr, "{} has no marks for the tables\n", page);
    return false;
  }
  std::error_code error;
  llvm::raw_fd_ostream(page, error) << old.substr(0, from) << begin << tables << old.substr(to);
  return !error;
}

} // namespace mmk
