// Transfers of views with more than two dimensions and with steps, which no pass makes yet: the
// elements that they move, how long they take, and the bounds that they keep.
#include "count/count.h"
#include "executable/executable.h"
#include "tests/unit/synchronised.h"

#include <functional>
#include <vector>

namespace mmk {
namespace {

const char *const chip = "ascend910b1";

// Every second row and every third column of an image, moved to UB as rows (h, w), and back to two
// rows each.
const char *const subsample = R"(
!x = memref<?x?x?xf32, #aicore.space<gm>>
!ub = memref<24x16xf32, #aicore.space<ub>>
aicore.kernel @subsample dims ["H"] args [#mmk.named<"x"["H", "18", "16"]>]
    results [#mmk.named<"y"["H", "6", "16"]>] cores 1 buffers {} {
^bb0(%h: index, %x: !x, %y: !x):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  aicore.phase {
  ^bb0(%block: index):
    %t = aicore.alloc "t" of "ub" copies 2 : !ub
    aicore.vector_cores 2 {
    ^bb0(%v: index):
      %first = arith.cmpi eq, %v, %c0 : index
      scf.if %first {
        scf.for %i = %c0 to %h step %c8 {
          %number = arith.divsi %i, %c8 : index
          %rest = arith.subi %h, %i : index
          %left = arith.minsi %rest, %c8 : index
          %rows = arith.ceildivsi %left, %c2 : index
          %s = aicore.slot %number of %t : !ub
          aicore.load %x[%i, %c1, %c0] along [0, 1, 2] step [2, 3, 1] size(%rows, %c6, %c16) -> %t[%s] pad 1 : !x -> !ub
          %odd = arith.addi %i, %c1 : index
          aicore.store %t[%s] -> %y[%i, %c0, %c0] along [0, 1, 2] step [2, 1, 1] size(%rows, %c6, %c16) : !ub -> !x
          aicore.store %t[%s] -> %y[%odd, %c0, %c0] along [0, 1, 2] step [2, 1, 1] size(%rows, %c6, %c16) : !ub -> !x
        }
      }
    }
  }
})";

// y[o, n] = sum over k of x[2 o + k] * w[k, n]: the windows of a convolution in one dimension, with
// rows that overlap.
const char *const windows = R"(
!x = memref<?xf16, #aicore.space<gm>>
!w = memref<?x?xf16, #aicore.space<gm>>
!y = memref<?x?xf32, #aicore.space<gm>>
!l1 = memref<16x16xf16, #aicore.space<l1>>
!l0a = memref<16x16xf16, #aicore.space<l0a>>
!l0b = memref<16x16xf16, #aicore.space<l0b>>
!acc = memref<16x16xf32, #aicore.space<l0c>>
aicore.kernel @windows dims ["N"] args [#mmk.named<"x"["35"]>, #mmk.named<"w"["5", "N"]>]
    results [#mmk.named<"y"["16", "N"]>] cores 1 buffers {} {
^bb0(%n: index, %x: !x, %w: !w, %y: !y):
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  aicore.phase {
  ^bb0(%block: index):
    %x1 = aicore.alloc "x" of "l1" copies 1 : !l1
    %w1 = aicore.alloc "w" of "l1" copies 1 : !l1
    %a0 = aicore.alloc "a" of "l0" copies 1 : !l0a
    %b0 = aicore.alloc "b" of "l0" copies 1 : !l0b
    %y0 = aicore.alloc "y" of "acc" copies 1 : !acc
    %xs = aicore.slot %block of %x1 : !l1
    aicore.load %x[%c0] along [0, 0] step [2, 1] size(%c16, %c5) -> %x1[%xs] pad 16 : !x -> !l1
    %ws = aicore.slot %block of %w1 : !l1
    aicore.load %w[%c0, %c0] along [0, 1] size(%c5, %n) -> %w1[%ws] pad 16 : !w -> !l1
    %as = aicore.slot %block of %a0 : !l0a
    aicore.load_l0 %x1[%xs] at(%c0, %c0) size(%c16, %c5) -> %a0[%as] : !l1 -> !l0a
    %bs = aicore.slot %block of %b0 : !l0b
    aicore.load_l0 %w1[%ws] at(%c0, %c0) size(%c5, %n) -> %b0[%bs] : !l1 -> !l0b
    %ys = aicore.slot %block of %y0 : !acc
    %first = arith.cmpi eq, %c0, %c0 : index
    aicore.mmad %a0[%as], %b0[%bs] -> %y0[%ys] size(%c16, %n, %c5) first(%first) : !l0a, !l0b -> !acc
    aicore.fixpipe %y0[%ys] -> %y[%c0, %c0] along [0, 1] size(%c16, %n) : !acc -> !y
  }
})";

// A matrix written transposed: the columns of the buffer run along the rows of the tensor.
const char *const transposed = R"(
!x = memref<?x?xf32, #aicore.space<gm>>
!ub = memref<16x16xf32, #aicore.space<ub>>
aicore.kernel @transposed dims ["N"] args [#mmk.named<"x"["16", "N"]>]
    results [#mmk.named<"y"["N", "16"]>] cores 1 buffers {} {
^bb0(%n: index, %x: !x, %y: !x):
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  aicore.phase {
  ^bb0(%block: index):
    %t = aicore.alloc "t" of "ub" copies 1 : !ub
    aicore.vector_cores 2 {
    ^bb0(%v: index):
      %first = arith.cmpi eq, %v, %c0 : index
      scf.if %first {
        %s = aicore.slot %c0 of %t : !ub
        aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %n) -> %t[%s] pad 1 : !x -> !ub
        aicore.store %t[%s] -> %y[%c0, %c0] along [1, 0] size(%c16, %n) : !ub -> !x
      }
    }
  }
})";

template <typename T> std::vector<T> numbers(int count) {
  std::vector<T> elements;
  for (int i = 0; i < count; ++i)
    elements.push_back(static_cast<T>((7 * i) % 23 - 11));
  return elements;
}

struct Kernel {
  explicit Kernel(const char *text) : kernel(Synchronised::Ir{text}, chip, {}) {}

