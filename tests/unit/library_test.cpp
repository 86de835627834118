// The C library: results with strides, messages to wrong callers, and kernels shared by threads.
#include "library/mmk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

/// Allocations of this thread, those of the library among them.
static thread_local int64_t allocations = 0;

// The sanitizers have operators of their own.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool countsAllocations = false;
#else
constexpr bool countsAllocations = true;

void *operator new(size_t size) {
  ++allocations;
  if (void *memory = std::malloc(size))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif

namespace {

const char *fused = "kernel fused(a: f32[M, K], b: f32[K, N], bias: f32[N], alpha: f32 = 0.5)\n"
                    "  -> c: f32[M, N] {\n"
                    "  c = leaky_relu(a @ b + bias, alpha);\n"
                    "}\n";

std::string messageOf(mmk_error *error) {
  std::string message = error ? mmk_error_message(error) : "";
  mmk_error_free(error);
  return message;
}

struct FreeKernel {
  void operator()(mmk_kernel *kernel) const { mmk_kernel_free(kernel); }
};
using Kernel = std::unique_ptr<mmk_kernel, FreeKernel>;

Kernel compiled(const char *text = fused, const mmk_compile_options *options = nullptr) {
  mmk_kernel *kernel = nullptr;
  EXPECT_EQ(messageOf(mmk_compile(text, "test.mmk", options, &kernel)), "");
  return Kernel(kernel);
}

std::string refusal(const char *text, mmk_compile_options options = {}) {
  mmk_kernel *kernel = nullptr;
  mmk_error *error = mmk_compile(text, "test.mmk", &options, &kernel);
  EXPECT_EQ(kernel, nullptr);
  if (error)
    EXPECT_EQ(mmk_error_kind_of(error), MMK_MISTAKE);
  return messageOf(error);
}

/// Small integers, so that every order of summation gives the same.
float entry(int64_t i) { return static_cast<float>(i * 7 % 11 - 5); }

/// A matrix somewhere in a larger buffer whose other elements must stay as they are.
struct Matrix {
  int64_t rows, columns, rowStride, columnStride;
  std::vector<float> memory;
  int64_t origin;

  Matrix(int64_t rows, int64_t columns, int64_t rowStride, int64_t columnStride = 1)
      : rows(rows), columns(columns), rowStride(rowStride), columnStride(columnStride) {
    const int64_t reach = std::abs(rowStride) * rows + std::abs(columnStride) * columns;
    memory.assign(2 * reach + 16, -1000);
    origin = reach + 8;
  }
  float &at(int64_t i, int64_t j) { return memory[origin + i * rowStride + j * columnStride]; }
  void fill() {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        at(i, j) = entry(i * 131 + j);
  }
  mmk_tensor bound(const char *name) {
    return {name, &at(0, 0), MMK_F32, 2, {rows, columns}, {rowStride, columnStride}};
  }
};

void expectFused(const Kernel &kernel, Matrix a, Matrix b, Matrix c, double alpha = 0.5) {
  a.fill();
  b.fill();
  std::vector<float> bias(b.columns);
  for (size_t j = 0; j < bias.size(); ++j)
    bias[j] = entry(j);
  mmk_tensor tensors[] = {
      a.bound("a"), b.bound("b"), c.bound("c"), {"bias", bias.data(), MMK_F32, 1, {b.columns}, {}}};
  const mmk_scalar scalar = {"alpha", alpha};
  ASSERT_EQ(messageOf(mmk_run(kernel.get(), tensors, 4, &scalar, 1, nullptr)), "");
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.columns; ++j) {
      double sum = bias[j];
      for (int64_t k = 0; k < a.columns; ++k)
        sum += double(a.at(i, k)) * b.at(k, j);
      ASSERT_EQ(c.at(i, j), static_cast<float>(sum >= 0 ? sum : alpha * sum)) << i << " " << j;
      c.at(i, j) = -1000;
    }
  for (float other : c.memory)
    ASSERT_EQ(other, -1000) << "written beside the result";
}

TEST(Library, runsOnStridesOfEveryKind) {
  const Kernel kernel = compiled();
  for (auto [m, n, k] :
       {std::tuple<int64_t, int64_t, int64_t>{100, 70, 50}, {1, 1, 1}, {17, 300, 33}}) {
    expectFused(kernel, {m, k, k}, {k, n, n}, {m, n, n});
    expectFused(kernel, {m, k, k + 3}, {k, n, n + 5}, {m, n, n + 7});
    expectFused(kernel, {m, k, 1, m}, {k, n, 1, k + 1}, {m, n, n});
    expectFused(kernel, {m, k, 2 * k, 2}, {k, n, -n}, {m, n, 2 * n});
    expectFused(kernel, {m, k, 0, 1}, {k, n, n}, {m, n, n}, -0.25);
  }
}

// Elementwise kernels, and inputs of an epilogue, take strides of every kind, too.
TEST(Library, readsStridedElementwiseOperands) {
  const Kernel add =
      compiled("kernel f(x: f32[M, N], r: f32[M, N]) -> y: f32[M, N] { y = 2 * x + r; }");
  const Kernel residual =
      compiled("kernel g(a: f32[M, K], b: f32[K, N], r: f32[M, N]) -> y: f32[M, N]"
               " { y = relu(a @ b + r); }");
  const int64_t m = 45, n = 70, k = 20;
  for (auto [row, column] :
       {std::pair<int64_t, int64_t>{n, 1}, {1, m}, {-n, 1}, {2 * n, 2}, {0, 1}, {1, 0}}) {
    Matrix x(m, n, 1, m), r(m, n, row, column), y(m, n, n + 3), a(m, k, k), b(k, n, 1, k);
    for (Matrix *each : {&x, &r, &a, &b})
      each->fill();
    mmk_tensor ofAdd[] = {x.bound("x"), r.bound("r"), y.bound("y")};
    ASSERT_EQ(messageOf(mmk_run(add.get(), ofAdd, 3, nullptr, 0, nullptr)), "");
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        ASSERT_EQ(y.at(i, j), 2 * x.at(i, j) + r.at(i, j)) << row << " " << column;
    mmk_tensor ofProduct[] = {a.bound("a"), b.bound("b"), r.bound("r"), y.bound("y")};
    ASSERT_EQ(messageOf(mmk_run(residual.get(), ofProduct, 4, nullptr, 0, nullptr)), "");
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = r.at(i, j);
        for (int64_t l = 0; l < k; ++l)
          sum += a.at(i, l) * b.at(l, j);
        ASSERT_EQ(y.at(i, j), std::max(sum, 0.0f)) << row << " " << column;
      }
  }
}

