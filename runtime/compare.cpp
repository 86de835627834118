#include "runtime/compare.h"

#include "runtime/clones.h"
#include "runtime/convert.h"
#include "runtime/threads.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

namespace mmk {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Written without short-circuits, so that a row of comparisons becomes vector code.
inline bool breaksRule(double x, double reference, Tolerance tolerance) {
  const bool same = (x == reference) | ((x != x) & (reference != reference));
  const bool near =
      std::fabs(x - reference) <= tolerance.absolute + tolerance.relative * std::fabs(reference);
  return !(same | (near & (std::fabs(reference) < infinity)));
}

struct Part {
  int64_t wrong = 0;
  double maxAbs = 0, maxRel = 0;
};

MMK_CLONES void compareBlock(const double *got, const double *reference, int64_t count,
                             Tolerance tolerance, Part &part) {
  int64_t wrong = 0;
  // Numbers of 0 and more are ordered as their bits, whose maximum is vector code; a maximum of
  // floating point numbers is not, because of NaN.
  int64_t maxAbs = 0, maxRel = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double x = got[i], r = reference[i];
    wrong += breaksRule(x, r, tolerance);
    const double difference = std::fabs(x - r), relative = difference / std::fabs(r);
    // Both comparisons are false on NaN and on infinities, whose error is undefined.
    const auto absolute = std::bit_cast<int64_t>(difference < infinity ? difference : 0);
    const auto ofReference = std::bit_cast<int64_t>(relative < infinity ? relative : 0);
    maxAbs = std::max(maxAbs, absolute);
    maxRel = std::max(maxRel, ofReference);
  }
  part.wrong += wrong;
  part.maxAbs = std::max(part.maxAbs, std::bit_cast<double>(maxAbs));
  part.maxRel = std::max(part.maxRel, std::bit_cast<double>(maxRel));
}

} // namespace

bool isWrong(double got, double reference, Tolerance tolerance) {
  return breaksRule(got, reference, tolerance);
}

std::vector<int64_t> coordinatesOf(int64_t index, const std::vector<int64_t> &shape) {
  std::vector<int64_t> result(shape.size());
  for (size_t d = shape.size(); d-- > 0; index /= shape[d])
    result[d] = index % shape[d];
  return result;
}

Comparison compare(const Tensor &got, const Tensor &reference, double rtol, double atol,
                   double maxErrorRatio, unsigned threads, std::vector<int64_t> *wrongOfBlock) {
  assert(got.type == reference.type && got.shape == reference.shape);
  const Tolerance tolerance{rtol, atol};
  const size_t elementBytes = sizeInBytes(got.type);
  const int64_t elements = got.elements();
  const int64_t blocks = (elements + comparedAtOnce - 1) / comparedAtOnce;
  std::vector<Part> parts(static_cast<size_t>(blocks));
  parallelFor(blocks, threads, [&](int64_t block, unsigned) {
    alignas(64) double x[comparedAtOnce], r[comparedAtOnce];
    const int64_t begin = block * comparedAtOnce;
    const int64_t count = std::min(comparedAtOnce, elements - begin);
    widen(got.as<char>() + begin * elementBytes, got.type, x, count);
    widen(reference.as<char>() + begin * elementBytes, got.type, r, count);
    compareBlock(x, r, count, tolerance, parts[block]);
  });

  Comparison result;
  result.elements = elements;
  for (const Part &part : parts) {
    if (wrongOfBlock)
      wrongOfBlock->push_back(part.wrong);
    if (part.wrong > 0 && result.wrong == 0) {
      int64_t index = (&part - parts.data()) * comparedAtOnce;
      while (!isWrong(got[index], reference[index], tolerance))
        ++index;
      result.firstWrong = coordinatesOf(index, got.shape);
      result.firstGot = got[index];
      result.firstExpected = reference[index];
    }
    result.wrong += part.wrong;
    result.maxAbs = std::max(result.maxAbs, part.maxAbs);
    result.maxRel = std::max(result.maxRel, part.maxRel);
  }
  if (elements > 0)
    result.errorRatio = static_cast<double>(result.wrong) / static_cast<double>(elements);
  result.passed = result.errorRatio <= maxErrorRatio;
  return result;
}

} // namespace mmk
