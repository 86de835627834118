#include "reference/check.h"

#include "runtime/threads.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mmk {
namespace {

/// Elements beyond rtol and atol that are evaluated at first, and the numbers that they may read.
constexpr double firstLook = 1024, fewestAtFirst = 64, firstNumbers = 1 << 27;
/// Elements of the largest sample, and how many of it are evaluated: those that differ from the
/// reference at all.
constexpr int64_t mostSampled = 4096, mostEvaluated = 128, fewestEvaluated = 32;
/// Of the last row and of the last column.
constexpr int64_t mostEvaluatedOfEdge = 64;
/// Numbers that a sample may read at the least, and in what share of those that the reference
/// reads: it takes less than a fiftieth of its time.
constexpr double readNumbers = 1 << 20, readShare = 1.0 / 8192;
/// Of a sample, how many elements may need rtol and atol.
constexpr int64_t mostUnexplained = 2, unexplainedShare = 64;

/// What a closer look says of one element.
struct Finding {
  int64_t index = 0;
  bool isRight = false;
  double rounding = 0; ///< its bound
};

class CloserLook {
public:
  CloserLook(const Operands &operands, const Evaluated &evaluated, size_t result, const Tensor &got,
             const Tensor &expected, unsigned threads)
      : operands_(operands), evaluated_(evaluated), result_(operands.kernel.results[result]),
        got_(got), expected_(expected), threads_(threads), workers_(std::max<size_t>(threads, 1)) {}

  /// Whether elements are within a tolerance of what rounding explains, by one of `cares`.
  void evaluate(std::vector<Finding> &findings, Tolerance tolerance,
                std::initializer_list<Care> cares) {
    parallelFor(static_cast<int64_t>(findings.size()), threads_, [&](int64_t i, unsigned worker) {
      evaluate(findings[i], tolerance, cares, ranges(worker));
    });
  }

  double cost() { return ranges(0).cost(result_); }

private:
  ElementRanges &ranges(unsigned worker) {
    if (!workers_[worker])
      workers_[worker] = std::make_unique<ElementRanges>(operands_, evaluated_);
    return *workers_[worker];
  }

  void evaluate(Finding &finding, Tolerance tolerance, std::initializer_list<Care> cares,
                ElementRanges &ranges) const {
    const double got = got_[finding.index], expected = expected_[finding.index];
    finding.isRight = got == expected || (std::isnan(got) && std::isnan(expected));
    if (finding.isRight)
      return;
    const double finite = std::isfinite(expected) ? std::fabs(expected) : 0;
    const double around = tolerance.absolute + tolerance.relative * finite;
    for (Care care : cares) {
      if (care == Care::quick && !ranges.hasDeepSum(result_))
        continue;
      Range range = rounded(ranges.of(result_, finding.index, care), got_.type);
      if (std::isnan(expected)) {
        range.mayBeNaN = true;
      } else {
        range.low = std::min(range.low, expected);
        range.high = std::max(range.high, expected);
      }
      finding.rounding = std::max(range.high - expected, expected - range.low);
      finding.isRight =
          range.includes(got) || (std::isfinite(got) && range.widened(around).includes(got));
      if (finding.isRight)
        return;
    }
  }

  const Operands &operands_;
  const Evaluated &evaluated_;
  const Result &result_;
  const Tensor &got_, &expected_;
  const unsigned threads_;
  std::vector<std::unique_ptr<ElementRanges>> workers_;
};

/// The elements beyond a tolerance of blocks, each `step`-th, from their numbers in `compare`.
std::vector<Finding> listWrong(const Tensor &got, const Tensor &expected, Tolerance tolerance,
                               const std::vector<int64_t> &wrongOfBlock, int64_t step) {
  std::vector<Finding> findings;
  int64_t seen = 0;
  for (size_t block = 0; block < wrongOfBlock.size(); ++block) {
    const int64_t behind = seen + wrongOfBlock[block];
    if (seen / step == behind / step && seen % step != 0) {
      seen = behind;
      continue;
    }
    int64_t i = static_cast<int64_t>(block) * comparedAtOnce;
    for (; seen < behind; ++i)
      if (isWrong(got[i], expected[i], tolerance) && seen++ % step == 0)
        findings.push_back({i});
  }
  return findings;
}

/// `count` of the elements below `elements`, or all: multiples of the golden ratio, so that
/// neighbours in the sample are in different rows and columns.
std::vector<int64_t> spread(int64_t elements, int64_t count) {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < std::min(elements, count); ++i) {
    const double place = static_cast<double>(i) * 0.6180339887498949;
    const double share = place - std::floor(place);
    const auto index = static_cast<int64_t>(share * static_cast<double>(elements));
    indices.push_back(elements <= count ? i : std::min(index, elements - 1));
  }
  return indices;
}

void setFirstWrong(Comparison &comparison, const Finding &first, const Tensor &got,
                   const Tensor &expected) {
  comparison.firstWrong = coordinatesOf(first.index, got.shape);
  comparison.firstGot = got[first.index];
  comparison.firstExpected = expected[first.index];
  comparison.firstRounding = first.rounding;
}

