// What a person reads about a wrong result.
#include "machines/machine.h"
#include "print/run_report.h"
#include "reference/check.h"
#include "tests/unit/reference_testing.h"

namespace mmk::driver {
namespace {

/// Checks a product of which some elements are off by `error`, and returns the failure's text.
std::string failureOf(const std::string &rule, double error, int64_t step) {
  const KernelText text("kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; "
                        "check { " +
                        rule + " } }");
  const std::map<std::string, int64_t> dims = {{"M", 5}, {"N", 7}, {"K", 300}};
  const std::vector<double> scalars = {0, 0};
  const Tensor a = seeded(ElementType::f16, {5, 300}, 1, DataKind::uniform);
  const Tensor b = seeded(ElementType::f16, {300, 7}, 2, DataKind::uniform);
  const std::vector<const Tensor *> tensors = {&a, &b};
  const ResultCheck check =
      llvm::cantFail(ResultCheck::create({text.kernel(), dims, scalars, tensors}, 1));
  Tensor got = tensorOf(ElementType::f32, {5, 7}, valuesOf(check.expected(0)));
  for (int64_t i = 3; i < got.elements(); i += step)
    got.set(i, got[i] + error);

  const Machine machine = llvm::cantFail(loadMachine("host"));
  RunHeader header;
  header.kernel = &text.kernel();
  header.machine = &machine;
  CaseReport report;
  report.run.dims = dims;
  report.check.emplace().add("c", check.check(0, got, text.kernel().check));
  testing::internal::CaptureStdout();
  RunTable(header, {report.run}, {}).printNotes({report});
  return testing::internal::GetCapturedStdout();
}

TEST(RunTable, AWrongElementHasEveryPartOfItsBound) {
  EXPECT_EQ(
      failureOf("", 0.1, 14),
      "M=5 N=7 K=300: 3 of 35 elements of c are wrong (0.0857, at most 0 are allowed); the "
      "first: c[0, 3] = -4.11127663, expected -4.21127653; it may differ by 0.00524: rounding "
      "3e-05, rtol 0.00421, atol 0.001\n");
}

TEST(RunTable, WithoutRoundingTheToleranceIsTheBound) {
  EXPECT_EQ(failureOf("rtol = 0; atol = 0.0625; rounding = 0;", 0.125, 100),
            "M=5 N=7 K=300: 1 of 35 elements of c are wrong (0.0286, at most 0 are allowed); the "
            "first: c[0, 3] = -4.08627653, expected -4.21127653; it may differ by 0.0625: rtol 0, "
            "atol 0.0625\n");
}

TEST(RunTable, ASampleThatRoundingDoesNotExplain) {
  EXPECT_EQ(failureOf("atol = 1;", 0.1, 2),
            "M=5 N=7 K=300: 21 of 47 sampled elements of c are within rtol and atol, but differ by "
            "more than rounding explains; the first: c[0, 3] = -4.11127663, expected -4.21127653; "
            "rounding 1.19e-05\n");
}

} // namespace
} // namespace mmk::driver
