// mmk-rows: softmax, norms and reductions on the host beside oneDNN and PyTorch.
//
//   mmk-rows [REGEX] [--seconds S]   the problems whose name matches ("softmax 8x64 f32 1")
//   mmk-rows --write                 all of them, into docs/rows-cpu.md
#include "bench/page.h"
#include "bench/peers/turns.h"
#include "bench/reductions/turns.h"

#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <malloc.h>
#include <map>
#include <regex>

namespace mmk::reductions {
namespace {

constexpr const char *page = MMK_SOURCE_DIR "/docs/rows-cpu.md";
constexpr const char *begin = "<!-- The tables: mmk-rows --write -->\n",
                     *end = "<!-- End of the tables -->\n";

/// From a call that is hardly worth a thread to tensors far larger than the caches; square, long,
/// high, and ragged ones; the rows of models.
constexpr std::array<std::array<int64_t, 2>, 20> shapes = {
    {{8, 64},      {32, 128},     {64, 512},    {512, 64},    {128, 768},
     {197, 768},   {256, 1024},   {1000, 1000}, {256, 4096},  {4096, 256},
     {8, 131072},  {511, 2049},   {4096, 768},  {1024, 4096}, {16384, 128},
     {2048, 8192}, {16384, 1024}, {64, 131072}, {8192, 4096}, {16384, 8192}}};
constexpr std::array<ElementType, 3> types = {ElementType::f32, ElementType::bf16,
                                              ElementType::f16};

using Measured = std::map<std::string, Figures>; ///< by the name of the problem

/// Of some ratios.
struct Ratios {
  double logarithms = 0, least = 0;
  int count = 0;

  void add(double ratio) {
    logarithms += std::log(ratio);
    least = count++ ? std::min(least, ratio) : ratio;
  }
  std::string text() const {
    return count ? fmt::format("{:.2f} | {:.2f}", std::exp(logarithms / count), least) : " | ";
  }
};

void forEachProblem(const std::vector<unsigned> &threads,
                    llvm::function_ref<void(const Problem &)> body) {
  for (unsigned each : threads)
    for (Kernel kernel : kernels)
      for (ElementType type : types)
        for (const auto &[m, n] : shapes)
          body({kernel, type, m, n, each});
}

std::string line(const Problem &problem, const Figures &figures) {
  std::string text =
      fmt::format("{:34} {:10.2f} us {:7.1f} GB/s", problem.name(), figures.seconds * 1e6,
                  static_cast<double>(problem.bytes()) / figures.seconds / 1e9);
  if (figures.ratio > 0)
    text += fmt::format(" {:6.2f} of {}", figures.ratio, figures.fastest);
  if (figures.ofStream > 0)
    text += fmt::format(", {:.2f} of a stream", figures.ofStream);
  return text;
}

/// The geometric mean and the least ratio of each kernel and type.
std::string summary(const Measured &measured, const std::vector<unsigned> &threads) {
  std::string text = "\n| kernel | threads |", rule = "\n|---|---|";
  for (ElementType type : types) {
    text += fmt::format(" {0}: mean | least |", spelling(type));
    rule += "---|---|";
  }
  text += " of a stream: mean | least |" + rule + "---|---|\n";
  std::map<unsigned, Ratios> all; ///< by threads
  for (Kernel kernel : kernels)
    for (unsigned each : threads) {
      text += fmt::format("| {} | {} |", nameOf(kernel), each);
      Ratios ofStream;
      for (ElementType type : types) {
        Ratios ratios;
        for (const auto &[m, n] : shapes) {
          const Figures &figures = measured.at(Problem{kernel, type, m, n, each}.name());
          if (figures.ratio > 0) {
            ratios.add(figures.ratio);
            all[each].add(figures.ratio);
          }
          if (figures.ofStream > 0)
            ofStream.add(figures.ofStream);
        }
        text += fmt::format(" {} |", ratios.text());
      }
      text += fmt::format(" {} |\n", ofStream.text());
    }
  text += "\n";
  for (const auto &[each, ratios] : all)
    text += fmt::format(
        "With {} thread{} the geometric mean of {} ratios is {:.2f}, the least {:.2f}.\n", each,
        each == 1 ? "" : "s", ratios.count, std::exp(ratios.logarithms / ratios.count),
        ratios.least);
  return text;
}

std::string tableOf(const Measured &measured, Kernel kernel, unsigned threads) {
  std::string text = fmt::format("\n### {}, {} thread{}\n\n| M x N |", nameOf(kernel), threads,
                                 threads == 1 ? "" : "s"),
              rule = "\n|---|";
  for (ElementType type : types) {
    text += fmt::format(" {}: us | GB/s | library / mmk | of a stream |", spelling(type));
    rule += "---|---|---|---|";
  }
  text += rule + "\n";
  for (const auto &[m, n] : shapes) {
    text += fmt::format("| {} x {} |", m, n);
    for (ElementType type : types) {
      const Problem problem{kernel, type, m, n, threads};
      const Figures &figures = measured.at(problem.name());
      text += fmt::format(" {:.{}f} | {:.0f} | {:.2f} {} | {} |", figures.seconds * 1e6,
                          figures.seconds < 1e-5 ? 2 : 0,
                          static_cast<double>(problem.bytes()) / figures.seconds / 1e9,
                          figures.ratio, figures.fastest,
                          figures.ofStream > 0 ? fmt::format("{:.2f}", figures.ofStream) : "");
    }
    text += "\n";
  }
  return text;
}

bool write(const Measured &measured, const std::vector<unsigned> &threads) {
  std::string tables = fmt::format("\nMeasured on {}, beside oneDNN {} and PyTorch {}.\n",
                                   cpuName(), oneDnnVersion(), pyTorchVersion()) +
                       summary(measured, threads);
  for (Kernel kernel : kernels)
    for (unsigned each : threads)
      tables += tableOf(measured, kernel, each);
  return replaceTables(page, begin, end, tables);
}

int run(int count, char **words) {
  bool writes = false, isRight = true;
  std::string filter;
  double seconds = 0.3;
  for (int i = 1; i < count; ++i)
    if (words[i] == std::string("--write"))
      writes = true;
    else if (words[i] == std::string("--seconds") && i + 1 < count)
      seconds = std::atof(words[++i]);
    else
      filter = words[i];
  if (writes && !filter.empty()) {
    fmt::print(stderr, "--write is for all problems\n");
    return 2;
  }
  const std::regex pattern(filter);
  const std::vector<unsigned> threads = {1, 2};
  Measured measured;
  Ratios all, ofStream;
  forEachProblem(threads, [&](const Problem &problem) {
    if (!std::regex_search(problem.name(), pattern))
      return;
    const std::optional<Figures> figures = measure(problem, seconds);
    isRight &= figures.has_value();
    if (!figures)
      return;
    measured[problem.name()] = *figures;
    if (figures->ratio > 0)
      all.add(figures->ratio);
    if (figures->ofStream > 0)
      ofStream.add(figures->ofStream);
    fmt::print("{}\n", line(problem, *figures));
    std::fflush(stdout);
  });
  fmt::print("geometric mean | least: {} | of a stream: {}\n", all.text(), ofStream.text());
  if (writes && isRight && !write(measured, threads))
    return 2;
  return isRight ? 0 : 1;
}

} // namespace
} // namespace mmk::reductions

int main(int argc, char **argv) {
  mmk::peers::keepOpenMpShort(argv);
  // Results that a library allocates in each call keep their pages.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  return mmk::reductions::run(argc, argv);
}
