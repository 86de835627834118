#include "bench/peers/contenders.h"

#include "halide_gemm.h"
#include "halide_gemv.h"
#include "halide_narrow.h"

#include <HalideBuffer.h>
#include <HalideRuntime.h>

#include <cstdio>
#include <cstdlib>

namespace mmk::peers {
namespace {

using Matrix = Halide::Runtime::Buffer<float>;

/// Halide's first dimension is the innermost.
Matrix matrix(const float *data, int64_t rows, int64_t columns) {
  return Matrix(const_cast<float *>(data), static_cast<int>(columns), static_cast<int>(rows));
}

} // namespace

Contenders ofHalide(const Problem &problem, const Operands &operands) {
  Contenders made;
  if (problem.type != ElementType::f32)
    return made;
  Tensor result = problem.result();
  float *c = result.as<float>();
  // The one for few rows wants at least one strip of columns.
  const auto function = problem.m <= 16 && problem.n >= 1024 ? halide_gemv
                        : problem.n < 64                     ? halide_narrow
                                                             : halide_gemm;
  made.push_back({"Halide", false, std::move(result), [=, &operands] {
                    halide_set_num_threads(static_cast<int>(problem.threads));
                    Matrix bias(const_cast<float *>(operands.bias.as<float>()),
                                static_cast<int>(problem.n));
                    for (int64_t i = 0; i < problem.matrices(); ++i) {
                      Matrix a = matrix(operands.a.as<float>() + i * problem.m * problem.k,
                                        problem.m, problem.k),
                             b = matrix(operands.b.as<float>() + i * problem.k * problem.n,
                                        problem.k, problem.n),
                             out = matrix(c + i * problem.m * problem.n, problem.m, problem.n);
                      if (function(a, b, bias, Operands::alpha, out) != 0)
                        std::exit(3); // its runtime has said why
                    }
                  }});
  return made;
}

} // namespace mmk::peers
