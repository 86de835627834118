// Types and shapes of expressions.
#include "tests/unit/checked.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

constexpr char parameters[] = "m: f16[M, K], n: f16[K, N], q: i8[M, K], p: i8[K, N], t: f16[N, K], "
                              "row: f32[N], column: f32[M, 1], batch: bf16[B, M, K], "
                              "one: bf16[1, K, N], w: bf16[K, N], i: i32[M, N], x: f32[M, N], "
                              "lit: f16[64, 32], s: f32";

struct Row {
  const char *expression;
  const char *type;
};

class Typed : public testing::TestWithParam<Row> {};

TEST_P(Typed, AsExpected) {
  // The expression is compared with the one type that its value can have: a result of that type
  // stores the value itself, without a broadcast.
  const Row &row = GetParam();
  Checked checked("kernel k(" + std::string(parameters) + ") -> c: " + row.type +
                  " { let value = " + row.expression + "; c = value; }");
  ASSERT_TRUE(checked.isSound()) << checked.messages();
  const Value &value = *checked.kernel().results[0].value;
  EXPECT_EQ(spelling(value.type, value.shape), row.type);
}

INSTANTIATE_TEST_SUITE_P(Products, Typed,
                         testing::Values(Row{"m @ n", "f32[M, N]"}, Row{"q @ p", "i32[M, N]"},
                                         Row{"m @ transpose(t)", "f32[M, N]"},
                                         Row{"m @ n @ cast<f32>(t)", "f32[M, K]"},
                                         Row{"batch @ one", "f32[B, M, N]"},
                                         Row{"batch @ w", "f32[B, M, N]"},
                                         Row{"cast<f16>(m @ n) @ t", "f32[M, K]"},
                                         Row{"cast<f16>(relu(m)) @ n", "f32[M, N]"},
                                         Row{"relu(m) @ cast<f32>(n)", "f32[M, N]"},
                                         Row{"lit @ transpose(lit)", "f32[64, 64]"}),
                         [](const auto &info) { return "Row" + std::to_string(info.index); });

INSTANTIATE_TEST_SUITE_P(
    Elementwise, Typed,
    testing::Values(Row{"x + row", "f32[M, N]"}, Row{"row + x", "f32[M, N]"},
                    Row{"column * row", "f32[M, N]"}, Row{"x - 1", "f32[M, N]"},
                    Row{"2 * s * row", "f32[N]"}, Row{"-q", "i32[M, K]"}, Row{"q + m", "f32[M, K]"},
                    Row{"min(i, 3)", "i32[M, N]"}, Row{"i % 3", "i32[M, N]"},
                    Row{"i / 2", "f32[M, N]"}, Row{"i + 0.5", "f32[M, N]"},
                    Row{"floor(q)", "i8[M, K]"}, Row{"select(i > 0, i, 1)", "i32[M, N]"},
                    Row{"select(x > 0, 1, 0)", "i32[M, N]"}, Row{"N * M + 1", "i32"},
                    Row{"i * N", "i32[M, N]"}, Row{"2 * x", "f32[M, N]"},
                    Row{"max(row, column)", "f32[M, N]"}, Row{"select(x > 0, row, s)", "f32[M, N]"},
                    Row{"select(s > 0, row, column)", "f32[M, N]"}, Row{"exp(m)", "f32[M, K]"},
                    Row{"gelu(x) + silu(row)", "f32[M, N]"},
                    Row{"leaky_relu(x, column)", "f32[M, N]"}, Row{"lit / 3", "f32[64, 32]"}),
    [](const auto &info) { return "Row" + std::to_string(info.index); });

INSTANTIATE_TEST_SUITE_P(
    Reductions, Typed,
    testing::Values(Row{"sum[N](x)", "f32[M, 1]"}, Row{"sum[M](x)", "f32[1, N]"},
                    Row{"sum[N, M](x)", "f32[1, 1]"}, Row{"sum[K](q)", "i32[M, 1]"},
                    Row{"sum[M](i)", "i32[1, N]"}, Row{"mean[K](q)", "f32[M, 1]"},
                    Row{"prod[N](i)", "i32[M, 1]"}, Row{"max[K](q)", "i8[M, 1]"},
                    Row{"min[N](i)", "i32[M, 1]"}, Row{"max[K](m)", "f32[M, 1]"},
                    Row{"argmax[M](batch)", "i32[B, 1, K]"}, Row{"cumsum[K](m)", "f32[M, K]"},
                    Row{"cumsum[K](q)", "i32[M, K]"}, Row{"x - max[N](x)", "f32[M, N]"},
                    Row{"select(any[N](x > 0), row, s)", "f32[M, N]"},
                    Row{"softmax[M, K](batch)", "f32[B, M, K]"}, Row{"sum[N](m @ n)", "f32[M, 1]"},
                    Row{"x / N", "f32[M, N]"}),
    [](const auto &info) { return "Row" + std::to_string(info.index); });

INSTANTIATE_TEST_SUITE_P(Others, Typed,
                         testing::Values(Row{"m", "f16[M, K]"}, Row{"transpose(q)", "i8[K, M]"},
                                         Row{"transpose(batch)", "bf16[B, K, M]"},
                                         Row{"cast<i8>(m)", "i8[M, K]"},
                                         Row{"cast<f16>(i)", "f16[M, N]"},
                                         Row{"cast<bf16>(batch)", "bf16[B, M, K]"}),
                         [](const auto &info) { return "Row" + std::to_string(info.index); });

// One rounding of a bf16 in the other direction exceeds the general tolerance.
TEST(Tolerance, followsTheCoarsestResultUntilTheFileSaysOtherwise) {
  EXPECT_EQ(Checked("kernel k(x: f32[N]) -> y: f16[N] { y = x; }").kernel().check.rtol, 1e-3);
  EXPECT_EQ(Checked("kernel k(x: f32[N]) -> y: bf16[N] { y = x; }").kernel().check.rtol, 1e-2);
  EXPECT_EQ(Checked("kernel k(x: f32[N]) -> y: bf16[N] { y = x; check { rtol = 0; } }")
                .kernel()
                .check.rtol,
            0);
}

} // namespace
} // namespace mmk
