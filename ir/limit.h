// The message on a dimension that exceeds the limit of a variant.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace mmk::aicore {

/// "K = 4096, but this variant ...", with the legal values. The variant keeps panels of a product,
/// or else whole rows of a reduction.
std::string beyondLimit(llvm::StringRef dimension, int64_t value, int64_t most, bool keepsPanels);

} // namespace mmk::aicore
