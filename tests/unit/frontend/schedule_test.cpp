// Choices, rules, and which schedule a machine gets.
#include "frontend/schedule.h"
#include "frontend/whole.h"
#include "schedule/directive.h"
#include "tests/unit/checked.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

const Checked &gemm() {
  static const Checked checked("kernel gemm(a: f16[M, K], b: f16[K, N], s: f32) -> c: f32[M, N] {"
                               "  c = s * (a @ b); }");
  return checked;
}

const Machine &machine() {
  static const Machine machine = llvm::cantFail(loadMachine("ascend910b3"));
  return machine;
}

std::string problem(std::string_view key, std::string_view word) {
  std::string message;
  const bool legal = checkChoice(gemm().kernel(), &machine().cube, key, word, message);
  EXPECT_EQ(legal, message.empty());
  return message;
}

TEST(Choice, Legal) {
  for (const auto &[key, word] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"cores", "auto"},       {"cores", "1024"},       {"grid.M", "3"},
           {"grid.K", "2"},         {"tile.M", "16"},        {"tile.K", "48"},
           {"stage.K", "512"},      {"buffers.l1", "1"},     {"buffers.l0.b", "8"},
           {"buffers.ub.a", "2"},   {"buffers.acc", "2"},    {"buffers.panel", "2"},
           {"buffers.bt", "2"},     {"keep", "none"},        {"keep", "A(2048)"},
           {"keep", "B(16)"},       {"bias", "table"},       {"skew", "stages"},
           {"store", "overlapped"}, {"order", "swizzle(4)"}, {"fuse", "none"}})
    EXPECT_EQ(problem(key, word), "") << key;
}

TEST(Choice, OfReducedDimensions) {
  const Checked rows("kernel rows(x: f32[M, N, L]) -> y: f32[M, N, L], z: f32[M, N, L] {"
                     "  y = softmax[N](x); z = cumsum[L](x); }");
  const auto said = [&](std::string_view key, std::string_view word) {
    std::string message;
    checkChoice(rows.kernel(), &machine().cube, key, word, message);
    return message;
  };
  for (const char *key : {"reduce", "reduce.N", "reduce.L"})
    for (const char *word : {"whole", "two_pass", "online"})
      EXPECT_EQ(said(key, word), "") << key;
  EXPECT_EQ(said("reduce.M", "whole"),
            "'reduce' is for dimensions that are reduced (N and L), found M");
  EXPECT_EQ(said("reduce.Q", "whole"), "'rows' has no dimension Q; dimensions: M, N and L");
  EXPECT_EQ(said("reduce.N.a", "whole"), "'rows' has no dimension N.a; dimensions: M, N and L");
  EXPECT_EQ(said("reduce.N", "3"), "reduce.N is two_pass, whole or online, found 3");
  EXPECT_EQ(problem("reduce.K", "whole"),
            "'reduce' is for dimensions that are reduced (none here), found K");
}

// One loop goes along what is added to a value, and along its reductions, not along parameters.
TEST(Roles, AreDimensionsOfTheirOwn) {
  const Checked checked(
      "kernel k(x: f16[M, K]) -> c: f32[M, M], t: f32[M] {"
      "  let s[i, j] = sum[k](x[i, k] * x[j, k]);"
      "  let p[i, j] = softmax[j](2 * s[i, j]);"
      "  c[j, i] = p[i, j];  t[i] = sum[j](p[i, j] * x[j, 0]);"
      "  schedule { tile s.i = 16, p.j = 32; grid s.i = 2; reduce p.j = whole; } }");
  const Kernel &kernel = checked.kernel();
  EXPECT_EQ(kernel.dimensions, (std::vector<std::string>{"M", "K", "s.i", "p.j"}));
  EXPECT_EQ(kernel.boundDimensions(), (std::vector<std::string>{"M", "K"}));
  EXPECT_EQ(kernel.shownDimensions(), (std::vector<std::string>{"M", "K"}));
  EXPECT_EQ(spelling(kernel.results[0].shape), "[p.j, s.i]");
  EXPECT_EQ(spelling(kernel.results[1].shape), "[s.i]");
  EXPECT_EQ(spelling(kernel.parameters[0].shape), "[M, K]");
  std::map<std::string, int64_t> dims = {{"M", 5}, {"K", 7}};
  EXPECT_EQ(completeDimensions(kernel, dims), "");
  EXPECT_EQ(dims.at("s.i"), 5);
}

