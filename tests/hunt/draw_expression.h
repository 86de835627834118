// Random elementwise expressions whose rounding error is known, so that a result is compared with
// the bound that it has, and to the bit where it has none.
#pragma once

#include "tests/hunt/kernel.h"
#include "tests/hunt/random.h"

#include <functional>

namespace mmk::hunt {

/// A value of the kernel that an expression may read.
struct Term {
  Expression expression;
  double bound = 0; ///< no finite value is larger; infinity when nothing is known
  /// The largest difference of two evaluations; 0: both are the same to the bit. Arithmetic is in
  /// f32 on both sides, so only approximated functions differ, and values computed from them.
  double error = 0;
};

class ExpressionDraw {
public:
  /// `leaf` yields a value that broadcasts to the requested shape.
  ExpressionDraw(Random &random, std::function<Term()> leaf)
      : random_(random), leaf_(std::move(leaf)) {}

  /// Operations nest up to `depth` deep.
  Term draw(int depth);
  /// The same over a given value.
  Term over(Term value, int depth);

  /// Rounded to an integer from -4 to 4, or NaN: values that a product sums without rounding. Only
  /// of a term without error.
  static Term smallInteger(Term value);
  static Term clamped(Term value, double low, double high);

private:
  Term unary(Term value);
  Term binary(Term left, Term right);
  Term approximated(Term value);
  Term choice(int depth);
  Term number();

  Random &random_;
  std::function<Term()> leaf_;
};

} // namespace mmk::hunt
