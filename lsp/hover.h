// What an editor shows on the name at a place.
#pragma once

#include "lsp/counting.h"
#include "lsp/document.h"

namespace mmk::lsp {

/// Counts of the text's current version, by kernel and case.
using Counts = std::map<std::pair<std::string, std::string>, LoweredText::Count>;

/// Markdown on a name.
std::string hoverText(const Document &document, const Symbol &symbol, const Counts &counts,
                      const std::string &machine);

/// "159976 cycles, 88.88 us, 96.5 MB, bound by mte2"; or why there is no time.
std::string summaryOf(const LoweredText::Count &count);

} // namespace mmk::lsp
