#include "tests/hunt/draw_integers.h"

#include <fmt/format.h>

namespace mmk::hunt {

Expression IntegerDraw::literal() {
  const int64_t number = random_.oneOf({0L, 1L, 2L, 3L, 7L, 10L, 127L, 128L, 255L, 1000L, 65537L,
                                        16777217L, 1073741824L, 2147483647L});
  Expression value{fmt::format("{}", number), {}};
  return random_.chance(25) ? call("-", {value}) : value;
}

Expression IntegerDraw::draw(int depth) {
  if (depth == 0 || random_.chance(15))
    return random_.chance(20) ? literal() : leaf_();
  switch (random_.below(5)) {
  case 0:
    return unary(draw(depth - 1));
  case 1:
    return choice(depth);
  default:
    return binary(draw(depth - 1), draw(depth - 1));
  }
}

Expression IntegerDraw::over(Expression value, int depth) {
  for (int i = 0; i < depth; ++i)
    value = random_.chance(30)   ? unary(std::move(value))
            : random_.chance(50) ? binary(std::move(value), draw(1))
                                 : binary(draw(1), std::move(value));
  return value;
}

Expression IntegerDraw::choice(int depth) {
  const char *comparison = random_.oneOf({"<", "<=", ">", ">=", "==", "!="});
  Expression left = draw(depth - 1), right = draw(0);
  return call("select", {call(comparison, {std::move(left), std::move(right)}), draw(depth - 1),
                         draw(depth - 1)});
}

Expression IntegerDraw::unary(Expression value) {
  const char *head =
      random_.oneOf({"-", "-", "abs", "abs", "relu", "square", "floor", "cast<i8>", "cast<i32>"});
  return call(head, {std::move(value)});
}

Expression IntegerDraw::binary(Expression left, Expression right) {
  const char *head = random_.oneOf({"+", "+", "-", "-", "*", "*", "%", "%", "min", "max"});
  return call(head, {std::move(left), std::move(right)});
}

} // namespace mmk::hunt
