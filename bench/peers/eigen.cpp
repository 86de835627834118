#include "bench/peers/contenders.h"
#include "bench/peers/versions_of.h"
#include "runtime/threads.h"

#include <Eigen/Core>

#include <fmt/format.h>

namespace mmk::peers {
namespace {

template <typename Element>
using Matrix = Eigen::Matrix<Element, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <typename Element>
using Operand = Eigen::Map<const Matrix<Element>, 0, Eigen::OuterStride<>>;
using Output = Eigen::Map<Matrix<float>, 0, Eigen::OuterStride<>>;

/// Some rows and columns of one result.
template <typename Element>
void part(const Problem &problem, const Operands &operands, float *c, int64_t matrix,
          int64_t firstRow, int64_t rows, int64_t firstColumn, int64_t columns) {
  const int64_t m = problem.m, n = problem.n, k = problem.k;
  const auto *aData = operands.a.as<Element>() + (matrix * m + firstRow) * k;
  const auto *bData = operands.b.as<Element>() + matrix * k * n + firstColumn;
  const Operand<Element> a(aData, rows, k, Eigen::OuterStride<>(k)),
      b(bData, k, columns, Eigen::OuterStride<>(n));
  const Eigen::Map<const Eigen::RowVectorXf> bias(operands.bias.as<float>() + firstColumn, columns);
  Output out(c + (matrix * m + firstRow) * n + firstColumn, rows, columns, Eigen::OuterStride<>(n));
  if constexpr (std::is_same_v<Element, float>)
    out.noalias() = a * b;
  else
    out.noalias() = a.template cast<float>() * b.template cast<float>();
  out = (out.rowwise() + bias).unaryExpr([](float x) { return x < 0 ? x * Operands::alpha : x; });
}

template <typename Element> void run(const Problem &problem, const Operands &operands, float *c) {
  const int64_t threads = problem.threads;
  if (problem.batch || threads == 1)
    return parallelFor(problem.matrices(), problem.threads, [&](int64_t i, unsigned) {
      part<Element>(problem, operands, c, i, 0, problem.m, 0, problem.n);
    });
  const bool byRows = problem.m >= problem.n;
  const int64_t all = byRows ? problem.m : problem.n, each = (all + threads - 1) / threads;
  parallelFor(threads, problem.threads, [&](int64_t i, unsigned) {
    const int64_t begin = std::min(all, i * each), count = std::min(all - begin, each);
    if (count > 0)
      byRows ? part<Element>(problem, operands, c, 0, begin, count, 0, problem.n)
             : part<Element>(problem, operands, c, 0, 0, problem.m, begin, count);
  });
}

} // namespace

Contenders ofEigen(const Problem &problem, const Operands &operands) {
  Contenders made;
  if (problem.type == ElementType::i8)
    return made;
  made.push_back(filling("Eigen", problem, [problem, &operands](float *c) {
    switch (problem.type) {
    case ElementType::f16:
      return run<Eigen::half>(problem, operands, c);
    case ElementType::bf16:
      return run<Eigen::bfloat16>(problem, operands, c);
    default:
      return run<float>(problem, operands, c);
    }
  }));
  return made;
}

std::string eigenVersion() {
  return fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
}

} // namespace mmk::peers
