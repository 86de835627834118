// The time of an emulated core compared with the same product on the host.
#include "bench/ceilings.h"
#include "bench/compiled.h"
#include "bench/peers/contenders.h"
#include "bench/peers/rows.h"
#include "runtime/threads.h"

#include <fmt/format.h>

namespace mmk::peers {
namespace {

Row measure(unsigned threads, double seconds) {
  const Problem problem{ElementType::f16, 0, 2048, 2048, 2048, threads};
  const Operands operands(problem);
  Contenders contenders = ofMmk(problem, operands);
  const Compiled core = compile(fusedText("f16"), "ascend910b3");
  Tensor result = problem.result();
  const Arguments arguments{{problem.m, problem.k, problem.n},
                            {0, 0, 0, Operands::alpha},
                            {operands.a.data(), operands.b.data(), operands.bias.data(), nullptr},
                            {result.data()},
                            {}};
  contenders.push_back({"emulated core", false, std::move(result),
                        [&] { llvm::cantFail(core.executable->run(arguments, threads)); }});
  Row row{"emulated", problem.shape() + " f16", threads, problem.operations()};
  std::vector<double> ceilings;
  row.contenders = takeTurns(
      contenders, threads, seconds,
      [&](const Tensor &made) { return whatIsWrong(problem, operands, made, Tensor()); },
      [&] { ceilings.push_back(1e9 * measureCeiling(Unit::f32, threads)); });
  row.ceiling = spreadOf(ceilings).median;
  return row;
}

} // namespace

std::vector<RowToMeasure> emulatedRows() {
  std::vector<RowToMeasure> rows;
  for (unsigned threads = 1; threads <= std::min(2u, availableThreads()); ++threads)
    rows.push_back({fmt::format("emulated {} thread{}", threads, threads == 1 ? "" : "s"), threads,
                    [threads](double seconds) { return measure(threads, seconds); }});
  return rows;
}

} // namespace mmk::peers
