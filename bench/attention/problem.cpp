#include "bench/attention/problem.h"

#include "runtime/data.h"
#include "runtime/threads.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <random>
#include <vector>

namespace mmk::attention {

std::string Problem::name() const {
  if (isDecoding())
    return fmt::format("decode {}x{}x{}x{} {} {}", heads, queries, length, depth, spelling(type),
                       threads);
  return fmt::format("{} {}x{}x{} {} {}", isCausal ? "causal" : "full", heads, length, depth,
                     spelling(type), threads);
}

float Problem::scale() const { return 1 / std::sqrt(static_cast<float>(depth)); }

double Problem::operations() const {
  const auto n = static_cast<double>(length);
  const double pairs = isCausal ? n * (n + 1) / 2 : n * static_cast<double>(queries);
  return 4 * static_cast<double>(heads) * static_cast<double>(depth) * pairs;
}

double Problem::bytes() const {
  return 2 * static_cast<double>(sizeInBytes(type)) * static_cast<double>(heads * length * depth);
}

Operands::Operands(const Problem &problem) {
  uint64_t seed = 0;
  for (Tensor *tensor : {&q, &k, &v, &o}) {
    const int64_t rows = tensor == &q || tensor == &o ? problem.queries : problem.length;
    *tensor = llvm::cantFail(Tensor::allocate(problem.type, {problem.heads, rows, problem.depth}));
    fillWithData(*tensor, DataKind::normal, ++seed, availableThreads());
  }
}

std::string whatIsWrong(const Problem &problem, const Operands &operands) {
  if (!operands.o.canariesIntact())
    return "wrote beyond its result";
  const int64_t m = problem.queries, n = problem.length, d = problem.depth;
  const double tolerance = problem.type == ElementType::f32 ? 1e-4 : 2e-2;
  std::mt19937_64 random(1);
  for (int sample = 0; sample < 12; ++sample) {
    const auto head = static_cast<int64_t>(random() % problem.heads);
    const auto row = sample == 0 ? m - 1 : static_cast<int64_t>(random() % m);
    const int64_t keys = problem.isCausal ? row + 1 : n;
    std::vector<double> weights(keys), expected(d);
    for (int64_t j = 0; j < keys; ++j)
      for (int64_t c = 0; c < d; ++c)
        weights[j] += problem.scale() * operands.q[(head * m + row) * d + c] *
                      operands.k[(head * n + j) * d + c];
    const double top = *std::ranges::max_element(weights);
    double sum = 0;
    for (double &weight : weights)
      sum += weight = std::exp(weight - top);
    for (int64_t j = 0; j < keys; ++j)
      for (int64_t c = 0; c < d; ++c)
        expected[c] += weights[j] / sum * operands.v[(head * n + j) * d + c];
    for (int64_t c = 0; c < d; ++c) {
      const double found = operands.o[(head * m + row) * d + c];
      if (!(std::fabs(found - expected[c]) <= tolerance))
        return fmt::format("element {} of row {} of head {} is {}, expected {}", c, row, head,
                           found, expected[c]);
    }
  }
  return "";
}

} // namespace mmk::attention
