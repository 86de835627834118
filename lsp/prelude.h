// The prelude of the language as a file that an editor can show: it is a part of the compiler, and
// no text of the user.
#pragma once

#include "frontend/functions.h"

#include "llvm/Support/LSP/Protocol.h"

#include <optional>
#include <string>

namespace mmk::lsp {

/// The functions that no text has to define.
const Functions &libraryFunctions();

/// Where a function of the prelude is defined, in a file without permission to write, which is made
/// here. Nothing for another name, and where no file can be made.
std::optional<llvm::lsp::Location> definitionInPrelude(const std::string &name);

/// Whether a text is that file: it has no kernels, and nothing in it is checked.
bool isPrelude(const std::string &uri);

} // namespace mmk::lsp
