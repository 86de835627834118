// mmk-peers: mmk and what people would call instead, side by side in one process.
#include "bench/peers/measure.h"

#include <fmt/format.h>
#include <regex>

namespace mmk::peers {
namespace {

std::vector<Problem> allProblems() {
  struct Shape {
    int64_t batch, m, n, k;
  };
  std::vector<Problem> all;
  for (ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i8})
    for (unsigned threads : {1u, 2u})
      for (const Shape &shape : std::initializer_list<Shape>{{0, 2048, 2048, 2048},
                                                             {0, 4096, 1024, 4096},
                                                             {0, 1024, 512, 1024},
                                                             {0, 512, 128, 512},
                                                             {0, 1000, 1000, 1000},
                                                             {0, 127, 129, 131},
                                                             {0, 64, 64, 64},
                                                             {0, 32, 32, 32},
                                                             {0, 16, 4096, 4096},
                                                             {0, 1, 4096, 4096},
                                                             {0, 4096, 64, 4096},
                                                             {0, 8192, 256, 64},
                                                             {64, 128, 128, 128}})
        all.push_back({type, shape.batch, shape.m, shape.n, shape.k, threads});
  return all;
}

void print(const Row &row) {
  fmt::print("{:<32} ceiling {:6.1f}\n", row.problem.name(), row.ceiling * 1e-9);
  for (const Measured &each : row.contenders)
    if (each.wrong.empty())
      fmt::print("  {:<10}{:<10} {:8.1f} GFLOP/s [{:.1f}, {:.1f}] {:.3f} of the ceiling\n",
                 each.name, each.prepacked ? "prepacked" : "",
                 row.problem.operations() * 1e-9 / each.seconds.median,
                 row.problem.operations() * 1e-9 / each.seconds.high,
                 row.problem.operations() * 1e-9 / each.seconds.low,
                 row.problem.operations() / each.seconds.median / row.ceiling);
    else
      fmt::print("  {:<10}{:<10} WRONG: {}\n", each.name, each.prepacked ? "prepacked" : "",
                 each.wrong);
  std::fflush(stdout);
}

} // namespace
} // namespace mmk::peers

int main(int argc, char **argv) {
  const std::regex filter(argc > 1 ? argv[1] : "");
  for (const mmk::peers::Problem &problem : mmk::peers::allProblems())
    if (std::regex_search(problem.name(), filter))
      mmk::peers::print(mmk::peers::measure(problem, 4));
}
