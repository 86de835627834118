// Operands of small numbers, which any order of summation adds exactly.
#pragma once

#include <vector>

namespace mmk {

inline int element(int row, int column, int seed) { return (3 * row + 5 * column + seed) % 5 - 2; }

/// All elements, in row-major order.
inline std::vector<_Float16> operand(int rows, int columns, int seed) {
  std::vector<_Float16> elements;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      elements.push_back(static_cast<_Float16>(element(row, column, seed)));
  return elements;
}

} // namespace mmk
