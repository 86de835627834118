#include "bench/peers/contenders.h"
#include "bench/peers/second_pass.h"
#include "bench/peers/versions_of.h"
#include "runtime/threads.h"

#include <fmt/format.h>
#include <libxsmm.h>

namespace mmk::peers {
namespace {

/// It is a generator of small kernels: where b is more than this, blocking is the caller's work.
constexpr int64_t mostElements = 128 * 512;
constexpr int64_t blockRows = 64;

/// Row-major products are column-major ones of the transposed operands.
libxsmm_smmfunction kernelFor(const Problem &problem, int64_t rows) {
  const auto m = static_cast<libxsmm_blasint>(rows), n = static_cast<libxsmm_blasint>(problem.n),
             k = static_cast<libxsmm_blasint>(problem.k);
  const float one = 1, zero = 0;
  return libxsmm_smmdispatch(n, m, k, &n, &k, &n, &one, &zero, nullptr, nullptr);
}

} // namespace

Contenders ofLibxsmm(const Problem &problem, const Operands &operands) {
  Contenders made;
  if (problem.type != ElementType::f32 || problem.k * problem.n > mostElements)
    return made;
  const int64_t block = std::min(problem.m, blockRows), rest = problem.m % block;
  const libxsmm_smmfunction whole = kernelFor(problem, block),
                            last = rest ? kernelFor(problem, rest) : nullptr;
  if (!whole || (rest && !last))
    return made;
  const int64_t blocks = (problem.m + block - 1) / block;
  const bool isSmall = problem.operations() < 4e6; // some ten microseconds: not worth a thread
  made.push_back(filling("libxsmm", problem, [=, &operands](float *c) {
    const int64_t m = problem.m, n = problem.n, k = problem.k;
    parallelFor(problem.matrices() * blocks, isSmall ? 1 : problem.threads,
                [&](int64_t i, unsigned) {
                  const int64_t matrix = i / blocks, row = i % blocks * block;
                  const float *a = operands.a.as<float>() + (matrix * m + row) * k;
                  const float *b = operands.b.as<float>() + matrix * k * n;
                  float *out = c + (matrix * m + row) * n;
                  const int64_t rows = std::min(block, m - row);
                  (rows == block ? whole : last)(b, a, out);
                  biasAndLeakyRelu(out, operands.bias.as<float>(), rows, n, 1);
                });
  }));
  return made;
}

std::string libxsmmVersion() {
  libxsmm_init();
  return fmt::format("{}, kernels of {}", LIBXSMM_VERSION, libxsmm_get_target_arch());
}

} // namespace mmk::peers
