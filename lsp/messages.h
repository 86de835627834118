// Messages of the compiler in the form of the language server protocol.
#pragma once

#include "lsp/text_lines.h"

#include "support/diagnostics.h"

#include "llvm/Support/JSON.h"

namespace mmk::lsp {

/// All messages in the order of their places. A note on a place of the text is related information;
/// another one follows the message, a line each.
llvm::json::Array messagesOf(const Diagnostics &diagnostics, const std::string &uri,
                             const std::string &path, const TextLines &lines);

} // namespace mmk::lsp
