// Elements of a tensor at computed indices, and positions as numbers.
#pragma once

#include "frontend/kernel.h"
#include "reference/view.h"
#include "support/element.h"

#include <map>
#include <optional>
#include <string>

namespace mmk {

/// The access as a view of its operand: where each index is a sum of positions with factors and
/// nothing is outside. Else nothing.
std::optional<TensorView> viewOfAccess(const Value &access, const TensorView &operand,
                                       const std::vector<int64_t> &shape,
                                       const std::map<std::string, int64_t> &dims);

/// Stores the elements of an access in `result`; `padding` stands for those outside.
void gather(const Value &access, const TensorView &operand, double padding,
            const std::map<std::string, int64_t> &dims, Tensor &result, unsigned threads);

/// The number of a position as an element of the type: of integers modulo 2^32.
double numberOfPosition(ElementType type, int64_t number);

/// Stores the numbers or conditions of a position.
void storePositions(const Value &position, const std::map<std::string, int64_t> &dims,
                    Tensor &result, unsigned threads);

} // namespace mmk