  void operator()(int64_t dim, std::vector<const void *> tensors, std::vector<float> &result) {
    ASSERT_TRUE(kernel.ready()) << kernel.messages;
    EXPECT_TRUE(kernel.isProven()) << kernel.messages;
    EXPECT_EQ(kernel.watched({dim}), "");
    auto executable = Executable::compile(kernel.module(), kernel.machine);
    ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
    Arguments arguments;
    arguments.dims = {dim};
    arguments.scalars = {0, 0};
    arguments.tensors.assign(tensors.begin(), tensors.end());
    arguments.results = {result.data()};
    llvm::Error error = (*executable)->run(arguments, 1);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  }
  int64_t cycles(int64_t dim) {
    const ClockReport report = llvm::cantFail(countKernel(kernel.kernel(), kernel.machine, {dim}));
    return report.cycles - report.taskCycles;
  }

  Synchronised kernel;
};

TEST(StridedViews, OfThreeDimensionsAreMoved) {
  Kernel run(subsample);
  for (int height : {2, 8, 10, 20}) {
    const auto x = numbers<float>(height * 18 * 16);
    std::vector<float> y(height * 6 * 16), expected(y.size());
    for (int h = 0; h < height; ++h)
      for (int w = 0; w < 6; ++w)
        for (int c = 0; c < 16; ++c)
          expected[(h * 6 + w) * 16 + c] = x[(h / 2 * 2 * 18 + 1 + 3 * w) * 16 + c];
    run(height, {x.data()}, y);
    EXPECT_EQ(y, expected) << height;
  }
}

TEST(StridedViews, OfWindowsMakeAConvolution) {
  Kernel run(windows);
  for (int n : {1, 5, 16}) {
    const auto x = numbers<_Float16>(35), w = numbers<_Float16>(5 * n);
    std::vector<float> y(16 * n), expected(y.size());
    for (int o = 0; o < 16; ++o)
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < 5; ++k)
          expected[o * n + i] +=
              static_cast<float>(x[2 * o + k]) * static_cast<float>(w[k * n + i]);
    run(n, {x.data(), w.data()}, y);
    EXPECT_EQ(y, expected) << n;
  }
}

TEST(StridedViews, AreWrittenTransposed) {
  Kernel run(transposed);
  for (int n : {1, 9, 16}) {
    const auto x = numbers<float>(16 * n);
    std::vector<float> y(n * 16), expected(y.size());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < 16; ++j)
        expected[i * 16 + j] = x[j * n + i];
    run(n, {x.data()}, y);
    EXPECT_EQ(y, expected) << n;
  }
}

// A row of a view is a piece of memory where it is dense, else each of its elements is.
TEST(StridedViews, CostWhatTheirPiecesCost) {
  auto cycles = [](const char *view) {
    std::string text = subsample;
    const std::string from = "along [0, 1, 2] step [2, 3, 1] size(%rows, %c6, %c16)";
    text.replace(text.find(from), from.size(), view);
    Kernel run(text.c_str());
    EXPECT_TRUE(run.kernel.ready());
    return run.cycles(8);
  };
  EXPECT_EQ(cycles("along [0, 1, 2] step [2, 3, 1] size(%rows, %c6, %c16)"), 342);
  EXPECT_EQ(cycles("along [0, 1, 2] size(%rows, %c6, %c16)"), 342);
  EXPECT_EQ(cycles("along [0, 1, 2] step [2, 3, 2] size(%rows, %c6, %c8)"), 1050);
}

// 35 elements have 16 windows of 5 at every second of them, and not 17.
TEST(StridedViews, BeyondATensorAreSeen) {
  std::string beyond = windows;
  const std::string from = "load %x[%c0] along";
  beyond.replace(beyond.find(from), from.size(), "load %x[%c5] along");
  Kernel run(beyond.c_str());
  ASSERT_TRUE(run.kernel.ready());
  const std::string seen = run.kernel.watched({16});
  EXPECT_NE(seen.find("takes elements 5 to 39 along dimension 0 of x, which has 35"),
            std::string::npos)
      << seen;
}

} // namespace
} // namespace mmk
