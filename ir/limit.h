// What is said of a dimension that is larger than a variant can run with.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace mmk::aicore {

/// "K = 4096, but this variant ...", with what is legal.
std::string beyondLimit(llvm::StringRef dimension, int64_t value, int64_t most);

} // namespace mmk::aicore
