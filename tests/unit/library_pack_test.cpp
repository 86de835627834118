// Constant operands of the C library: packed once, kept, bound again, and refused where they do not
// fit.
#include "library/mmk.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

const char *product = "kernel product(x: f32[M, K], w: const f32[K, N]) -> y: f32[M, N] {\n"
                      "  y = x @ w;\n"
                      "}\n";

std::string text(mmk_error *error) {
  std::string message = error ? mmk_error_message(error) : "";
  mmk_error_free(error);
  return message;
}

struct FreePacked {
  void operator()(mmk_kernel *kernel) const { mmk_kernel_free(kernel); }
};
using PackedKernel = std::unique_ptr<mmk_kernel, FreePacked>;

PackedKernel kernelOf(const char *source, const char *machine = nullptr) {
  mmk_compile_options options = {};
  options.machine = machine;
  mmk_kernel *kernel = nullptr;
  EXPECT_EQ(text(mmk_compile(source, "test.mmk", &options, &kernel)), "");
  return PackedKernel(kernel);
}

/// Small integers, so that every order of summation gives the same.
std::vector<float> numbers(int64_t count) {
  std::vector<float> all(count);
  for (int64_t i = 0; i < count; ++i)
    all[i] = static_cast<float>(i * 7 % 11 - 5);
  return all;
}

std::vector<char> packed(const mmk_kernel *kernel, const mmk_tensor &tensor) {
  size_t bytes = 0;
  EXPECT_EQ(text(mmk_pack(kernel, &tensor, nullptr, &bytes)), "");
  std::vector<char> memory(bytes + 8, 77);
  EXPECT_EQ(text(mmk_pack(kernel, &tensor, memory.data(), &bytes)), "");
  EXPECT_EQ(memory.size(), bytes + 8);
  EXPECT_EQ(memory[bytes], 77) << "written behind its bytes";
  memory.resize(bytes);
  return memory;
}

struct Problem {
  int64_t m, n, k;
  std::vector<float> x = numbers(m * k), w = numbers(k * n);
  std::vector<float> y = std::vector<float>(m * n, -1000);

  mmk_tensor constant() { return {"w", w.data(), MMK_F32, 2, {k, n}, {}}; }
  mmk_tensor constant(std::vector<char> &bytes) {
    return {"w", bytes.data(), MMK_F32 | MMK_PACKED, 2, {k, n}, {}};
  }
  std::string run(const mmk_kernel *kernel, const mmk_tensor &w) {
    const mmk_tensor tensors[] = {
        {"x", x.data(), MMK_F32, 2, {m, k}, {}}, w, {"y", y.data(), MMK_F32, 2, {m, n}, {}}};
    return text(mmk_run(kernel, tensors, 3, nullptr, 0, nullptr));
  }
  void expectRight() {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t d = 0; d < k; ++d)
          sum += x[i * k + d] * w[d * n + j];
        ASSERT_EQ(y[i * n + j], sum) << i << " " << j;
        y[i * n + j] = -1000;
      }
  }
};

TEST(LibraryPack, runsOnPackedAndOnPlainConstants) {
  for (const char *machine : {"host", "ascend910b3"}) {
    const PackedKernel kernel = kernelOf(product, machine);
    for (auto [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{1, 70, 50},
                           {16, 100, 33},
                           {40, 200, 64},
                           {3, 1, 1}}) {
      Problem problem{m, n, k};
      std::vector<char> bytes = packed(kernel.get(), problem.constant());
      for (int time = 0; time < 2; ++time) {
        ASSERT_EQ(problem.run(kernel.get(), problem.constant(bytes)), "");
        problem.expectRight();
        std::vector<char> elsewhere = bytes;
        ASSERT_EQ(problem.run(kernel.get(), problem.constant(elsewhere)), "");
        problem.expectRight();
        ASSERT_EQ(problem.run(kernel.get(), problem.constant()), "");
        problem.expectRight();
      }
    }
  }
}

