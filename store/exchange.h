// The best variants as a JSON text, to exchange them between stores.
#pragma once

#include "store/store.h"

namespace mmk::tune {

/// {"format": "mmk tuned variants", "version": 1, "tuned": [{"kernel": ..., "best":
/// {"2048x2048x2048:f16": {"dims": ..., "variant": ...}}}]}
std::string exchangeText(const std::vector<BestRow> &rows);

/// The error is a message with a place in the text.
llvm::Expected<std::vector<BestRow>> readExchange(const std::string &text);

} // namespace mmk::tune
