// The types and shapes of operations: from operands to a value, or to the reason why there is
// none.
#pragma once

#include "frontend/primitives.h"
#include "frontend/values.h"

#include <string>
#include <vector>

namespace mmk {

/// Why operands do not fit, and which of them is wrong when not all are.
struct Problem {
  std::string message;
  std::optional<size_t> operand;
  std::optional<size_t> dimension = {}; ///< of those in brackets
};

class Typing {
public:
  explicit Typing(Values &values) : values_(values) {}

  /// Null when the operands do not fit; `problem` then says why. `symbol` is how the program spells
  /// the operation.
  const Value *apply(Operation operation, std::string_view symbol,
                     const std::vector<const Value *> &operands, SourceRange where,
                     Problem &problem);

  const Value *cast(ElementType type, const Value *operand, SourceRange where, Problem &problem);

  /// frontend/reductions.cpp
  const Value *reduce(const NamedReduction &named, const Value *operand, const Shape &over,
                      SourceRange where, Problem &problem);

  /// The same along dimensions of the operand by their places, ascending, and, with a guard, over
  /// the elements for which it holds.
  const Value *reduceAlong(const NamedReduction &named, const Value *operand, const Value *guard,
                           std::vector<size_t> along, SourceRange where, Problem &problem);

  /// Random numbers of this shape.
  const Value *random(const Value *seed, Shape shape, SourceRange where, Problem &problem);

private:
  const Value *logical(Operation operation, std::string_view symbol,
                       const std::vector<const Value *> &operands, SourceRange where,
                       Problem &problem);
  const Value *product(const Value *left, const Value *right, SourceRange where, Problem &problem);
  const Value *transpose(const Value *operand, SourceRange where, Problem &problem);
  const Value *elementwise(Operation operation, std::string_view symbol,
                           std::vector<const Value *> operands, SourceRange where,
                           Problem &problem);

  Values &values_;
};

inline std::string spelling(const Value &value) { return spelling(value.type, value.shape); }

} // namespace mmk