// The layout does not depend on the rows of the other operand, nor on the kernel around it.
TEST(LibraryPack, servesOtherShapesAndKernels) {
  const PackedKernel kernel = kernelOf(product);
  const PackedKernel other =
      kernelOf("kernel other(x: f32[M, K], w: const f32[K, N]) -> y: f32[M, N] {\n"
               "  schedule { tile N = 64; }\n"
               "  y = relu(x @ w) - relu(-(x @ w));\n"
               "}\n");
  Problem few{5, 90, 40}, many{100, 90, 40};
  std::vector<char> bytes = packed(kernel.get(), few.constant());
  ASSERT_EQ(many.run(kernel.get(), many.constant(bytes)), "");
  many.expectRight();
  ASSERT_EQ(few.run(other.get(), few.constant(bytes)), "");
  few.expectRight();
}

TEST(LibraryPack, readsStridedTensors) {
  const PackedKernel kernel = kernelOf(product);
  Problem problem{4, 60, 30};
  std::vector<float> transposed(60 * 30);
  for (int64_t i = 0; i < 30; ++i)
    for (int64_t j = 0; j < 60; ++j)
      transposed[j * 30 + i] = problem.w[i * 60 + j];
  std::vector<char> bytes =
      packed(kernel.get(), {"w", transposed.data(), MMK_F32, 2, {30, 60}, {1, 30}});
  EXPECT_EQ(bytes, packed(kernel.get(), problem.constant()));
}

TEST(LibraryPack, describesConstants) {
  const PackedKernel kernel = kernelOf(product);
  EXPECT_FALSE(mmk_kernel_argument_is_constant(kernel.get(), 0));
  EXPECT_TRUE(mmk_kernel_argument_is_constant(kernel.get(), 1));
  EXPECT_FALSE(mmk_kernel_argument_is_constant(kernel.get(), 2));
}

TEST(LibraryPackErrors, ofTheTensor) {
  const PackedKernel kernel = kernelOf(product);
  Problem problem{4, 60, 30};
  size_t bytes = 0;
  const auto refusal = [&](mmk_tensor tensor) {
    return text(mmk_pack(kernel.get(), &tensor, nullptr, &bytes));
  };
  mmk_tensor tensor = problem.constant();
  tensor.name = "x";
  EXPECT_EQ(refusal(tensor), "'product' has no constant 'x'; it has w");
  tensor = problem.constant();
  tensor.type = MMK_F16;
  EXPECT_EQ(refusal(tensor), "'w' is f32, found f16");
  tensor = problem.constant();
  tensor.type |= MMK_PACKED;
  EXPECT_EQ(refusal(tensor), "'w' is packed already");
  tensor = problem.constant();
  tensor.extents[1] = -1;
  EXPECT_EQ(refusal(tensor), "the extent 1 of 'w' is from 0 to 2147483647, found -1");
  const PackedKernel none =
      kernelOf("kernel none(x: f32[M, K], w: f32[K, N]) -> y: f32[M, N] { y = x @ w; }");
  tensor = problem.constant();
  EXPECT_EQ(text(mmk_pack(none.get(), &tensor, nullptr, &bytes)),
            "'none' has no constant 'w'; it declares none as const");
  EXPECT_EQ(text(mmk_pack(kernel.get(), nullptr, nullptr, &bytes)),
            "mmk_pack expects a kernel, a tensor and a number of bytes, found NULL");
}

TEST(LibraryPackErrors, ofTheMemory) {
  const PackedKernel kernel = kernelOf(product, "ascend910b3");
  Problem problem{4, 60, 30};
  const mmk_tensor tensor = problem.constant();
  std::vector<char> memory(100);
  size_t bytes = memory.size();
  EXPECT_EQ(text(mmk_pack(kernel.get(), &tensor, memory.data(), &bytes)),
            "'w' takes 7712 bytes as f32[30, 60] as rows, found room for 100");
  bytes = 10000;
  EXPECT_EQ(text(mmk_pack(kernel.get(), &tensor, memory.data() + 1, &bytes)),
            "the packed memory of 'w' is not aligned to 8 bytes");
}

