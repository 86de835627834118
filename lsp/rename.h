// Renames what a text defines.
#pragma once

#include "lsp/document.h"

#include "llvm/Support/Error.h"

namespace mmk::lsp {

/// The places where the name at `offset` is written, in the order of the text. The error says why
/// it cannot be renamed, or not to `newName`; an empty one is not checked.
llvm::Expected<std::vector<Occurrence>> placesToRename(const Document &document, uint32_t offset,
                                                       const std::string &newName,
                                                       const Machine &machine);

} // namespace mmk::lsp
