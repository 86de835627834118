// mmk-attention: attention and its gradients on the host beside oneDNN and PyTorch, and beside the
// ceiling of the multiplier.
//
//   mmk-attention [REGEX]    the problems whose name matches ("causal 8x1024x64 f32 1",
//                            "dkv full 8x1024x64 bf16 2")
//   mmk-attention --write    all of them, into docs/attention-cpu.md
//   mmk-attention --write-one-thread    those of one thread, on a computer with other work
#include "bench/attention/problem.h"
#include "bench/ceilings.h"
#include "bench/page.h"
#include "bench/peers/turns.h"
#include "bench/stream.h"
#include "runtime/threads.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <regex>
#include <vector>

namespace mmk::attention {
namespace {

constexpr const char *page = MMK_SOURCE_DIR "/docs/attention-cpu.md";
constexpr const char *begin = "<!-- The tables: mmk-attention --write -->\n",
                     *end = "<!-- End of the tables -->\n";

constexpr std::array<std::array<int64_t, 3>, 5> shapes = {
    {{8, 1024, 64}, {16, 2048, 64}, {32, 1024, 128}, {8, 4096, 128}, {8, 8192, 64}}};
/// Few queries and many keys: heads, queries, keys, depth.
constexpr std::array<std::array<int64_t, 4>, 8> decoded = {{{8, 1, 4096, 128},
                                                            {8, 8, 4096, 128},
                                                            {1, 1, 32768, 128},
                                                            {2, 4, 32768, 64},
                                                            {8, 1, 32768, 128},
                                                            {8, 8, 32768, 128},
                                                            {1, 1, 131072, 128},
                                                            {1, 8, 131072, 64}}};
constexpr std::array<ElementType, 3> types = {ElementType::f32, ElementType::bf16,
                                              ElementType::f16};
constexpr std::array<Work, 3> works = {Work::forward, Work::queries, Work::keys};
/// Rounds, in which each library has a turn; a library that takes longer than this, in seconds, has
/// only one.
constexpr int rounds = 7;
constexpr double longest = 1.5;

/// Seconds of one run, 0 where there is none; and the rate of the multiplier in these rounds.
struct Figures {
  double mmk = 0, oneDnn = 0, pyTorch = 0;
  double ceiling = 0; ///< the part of it that mmk reaches
  double stream = 0;  ///< of reading keys and values once
};
using Measured = std::map<std::string, Figures>;

/// What another program takes from several threads shows in their wall-clock time: the least
/// counts.
double figureOf(const std::vector<double> &seconds, unsigned threads) {
  if (seconds.empty())
    return 0;
  return threads > 1 ? *std::ranges::min_element(seconds) : peers::spreadOf(seconds).median;
}

struct Library {
  double Figures::*figure;
  const char *name;
  Run run;
  std::vector<double> seconds;
};

/// Reads keys and values, each thread a part of them.
Run streamOf(const Problem &problem, const Operands &operands) {
  return [&operands, threads = problem.threads] {
    parallelFor(2 * threads, threads, [&operands, threads](int64_t part, unsigned) {
      const Tensor &tensor = part % 2 ? operands.v : operands.k;
      const size_t bytes = tensor.bytes() / threads / 64 * 64;
      readAll(tensor.as<char>() + static_cast<size_t>(part / 2) * bytes, bytes);
    });
  };
}

std::optional<Figures> measure(const Problem &problem) {
  Operands operands(problem);
  std::vector<Library> libraries;
  libraries.push_back({&Figures::mmk, "mmk", ofMmk(problem, operands), {}});
  if (std::optional<Run> run = ofOneDnn(problem, operands))
    libraries.push_back({&Figures::oneDnn, "oneDNN", std::move(*run), {}});
  if (std::optional<Run> run = ofPyTorch(problem, operands))
    libraries.push_back({&Figures::pyTorch, "PyTorch", std::move(*run), {}});
  if (problem.isDecoding())
    libraries.push_back({&Figures::stream, "stream", streamOf(problem, operands), {}});
  for (Library &library : libraries) {
    for (Tensor *result : operands.results(problem))
      result->poison();
    const double once = peers::timeOf(problem.threads, [&] { library.run(); });
    const bool computes = library.figure != &Figures::stream;
    const std::string wrong = computes ? whatIsWrong(problem, operands) : "";
    if (!wrong.empty()) {
      fmt::print("{} of {}: {}\n", library.name, problem.name(), wrong);
      return std::nullopt;
    }
    if (once > longest && library.figure != &Figures::mmk)
      library.seconds = {once};
  }
  const Unit unit = problem.type == ElementType::bf16 ? Unit::bf16 : Unit::f32;
  std::vector<double> parts;
  for (int round = 0; round < rounds; ++round) {
    const double ceiling = measureCeiling(unit, problem.threads);
    for (Library &library : libraries) {
      if (round > 0 && library.seconds.size() == 1 && library.seconds[0] > longest)
        continue;
      library.seconds.push_back(peers::timeOf(problem.threads, [&] { library.run(); }));
      if (library.figure == &Figures::mmk)
        parts.push_back(problem.operations() / library.seconds.back() / 1e9 / ceiling);
    }
  }
  Figures figures;
  for (const Library &library : libraries)
    figures.*library.figure = figureOf(library.seconds, problem.threads);
  figures.ceiling =
      problem.threads > 1 ? *std::ranges::max_element(parts) : peers::spreadOf(parts).median;
  return figures;
}

using Threads = std::vector<unsigned>;

void forEachProblem(const Threads &counts, llvm::function_ref<void(const Problem &)> body) {
  for (unsigned threads : counts)
    for (Work work : works)
      for (bool isCausal : {false, true})
        for (const auto &[heads, length, depth] : shapes)
          for (ElementType type : types)
            body({type, heads, length, depth, isCausal, threads, length, work});
  for (unsigned threads : counts)
    for (const auto &[heads, queries, length, depth] : decoded)
      for (ElementType type : types)
        body({type, heads, length, depth, /*isCausal=*/false, threads, queries});
}

std::string line(const Problem &problem, const Figures &figures) {
  std::string text =
      problem.isDecoding()
          ? fmt::format("{:32} {:9.3f} ms {:7.1f} GB/s, {:.2f} of a stream", problem.name(),
                        figures.mmk * 1e3, problem.bytes() / figures.mmk / 1e9,
                        figures.stream / figures.mmk)
          : fmt::format("{:32} {:9.2f} ms {:7.1f} GFLOP/s, {:.2f} of the ceiling", problem.name(),
                        figures.mmk * 1e3, problem.operations() / figures.mmk / 1e9,
                        figures.ceiling);
  for (const auto &[name, seconds] :
       {std::pair("oneDNN", figures.oneDnn), {"PyTorch", figures.pyTorch}})
    if (seconds > 0)
      text += fmt::format(", {} {:.2f}", name, seconds / figures.mmk);
  return text;
}

std::string tableOf(const Measured &measured, Work work, bool isCausal, unsigned threads) {
  const char *const names[] = {"{}", "Gradient of the queries, {}",
                               "Gradients of keys and values, {}"};
  const char *const form = work == Work::forward ? isCausal ? "Causal" : "Full"
                           : isCausal            ? "causal"
                                                 : "full";
  std::string text = fmt::format("\n### {}, {} thread{}\n\n| heads x length x depth |",
                                 fmt::format(fmt::runtime(names[static_cast<int>(work)]), form),
                                 threads, threads == 1 ? "" : "s"),
              rule = "\n|---|";
  for (ElementType type : types) {
    const bool hasPeers = type != ElementType::f16 && !isCausal;
    text += fmt::format(" {}: ms | GFLOP/s | of the ceiling |{}", spelling(type),
                        hasPeers ? " oneDNN / mmk | PyTorch / mmk |" : "");
    rule += hasPeers ? "---|---|---|---|---|" : "---|---|---|";
  }
  text += rule + "\n";
  for (const auto &[heads, length, depth] : shapes) {
    text += fmt::format("| {} x {} x {} |", heads, length, depth);
    for (ElementType type : types) {
      const Problem problem{type, heads, length, depth, isCausal, threads, length, work};
      const Figures &figures = measured.at(problem.name());
      text += fmt::format(" {:.1f} | {:.0f} | {:.2f} |", figures.mmk * 1e3,
                          problem.operations() / figures.mmk / 1e9, figures.ceiling);
      if (type != ElementType::f16 && !isCausal)
        text += fmt::format(" {:.2f} | {:.2f} |", figures.oneDnn / figures.mmk,
                            figures.pyTorch / figures.mmk);
    }
    text += "\n";
  }
  return text;
}

std::string tableOfDecoding(const Measured &measured, unsigned threads) {
  std::string text = fmt::format(
                  "\n### Few queries, {} thread{}\n\n| heads x queries x keys x depth |", threads,
                  threads == 1 ? "" : "s"),
              rule = "\n|---|";
  for (ElementType type : types) {
    const bool hasPeers = type != ElementType::f16;
    text += fmt::format(" {}: ms | GB/s | of a stream |{}", spelling(type),
                        hasPeers ? " oneDNN / mmk | PyTorch / mmk |" : "");
    rule += hasPeers ? "---|---|---|---|---|" : "---|---|---|";
  }
  text += rule + "\n";
  for (const auto &[heads, queries, length, depth] : decoded) {
    text += fmt::format("| {} x {} x {} x {} |", heads, queries, length, depth);
    for (ElementType type : types) {
      const Problem problem{type, heads, length, depth, /*isCausal=*/false, threads, queries};
      const Figures &figures = measured.at(problem.name());
      text += fmt::format(" {:.2f} | {:.0f} | {:.2f} |", figures.mmk * 1e3,
                          problem.bytes() / figures.mmk / 1e9, figures.stream / figures.mmk);
      if (type != ElementType::f16)
        text += fmt::format(" {:.2f} | {:.2f} |", figures.oneDnn / figures.mmk,
                            figures.pyTorch / figures.mmk);
    }
    text += "\n";
  }
  return text;
}

bool write(const Measured &measured, const Threads &counts) {
  std::string tables = fmt::format("\nMeasured on {}, beside oneDNN {} and PyTorch {}.\n",
                                   cpuName(), oneDnnVersion(), pyTorchVersion());
  for (Work work : works)
    for (bool isCausal : {false, true})
      for (unsigned threads : counts)
        tables += tableOf(measured, work, isCausal, threads);
  for (unsigned threads : counts)
    tables += tableOfDecoding(measured, threads);
  return replaceTables(page, begin, end, tables + "\n");
}

int run(int count, char **words) {
  const std::string word = count > 1 ? words[1] : "";
  const bool isOne = word == "--write-one-thread", writes = isOne || word == "--write";
  const Threads counts = isOne ? Threads{1} : Threads{1, 2};
  const std::regex pattern(writes ? "" : word);
  bool isRight = true;
  Measured measured;
  forEachProblem(counts, [&](const Problem &problem) {
    if (!std::regex_search(problem.name(), pattern))
      return;
    const std::optional<Figures> figures = measure(problem);
    isRight &= figures.has_value();
    if (!figures)
      return;
    measured[problem.name()] = *figures;
    fmt::print("{}\n", line(problem, *figures));
    std::fflush(stdout);
  });
  if (writes && isRight && !write(measured, counts))
    return 2;
  return isRight ? 0 : 1;
}

} // namespace
} // namespace mmk::attention

int main(int argc, char **argv) {
  mmk::peers::keepOpenMpShort(argv);
  return mmk::attention::run(argc, argv);
}
