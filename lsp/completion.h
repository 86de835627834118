// What may be written at a place of a text.
#pragma once

#include "lsp/document.h"

namespace mmk::lsp {

struct Proposal {
  std::string text;
  llvm::lsp::CompletionItemKind kind;
  std::string detail;
};

/// By the tokens before `offset`, so that the text around it need not parse.
std::vector<Proposal> proposalsAt(const Document &document, uint32_t offset);

} // namespace mmk::lsp