TEST(Library, runsOnAnEmulatedCoreAndCounts) {
  mmk_compile_options options = {};
  options.machine = "ascend910b3";
  options.variant = "tile.M=64,tile.N=64";
  const Kernel kernel = compiled(fused, &options);
  EXPECT_NE(std::string(mmk_kernel_variant(kernel.get())).find("tile=64x64x"), std::string::npos);
  expectFused(kernel, {100, 50, 60}, {50, 70, 70}, {100, 70, 77});
  const mmk_dimension dimensions[] = {{"M", 256}, {"N", 256}, {"K", 256}};
  int64_t cycles = 0;
  double microseconds = 0;
  ASSERT_EQ(messageOf(mmk_count(kernel.get(), dimensions, 3, &cycles, &microseconds)), "");
  EXPECT_GT(cycles, 0);
  EXPECT_DOUBLE_EQ(microseconds, cycles / 1800.0);
}

TEST(Library, choosesTheVariantForAShape) {
  const char *open = "kernel f(a: f16[M, K], b: f16[K, N]) -> c: f16[M, N] { c = relu(a @ b); }";
  const mmk_dimension deep[] = {{"M", 64}, {"N", 64}, {"K", 65536}};
  mmk_compile_options options = {};
  options.machine = "ascend910b3";
  const auto cyclesOf = [&](const Kernel &kernel) {
    int64_t cycles = 0;
    EXPECT_EQ(messageOf(mmk_count(kernel.get(), deep, 3, &cycles, nullptr)), "");
    return cycles;
  };
  const Kernel standard = compiled(open, &options);
  options.dimensions = deep;
  options.dimension_count = 3;
  const Kernel chosen = compiled(open, &options);
  EXPECT_NE(std::string(mmk_kernel_variant(chosen.get())).find("grid.K="), std::string::npos);
  EXPECT_LT(2 * cyclesOf(chosen), cyclesOf(standard));
  options.variant = "cores=2";
  EXPECT_TRUE(
      std::string(mmk_kernel_variant(compiled(open, &options).get())).starts_with("cores=2,"));

  // Everything is fixed: nothing is left to choose.
  const std::string name = mmk_kernel_variant(chosen.get());
  options.variant = name.c_str();
  EXPECT_EQ(mmk_kernel_variant(compiled(open, &options).get()), name);
  options.variant = nullptr;

  mmk_kernel *none = nullptr;
  options.dimension_count = 2;
  EXPECT_EQ(messageOf(mmk_compile(open, "f.mmk", &options, &none)), "the dimension K has no value");
  options.machine = "host";
  options.dimension_count = 3;
  compiled(open, &options);
}

TEST(Library, describesTheKernel) {
  const Kernel kernel = compiled();
  EXPECT_STREQ(mmk_kernel_name(kernel.get()), "fused");
  ASSERT_EQ(mmk_kernel_arguments(kernel.get()), 5u);
  mmk_argument argument;
  ASSERT_TRUE(mmk_kernel_argument(kernel.get(), 1, &argument));
  EXPECT_STREQ(argument.name, "b");
  EXPECT_EQ(argument.type, MMK_F32);
  EXPECT_EQ(argument.rank, 2);
  EXPECT_STREQ(argument.dimensions[0], "K");
  EXPECT_STREQ(argument.dimensions[1], "N");
  EXPECT_FALSE(argument.is_result);
  ASSERT_TRUE(mmk_kernel_argument(kernel.get(), 3, &argument));
  EXPECT_EQ(argument.rank, 0);
  ASSERT_TRUE(mmk_kernel_argument(kernel.get(), 4, &argument));
  EXPECT_TRUE(argument.is_result);
  EXPECT_FALSE(mmk_kernel_argument(kernel.get(), 5, &argument));
}

// A few allocations take longer than a small kernel.
TEST(Library, aCallAllocatesNothingOnceAnotherWasMade) {
  const Kernel kernel = compiled();
  Matrix a(32, 32, 32), b(32, 32, 40), c(32, 32, 32);
  std::vector<float> bias(32);
  mmk_tensor tensors[] = {
      c.bound("c"), b.bound("b"), a.bound("a"), {"bias", bias.data(), MMK_F32, 1, {32}, {}}};
  const mmk_scalar scalar = {"alpha", 2};
  if (!countsAllocations)
    GTEST_SKIP() << "allocations are the sanitizer's";
  auto allocationsOfACall = [&] {
    const int64_t before = allocations;
    EXPECT_EQ(messageOf(mmk_run(kernel.get(), tensors, 4, &scalar, 1, nullptr)), "");
    return allocations - before;
  };
  EXPECT_GT(allocationsOfACall(), 0);
  EXPECT_EQ(allocationsOfACall(), 0);
}

