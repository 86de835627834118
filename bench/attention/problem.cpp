#include "bench/attention/problem.h"

#include "runtime/data.h"
#include "runtime/threads.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <random>
#include <utility>
#include <vector>

namespace mmk::attention {

std::string Problem::name() const {
  if (isDecoding())
    return fmt::format("decode {}x{}x{}x{} {} {}", heads, queries, length, depth, spelling(type),
                       threads);
  const char *const of[] = {"", "dq ", "dkv "};
  return fmt::format("{}{} {}x{}x{} {} {}", of[static_cast<int>(work)],
                     isCausal ? "causal" : "full", heads, length, depth, spelling(type), threads);
}

float Problem::scale() const { return 1 / std::sqrt(static_cast<float>(depth)); }

double Problem::operations() const {
  const auto n = static_cast<double>(length);
  const double pairs = isCausal ? n * (n + 1) / 2 : n * static_cast<double>(queries);
  const int products = work == Work::forward ? 2 : work == Work::queries ? 3 : 4;
  return 2 * products * static_cast<double>(heads) * static_cast<double>(depth) * pairs;
}

double Problem::bytes() const {
  return 2 * static_cast<double>(sizeInBytes(type)) * static_cast<double>(heads * length * depth);
}

Operands::Operands(const Problem &problem) {
  uint64_t seed = 0;
  const auto fill = [&](Tensor &tensor, ElementType type, std::vector<int64_t> shape) {
    tensor = llvm::cantFail(Tensor::allocate(type, std::move(shape)));
    fillWithData(tensor, DataKind::normal, ++seed, availableThreads());
  };
  const int64_t heads = problem.heads, depth = problem.depth;
  for (Tensor *tensor : {&q, &k, &v, &o})
    fill(*tensor, problem.type,
         {heads, tensor == &q || tensor == &o ? problem.queries : problem.length, depth});
  if (problem.work == Work::forward)
    return;
  for (Tensor *tensor : {&g, &dq, &dk, &dv})
    fill(*tensor, problem.type, {heads, problem.length, depth});
  for (Tensor *tensor : {&l, &delta})
    fill(*tensor, ElementType::f32, {heads, problem.length});
  computeSaved(problem, *this);
}

llvm::SmallVector<Tensor *, 2> Operands::results(const Problem &problem) {
  switch (problem.work) {
  case Work::forward:
    return {&o};
  case Work::queries:
    return {&dq};
  case Work::keys:
    return {&dk, &dv};
  }
  return {};
}

namespace {

/// Rows of one head in double precision.
class Head {
public:
  Head(const Problem &problem, const Operands &operands, int64_t head)
      : p(problem), of(operands), head(head) {}

  /// What each result of the problem has in a row.
  std::vector<std::vector<double>> rows(int64_t row) const {
    switch (p.work) {
    case Work::forward:
      return {attended(row)};
    case Work::queries: {
      std::vector<double> dq(p.depth);
      for (int64_t j = 0; j < p.length && sees(row, j); ++j)
        add(dq, gradientOfScore(row, j), of.k, j);
      return {dq};
    }
    case Work::keys: {
      std::vector<double> dk(p.depth), dv(p.depth);
      for (int64_t i = 0; i < p.length; ++i)
        if (sees(i, row)) {
          add(dk, gradientOfScore(i, row), of.q, i);
          add(dv, weight(i, row), of.g, i);
        }
      return {dk, dv};
    }
    }
    return {};
  }

private:
  bool sees(int64_t query, int64_t key) const { return !p.isCausal || key <= query; }
  double at(const Tensor &tensor, int64_t row, int64_t column) const {
    return tensor[(head * tensor.shape[1] + row) * p.depth + column];
  }
  double product(const Tensor &x, int64_t row, const Tensor &y, int64_t other) const {
    double sum = 0;
    for (int64_t c = 0; c < p.depth; ++c)
      sum += at(x, row, c) * at(y, other, c);
    return sum;
  }
  double score(int64_t query, int64_t key) const {
    return p.scale() * product(of.q, query, of.k, key);
  }
  void add(std::vector<double> &sums, double weight, const Tensor &tensor, int64_t row) const {
    for (int64_t c = 0; c < p.depth; ++c)
      sums[c] += weight * at(tensor, row, c);
  }
  double weight(int64_t query, int64_t key) const {
    return std::exp(score(query, key) - of.l[head * p.length + query]);
  }
  double gradientOfScore(int64_t query, int64_t key) const {
    return p.scale() * weight(query, key) *
           (product(of.g, query, of.v, key) - of.delta[head * p.length + query]);
  }
  std::vector<double> attended(int64_t query) const {
    std::vector<double> weights, sums(p.depth);
    for (int64_t j = 0; j < p.length && sees(query, j); ++j)
      weights.push_back(score(query, j));
    const double top = *std::ranges::max_element(weights);
    double sum = 0;
    for (double &weight : weights)
      sum += weight = std::exp(weight - top);
    for (size_t j = 0; j < weights.size(); ++j)
      add(sums, weights[j] / sum, of.v, static_cast<int64_t>(j));
    return sums;
  }

  const Problem &p;
  const Operands &of;
  const int64_t head;
};

} // namespace

std::string whatIsWrong(const Problem &problem, Operands &operands) {
  const llvm::SmallVector<Tensor *, 2> results = operands.results(problem);
  for (const Tensor *result : results)
    if (!result->canariesIntact())
      return "wrote beyond its result";
  const double tolerance = problem.type == ElementType::f32 ? 1e-4 : 2e-2;
  std::mt19937_64 random(1);
  for (int sample = 0; sample < 12; ++sample) {
    const auto head = static_cast<int64_t>(random() % problem.heads);
    const auto row =
        sample == 0 ? problem.queries - 1 : static_cast<int64_t>(random() % problem.queries);
    const std::vector<std::vector<double>> expected = Head(problem, operands, head).rows(row);
    for (size_t i = 0; i < expected.size(); ++i)
      for (int64_t c = 0; c < problem.depth; ++c) {
        const double found = (*results[i])[(head * problem.queries + row) * problem.depth + c];
        if (!(std::fabs(found - expected[i][c]) <= tolerance))
          return fmt::format("element {} of row {} of head {} of result {} is {}, expected {}", c,
                             row, head, i, found, expected[i][c]);
      }
  }
  return "";
}

} // namespace mmk::attention
