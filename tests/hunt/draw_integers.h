// Random expressions of integers, which every machine computes to the bit.
#pragma once

#include "tests/hunt/kernel.h"
#include "tests/hunt/random.h"

#include <functional>

namespace mmk::hunt {

class IntegerDraw {
public:
  /// `leaf` yields an integer that broadcasts to the requested shape.
  IntegerDraw(Random &random, std::function<Expression()> leaf)
      : random_(random), leaf_(std::move(leaf)) {}

  /// Operations nest up to `depth` deep.
  Expression draw(int depth);
  /// The same over a given integer.
  Expression over(Expression value, int depth);

private:
  Expression unary(Expression value);
  Expression binary(Expression left, Expression right);
  Expression choice(int depth);
  Expression literal();

  Random &random_;
  std::function<Expression()> leaf_;
};

} // namespace mmk::hunt
