// The table of vector instructions: the operands of each, the operations that select it, the figure
// of a machine that prices it, and its call in Ascend C. The dialect, instruction selection, the
// clock, the functional code and printers read this one table; what a row computes on the emulated
// core is in emulator/vector_code.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mmk {

struct VectorInstruction {
  std::string_view name; ///< in the IR: `aicore.vec add ...`

  /// Operands and result, a letter each, "nn:n". Operands: `n` numbers, a tile or one scalar for
  /// all elements; `t` numbers, always a tile; `s` a scalar; `m` a mask. Results: `n` numbers of
  /// the operands' type; `c` numbers of another type; `m` a mask.
  std::string_view signature;

  std::string_view cost; ///< figure of the machine: `vector.<cost>`; instructions may share one

  /// Operations of arith and math of which each becomes this instruction, separated by spaces.
  /// Empty for what is selected by a pattern (place/select_vector.cpp).
  std::string_view operations;

  /// The call in Ascend C, or the rounding of Cast; written by ascendc/vector_calls.cpp.
  std::string_view ascend;
  /// The call that takes a scalar as its last operand; empty: the scalar is duplicated into a tile
  /// first.
  std::string_view ascendScalar;

  bool commutes = false;     ///< a scalar is its last operand
  bool hasPredicate = false; ///< of a comparison
  /// The figure where the last operand is a scalar; empty: as of tiles.
  std::string_view scalarCost = {};

  std::string_view operands() const { return signature.substr(0, signature.find(':')); }
  char result() const { return signature.back(); }
};

std::span<const VectorInstruction> vectorInstructions();

/// Null when there is none.
const VectorInstruction *findVectorInstruction(std::string_view name);
/// The instruction that an operation ("arith.addf") selects; null when there is none.
const VectorInstruction *vectorInstructionOf(std::string_view operation);

/// Every operation that selects an instruction, sorted.
std::vector<std::string> selectableOperations();

} // namespace mmk