TEST(Library, aCallLikeTheLastIsLookedAtAllTheSame) {
  const Kernel kernel = compiled(),
               other = compiled("kernel other(a: f32[M, K], b: f32[N, K], bias: f32[N])"
                                " -> c: f32[M, N] { c = a @ transpose(b) + bias; }");
  Matrix a(20, 30, 30), b(30, 40, 40), c(20, 40, 40);
  std::vector<float> bias(40);
  char name[] = "bias";
  const mmk_tensor right[] = {
      a.bound("a"), b.bound("b"), {name, bias.data(), MMK_F32, 1, {40}, {1}}, c.bound("c")};
  mmk_tensor tensors[4];
  auto run = [&](const Kernel &of) {
    return messageOf(mmk_run(of.get(), tensors, 4, nullptr, 0, nullptr));
  };
  auto expectRefused = [&](auto change, const std::string &why) {
    std::copy(right, right + 4, tensors);
    std::strcpy(name, "bias");
    ASSERT_EQ(run(kernel), "");
    change();
    EXPECT_EQ(run(kernel), why);
    EXPECT_EQ(run(kernel), why) << "once more";
  };
  expectRefused([&] { tensors[0].type = MMK_F16; }, "'a' is f32, found f16");
  expectRefused([&] { tensors[1].rank = 1; }, "'b' is f32[K, N], of rank 2, found rank 1");
  expectRefused([&] { tensors[1].extents[0] = 31; }, "K is 30 in 'a' and 31 in 'b'");
  expectRefused([&] { tensors[3].strides[1] = 2; },
                "the result 'c' has stride 2 in its last dimension, which for a result is 1");
  expectRefused([&] { tensors[3].data = nullptr; }, "'c' has no memory: its data is NULL");
  expectRefused([&] { tensors[3].data = tensors[1].data; },
                "the result 'c' overlaps 'b' in memory; legal: memory of its own, or exactly that "
                "of a parameter where the kernel allows it");
  expectRefused([&] { std::strcpy(name, "bios"); },
                "'fused' has no tensor 'bios'; it has a, b, bias and c");
  expectRefused([&] { tensors[0].data = static_cast<char *>(tensors[0].data) + 1; },
                "the memory of 'a' is not aligned to its elements of 4 bytes");
  std::copy(right, right + 4, tensors);
  std::strcpy(name, "bias");
  ASSERT_EQ(run(kernel), "");
  EXPECT_EQ(run(other), "K is 30 in 'a' and 40 in 'b'");
}

TEST(Library, aCallWithOtherMemoryUsesThat) {
  const Kernel kernel = compiled();
  Matrix a(20, 30, 30), b(30, 40, 40), c(20, 40, 40), others[] = {a, b, c};
  a.fill();
  b.fill();
  others[0].fill();
  others[1].fill();
  std::vector<float> bias(40, 1), otherBias(40, 2);
  mmk_tensor tensors[] = {
      a.bound("a"), b.bound("b"), {"bias", bias.data(), MMK_F32, 1, {40}, {1}}, c.bound("c")};
  const mmk_tensor changed[] = {others[0].bound("a"),
                                others[1].bound("b"),
                                {"bias", otherBias.data(), MMK_F32, 1, {40}, {1}},
                                others[2].bound("c")};
  // Each is replaced by other memory with another number, one after the other.
  others[0].at(3, 0) += 1;
  others[1].at(0, 5) += 1;
  auto sum = [&](Matrix &ofA, Matrix &ofB, std::vector<float> &ofBias) {
    float all = ofBias[5];
    for (int64_t i = 0; i < 30; ++i)
      all += ofA.at(3, i) * ofB.at(i, 5);
    return all >= 0 ? all : all / 2;
  };
  for (int step = 0; step <= 4; ++step) {
    ASSERT_EQ(messageOf(mmk_run(kernel.get(), tensors, 4, nullptr, 0, nullptr)), "");
    EXPECT_EQ((step < 4 ? c : others[2]).at(3, 5),
              sum(step > 0 ? others[0] : a, step > 1 ? others[1] : b, step > 2 ? otherBias : bias))
        << step;
    c.at(3, 5) = others[2].at(3, 5) = -1000;
    if (step < 4)
      tensors[step] = changed[step];
  }
}

TEST(Library, threadsShareAKernel) {
  const Kernel kernel = compiled();
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < 8; ++i)
    threads.emplace_back([&kernel, i] {
      for (int64_t round = 0; round < 20; ++round)
        expectFused(kernel, {30 + i, 40, 40}, {40, 50 + round, 70}, {30 + i, 50 + round, 80});
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Library, threadsCompileAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] { expectFused(compiled(), {33, 20, 20}, {20, 40, 40}, {33, 40, 40}); });
  for (std::thread &thread : threads)
    thread.join();
}

