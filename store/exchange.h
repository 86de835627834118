// The best variants as a JSON text, to be carried from one memory to another.
#pragma once

#include "store/store.h"

namespace mmk::tune {

/// {"format": "mmk tuned variants", "version": 1, "tuned": [{"kernel": ..., "best":
/// {"2048x2048x2048:f16": {"dims": ..., "variant": ...}}}]}
std::string exchangeText(const std::vector<BestRow> &rows);

/// The error says what is wrong with the text, and where.
llvm::Expected<std::vector<BestRow>> readExchange(const std::string &text);

} // namespace mmk::tune