// The shape decides the tile of a product's result, not the depth of one step.
TEST(Choice, TilesThatFitTheShape) {
  EXPECT_EQ(problem("tile.M", "auto"), "");
  EXPECT_EQ(problem("tile.N", "auto"), "");
  EXPECT_EQ(problem("tile.K", "auto"), "tile.K is a multiple of 16 from 16 to 65536, found 'auto'");
  EXPECT_EQ(problem("stage.K", "auto"),
            "stage.K is a multiple of 16 from 16 to 65536, found 'auto'");
}

TEST(Choice, Illegal) {
  EXPECT_EQ(problem("tile.M", "100"),
            "tile.M = 100 is not a multiple of 16, the cube's width; nearest legal: 96, 112");
  EXPECT_EQ(problem("tile.K", "8"),
            "tile.K = 8 is not a multiple of 16, the cube's depth for f16; nearest legal: 16");
  EXPECT_EQ(problem("tile.M", "0"), "tile.M is auto or a multiple of 16 from 16 to 65536, found 0");
  EXPECT_EQ(problem("tile.M", ""),
            "tile.M is auto or a multiple of 16 from 16 to 65536, found nothing");
  EXPECT_EQ(problem("tile.M", "99999999999999999999"),
            "tile.M is auto or a multiple of 16 from 16 to 65536, found 99999999999999999999");
  EXPECT_EQ(problem("tile.Q", "64"), "'gemm' has no dimension Q; dimensions: M, K and N");
  EXPECT_EQ(problem("tile", "64"),
            "'tile' takes dimensions of the kernel; expected such as tile M = 128");
  EXPECT_EQ(problem("tile.M.N", "64"), "'gemm' has no dimension M.N; dimensions: M, K and N");
  EXPECT_EQ(problem("stage.N", "64"),
            "'stage' is for the inner dimension of a product (K), found N");
  EXPECT_EQ(problem("buffers.l1.s", "2"), "unknown operand 's'; tensors of 'gemm': a and b");
  EXPECT_EQ(problem("buffers.l1.a.b", "2"), "unknown operand 'a.b'; tensors of 'gemm': a and b");
  EXPECT_EQ(problem("order", "swizzle(x)"),
            "the width of swizzle is an integer from 1 to 1024, found 'x'");
  EXPECT_EQ(problem("fuse", ""), "fuse is all, none, rows, products or windows, found nothing");
  EXPECT_EQ(problem("coers", "1"),
            "unknown directive 'coers' (did you mean 'cores'?); directives: cores, grid, tile, "
            "stage, extent, buffers, keep, bias, skew, window, store, order, reduce, preload, "
            "through and fuse");
  EXPECT_EQ(problem("", "1"),
            "unknown directive ''; directives: cores, grid, tile, stage, extent, buffers, "
            "keep, bias, skew, window, store, order, reduce, preload, through and fuse");
  EXPECT_EQ(
      problem("require", "1"),
      "unknown directive 'require'; directives: cores, grid, tile, stage, extent, buffers, keep, "
      "bias, skew, window, store, order, reduce, preload, through and fuse");
  EXPECT_EQ(problem("extent.M", "1"), "");
  EXPECT_EQ(problem("extent.M", "2"), "extent.M is 1, found 2");
  // Dimensions of a tensor that follow each other may be joined.
  EXPECT_EQ(problem("tile.M*N", "64"), "");
  EXPECT_EQ(problem("tile.N*M", "64"), "'gemm' has no dimension N*M; dimensions: M, K and N");
  EXPECT_EQ(problem("keep", "A(x)"),
            "the depth of a panel that is kept is an integer from 1 to 65536, found 'x'");
  EXPECT_EQ(problem("keep", "a(512)"), "keep is none, A(n) or B(n), found 'a(512)'");
  EXPECT_EQ(problem("bias", "2"), "bias is vector or table, found 2");
}

