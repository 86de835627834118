// Element types as the device, the host program and PyTorch name them.
#pragma once

#include "support/element.h"

#include "mlir/IR/Types.h"

#include <string>
#include <string_view>

namespace mmk::ascendc {

/// The names of one element type.
struct ElementNames {
  ElementType type;
  std::string_view device; ///< in a kernel: "half"
  std::string_view torch;  ///< "at::kHalf"
};

/// Null for a type that no tensor has: a mask.
const ElementNames *namesOf(mlir::Type element);
/// The name of a type in a kernel.
std::string deviceType(mlir::Type element);

/// A number of C++ as one of a tensor's type. A bf16 has no conversion from other numbers.
std::string converted(const std::string &number, mlir::Type element);

} // namespace mmk::ascendc
