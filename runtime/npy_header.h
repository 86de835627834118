// The header of a .npy file: a Python dictionary in text, behind a magic word and its length.
#pragma once

#include "support/element.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mmk {

struct NpyHeader {
  std::string descr; ///< "<f2"
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Parses the dictionary: "{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }".
llvm::Expected<NpyHeader> parseNpyHeader(std::string_view text);

/// Magic word, version, length and dictionary, a multiple of 64 bytes.
std::string writeNpyHeader(ElementType type, const std::vector<int64_t> &shape);

/// Empty when `descr` holds `expected`, else why it does not.
std::string refuseNpyType(const std::string &descr, ElementType expected);

} // namespace mmk
