// Products with bias and leaky relu.
#include "bench/ceilings.h"
#include "bench/peers/contenders.h"
#include "bench/peers/rows.h"
#include "runtime/threads.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::peers {
namespace {

struct Shape {
  int64_t batch, m, n, k;
};
constexpr Shape shapes[] = {{0, 2048, 2048, 2048}, {0, 4096, 1024, 4096}, {0, 1024, 512, 1024},
                            {0, 512, 128, 512},    {0, 1000, 1000, 1000}, {0, 127, 129, 131},
                            {0, 64, 64, 64},       {0, 32, 32, 32},       {0, 16, 4096, 4096},
                            {0, 1, 4096, 4096},    {0, 4096, 8, 4096},    {0, 4096, 1, 4096},
                            {0, 4096, 64, 4096},   {0, 8192, 256, 64},    {64, 128, 128, 128}};

/// Floats are widened, or could be, without a loss: the ceiling of f32 is theirs, but for bf16
/// where the CPU has more of its own.
Unit unitOf(ElementType type) {
  static const Ceilings ceilings = measureCeilings();
  if (type == ElementType::i8)
    return Unit::i8;
  return type == ElementType::bf16 && ceilings.bf16 > ceilings.f32 ? Unit::bf16 : Unit::f32;
}

/// The operand that takes longer to read than all of the arithmetic, with so few rows or columns
/// of the other one; else null.
const Tensor *boundByReading(const Problem &problem, const Operands &operands) {
  if (problem.batch || std::min(problem.m, problem.n) > 16)
    return nullptr;
  return problem.m < problem.n ? &operands.b : &operands.a;
}

/// Bytes a second of threads that read all of `tensor` after having read it once: contenders also
/// run before they are timed, and find in the caches what fits there.
double readRate(const Tensor &tensor, unsigned threads) {
  const auto *words = static_cast<const uint64_t *>(tensor.data());
  const auto count = static_cast<int64_t>(tensor.bytes() / sizeof(uint64_t));
  const auto read = [&] {
    parallelFor(threads, threads, [&](int64_t i, unsigned) {
      uint64_t sum = 0;
      for (int64_t j = i * count / threads, end = (i + 1) * count / threads; j < end; ++j)
        sum += words[j];
      asm volatile("" : : "r"(sum));
    });
  };
  read();
  const double seconds = timeOf(threads, read);
  return static_cast<double>(tensor.bytes()) / seconds;
}

Row measure(const Problem &problem, double seconds) {
  const Operands operands(problem);
  Contenders contenders;
  for (auto *of : {ofMmk, ofOneDnn, ofOpenBlas, ofBlis, ofEigen, ofLibxsmm, ofHalide})
    for (Contender &contender : of(problem, operands))
      contenders.push_back(std::move(contender));

  const Tensor *read = boundByReading(problem, operands);
  Row row{std::string(spelling(problem.type)), problem.shape(), problem.threads,
          problem.operations()};
  // Compared with the first, after that has been checked.
  const Tensor none, *known = &none;
  std::vector<double> ceilings, reads;
  row.contenders = takeTurns(
      contenders, problem.threads, seconds,
      [&](const Tensor &result) {
        std::string wrong = whatIsWrong(problem, operands, result, *known);
        if (wrong.empty() && known == &none)
          known = &result;
        return wrong;
      },
      [&] {
        ceilings.push_back(measureCeiling(unitOf(problem.type), problem.threads));
        if (read && ceilings.size() % contenders.size() == 0)
          reads.push_back(readRate(*read, problem.threads));
      });
  row.ceiling = 1e9 * spreadOf(ceilings).median;
  if (read) {
    const double byMemory =
        spreadOf(reads).median * problem.operations() / static_cast<double>(read->bytes());
    row.isBoundByMemory = byMemory < row.ceiling;
    row.ceiling = std::min(row.ceiling, byMemory);
  }
  return row;
}

} // namespace

std::vector<RowToMeasure> productRows() {
  std::vector<RowToMeasure> rows;
  for (ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i8})
    for (unsigned threads = 1; threads <= std::min(2u, availableThreads()); ++threads)
      for (const Shape &shape : shapes) {
        const Problem problem{type, shape.batch, shape.m, shape.n, shape.k, threads};
        rows.push_back({problem.name(), threads,
                        [problem](double seconds) { return measure(problem, seconds); }});
      }
  return rows;
}

} // namespace mmk::peers
