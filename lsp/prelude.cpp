#include "lsp/prelude.h"

#include "cli/ending.h"
#include "cli/environment.h"
#include "cli/files.h"
#include "lsp/text_lines.h"

#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>

namespace mmk::lsp {
namespace {

/// Empty where there is no folder for it.
std::string pathOfPrelude() {
  const std::string folder = driver::cacheDirectory();
  return folder.empty() ? "" : folder + "/prelude.mmk";
}

/// Another version of mmk may have written another text.
bool makeFile(const std::string &path, std::string_view text) {
  if (const auto known = llvm::MemoryBuffer::getFile(path);
      known && std::string_view((*known)->getBuffer()) == text)
    return true;
  try {
    driver::writeFile(path, text);
  } catch (const driver::UserError &) {
    return false;
  }
  using std::filesystem::perms;
  std::error_code error;
  std::filesystem::permissions(path, perms::owner_read | perms::group_read | perms::others_read,
                               error);
  return !error;
}

} // namespace

const Functions &libraryFunctions() {
  static const ast::Program none;
  static const Functions library = [] {
    Diagnostics ignored;
    return Functions(none, ignored);
  }();
  return library;
}

std::optional<llvm::lsp::Location> definitionInPrelude(const std::string &name) {
  const Function *function = libraryFunctions().find(name);
  const std::string path = pathOfPrelude();
  if (!function || path.empty())
    return std::nullopt;
  const SourceRange &where = function->definition->name.where;
  const std::string_view text = where.file->text();
  auto uri = llvm::lsp::URIForFile::fromFile(path);
  if (!uri || !makeFile(path, text)) {
    llvm::consumeError(uri.takeError());
    return std::nullopt;
  }
  return llvm::lsp::Location(*uri, TextLines(text).range(where.begin, where.end));
}

bool isPrelude(const std::string &uri) {
  auto file = llvm::lsp::URIForFile::fromURI(uri);
  if (!file) {
    llvm::consumeError(file.takeError());
    return false;
  }
  return file->file() == llvm::StringRef(pathOfPrelude());
}

} // namespace mmk::lsp
