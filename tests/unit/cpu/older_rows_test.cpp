// Reductions compiled for older CPUs and run on this one: narrower vectors, without masks.
#include "tests/unit/emitted.h"

#include "llvm/TargetParser/Host.h"

#include <cmath>

namespace mmk {
namespace {

class OlderCpuRows : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (!llvm::Triple(llvm::sys::getProcessTriple()).isX86())
      GTEST_SKIP() << "the CPUs are of another kind";
    if (auto has = llvm::sys::getHostCPUFeatures(); !has.lookup("avx2") || !has.lookup("fma"))
      GTEST_SKIP() << "one of the CPUs has more than this one";
    llvm::cantFail(hostTarget());
  }

  static Runnable compiled(const char *dim) {
    return {Emitted(llvm::cantFail(
                        targetFor(llvm::Triple(llvm::sys::getProcessTriple()), GetParam(), "")),
                    std::string("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = softmax[") + dim +
                        "](x) + min[" + dim + "](x); }"),
            nullptr};
  }
};

/// Of `count` elements, `step` apart.
void expectSoftmax(const float *x, const float *y, int64_t count, int64_t step) {
  double most = -INFINITY, least = INFINITY, sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    most = std::max(most, double(x[i * step]));
    least = std::min(least, double(x[i * step]));
  }
  for (int64_t i = 0; i < count; ++i)
    sum += std::exp(x[i * step] - most);
  for (int64_t i = 0; i < count; ++i)
    ASSERT_NEAR(y[i * step], std::exp(x[i * step] - most) / sum + least, 1e-5);
}

TEST_P(OlderCpuRows, normaliseRowsAndColumns) {
  Runnable rows = compiled("N"), columns = compiled("M");
  for (int64_t m : {1, 3, 8, 19})
    for (int64_t n : {1, 4, 7, 16, 33, 200}) {
      // With a stride of their own.
      const int64_t pitch = n + 3;
      std::vector<float> x(m * pitch), y(m * pitch);
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i * 37 % 101) / 25 - 2;
      for (Runnable *kernel : {&rows, &columns}) {
        kernel->run({m, n, 0}, {x.data(), y.data(), nullptr, nullptr},
                    {{{pitch, 1}, {pitch, 1}, {}, {}}});
        const bool isOfRows = kernel == &rows;
        for (int64_t i = 0; i < (isOfRows ? m : n); ++i)
          expectSoftmax(&x[i * (isOfRows ? pitch : 1)], &y[i * (isOfRows ? pitch : 1)],
                        isOfRows ? n : m, isOfRows ? 1 : pitch);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(cpus, OlderCpuRows, testing::Values("x86-64", "nehalem", "haswell"),
                         [](const auto &info) {
                           std::string name = info.param;
                           llvm::erase(name, '-');
                           return name;
                         });

} // namespace
} // namespace mmk
