// The candidates of a shape: what the closed form takes for legal, the compiler does too, and the
// best of them by the form are near the clock's order.
#include "aicore/candidates.h"

#include "aicore/group_work.h"
#include "tests/unit/choose/fused.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

struct Sample {
  const char *name, *text;
  std::vector<int64_t> dims; ///< in the order of the kernel's dimensions
};

const Sample samples[] = {
    {"bias_relu",
     "kernel k(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f16[M, N] {"
     "  c = cast<f16>(relu(a @ b + bias)); }",
     {300, 700, 3000}},
    {"batched",
     "kernel k(a: f16[B, M, K], b: f16[B, N, K]) -> c: f32[B, M, N] { c = a @ transpose(b); }",
     {7, 100, 65, 333}},
    {"int8", "kernel k(a: i8[M, K], b: i8[K, N]) -> c: i32[M, N] { c = a @ b; }", {65, 4000, 17}},
    {"two products",
     "kernel k(x: f16[M, K], v: f16[K, H], w: f16[H, N]) -> y: f32[M, N] {"
     "  y = cast<f16>(relu(x @ v)) @ w; }",
     {130, 70, 500, 90}},
    {"elementwise",
     "kernel k(a: f16[M, N], b: f16[N]) -> y: f16[M, N] { y = exp(a) + b; }",
     {1000, 333}},
    {"vector", "kernel k(a: f32[N]) -> y: f32[N] { y = a * a; }", {100003}}};

class OfSample : public testing::TestWithParam<std::tuple<const char *, size_t>> {
protected:
  const Sample &sample() const { return samples[std::get<1>(GetParam())]; }
  const char *machine() const { return std::get<0>(GetParam()); }
};

TEST_P(OfSample, AreLegal) {
  Fused fused(sample().text, machine());
  CandidateRequest request;
  request.dims = sample().dims;
  request.most = 24;
  const Candidates found = aicore::findCandidates(fused.kernel(), fused.machine, request);
  ASSERT_FALSE(found.best.empty());
  EXPECT_GE(found.considered, std::ssize(found.best));
  double before = 0;
  size_t illegal = 0;
  for (const Candidate &candidate : found.best) {
    EXPECT_GE(candidate.cycles, before);
    before = candidate.cycles;
    PipelineOptions options;
    options.choices = candidate.choices;
    Lowering lowering =
        fused.compiler.lower(fused.checked.kernel(), fused.compiler.toIr(fused.checked.kernel()),
                             LoweringLevel::aicore, options, /*findsNearest=*/false);
    illegal += !lowering || !lowering.kernel().limitProblem(request.dims).empty();
  }
  EXPECT_EQ(illegal, 0U) << "of " << found.best.size();
}

TEST_P(OfSample, KeepWhatIsFixed) {
  Fused fused(sample().text, machine());
  CandidateRequest request;
  request.dims = sample().dims;
  request.fixed = {{"cores", "3"}, {"tile.N", "64"}};
  for (const Candidate &candidate :
       aicore::findCandidates(fused.kernel(), fused.machine, request).best)
    for (const auto &[key, word] : candidate.choices)
      EXPECT_FALSE(request.fixed.contains(key)) << key;
}

std::string nameOf(const testing::TestParamInfo<OfSample::ParamType> &info) {
  std::string name =
      std::string(std::get<0>(info.param)) + "_" + samples[std::get<1>(info.param)].name;
  std::ranges::replace(name, ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Candidates, OfSample,
                         testing::Combine(testing::Values("ascend910b3", "ascend310p3"),
                                          testing::Values(0, 1, 2, 3, 4, 5)),
                         nameOf);

std::vector<aicore::GroupWork> workOf(const std::string &text, const std::vector<int64_t> &dims) {
  Fused fused(text, "ascend910b3");
  return aicore::workOf(fused.kernel(), fused.machine, dims);
}

TEST(GroupWork, OfAProductWithItsEpilogue) {
  const auto groups = workOf(samples[0].text, samples[0].dims); // M, K, N
  ASSERT_EQ(groups.size(), 1U);
  const aicore::GroupWork &group = groups[0];
  ASSERT_EQ(group.products.size(), 1U);
  EXPECT_EQ(group.rows, 300);
  EXPECT_EQ(group.columns, 3000);
  EXPECT_EQ(group.products[0].depth, 700);
  EXPECT_EQ(group.products[0].a.pitch, 700 * 2);
  EXPECT_EQ(group.products[0].b.pitch, 3000 * 2);
  EXPECT_FALSE(group.products[0].a.isTransposed);
  EXPECT_TRUE(group.products[0].b.isTransposed); // its rows are columns of the result
  EXPECT_TRUE(group.hasVector);
  EXPECT_TRUE(group.addsRow);
  EXPECT_EQ(group.rowReads, (std::vector<int64_t>{4}));
  EXPECT_EQ(group.stores, (std::vector<int64_t>{2}));
  EXPECT_GT(group.vectorPerElement, group.addPerElement);
}

TEST(GroupWork, OfBatchesAndIntermediates) {
  const auto batched = workOf(samples[1].text, samples[1].dims); // B, M, K, N
  ASSERT_EQ(batched.size(), 1U);
  EXPECT_EQ(batched[0].batches, 7);
  EXPECT_EQ(batched[0].products[0].depth, 65);
  EXPECT_TRUE(batched[0].products[0].b.variesByBatch);
  EXPECT_FALSE(batched[0].hasVector);

  const auto two = workOf(samples[3].text, samples[3].dims); // M, K, H, N
  ASSERT_EQ(two.size(), 2U);
  EXPECT_FALSE(two[0].products[0].a.isIntermediate);
  EXPECT_TRUE(two[1].products[0].a.isIntermediate);
  EXPECT_EQ(two[1].products[0].depth, 500);
}

TEST(GroupWork, OfElementwiseWork) {
  const auto groups = workOf(samples[4].text, samples[4].dims);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_TRUE(groups[0].products.empty());
  EXPECT_EQ(groups[0].reads, (std::vector<int64_t>{2}));
  EXPECT_EQ(groups[0].rowReads, (std::vector<int64_t>{2}));
  EXPECT_EQ(groups[0].rows, 1000);
  EXPECT_EQ(groups[0].columns, 333);
}

// What separate groups do is what the one does, and the product goes through memory.
TEST(GroupWork, IsSeparatedIntoTheProductAndTheRest) {
  const auto group = workOf(samples[0].text, samples[0].dims)[0];
  const auto [product, rest] = aicore::separate(group);
  EXPECT_FALSE(product.hasVector);
  EXPECT_EQ(product.stores, (std::vector<int64_t>{4}));
  EXPECT_TRUE(rest.products.empty());
  EXPECT_EQ(rest.vectorPerElement, group.vectorPerElement);
  EXPECT_EQ(rest.stores, group.stores);
}

} // namespace
} // namespace mmk
