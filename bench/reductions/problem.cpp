#include "bench/reductions/problem.h"

#include "runtime/data.h"
#include "runtime/threads.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <random>

namespace mmk::reductions {

std::string nameOf(Kernel kernel) {
  switch (kernel) {
  case Kernel::softmax:
    return "softmax";
  case Kernel::layerNorm:
    return "layer norm";
  case Kernel::rmsNorm:
    return "RMS norm";
  case Kernel::rowSums:
    return "row sums";
  case Kernel::columnSums:
    return "column sums";
  case Kernel::rowMaxima:
    return "row maxima";
  }
  return "";
}

std::string Problem::name() const {
  return fmt::format("{} {}x{} {} {}", nameOf(kernel), m, n, spelling(type), threads);
}

ElementType Problem::resultType() const {
  const bool isSum = kernel == Kernel::rowSums || kernel == Kernel::columnSums;
  return isSum ? ElementType::f32 : type;
}

std::vector<int64_t> Problem::resultShape() const {
  if (isLarge())
    return {m, n};
  return {kernel == Kernel::columnSums ? n : m};
}

int64_t Problem::bytes() const {
  const std::vector<int64_t> shape = resultShape();
  const int64_t results =
      std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
  return m * n * static_cast<int64_t>(sizeInBytes(type)) +
         results * static_cast<int64_t>(sizeInBytes(resultType()));
}

Operands::Operands(const Problem &problem)
    : x(llvm::cantFail(Tensor::allocate(problem.type, {problem.m, problem.n}))),
      scale(llvm::cantFail(Tensor::allocate(ElementType::f32, {problem.n}))),
      shift(llvm::cantFail(Tensor::allocate(ElementType::f32, {problem.n}))) {
  uint64_t seed = 0;
  for (Tensor *tensor : {&x, &scale, &shift})
    fillWithData(*tensor, DataKind::uniform, ++seed, availableThreads());
}

namespace {

/// What a row gives, in double, and the magnitude of what it is made from.
struct Row {
  std::vector<double> x;
  double sum = 0, magnitude = 0, largest = 0, exponentials = 0, mean = 0, variance = 0, squares = 0;

  explicit Row(std::vector<double> elements) : x(std::move(elements)) {
    largest = *std::ranges::max_element(x);
    for (double each : x) {
      sum += each;
      magnitude += std::fabs(each);
      squares += each * each;
      exponentials += std::exp(each - largest);
    }
    mean = sum / static_cast<double>(x.size());
    for (double each : x)
      variance += (each - mean) * (each - mean) / static_cast<double>(x.size());
    squares /= static_cast<double>(x.size());
  }
};

double expected(const Problem &problem, const Operands &operands, const Row &row, int64_t i) {
  switch (problem.kernel) {
  case Kernel::softmax:
    return std::exp(row.x[i] - row.largest) / row.exponentials;
  case Kernel::layerNorm:
    return (row.x[i] - row.mean) / std::sqrt(row.variance + epsilon) * operands.scale[i] +
           operands.shift[i];
  case Kernel::rmsNorm:
    return row.x[i] / std::sqrt(row.squares + epsilon) * operands.scale[i];
  case Kernel::rowMaxima:
    return row.largest;
  default:
    return row.sum;
  }
}

/// Far above the rounding of a sum and of the result's type, far below one element.
double tolerance(const Problem &problem, const Row &row) {
  const bool isSum = problem.resultType() != problem.type || !problem.isLarge();
  const double ofType = problem.resultType() == ElementType::f32 ? 1e-4 : 0.02;
  if (isSum)
    return 2e-5 * row.magnitude;
  return problem.kernel == Kernel::softmax ? ofType / row.exponentials : 2 * ofType;
}

} // namespace

std::string whatIsWrong(const Problem &problem, const Operands &operands, const Tensor &result) {
  if (!result.canariesIntact())
    return "wrote beyond its result";
  const bool areColumns = problem.kernel == Kernel::columnSums;
  const int64_t rows = areColumns ? problem.n : problem.m,
                length = areColumns ? problem.m : problem.n;
  std::mt19937_64 random(1);
  for (int64_t sample = 0; sample < 20; ++sample) {
    const int64_t at = sample == 0 ? rows - 1 : static_cast<int64_t>(random() % rows);
    std::vector<double> elements(length);
    for (int64_t i = 0; i < length; ++i)
      elements[i] = areColumns ? operands.x[i * problem.n + at] : operands.x[at * problem.n + i];
    const Row row(std::move(elements));
    for (int64_t i = 0; i < (problem.isLarge() ? length : 1); ++i) {
      const int64_t index = problem.isLarge() ? at * problem.n + i : at;
      const double wanted = expected(problem, operands, row, i);
      if (!(std::fabs(result[index] - wanted) <= tolerance(problem, row)))
        return fmt::format("element {} is {}, expected {}", index, result[index], wanted);
    }
  }
  return "";
}

} // namespace mmk::reductions