TEST(LibraryPackErrors, ofWhatWasPackedForAnother) {
  const PackedKernel kernel = kernelOf(product), emulated = kernelOf(product, "ascend910b3");
  Problem problem{4, 60, 30}, wider{4, 61, 30};
  std::vector<char> bytes = packed(emulated.get(), problem.constant());
  const std::string refusal = problem.run(kernel.get(), problem.constant(bytes));
  EXPECT_TRUE(refusal.starts_with("'w' was packed as f32[30, 60] as rows, of 7712 bytes; this "
                                  "kernel on this machine reads f32[30, 60] as panels of 3 x "))
      << refusal;
  EXPECT_EQ(wider.run(emulated.get(), wider.constant(bytes)),
            "'w' was packed as f32[30, 60] as rows, of 7712 bytes; this kernel on this machine "
            "reads f32[30, 61] as rows, of 7832 bytes");
  for (float element : problem.y)
    ASSERT_EQ(element, -1000) << "written by a refused run";
  std::vector<char> plain(bytes.size());
  EXPECT_EQ(problem.run(kernel.get(), problem.constant(plain)),
            "the memory of 'w' does not begin as mmk_pack of this version fills it");
  mmk_tensor strided = problem.constant(bytes);
  strided.strides[0] = 60, strided.strides[1] = 1;
  EXPECT_EQ(problem.run(emulated.get(), strided), "'w' is packed, so its strides are all 0");
}

// No kernel runs there, so that nothing can read the packed memory.
TEST(LibraryPackErrors, whereADimensionIs0) {
  const PackedKernel kernel = kernelOf("kernel product(x: f32[M, K], w: const f32[K, N], t: f32[T])"
                                       " -> y: f32[M, N] { y = x @ w + sum[T](t); }");
  Problem problem{4, 60, 30};
  std::vector<char> bytes = packed(kernel.get(), problem.constant());
  mmk_tensor tensors[] = {{"x", problem.x.data(), MMK_F32, 2, {4, 30}, {}},
                          problem.constant(bytes),
                          {"t", nullptr, MMK_F32, 1, {0}, {}},
                          {"y", problem.y.data(), MMK_F32, 2, {4, 60}, {}}};
  EXPECT_EQ(text(mmk_run(kernel.get(), tensors, 4, nullptr, 0, nullptr)),
            "'w' is packed, and no kernel is launched where a dimension is 0; legal: the plain "
            "tensor");
  tensors[1] = problem.constant();
  EXPECT_EQ(text(mmk_run(kernel.get(), tensors, 4, nullptr, 0, nullptr)), "");
  problem.expectRight();
}

// The same shapes with other memory take a shorter path.
TEST(LibraryPackErrors, ofTheNextCall) {
  const PackedKernel kernel = kernelOf(product);
  Problem problem{4, 60, 30};
  std::vector<char> bytes = packed(kernel.get(), problem.constant()), plain(bytes.size());
  ASSERT_EQ(problem.run(kernel.get(), problem.constant(bytes)), "");
  EXPECT_EQ(problem.run(kernel.get(), problem.constant(plain)),
            "the memory of 'w' does not begin as mmk_pack of this version fills it");
  ASSERT_EQ(problem.run(kernel.get(), problem.constant(bytes)), "");
  problem.expectRight();
}

TEST(LibraryPackErrors, ofOtherParameters) {
  const PackedKernel kernel = kernelOf(product);
  Problem problem{4, 60, 30};
  std::vector<char> bytes = packed(kernel.get(), problem.constant());
  mmk_tensor tensors[] = {{"x", bytes.data(), MMK_F32 | MMK_PACKED, 2, {4, 30}, {}},
                          problem.constant(bytes),
                          {"y", problem.y.data(), MMK_F32, 2, {4, 60}, {}}};
  EXPECT_EQ(text(mmk_run(kernel.get(), tensors, 3, nullptr, 0, nullptr)),
            "'x' is packed, but the kernel does not declare it as const");
  tensors[0] = {"x", problem.x.data(), MMK_F32, 2, {4, 30}, {}};
  tensors[2].data = bytes.data() + bytes.size() - 4 * 240;
  EXPECT_EQ(text(mmk_run(kernel.get(), tensors, 3, nullptr, 0, nullptr)),
            "the result 'y' overlaps 'w' in memory; legal: memory of its own, or exactly that of a "
            "parameter where the kernel allows it");
}

} // namespace