// Different variants for both kinds of machine, compiled and run by 16 threads at the same time.
TEST(Library, sixteenThreadsWithVariantsOfTheirOwn) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([i] {
      const std::string variant = "tile.M=" + std::to_string(16 * (i / 2 + 1));
      mmk_compile_options options = {};
      options.machine = i % 2 ? "ascend910b3" : "host";
      options.variant = i % 2 ? variant.c_str() : nullptr;
      const Kernel kernel = compiled(fused, &options);
      for (int64_t round = 0; round < 3; ++round)
        expectFused(kernel, {33 + i, 20 + round, 40}, {20 + round, 40, 40}, {33 + i, 40, 40});
    });
  for (std::thread &thread : threads)
    thread.join();
}

// A kernel that the parent has used runs in a forked child, and another one compiles there.
TEST(Library, aForkedProcessGoesOn) {
  Kernel kernel = compiled();
  const auto all = [&] {
    expectFused(kernel, {100, 70, 70}, {70, 50, 50}, {100, 50, 50});
    expectFused(compiled(), {33, 20, 20}, {20, 40, 40}, {33, 40, 40});
  };
  all();
  const pid_t child = fork();
  if (child == 0) {
    alarm(300);
    all();
    // By code that its parent has not called.
    expectFused(kernel, {1, 700, 700}, {700, 500, 500}, {1, 500, 500});
    kernel.reset();
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  }
  all();
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(LibraryErrors, ofThePrograms) {
  EXPECT_EQ(refusal("kernel f(a: f32[M]) -> c: f32[M] { c = relu(b); }"),
            "test.mmk:1:45: error: unknown name 'b'; known here: a and M\n"
            "    1 | kernel f(a: f32[M]) -> c: f32[M] { c = relu(b); }\n"
            "      |                                             ^");
  mmk_compile_options options = {};
  options.kernel = "gemm";
  EXPECT_EQ(refusal(fused, options), "test.mmk has no kernel 'gemm'; kernels: fused");
  const std::string two = std::string(fused) + "kernel g(a: f32[M]) -> c: f32[M] { c = a; }";
  EXPECT_EQ(refusal(two.c_str()), "test.mmk has 2 kernels; name one of them: fused or g");
  options = {};
  options.machine = "ascend911";
  EXPECT_NE(refusal(fused, options).find("ascend911"), std::string::npos);
  options = {};
  options.variant = "tile.M=100";
  EXPECT_EQ(refusal(fused, options), "variant tile.M=100: tile.M = 100 is not a multiple of 16, "
                                     "the cube's width; nearest legal: 96, 112");
}

TEST(Library, compilesTheValuesOfInts) {
  const char *text = "kernel k(x: f32[N], row: f32[P], stride: int = 1, by: int = 2) -> y: f32[P] {"
                     " dim P = N / stride; y = row * by + stride; }";
  const mmk_int ints[] = {{"stride", 3}};
  mmk_compile_options options = {};
  options.ints = ints;
  options.int_count = 1;
  const Kernel kernel = compiled(text, &options);
  float x[7] = {}, row[2] = {1, 2}, y[2] = {};
  const mmk_tensor tensors[] = {{"x", x, MMK_F32, 1, {7}, {}},
                                {"row", row, MMK_F32, 1, {2}, {}},
                                {"y", y, MMK_F32, 1, {2}, {}}};
  ASSERT_EQ(messageOf(mmk_run(kernel.get(), tensors, 3, nullptr, 0, nullptr)), "");
  EXPECT_EQ(y[0], 5);
  EXPECT_EQ(y[1], 7);

  const auto refused = [&](std::vector<mmk_int> given) {
    mmk_compile_options wrong = {};
    wrong.ints = given.data();
    wrong.int_count = given.size();
    return refusal(text, wrong);
  };
  EXPECT_EQ(refused({{"strid", 3}}), "'k' has no int parameter 'strid'; it has stride and by");
  EXPECT_EQ(refused({{"by", 3}, {"by", 3}}), "the int parameter 'by' is given twice");
  EXPECT_EQ(refused({{"by", int64_t(1) << 31}}), "the int parameter 'by' is an integer from "
                                                 "-2147483648 to 2147483647, found 2147483648");
  EXPECT_EQ(refused({{nullptr, 1}}), "an int parameter is given without a name");
}

TEST(LibraryErrors, ofTheLimits) {
  const std::string spaces((16 << 20) + 1, ' ');
  EXPECT_EQ(refusal(spaces.c_str()), "test.mmk has more than 16 MiB, which no program needs");
  mmk_kernel *none = nullptr;
  EXPECT_EQ(messageOf(mmk_compile_file("/dev/zero", nullptr, &none)),
            "/dev/zero has more than 16 MiB, which no program needs");
  EXPECT_EQ(messageOf(mmk_compile_file("/", nullptr, &none)), "cannot read /: Is a directory");

  // An intermediate tensor between two products: 100 x 70 of f32.
  mmk_compile_options options = {};
  options.machine = "ascend910b3";
  const Kernel kernel =
      compiled("kernel k(a: f32[M, K], b: f32[K, N], d: f32[N, P]) -> y: f32[M, P]"
               " { let h = a @ b; y = h @ d; }",
               &options);
  std::vector<float> a(100 * 50), b(50 * 70), d(70 * 3), y(100 * 3, -1);
  const mmk_tensor tensors[] = {{"a", a.data(), MMK_F32, 2, {100, 50}, {}},
                                {"b", b.data(), MMK_F32, 2, {50, 70}, {}},
                                {"d", d.data(), MMK_F32, 2, {70, 3}, {}},
                                {"y", y.data(), MMK_F32, 2, {100, 3}, {}}};
  mmk_run_options limited = {1, 27999};
  mmk_error *error = mmk_run(kernel.get(), tensors, 4, nullptr, 0, &limited);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(mmk_error_kind_of(error), MMK_NO_MEMORY);
  EXPECT_EQ(
      messageOf(error),
      "not enough memory: the intermediate tensors need 28000 bytes (27.34 KiB) (h: 28000 bytes "
      "(27.34 KiB)), but max_memory is 27999 bytes (27.34 KiB)");
  EXPECT_EQ(y, std::vector<float>(300, -1)) << "written before the refusal";
  // 2^30 x (2^31 - 1) elements of four bytes do not fit in 63 bits. Nothing is touched, so that the
  // result needs no memory.
  void *nowhere = reinterpret_cast<void *>(uintptr_t(1) << 40);
  const mmk_tensor huge[] = {{"a", a.data(), MMK_F32, 2, {1 << 30, 50}, {0, 1}},
                             {"b", b.data(), MMK_F32, 2, {50, 2147483647}, {1, 0}},
                             {"d", d.data(), MMK_F32, 2, {2147483647, 3}, {0, 1}},
                             {"y", nowhere, MMK_F32, 2, {1 << 30, 3}, {}}};
  EXPECT_EQ(messageOf(mmk_run(kernel.get(), huge, 4, nullptr, 0, &limited)),
            "not enough memory: the intermediate tensors need 4611686018427387904 bytes "
            "(4503599627370496 KiB) (h: 4611686018427387904 bytes (4503599627370496 KiB)), but "
            "max_memory is 27999 bytes (27.34 KiB)");
  error = mmk_run(kernel.get(), huge, 4, nullptr, 0, nullptr);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(mmk_error_kind_of(error), MMK_NO_MEMORY);
  EXPECT_EQ(messageOf(error),
            "not enough memory for an intermediate tensor of 4611686018427387904 bytes");
  EXPECT_EQ(y, std::vector<float>(300, -1)) << "written before the refusal";
  limited.max_memory = 28000;
  EXPECT_EQ(messageOf(mmk_run(kernel.get(), tensors, 4, nullptr, 0, &limited)), "");
}

TEST(LibraryErrors, ofTheFiles) {
  mmk_kernel *kernel = nullptr;
  EXPECT_EQ(messageOf(mmk_compile_file("/nowhere/f.mmk", nullptr, &kernel)),
            "cannot read /nowhere/f.mmk: No such file or directory");
  EXPECT_EQ(messageOf(mmk_compile(nullptr, nullptr, nullptr, &kernel)),
            "mmk_compile expects a text and a place for the kernel, found NULL");
}

/// The message of a run with one fault of its tensors.
template <typename Change> std::string refusedRun(const Kernel &kernel, Change change) {
  static std::vector<float> a(8 * 4), b(4 * 6), bias(6), c(8 * 6);
  std::vector<mmk_tensor> tensors = {{"a", a.data(), MMK_F32, 2, {8, 4}, {}},
                                     {"b", b.data(), MMK_F32, 2, {4, 6}, {}},
                                     {"bias", bias.data(), MMK_F32, 1, {6}, {}},
                                     {"c", c.data(), MMK_F32, 2, {8, 6}, {}}};
  std::vector<mmk_scalar> scalars;
  change(tensors, scalars);
  mmk_error *error = mmk_run(kernel.get(), tensors.data(), tensors.size(), scalars.data(),
                             scalars.size(), nullptr);
  if (error)
    EXPECT_EQ(mmk_error_kind_of(error), MMK_MISTAKE);
  return messageOf(error);
}

TEST(LibraryErrors, ofTheTensors) {
  const Kernel kernel = compiled();
  auto refused = [&](auto change) {
    return refusedRun(kernel,
                      [&](std::vector<mmk_tensor> &t, std::vector<mmk_scalar> &) { change(t); });
  };
  EXPECT_EQ(refused([](auto &) {}), "");
  EXPECT_EQ(refused([](auto &t) { t[1].extents[0] = 5; }), "K is 4 in 'a' and 5 in 'b'");
  EXPECT_EQ(refused([](auto &t) { t[1].extents[0] = -1; }),
            "the extent 0 of 'b' is from 0 to 2147483647, found -1");
  EXPECT_EQ(refused([](auto &t) { t[1].extents[0] = 0; }), "K is 4 in 'a' and 0 in 'b'");
  EXPECT_EQ(refused([](auto &t) { t[0].type = MMK_F16; }), "'a' is f32, found f16");
  EXPECT_EQ(refused([](auto &t) { t[0].type = 77; }), "'a' has the unknown type 77");
  EXPECT_EQ(refused([](auto &t) { t[2].rank = 2; }), "'bias' is f32[N], of rank 1, found rank 2");
  EXPECT_EQ(refused([](auto &t) { t[2].data = nullptr; }),
            "'bias' has no memory: its data is NULL");
  EXPECT_EQ(refused([](auto &t) { t[2].data = static_cast<char *>(t[2].data) + 2; }),
            "the memory of 'bias' is not aligned to its elements of 4 bytes");
  EXPECT_EQ(refused([](auto &t) { t[2].name = "d"; }),
            "'fused' has no tensor 'd'; it has a, b, bias and c");
  EXPECT_EQ(refused([](auto &t) { t[2].name = nullptr; }),
            "'fused' has no tensor without a name; it has a, b, bias and c");
  EXPECT_EQ(refused([](auto &t) { t.push_back(t[0]); }), "the tensor 'a' is given twice");
  EXPECT_EQ(refused([](auto &t) { t.pop_back(); }), "the result 'c' is not bound: f32[M, N]");
  EXPECT_EQ(refused([](auto &t) { t.erase(t.begin()); }), "the tensor 'a' is not bound: f32[M, K]");
}

TEST(LibraryErrors, ofTheStrides) {
  const Kernel kernel = compiled();
  auto refused = [&](auto change) {
    return refusedRun(kernel,
                      [&](std::vector<mmk_tensor> &t, std::vector<mmk_scalar> &) { change(t); });
  };
  auto strides = [](mmk_tensor &tensor, int64_t row, int64_t column) {
    tensor.strides[0] = row;
    tensor.strides[1] = column;
  };
  EXPECT_EQ(refused([&](auto &t) { strides(t[3], 1, 8); }),
            "the result 'c' has stride 8 in its last dimension, which for a result is 1");
  EXPECT_EQ(refused([&](auto &t) { strides(t[3], 5, 1); }),
            "the result 'c' has stride 5 in dimension 0, so that its elements overlap; at least 6 "
            "keeps them apart");
  EXPECT_EQ(refused([&](auto &t) { strides(t[3], -6, 1); }),
            "the result 'c' has stride -6 in dimension 0, so that its elements overlap; at least 1 "
            "keeps them apart");
  EXPECT_EQ(refused([&](auto &t) { t[3].data = t[0].data; }),
            "the result 'c' overlaps 'a' in memory; legal: memory of its own, or exactly that of a "
            "parameter where the kernel allows it");
}

// The two halves of one wide matrix are interleaved, and do not overlap.
TEST(Library, resultsMayInterleaveWithOperands) {
  const Kernel kernel = compiled("kernel f(x: f32[M, N]) -> y: f32[M, N] { y = x + 1; }");
  std::vector<float> wide(10 * 12, 3);
  mmk_tensor tensors[] = {{"x", wide.data(), MMK_F32, 2, {10, 6}, {12, 1}},
                          {"y", wide.data() + 6, MMK_F32, 2, {10, 6}, {12, 1}}};
  ASSERT_EQ(messageOf(mmk_run(kernel.get(), tensors, 2, nullptr, 0, nullptr)), "");
  for (size_t i = 0; i < wide.size(); ++i)
    ASSERT_EQ(wide[i], i % 12 < 6 ? 3 : 4);
  tensors[1].data = wide.data() + 5;
  EXPECT_EQ(messageOf(mmk_run(kernel.get(), tensors, 2, nullptr, 0, nullptr)),
            "the result 'y' overlaps 'x' in memory; legal: memory of its own, or exactly that of a "
            "parameter where the kernel allows it");
  tensors[1].data = wide.data();
  EXPECT_EQ(messageOf(mmk_run(kernel.get(), tensors, 2, nullptr, 0, nullptr)), "");
  EXPECT_EQ(wide[0], 4);
}

// A dimension of 0: results without elements need no memory, and a sum over nothing is 0.
TEST(Library, launchesNothingForADimensionOfZero) {
  for (const char *machine : {"host", "ascend910b3"}) {
    mmk_compile_options options = {};
    options.machine = machine;
    const Kernel kernel =
        compiled("kernel f(a: f16[M, K], w: const f16[K, N], b: f32[N]) -> c: "
                 "f32[M, N], m: f32[M] { let p = a @ w + b; c = p; m = max[N](p); "
                 "}",
                 &options);
    std::vector<uint16_t> halves(64, 0x3c00);
    std::vector<float> b = {1, 2, 3}, c(12, 7), m(2, 7);
    auto run = [&](int64_t rows, int64_t depth, int64_t columns) {
      mmk_tensor tensors[] = {{"a", halves.data(), MMK_F16, 2, {rows, depth}, {}},
                              {"w", halves.data(), MMK_F16, 2, {depth, columns}, {}},
                              {"b", b.data(), MMK_F32, 1, {columns}, {}},
                              {"c", c.data(), MMK_F32, 2, {rows, columns}, {6, 1}},
                              {"m", m.data(), MMK_F32, 1, {rows}, {}}};
      for (mmk_tensor &tensor : tensors)
        if (std::count(tensor.extents, tensor.extents + tensor.rank, 0) > 0)
          tensor.data = nullptr;
      return messageOf(mmk_run(kernel.get(), tensors, 5, nullptr, 0, nullptr));
    };
    EXPECT_EQ(run(0, 4, 3), "");
    EXPECT_EQ(c[0], 7);
    EXPECT_EQ(run(2, 4, 0), "");
    EXPECT_EQ(m[1], -INFINITY);
    EXPECT_EQ(run(2, 0, 3), "");
    EXPECT_EQ(c, (std::vector<float>{1, 2, 3, 7, 7, 7, 1, 2, 3, 7, 7, 7}));
    EXPECT_EQ(m[1], 3);

    size_t bytes = 0;
    mmk_tensor w = {"w", halves.data(), MMK_F16, 2, {4, 3}, {}};
    ASSERT_EQ(messageOf(mmk_pack(kernel.get(), &w, nullptr, &bytes)), "");
    std::vector<int64_t> packed(bytes / 8 + 1);
    ASSERT_EQ(messageOf(mmk_pack(kernel.get(), &w, packed.data(), &bytes)), "");
    w.data = packed.data();
    w.type |= MMK_PACKED;
    mmk_tensor tensors[] = {{"a", nullptr, MMK_F16, 2, {0, 4}, {}},
                            w,
                            {"b", b.data(), MMK_F32, 1, {3}, {}},
                            {"c", nullptr, MMK_F32, 2, {0, 3}, {}},
                            {"m", nullptr, MMK_F32, 1, {0}, {}}};
    EXPECT_EQ(messageOf(mmk_run(kernel.get(), tensors, 5, nullptr, 0, nullptr)), "");
    w = {"w", nullptr, MMK_F16, 2, {0, 3}, {}};
    ASSERT_EQ(messageOf(mmk_pack(kernel.get(), &w, nullptr, &bytes)), "");
    ASSERT_EQ(messageOf(mmk_pack(kernel.get(), &w, packed.data(), &bytes)), "");
  }
}

TEST(LibraryErrors, ofTheScalars) {
  const Kernel kernel = compiled("kernel f(a: f32[M], s: f32) -> c: f32[M] { c = a * s; }");
  std::vector<float> a(5, 2), c(5);
  mmk_tensor tensors[] = {{"a", a.data(), MMK_F32, 1, {5}, {}},
                          {"c", c.data(), MMK_F32, 1, {5}, {}}};
  auto run = [&](std::vector<mmk_scalar> scalars) {
    return messageOf(mmk_run(kernel.get(), tensors, 2, scalars.data(), scalars.size(), nullptr));
  };
  EXPECT_EQ(run({}), "the scalar 's' has no value and no default");
  EXPECT_EQ(run({{"t", 1}}), "'f' has no scalar 't'; it has s");
  EXPECT_EQ(run({{"s", 1}, {"s", 2}}), "the scalar 's' is given twice");
  EXPECT_EQ(run({{"s", 1e300}}), "the scalar 's' = 1e+300 is too large for f32");
  EXPECT_EQ(run({{"s", 3}}), "");
  EXPECT_EQ(c[4], 6);
  EXPECT_EQ(run({{"s", std::numeric_limits<double>::infinity()}}), "");
  EXPECT_TRUE(std::isinf(c[0]));
}

TEST(LibraryErrors, ofWholeScalars) {
  const Kernel kernel = compiled("kernel f(a: f32[M], s: i32) -> c: f32[M] { c = a * s; }");
  std::vector<float> a(5, 2), c(5);
  mmk_tensor tensors[] = {{"a", a.data(), MMK_F32, 1, {5}, {}},
                          {"c", c.data(), MMK_F32, 1, {5}, {}}};
  auto run = [&](double value) {
    const mmk_scalar scalar = {"s", value};
    return messageOf(mmk_run(kernel.get(), tensors, 2, &scalar, 1, nullptr));
  };
  EXPECT_EQ(run(0.5), "the scalar 's' is i32: expected an integer from -2147483648 to 2147483647, "
                      "found 0.5");
  EXPECT_NE(run(2147483648.0), "");
  EXPECT_EQ(run(-2147483648.0), "");
  EXPECT_EQ(c[4], -4294967296.0f);
}

TEST(LibraryErrors, ofDerivedDimensions) {
  const Kernel kernel = compiled("kernel f(a: f32[M], b: f32[P]) -> c: f32[P], d: f32[M], e: f32[Q]"
                                 " { dim P = M / 2 - 1; dim Q = P + 1; require M < 9; c = b; d = a;"
                                 "   e = P; }");
  std::vector<float> memory(50);
  auto run = [&](int64_t m, int64_t p, int64_t q) {
    const mmk_tensor tensors[] = {{"a", &memory[0], MMK_F32, 1, {m}, {}},
                                  {"b", &memory[10], MMK_F32, 1, {p}, {}},
                                  {"c", &memory[20], MMK_F32, 1, {p}, {}},
                                  {"d", &memory[30], MMK_F32, 1, {m}, {}},
                                  {"e", &memory[40], MMK_F32, 1, {q}, {}}};
    return messageOf(mmk_run(kernel.get(), tensors, 5, nullptr, 0, nullptr));
  };
  EXPECT_EQ(run(6, 2, 3), "");
  EXPECT_EQ(memory[42], 2);
  EXPECT_EQ(run(6, 3, 4), "P = M / 2 - 1 is 6 / 2 - 1 = 2, and the arguments have P = 3");
  EXPECT_EQ(run(6, 2, 4), "Q = P + 1 is 2 + 1 = 3, and the arguments have Q = 4");
  EXPECT_EQ(run(3, 0, 1), "");
  EXPECT_EQ(memory[40], 0);
  EXPECT_EQ(run(1, 2, 3), "P = M / 2 - 1 is 1 / 2 - 1 = -1, and a dimension is 0 to 2147483647");
  EXPECT_EQ(run(9, 3, 4), "'f' requires M < 9, found 9 < 9");
}

TEST(Library, infersTheExtentsOfResults) {
  const Kernel kernel = compiled("kernel f(a: f32[M], b: f32[M, 4]) -> c: f32[P, 4], d: f32[M, 4]"
                                 " { dim P = M / 2 - 1; c = P; d[i, j] = a[i] * b[i, j]; }");
  float memory[64];
  int64_t extents[2][MMK_MAX_RANK] = {};
  const auto inferred = [&](std::vector<mmk_tensor> tensors) {
    return messageOf(mmk_result_extents(kernel.get(), tensors.data(), tensors.size(), extents));
  };
  const mmk_tensor a = {"a", memory, MMK_F32, 1, {8}, {}},
                   b = {"b", memory, MMK_F32, 2, {8, 4}, {}},
                   c = {"c", memory, MMK_F32, 2, {5, 4}, {}};
  EXPECT_EQ(inferred({b, a}), "");
  EXPECT_EQ(extents[0][0], 3);
  EXPECT_EQ(extents[0][1], 4);
  EXPECT_EQ(extents[1][0], 8);
  EXPECT_EQ(inferred({a, c}), "the tensor 'b' is not bound: f32[M, 4]");
  EXPECT_EQ(inferred({a, b, c}), "P = M / 2 - 1 is 8 / 2 - 1 = 3, and the arguments have P = 5");
  EXPECT_EQ(inferred({{"a", memory, MMK_F32, 1, {7}, {}}, b}), "M is 7 in 'a' and 8 in 'b'");
  EXPECT_EQ(messageOf(mmk_result_extents(kernel.get(), &a, 1, nullptr)),
            "mmk_result_extents expects a kernel and room for the extents, found NULL");
}

// Pixels that a product goes along as one follow each other in memory; strides of extents of 1 mean
// nothing.
TEST(LibraryErrors, ofMergedDimensions) {
  const Kernel kernel =
      compiled("kernel f(x: f32[C, H, W], w: f32[O, C, 2, 2]) -> y: f32[O, P, Q] { dim P = H - 1;"
               " dim Q = W - 1;"
               " y[o, p, q] = sum[c, r, s](x[c, p + r, q + s] * w[o, c, r, s]); }");
  std::vector<float> x(300), w(300, 1), y(300);
  std::iota(x.begin(), x.end(), 0.0F);
  auto run = [&](int64_t columns, std::vector<int64_t> ofX, std::vector<int64_t> ofY) {
    mmk_tensor tensors[] = {{"x", x.data(), MMK_F32, 3, {1, 3, columns}, {}},
                            {"w", w.data(), MMK_F32, 4, {2, 1, 2, 2}, {}},
                            {"y", y.data(), MMK_F32, 3, {2, 2, columns - 1}, {}}};
    std::ranges::copy(ofX, tensors[0].strides);
    std::ranges::copy(ofY, tensors[2].strides);
    return messageOf(mmk_run(kernel.get(), tensors, 3, nullptr, 0, nullptr));
  };
  EXPECT_EQ(run(4, {90, 20, 2}, {60, 3, 1}), "");
  EXPECT_EQ(y[60 + 5], 2 * 20 + 4 + 2 * 20 + 6 + 20 + 4 + 20 + 6);
  EXPECT_EQ(run(4, {90, 20, 2}, {60, 5, 1}),
            "'y' has stride 5 in dimension 1, and the kernel reads its dimensions 1 to 2 as one, "
            "which takes 3");
  EXPECT_EQ(run(2, {90, 20, 2}, {60, 7, 1}),
            "'y' has stride 7 in dimension 1, and the kernel reads its dimensions 1 to 2 as one, "
            "which takes 1");
  EXPECT_EQ(run(2, {90, 20, 2}, {60, 1, 7}), "");
  EXPECT_EQ(y[1], 20 + 22 + 40 + 42);
}

TEST(LibraryErrors, ofFiles) {
  EXPECT_EQ(messageOf(mmk_compile_file("k.mmk", nullptr, nullptr)),
            "mmk_compile_file expects a path and a place for the kernel, found NULL");
}

TEST(LibraryErrors, ofLiteralExtents) {
  const Kernel kernel = compiled("kernel f(a: f32[M, 4]) -> c: f32[M, 4] { c = a + a; }");
  std::vector<float> a(15), c(15);
  mmk_tensor tensors[] = {{"a", a.data(), MMK_F32, 2, {3, 5}, {}},
                          {"c", c.data(), MMK_F32, 2, {3, 5}, {}}};
  EXPECT_EQ(messageOf(mmk_run(kernel.get(), tensors, 2, nullptr, 0, nullptr)),
            "the extent 1 of 'a' is 4 in the kernel, found 5");
}

TEST(LibraryErrors, ofCounting) {
  const Kernel kernel = compiled();
  EXPECT_EQ(messageOf(mmk_count(kernel.get(), nullptr, 0, nullptr, nullptr)),
            "the host has no clock but the real one; compile for an AI core to count");

  mmk_compile_options options = {};
  options.machine = "ascend910b3";
  const Kernel counted = compiled(fused, &options);
  auto refused = [&](int64_t m) {
    const mmk_dimension dims[] = {{"M", m}, {"N", 16}, {"K", 16}};
    return messageOf(mmk_count(counted.get(), dims, 3, nullptr, nullptr));
  };
  EXPECT_EQ(refused(-1), "the dimension M is from 0 to 2147483647, found -1");
  EXPECT_EQ(refused(int64_t(1) << 31), "the dimension M is from 0 to 2147483647, found 2147483648");

  // No kernel is launched.
  int64_t cycles = -1;
  double microseconds = -1;
  const mmk_dimension none[] = {{"M", 0}, {"N", 16}, {"K", 16}};
  ASSERT_EQ(messageOf(mmk_count(counted.get(), none, 3, &cycles, &microseconds)), "");
  EXPECT_EQ(cycles, 0);
  EXPECT_EQ(microseconds, 0);
}

} // namespace
