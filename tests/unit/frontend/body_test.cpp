// The values of a kernel: in which order, how many, with which places and names.
#include "tests/unit/checked.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace mmk {
namespace {

size_t count(const Kernel &kernel, Operation operation) {
  size_t result = 0;
  for (const auto &value : kernel.values)
    result += value->operation == operation;
  return result;
}

std::string textOf(const SourceRange &range) {
  return std::string(range.file->text().substr(range.begin, range.end - range.begin));
}

TEST(Body, OperandsStandBeforeTheirUsers) {
  const Checked checked("kernel k(a: f32[N], b: f32[N]) -> c: f32[N], d: f32[N] {"
                        "  let x = gelu(a); d = x + b; c = silu(x - b) / x; }");
  ASSERT_TRUE(checked.isSound()) << checked.messages();
  std::set<const Value *> seen;
  for (const auto &value : checked.kernel().values) {
    for (const Value *operand : value->operands)
      EXPECT_TRUE(seen.contains(operand));
    seen.insert(value.get());
  }
  for (const Result &result : checked.kernel().results)
    EXPECT_TRUE(seen.contains(result.value));
}

TEST(Body, EqualOperationsAreOneValue) {
  const Checked checked("kernel k(a: f32[N]) -> c: f32[N] {"
                        "  let x = exp(a); c = x * exp(a) + sigmoid(a) * sigmoid(a); }");
  ASSERT_TRUE(checked.isSound()) << checked.messages();
  EXPECT_EQ(count(checked.kernel(), Operation::exp), 2u);
  EXPECT_EQ(count(checked.kernel(), Operation::divide), 1u);
}

TEST(Body, ZerosOfBothSignsAreTwoValues) {
  const Checked checked("kernel k(a: f32[N]) -> c: f32[N] { c = max(a, 0) + min(a, -0.0); }");
  ASSERT_TRUE(checked.isSound());
  ASSERT_EQ(count(checked.kernel(), Operation::constant), 2u);
  EXPECT_EQ(count(checked.kernel(), Operation::negate), 0u);
}

TEST(Body, OnlyWhatTheResultsNeed) {
  const Checked checked("kernel k(a: f32[N], b: f32[N]) -> c: f32[N] { let x = exp(b); c = a; }");
  ASSERT_TRUE(checked.isSound());
  EXPECT_EQ(checked.kernel().values.size(), 1u);
  EXPECT_EQ(checked.kernel().parameters.size(), 2u);
}

TEST(Body, AnInlinedOperationStandsAtItsCall) {
  const Checked checked("fn inner(x) = exp(x); fn outer(x) = inner(x) + 1;\n"
                        "kernel k(a: f32[N]) -> c: f32[N] { c = 2 * outer(a); }");
  ASSERT_TRUE(checked.isSound());
  for (const auto &value : checked.kernel().values)
    if (value->operation == Operation::exp || value->operation == Operation::add) {
      EXPECT_EQ(textOf(value->where), "outer(a)");
    }
}

TEST(Body, ALetGivesItsName) {
  const Checked checked("kernel k(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {"
                        "  let same = a; let acc = same @ b; let again = acc; c = again; }");
  ASSERT_TRUE(checked.isSound()) << checked.messages();
  const Value &product = *checked.kernel().results[0].value;
  EXPECT_EQ(product.name, "acc");
  EXPECT_EQ(product.operands[0]->name, "a");
  EXPECT_EQ(textOf(product.where), "same @ b");
}

TEST(Body, ArithmeticReadsF32) {
  const Checked checked("kernel k(a: f16[N], q: i8[N]) -> c: f16[N] { c = a * q; }");
  ASSERT_TRUE(checked.isSound());
  const Value &product = *checked.kernel().results[0].value;
  EXPECT_EQ(product.type, ElementType::f32);
  for (const Value *operand : product.operands) {
    EXPECT_EQ(operand->operation, Operation::cast);
    EXPECT_EQ(operand->type, ElementType::f32);
  }
}

TEST(Body, ACastToTheSameTypeIsNone) {
  const Checked checked("kernel k(a: f16[N]) -> c: f16[N] { c = cast<f16>(a); }");
  ASSERT_TRUE(checked.isSound());
  EXPECT_EQ(checked.kernel().results[0].value->operation, Operation::parameter);
}

TEST(Body, ConstantsAreF32) {
  const Checked checked("kernel k(a: f32[N]) -> c: f32[N] { c = select(a < 0.1, -inf, nan); }");
  ASSERT_TRUE(checked.isSound());
  std::vector<double> constants;
  for (const auto &value : checked.kernel().values)
    if (value->operation == Operation::constant)
      constants.push_back(value->constant);
  // inf is an intermediate value of -inf, and not needed.
  ASSERT_EQ(constants.size(), 3u);
  EXPECT_EQ(constants[0], static_cast<double>(0.1f));
  EXPECT_EQ(constants[1], -INFINITY);
  EXPECT_TRUE(std::isnan(constants[2]));
}

TEST(Body, AResultMayBeBroadcast) {
  const Checked checked(
      "kernel k(a: f32[M, N], b: f32[N]) -> c: f32[M, N], d: f32[M, N] { c = b + 0 * a; d = b; }");
  ASSERT_TRUE(checked.isSound()) << checked.messages();
  EXPECT_EQ(spelling(checked.kernel().results[1].value->shape), "[N]");
}

TEST(Body, OwnFunctionsComeBeforeThePrelude) {
  const Checked checked("fn relu(x) = x + 7;\nkernel k(a: f32[N]) -> c: f32[N] { c = relu(a); }");
  ASSERT_TRUE(checked.isSound()) << checked.messages();
  EXPECT_EQ(checked.kernel().results[0].value->operation, Operation::add);
  // The prelude's own calls are not redirected.
  const Checked other("fn clamp(x, low, high) = x + 7;\n"
                      "kernel k(a: f32[N]) -> c: f32[N] { c = relu6(a); }");
  ASSERT_TRUE(other.isSound()) << other.messages();
  EXPECT_EQ(other.kernel().results[0].value->operation, Operation::minimum);
}

TEST(Body, FunctionsMayComeInAnyOrder) {
  EXPECT_TRUE(Checked("kernel k(a: f32[N]) -> c: f32[N] { c = f(a); }\n"
                      "fn f(x) = g(x) + g(x + 1); fn g(x) = 2 * x;")
                  .isSound());
}

TEST(Program, KeepsItsFileOnSuccessOnly) {
  const Checked good("kernel k(a: f32[N]) -> c: f32[N] { c = a; }");
  EXPECT_TRUE(good.program->file);
  EXPECT_FALSE(good.file);
  const Checked bad("kernel k(a: f32[N]) -> c: f32[N] { c = b; }");
  EXPECT_FALSE(bad.isSound());
  EXPECT_TRUE(bad.file);
}

TEST(Program, HoldsItsKernelsInOrder) {
  const Checked checked("kernel one(a: f32[N]) -> c: f32[N] { c = a; }\n"
                        "kernel two(a: f32[N]) -> c: f32[N] { c = a; }");
  ASSERT_TRUE(checked.isSound());
  ASSERT_EQ(checked.program->kernels.size(), 2u);
  EXPECT_EQ(checked.program->kernels[0]->name, "one");
  EXPECT_EQ(checked.program->kernels[1]->name, "two");
}

} // namespace
} // namespace mmk