/// Replaces the wrong elements of `comparison`, by rtol and atol alone, by those that rounding does
/// not explain either.
void explainWrong(Comparison &comparison, CloserLook &look, const Tensor &got,
                  const Tensor &expected, const Check &rule,
                  const std::vector<int64_t> &wrongOfBlock, unsigned threads) {
  const Tolerance tolerance{rule.rtol, rule.atol};
  const auto everyOrder = {Care::quick, Care::full, Care::biased};
  const auto isWrongFinding = [](const Finding &finding) { return !finding.isRight; };
  const double allowed = rule.maxErrorRatio * static_cast<double>(comparison.elements);
  const double first = std::clamp(firstNumbers / look.cost(), fewestAtFirst, firstLook);
  const auto step = static_cast<int64_t>(std::ceil(static_cast<double>(comparison.wrong) / first));
  auto findings = listWrong(got, expected, tolerance, wrongOfBlock, step);
  look.evaluate(findings, tolerance, everyOrder);
  int64_t wrong = std::ranges::count_if(findings, isWrongFinding);
  if (step > 1 && static_cast<double>(wrong) <= allowed) {
    findings = listWrong(got, expected, tolerance, wrongOfBlock, 1);
    look.evaluate(findings, tolerance, everyOrder);
    wrong = std::ranges::count_if(findings, isWrongFinding);
  } else if (step > 1) {
    double widest = 0;
    for (const Finding &finding : findings)
      if (std::isfinite(finding.rounding))
        widest = std::max(widest, finding.rounding);
    const Comparison beyond = compare(got, expected, rule.rtol, rule.atol + widest, 0, threads);
    wrong = std::max(wrong, beyond.wrong);
  }
  comparison.wrong = wrong;
  comparison.firstWrong.clear();
  if (wrong > 0)
    setFirstWrong(comparison, *std::ranges::find_if(findings, isWrongFinding), got, expected);
}

/// Tests a sample of the elements for differences that rounding does not explain.
class Sample {
public:
  Sample(Comparison &comparison, CloserLook &look, const Tensor &got, const Tensor &expected,
         double maxErrorRatio)
      : comparison_(comparison), look_(look), got_(got), expected_(expected),
        maxErrorRatio_(maxErrorRatio) {
    const double cost = look.cost(), all = cost * static_cast<double>(comparison.elements);
    affordable_ = std::max(readNumbers, all * readShare) / cost;
  }

  /// Of these elements, in their order, at most `most` of those that differ.
  void test(const std::vector<int64_t> &indices, int64_t most) {
    const auto count = static_cast<size_t>(
        std::clamp<double>(affordable_, fewestEvaluated, static_cast<double>(most)));
    std::vector<Finding> findings;
    int64_t seen = 0;
    for (int64_t index : indices) {
      if (findings.size() == count)
        break;
      const double expected = expected_[index];
      seen += std::isfinite(expected);
      if (std::isfinite(expected) && got_[index] != expected)
        findings.push_back({index});
    }
    look_.evaluate(findings, {0, 0}, {Care::likely, Care::likelyBiased});
    int64_t unexplained = 0;
    for (const Finding &finding : findings)
      if (!finding.isRight && unexplained++ == 0 && comparison_.unexplained == 0)
        setFirst(finding);
    comparison_.sampled += seen;
    comparison_.unexplained += unexplained;
    const double share = static_cast<double>(seen) / unexplainedShare;
    const double allowed = maxErrorRatio_ * static_cast<double>(seen);
    if (static_cast<double>(unexplained) >
        std::max({share, allowed, static_cast<double>(mostUnexplained)}))
      comparison_.passed = false;
  }

private:
  void setFirst(const Finding &finding) {
    comparison_.firstUnexplained = coordinatesOf(finding.index, got_.shape);
    comparison_.unexplainedGot = got_[finding.index];
    comparison_.unexplainedExpected = expected_[finding.index];
    comparison_.unexplainedRounding = finding.rounding;
  }

  Comparison &comparison_;
  CloserLook &look_;
  const Tensor &got_, &expected_;
  const double maxErrorRatio_;
  double affordable_;
};

/// Of all elements, of the last row and of the last column, where the tiles end.
void takeSamples(Sample &sample, const Tensor &got) {
  const int64_t elements = got.elements();
  sample.test(spread(elements, mostSampled), mostEvaluated);
  if (got.shape.size() < 2)
    return;
  const int64_t columns = got.shape.back(), rows = elements / columns;
  std::vector<int64_t> lastRow = spread(columns, mostSampled);
  for (int64_t &index : lastRow)
    index += (rows - 1) * columns;
  sample.test(lastRow, mostEvaluatedOfEdge);
  std::vector<int64_t> lastColumn = spread(rows, mostSampled);
  for (int64_t &index : lastColumn)
    index = index * columns + columns - 1;
  sample.test(lastColumn, mostEvaluatedOfEdge);
}

} // namespace

llvm::Expected<ResultCheck> ResultCheck::create(const Operands &operands, unsigned threads) {
  ResultCheck made(operands, threads);
  auto expected = evaluateReference(operands.kernel, operands.dims, operands.scalars,
                                    operands.tensors, threads, &made.evaluated_);
  if (!expected)
    return expected.takeError();
  made.expected_ = std::move(*expected);
  return made;
}

Comparison ResultCheck::check(size_t result, const Tensor &got, const Check &rule) const {
  const Tensor &expected = expected_[result];
  std::vector<int64_t> wrongOfBlock;
  Comparison comparison =
      compare(got, expected, rule.rtol, rule.atol, rule.maxErrorRatio, threads_, &wrongOfBlock);
  if (!rule.rounding || comparison.elements == 0)
    return comparison;
  CloserLook look(operands_, evaluated_, result, got, expected, threads_);
  if (comparison.wrong > 0)
    explainWrong(comparison, look, got, expected, rule, wrongOfBlock, threads_);
  comparison.errorRatio =
      static_cast<double>(comparison.wrong) / static_cast<double>(comparison.elements);
  comparison.passed = comparison.errorRatio <= rule.maxErrorRatio;
  Sample sample(comparison, look, got, expected, rule.maxErrorRatio);
  takeSamples(sample, got);
  return comparison;
}

} // namespace mmk
