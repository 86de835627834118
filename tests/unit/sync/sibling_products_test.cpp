// A fusion group with two anchors: two products of the same tile, of different depths, and an
// elementwise operation on both. The frontend makes no such group; the passes behind it take one.
#include "count/count.h"
#include "executable/executable.h"
#include "tests/unit/exact_operands.h"
#include "tests/unit/synchronised.h"

#include <vector>

namespace mmk {
namespace {

using Operation = mlir::Operation; // not that of the syntax tree

// y = max(a b, 0) * (c d), a row is added to the first product.
const char *const siblings = R"(
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

mmk.kernel @siblings dims ["M", "N", "K", "L"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"c"["M", "L"]>,
          #mmk.named<"d"["L", "N"]>, #mmk.named<"e"["N"]>]
    results [#mmk.named<"y"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>, %d: tensor<?x?xf16>,
     %e: tensor<?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group {
  ^bb0(%block: index):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
    %p = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%start : tensor<?x?xf32>) -> tensor<?x?xf32>
    %q = linalg.contract indexing_maps = [#a, #b, #c]
        ins(%c, %d : tensor<?x?xf16>, tensor<?x?xf16>) outs(%start : tensor<?x?xf32>) -> tensor<?x?xf32>
    %both = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%p, %q, %e : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
    ^bb0(%pe: f32, %qe: f32, %ee: f32, %out: f32):
      %sum = arith.addf %pe, %ee : f32
      %positive = arith.maximumf %sum, %zero : f32
      %product = arith.mulf %positive, %qe : f32
      linalg.yield %product : f32
    } -> tensor<?x?xf32>
    mmk.yield %both : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  mmk.choice "cores" = [2]
  mmk.choice "tile.M" = [32]
  mmk.choice "tile.N" = [48]
  mmk.choice "tile.K" = [16]
  mmk.choice "tile.L" = [16]
  mmk.choice "stage.K" = [32]
  mmk.choice "stage.L" = [48]
  mmk.choice "buffers.l1" = [2]
  mmk.choice "buffers.l0" = [2]
  mmk.choice "buffers.acc" = [2]
  mmk.choice "buffers.out" = [2]
  mmk.choice "buffers.ub" = [2]
})";

struct Shape {
  int m, n, k, l;
};

/// One tile and several, whole and ragged, of any depth.
const std::vector<Shape> shapes = {{32, 48, 32, 16}, {1, 1, 1, 1},      {33, 49, 17, 40},
                                   {31, 95, 64, 7},  {100, 130, 5, 33}, {160, 200, 96, 80}};

std::vector<float> expected(const Shape &shape) {
  std::vector<float> y;
  for (int i = 0; i < shape.m; ++i)
    for (int j = 0; j < shape.n; ++j) {
      int p = element(0, j, 5), q = 0;
      for (int k = 0; k < shape.k; ++k)
        p += element(i, k, 1) * element(k, j, 2);
      for (int l = 0; l < shape.l; ++l)
        q += element(i, l, 3) * element(l, j, 4);
      y.push_back(std::max(p, 0) * q);
    }
  return y;
}

std::vector<int64_t> dimsOf(const Shape &shape) { return {shape.m, shape.n, shape.k, shape.l}; }

class Siblings : public testing::TestWithParam<const char *> {
protected:
  Synchronised kernel{Synchronised::Groups{siblings}, GetParam()};
};

TEST_P(Siblings, Compute) {
  ASSERT_TRUE(kernel.ready()) << kernel.messages;
  auto executable = Executable::compile(kernel.module(), kernel.machine);
  ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
  for (const Shape &shape : shapes) {
    const auto a = operand(shape.m, shape.k, 1), b = operand(shape.k, shape.n, 2),
               c = operand(shape.m, shape.l, 3), d = operand(shape.l, shape.n, 4);
    std::vector<float> e, y(shape.m * shape.n);
    for (int j = 0; j < shape.n; ++j)
      e.push_back(element(0, j, 5));
    Arguments arguments;
    const std::vector<int64_t> dims = dimsOf(shape);
    arguments.dims = {dims.begin(), dims.end()};
    arguments.scalars = {0, 0, 0, 0, 0};
    arguments.tensors = {a.data(), b.data(), c.data(), d.data(), e.data()};
    arguments.results = {y.data()};
    llvm::Error error = (*executable)->run(arguments, 1);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    EXPECT_EQ(y, expected(shape)) << shape.m << "x" << shape.n << "x" << shape.k << "x" << shape.l;
  }
}

// Cycles grow by the same for each further row of tiles of a core, and both products are paid for.
TEST_P(Siblings, AreCounted) {
  ASSERT_TRUE(kernel.ready()) << kernel.messages;
  auto cycles = [&](int64_t m, int64_t k, int64_t l) {
    return llvm::cantFail(countKernel(kernel.kernel(), kernel.machine, {m, 96, k, l})).cycles;
  };
  const int64_t one = cycles(64, 512, 512);
  EXPECT_GT(cycles(64, 1024, 512), one);
  EXPECT_GT(cycles(64, 512, 1024), one);
  // Without data of either, the other remains.
  EXPECT_LT(cycles(64, 512, 0), one);
}

TEST_P(Siblings, FlagsAreProvenAndEachIsNeeded) {
  ASSERT_TRUE(kernel.ready()) << kernel.messages;
  EXPECT_TRUE(kernel.isProven()) << kernel.messages;
  for (const Shape &shape : shapes)
    EXPECT_EQ(kernel.watched(dimsOf(shape)), "");

  std::vector<Operation *> flags;
  kernel.kernel().walk([&](Operation *op) {
    if (isa<aicore::SetFlagOp, aicore::WaitFlagOp, aicore::SetCrossOp, aicore::WaitCrossOp>(op))
      flags.push_back(op);
  });
  EXPECT_GT(flags.size(), 20u);
  int spare = 0;
  for (Operation *flag : flags) {
    mlir::Block *block = flag->getBlock();
    Operation *next = flag->getNextNode();
    flag->remove();
    std::string without;
    llvm::raw_string_ostream(without) << *flag;
    const bool proven = kernel.isProven();
    EXPECT_EQ(proven, kernel.watched(dimsOf(shapes.back())).empty()) << "without " << without;
    spare += proven;
    block->getOperations().insert(next ? mlir::Block::iterator(next) : block->end(), flag);
  }
  // On a split chip the vector cores take the tile in one window: the flag of the next never runs.
  EXPECT_EQ(spare, kernel.machine.topology == Topology::split ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Machines, Siblings, testing::Values("ascend910b1", "ascend310p3"));

} // namespace
} // namespace mmk
