// The types and shapes of operations: from operands to a value, or to the reason why there is
// none.
#pragma once

#include "frontend/primitives.h"
#include "frontend/values.h"

#include <map>
#include <string>
#include <vector>

namespace mmk {

/// Why operands do not fit, and which of them is wrong when not all are.
struct Problem {
  std::string message;
  std::optional<size_t> operand;
  std::optional<size_t> dimension = {}; ///< of those in brackets
};

/// An integer that stands beside a float in a sum or a comparison, so that f32 may round it.
struct RoundedInteger {
  const Value *value;
  SourceRange where; ///< of the sum or comparison
};

class Typing {
public:
  explicit Typing(Values &values) : values_(values) {}

  /// Those of all operations so far.
  const std::vector<RoundedInteger> &roundedIntegers() const { return rounded_; }

  /// Null when the operands do not fit; `problem` then says why. `symbol` is how the program spells
  /// the operation.
  const Value *apply(Operation operation, std::string_view symbol,
                     const std::vector<const Value *> &operands, SourceRange where,
                     Problem &problem);

  const Value *cast(ElementType type, const Value *operand, SourceRange where, Problem &problem);

  /// frontend/typing/reductions.cpp
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

  /// frontend/typing/integers.cpp: an operation on integers alone; null for one that is on f32.
  const Value *ofIntegers(Operation operation, const Shape &shape,
                          const std::vector<const Value *> &operands, SourceRange where);
  const Value *ofWholeNumbers(Operation operation, const std::vector<const Value *> &operands,
                              SourceRange where);
  /// Takes a number from a sum with elements to the position that is compared with it.
  bool moveNumber(const Value *&position, const Value *&elements);
  void noteRounded(Operation operation, const std::vector<const Value *> &operands,
                   SourceRange where);

  Values &values_;
  std::vector<RoundedInteger> rounded_;
  std::map<const Value *, double> largest_; ///< magnitudes of integers
};

inline std::string spelling(const Value &value) { return spelling(value.type, value.shape); }

} // namespace mmk