TEST(Choice, HasAliases) {
  EXPECT_EQ(withoutAlias("epilogue"), "fuse");
  EXPECT_EQ(withoutAlias("tile.M"), "tile.M");
  EXPECT_EQ(withoutAlias("tiles.M"), "tiles.M");
  EXPECT_EQ(wordWithoutAlias("epilogue", "separate"), "none");
  EXPECT_EQ(wordWithoutAlias("fuse", "fused"), "all");
  EXPECT_EQ(wordWithoutAlias("fuse", "some"), "some");
  EXPECT_EQ(wordWithoutAlias("order", "separate"), "separate");
}

TEST(Role, OfADimension) {
  const Checked checked("kernel k(a: i8[B, M, K], b: i8[K, N], w: f32[N, P]) -> c: f32[B, M, P] {"
                        "  c = cast<f32>(a @ b) @ w; }");
  ASSERT_TRUE(checked.isSound()) << checked.messages();
  const auto role = [&](const char *name) {
    return roleOf(checked.kernel(), name, &machine().cube);
  };
  EXPECT_EQ(role("B").multiple, 1);
  EXPECT_TRUE(role("B").isOutput);
  EXPECT_EQ(role("M").multiple, 16);
  EXPECT_EQ(role("K").multiple, 32);
  EXPECT_TRUE(role("K").isReduction);
  EXPECT_FALSE(role("K").isOutput);
  // Columns of the first product, and the depth of the second.
  EXPECT_EQ(role("N").multiple, 16);
  EXPECT_TRUE(role("N").isReduction);
}

// Rows and columns of the cube may differ, and its depth need not divide either.
TEST(Choice, FollowsTheCube) {
  const Machine other = llvm::cantFail(
      loadMachine("ascend910b3", {{"cube.m", "8"}, {"cube.n", "24"}, {"cube.depth.f16", "12"}}));
  const auto problem = [&](std::string_view key, std::string_view word) {
    std::string message;
    checkChoice(gemm().kernel(), &other.cube, key, word, message);
    return message;
  };
  EXPECT_EQ(problem("tile.M", "8"), "");
  EXPECT_EQ(problem("tile.N", "72"), "");
  EXPECT_EQ(problem("tile.K", "36"), "");
  EXPECT_EQ(problem("tile.N", "16"),
            "tile.N = 16 is not a multiple of 24, the cube's width; nearest legal: 24");
  EXPECT_EQ(problem("tile.K", "16"),
            "tile.K = 16 is not a multiple of 12, the cube's depth for f16; nearest legal: 12, 24");
}

TEST(Choice, WithoutAMachineEveryTileIsLegal) {
  std::string message;
  EXPECT_TRUE(checkChoice(gemm().kernel(), nullptr, "tile.M", "100", message));
  EXPECT_FALSE(checkChoice(gemm().kernel(), nullptr, "tile.M", "0", message));
  EXPECT_EQ(message, "tile.M is auto or an integer from 1 to 65536, found 0");
}

TEST(Role, WithoutAProductAnyTileWillDo) {
  const Checked checked("kernel k(a: f32[N]) -> c: f32[N] { c = a; schedule { tile N = 1000; } }");
  EXPECT_TRUE(checked.isSound()) << checked.messages();
}

