// Bytes of mmk_pack: a header that says what they were packed for, then the operand as the kernel
// reads it. They may be kept in a file, and bound by another process.
#pragma once

#include "library/failure.h"
#include "support/element.h"
#include "support/panel_layout.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>

namespace mmk::library {

/// A constant tensor of certain extents, and its layout: panels, or its rows.
struct PackedForm {
  ElementType type;
  llvm::ArrayRef<int64_t> extents;
  std::optional<PackedOperand> panels;

  /// "f16[64, 32] as panels of 3 x 16 columns over dimension 1": what must be equal when the bytes
  /// are bound.
  std::string spelling() const;
  /// With the header.
  int64_t bytes() const;
  /// Writes the header and the operand. Strides in elements.
  void pack(const void *data, llvm::ArrayRef<int64_t> strides, void *to) const;
  /// The operand behind the header; an error where the bytes are no pack, or one of another form.
  mmk_error *open(const std::string &name, const void *packed, const void *&operand) const;
};

} // namespace mmk::library
