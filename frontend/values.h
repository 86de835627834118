// The values of a body while it is being inferred. Equal operations on equal operands are one
// value, so that a `let` or an argument used twice is computed once.
#pragma once

#include "frontend/kernel.h"

#include <map>
#include <tuple>

namespace mmk {

/// What a literal is, or a calculation with literals alone; nothing for another value.
std::optional<int64_t> integerOf(const Value &value);
/// The calculation that a number is which needs no element; null for another value.
std::unique_ptr<Rule> calculationOf(const Value &value);
std::unique_ptr<Rule> ruleOfDimension(const Dimension &dimension);

class Values {
public:
  const Value *parameter(unsigned index, const Parameter &parameter);
  const Value *constant(double number, SourceRange where);
  /// An i32.
  const Value *whole(int64_t number, SourceRange where);
  /// An i32; beyond 32 bits a calculation: modulo 2^32, and the f32 of all of it where it is cast.
  const Value *integer(int64_t number, SourceRange where);
  /// A number as the text has it: an integer, else an f32.
  const Value *literal(std::string_view text, SourceRange where);
  const Value *random(const Value *seed, Shape shape, SourceRange where);
  const Value *operation(Operation operation, ElementType type, Shape shape,
                         std::vector<const Value *> operands, SourceRange where);
  /// `along` ascends.
  const Value *reduce(Reduction reduction, ElementType type, Shape shape, const Value *operand,
                      std::vector<size_t> along, SourceRange where);
  const Value *cumulate(const Value *operand, size_t along, SourceRange where);
  /// In i32 where it is one dimension, else in f32.
  const Value *extent(const Shape &dimensions, SourceRange where);
  const Value *extent(const Shape &dimensions, ElementType type, SourceRange where);
  /// `padding`, a scalar, is read outside of the operand; null where no index is outside.
  const Value *access(const Value *operand, Shape shape, std::vector<Index> indices,
                      const Value *padding, SourceRange where);
  const Value *position(ElementType type, Shape shape, Index index, SourceRange where);
  /// A reduction of those elements for which `guard` holds; its shape broadcasts to the operand's.
  const Value *reduceWhere(Reduction reduction, ElementType type, Shape shape, const Value *operand,
                           const Value *guard, std::vector<size_t> along, SourceRange where);
  /// The product of those terms for which `guard` holds, which is aligned with operand `side`.
  const Value *productWhere(const Value &product, const Value *guard, size_t side,
                            SourceRange where);
  const Value *squeeze(const Value *operand, Shape shape, SourceRange where);
  /// `groups`: how many dimensions of the longer shape each dimension of the shorter one is.
  const Value *reshape(const Value *operand, Shape shape, std::vector<size_t> groups,
                       SourceRange where);

  /// Gives a value the name of its `let`; a value keeps its first name.
  void name(const Value *value, const std::string &name);

  size_t size() const { return values_.size(); }
  /// All values, operands before users.
  const std::vector<std::unique_ptr<Value>> &created() const { return values_; }

  /// Of a body with errors, for an editor.
  std::vector<std::unique_ptr<Value>> all() && { return std::move(values_); }
  /// Only what some values need, operands before users.
  std::vector<std::unique_ptr<Value>> neededBy(const std::vector<const Value *> &results) &&;

private:
  /// The last text tells apart what the rest does not: a constant, dimensions.
  using Key = std::tuple<Operation, ElementType, std::vector<const Value *>, std::string>;
  const Value *unique(Key key, Value value);

  std::vector<std::unique_ptr<Value>> values_; ///< in order of creation
  std::map<Key, const Value *> known_;
};

} // namespace mmk