Verdict verdict(const std::string &text, std::string *why = nullptr) {
  const Checked checked("kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b;"
                        "  schedule { tile M = 64; require " +
                        text + "; } }");
  EXPECT_TRUE(checked.isSound()) << checked.messages();
  const Rule &rule = *checked.kernel().schedules[0].requirements[0].rule;
  const ChosenNumber chosen = [](std::string_view key) -> std::optional<int64_t> {
    if (key == "tile.N")
      return 48;
    if (key == "tile.K")
      return 0;
    return std::nullopt;
  };
  if (why)
    *why = explain(rule, chosen);
  return judge(rule, chosen);
}

TEST(Rule, Judged) {
  EXPECT_EQ(verdict("tile.N == 48"), Verdict::holds);
  EXPECT_EQ(verdict("tile.N * 2 + 4 - 1 <= 99 && tile.N % 32 == 16"), Verdict::holds);
  EXPECT_EQ(verdict("tile.N / 10 >= 5 || -tile.N > 0"), Verdict::broken);
  EXPECT_EQ(verdict("!(tile.N < 48)"), Verdict::holds);
  EXPECT_EQ(verdict("tile.N != 48"), Verdict::broken);
  EXPECT_EQ(verdict("buffers.l1 < 2"), Verdict::undecided);
}

TEST(Rule, OneSideMayDecide) {
  EXPECT_EQ(verdict("buffers.l1 < 2 && tile.N == 1"), Verdict::broken);
  EXPECT_EQ(verdict("buffers.l1 < 2 || tile.N == 48"), Verdict::holds);
  EXPECT_EQ(verdict("buffers.l1 < 2 && tile.N == 48"), Verdict::undecided);
}

TEST(Rule, WithoutAValueIsBroken) {
  std::string why;
  EXPECT_EQ(verdict("tile.N / tile.K > 1", &why), Verdict::broken);
  EXPECT_EQ(why, "tile.N = 48, tile.K = 0; it divides by zero or leaves 64 bits");
  EXPECT_EQ(verdict("tile.N * 9223372036854775807 > 0", &why), Verdict::broken);
}

TEST(Machine, GetsTheMostSpecificSchedule) {
  const Checked checked("kernel k(a: f32[N]) -> c: f32[N] { c = a;"
                        "  schedule for ascend* { cores = 1; }"
                        "  schedule { cores = 2; }"
                        "  schedule for ascend910b* { cores = 3; }"
                        "  schedule for ascend910b3 { cores = 4; }"
                        "  schedule for *p { cores = 5; } }");
  ASSERT_TRUE(checked.isSound()) << checked.messages();
  const auto cores = [&](std::string_view machine) {
    return checked.kernel().scheduleFor(machine)->directives[0].alternatives[0].word;
  };
  EXPECT_EQ(cores("host"), "2");
  EXPECT_EQ(cores("ascend910a"), "1");
  EXPECT_EQ(cores("ascend910b1"), "3");
  EXPECT_EQ(cores("ascend910b3"), "4");
  EXPECT_EQ(cores("ascend310p"), "1");
  EXPECT_EQ(cores("chip"), "5");
}

TEST(Machine, MayHaveNoSchedule) {
  EXPECT_EQ(gemm().kernel().scheduleFor("host"), nullptr);
  const Checked checked(
      "kernel k(a: f32[N]) -> c: f32[N] { c = a; schedule for host { cores = 1; } }");
  EXPECT_EQ(checked.kernel().scheduleFor("ascend310p"), nullptr);
  EXPECT_NE(checked.kernel().scheduleFor("host"), nullptr);
}

TEST(Machine, StarIsMoreSpecificThanNothing) {
  const Checked checked("kernel k(a: f32[N]) -> c: f32[N] { c = a;"
                        "  schedule { cores = 1; } schedule for * { cores = 2; } }");
  EXPECT_EQ(checked.kernel().scheduleFor("host")->machinePattern, "*");
}

} // namespace
} // namespace mmk
