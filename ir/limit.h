// The message on a dimension that exceeds the limit of a variant.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace mmk::aicore {

/// What a variant holds whole, so that a dimension has a limit: panels of a product (`keep`), rows
/// of a reduction (`reduce = whole`), or rows of a product (`fuse = rows`), perhaps with panels.
enum class HeldWhole { panels, rows, rowsOfProduct, rowsAndPanels, unit };

/// "K = 4096, but this variant ...", with the legal values.
std::string beyondLimit(llvm::StringRef dimension, int64_t value, int64_t most, HeldWhole held);

} // namespace mmk::aicore
