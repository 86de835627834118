#include "bench/peers/second_pass.h"

#include "runtime/threads.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace mmk::peers {
namespace {

/// Below, waking a thread costs more than it saves.
constexpr int64_t elementsWorthAThread = 1 << 16;

void rowsOf(float *__restrict c, const float *__restrict bias, int64_t rows, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row, c += columns)
    for (int64_t column = 0; column < columns; ++column) {
      const float sum = c[column] + bias[column];
      c[column] = sum < 0 ? sum * Operands::alpha : sum;
    }
}

/// Calls `body(begin, end)` for parts of `count`, one a thread.
void inParts(int64_t count, int64_t elements, unsigned threads,
             llvm::function_ref<void(int64_t, int64_t)> body) {
  if (elements < elementsWorthAThread)
    threads = 1;
  const int64_t part = (count + threads - 1) / threads;
  parallelFor(threads, threads, [&](int64_t i, unsigned) {
    body(std::min(count, i * part), std::min(count, (i + 1) * part));
  });
}

void widen(const Tensor &from, Tensor &to, unsigned threads) {
  float *__restrict out = to.as<float>();
  inParts(from.elements(), from.elements(), threads, [&](int64_t begin, int64_t end) {
    if (from.type == ElementType::f16) {
      const auto *in = from.as<_Float16>();
      for (int64_t i = begin; i < end; ++i)
        out[i] = static_cast<float>(in[i]);
    } else {
      const auto *in = from.as<uint16_t>();
      for (int64_t i = begin; i < end; ++i)
        out[i] = std::bit_cast<float>(static_cast<uint32_t>(in[i]) << 16);
    }
  });
}

void productAndPass(const Blas &blas, const Problem &problem, const Operands &operands,
                    Widened &widened, float *c) {
  blas.setThreads(problem.batch ? 1 : problem.threads);
  const float *a = widened.a(), *b = widened.b(), *bias = operands.bias.as<float>();
  const int64_t ofA = problem.m * problem.k, ofB = problem.k * problem.n,
                ofC = problem.m * problem.n;
  if (!problem.batch) {
    blas.product(problem, a, b, c);
    return biasAndLeakyRelu(c, bias, problem.m, problem.n, problem.threads);
  }
  parallelFor(problem.batch, problem.threads, [&](int64_t i, unsigned) {
    blas.product(problem, a + i * ofA, b + i * ofB, c + i * ofC);
    biasAndLeakyRelu(c + i * ofC, bias, problem.m, problem.n, 1);
  });
}

} // namespace

void biasAndLeakyRelu(float *c, const float *bias, int64_t rows, int64_t columns,
                      unsigned threads) {
  inParts(rows, rows * columns, threads, [&](int64_t begin, int64_t end) {
    rowsOf(c + begin * columns, bias, end - begin, columns);
  });
}

Widened::Widened(const Problem &problem, const Operands &operands)
    : problem_(problem), operands_(operands) {
  if (problem.type == ElementType::f32)
    return;
  wideA_ = llvm::cantFail(Tensor::allocate(ElementType::f32, operands.a.shape));
  wideB_ = llvm::cantFail(Tensor::allocate(ElementType::f32, operands.b.shape));
}

const float *Widened::widened(const Tensor &from, Tensor &to) {
  if (problem_.type == ElementType::f32)
    return from.as<float>();
  widen(from, to, problem_.threads);
  return to.as<float>();
}

std::vector<Contender> byProductAndPass(const Blas &blas, const Problem &problem,
                                        const Operands &operands) {
  std::vector<Contender> made;
  if (problem.type != ElementType::i8)
    made.push_back(
        filling(blas.name, problem,
                [blas, problem, &operands, widened = Widened(problem, operands)](float *c) mutable {
                  productAndPass(blas, problem, operands, widened, c);
                }));
  return made;
}

} // namespace mmk::peers
