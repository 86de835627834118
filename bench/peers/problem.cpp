#include "bench/peers/problem.h"

#include "runtime/data.h"
#include "runtime/threads.h"

#include <cmath>
#include <fmt/format.h>
#include <random>

namespace mmk::peers {

std::string Problem::shape() const {
  const std::string one = fmt::format("{}x{}x{}", m, n, k);
  return batch ? fmt::format("{} of {}", batch, one) : one;
}

std::string Problem::name() const {
  return fmt::format("{} {} {} thread{}", shape(), spelling(type), threads,
                     threads == 1 ? "" : "s");
}

std::vector<int64_t> Problem::extents(int64_t rows, int64_t columns) const {
  return batch ? std::vector{batch, rows, columns} : std::vector{rows, columns};
}

Tensor Problem::result() const {
  return llvm::cantFail(Tensor::allocate(ElementType::f32, extents(m, n)));
}

Operands::Operands(const Problem &problem)
    : a(llvm::cantFail(Tensor::allocate(problem.type, problem.extents(problem.m, problem.k)))),
      b(llvm::cantFail(Tensor::allocate(problem.type, problem.extents(problem.k, problem.n)))),
      bias(llvm::cantFail(Tensor::allocate(ElementType::f32, {problem.n}))),
      scale(llvm::cantFail(Tensor::allocate(ElementType::f32, {problem.n}))) {
  uint64_t seed = 0;
  for (Tensor *tensor : {&a, &b, &bias, &scale})
    fillWithData(*tensor, DataKind::uniform, ++seed, availableThreads());
  // Scales are positive, and bring sums of i8 to the magnitude of the bias.
  for (int64_t i = 0; i < problem.n; ++i)
    scale.as<float>()[i] = (1.5f + scale.as<float>()[i]) * 1e-4f;
}

namespace {

double expected(const Problem &problem, const Operands &operands, int64_t matrix, int64_t row,
                int64_t column, double &magnitude) {
  const int64_t n = problem.n, k = problem.k;
  const int64_t a = (matrix * problem.m + row) * k, b = matrix * k * n + column;
  double sum = 0;
  magnitude = 0;
  for (int64_t i = 0; i < k; ++i) {
    const double term = operands.a[a + i] * operands.b[b + i * n];
    sum += term;
    magnitude += std::fabs(term);
  }
  if (problem.type == ElementType::i8) {
    sum *= operands.scale[column];
    magnitude *= operands.scale[column];
  }
  sum += operands.bias[column];
  magnitude += std::fabs(operands.bias[column]);
  return sum < 0 ? sum * Operands::alpha : sum;
}

} // namespace

Contender filling(std::string name, const Problem &problem,
                  llvm::unique_function<void(float *c)> run) {
  Tensor result = problem.result();
  float *c = result.as<float>();
  return {std::move(name), false, std::move(result),
          [c, run = std::move(run)]() mutable { run(c); }};
}

std::string whatIsWrong(const Problem &problem, const Operands &operands, const Tensor &result,
                        const Tensor &known) {
  if (!result.canariesIntact())
    return "wrote beyond its result";
  // f32 sums in any order: far above the rounding of some thousand terms, far below one term.
  constexpr double tolerance = 2e-5;
  const auto describe = [&](int64_t index, double wanted) {
    return fmt::format("element {} is {}, expected {}", index, result[index], wanted);
  };
  std::mt19937_64 random(1);
  const auto below = [&](int64_t count) { return static_cast<int64_t>(random() % count); };
  const int64_t samples = std::clamp<int64_t>(20'000'000 / problem.k, 2000, 20'000);
  for (int64_t sample = 0; sample < samples; ++sample) {
    const int64_t matrix = below(problem.matrices());
    // A quarter each from the last rows and the last columns, where ragged tiles are.
    const int64_t row = sample % 4 == 0 ? problem.m - 1 - below(std::min<int64_t>(problem.m, 16))
                                        : below(problem.m);
    const int64_t column = sample % 4 == 1 ? problem.n - 1 - below(std::min<int64_t>(problem.n, 16))
                                           : below(problem.n);
    double magnitude = 0;
    const double wanted = expected(problem, operands, matrix, row, column, magnitude);
    const int64_t index = (matrix * problem.m + row) * problem.n + column;
    if (!(std::fabs(result[index] - wanted) <= tolerance * magnitude))
      return describe(index, wanted);
  }
  for (int64_t i = 0; i < known.elements(); ++i)
    if (!(std::fabs(result.as<float>()[i] - known.as<float>()[i]) <=
          tolerance * std::max<double>(problem.k, 1)))
      return describe(i, known[i]);
  return "";
}

} // namespace mmk::peers
