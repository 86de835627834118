// mmk-convolution: the layers of ResNet-50 and MobileNet v2 on the host beside oneDNN and PyTorch,
// interleaved in one process, and beside the ceiling of the multiplier.
//
//   mmk-convolution [REGEX]    the problems whose name matches
//                              ("resnet50 dense 3x3 14 .* nchw f32 1")
//   mmk-convolution --write    all of them, into docs/convolution-cpu.md
//   mmk-convolution --write-one-thread    those of one thread, on a computer with other work
#include "bench/ceilings.h"
#include "bench/convolution/problem.h"
#include "bench/page.h"
#include "bench/peers/turns.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <regex>
#include <vector>

namespace mmk::convolution {
namespace {

constexpr const char *page = MMK_SOURCE_DIR "/docs/convolution-cpu.md";
constexpr const char *begin = "<!-- The tables: mmk-convolution --write -->\n",
                     *end = "<!-- End of the tables -->\n";

/// Seconds of a row.
constexpr double rowSeconds = 0.8;

constexpr Layer dense(const char *network, int64_t image, int64_t channels, int64_t results,
                      int64_t size, int64_t stride = 1) {
  return {network, image, channels, results, size, stride};
}
constexpr Layer depthwise(int64_t image, int64_t channels, int64_t stride = 1) {
  return {"mobilenet2", image, channels, channels, 3, stride, true};
}
constexpr const char *resnet = "resnet50", *mobilenet = "mobilenet2";

/// The distinct layers of ResNet-50 and of MobileNet v2.
constexpr auto layers = std::to_array<Layer>({dense(resnet, 224, 3, 64, 7, 2),
                                              dense(resnet, 56, 64, 64, 1),
                                              dense(resnet, 56, 64, 64, 3),
                                              dense(resnet, 56, 64, 256, 1),
                                              dense(resnet, 56, 256, 64, 1),
                                              dense(resnet, 56, 256, 128, 1),
                                              dense(resnet, 56, 128, 128, 3, 2),
                                              dense(resnet, 28, 128, 512, 1),
                                              dense(resnet, 56, 256, 512, 1, 2),
                                              dense(resnet, 28, 512, 128, 1),
                                              dense(resnet, 28, 128, 128, 3),
                                              dense(resnet, 28, 512, 256, 1),
                                              dense(resnet, 28, 256, 256, 3, 2),
                                              dense(resnet, 14, 256, 1024, 1),
                                              dense(resnet, 28, 512, 1024, 1, 2),
                                              dense(resnet, 14, 1024, 256, 1),
                                              dense(resnet, 14, 256, 256, 3),
                                              dense(resnet, 14, 1024, 512, 1),
                                              dense(resnet, 14, 512, 512, 3, 2),
                                              dense(resnet, 7, 512, 2048, 1),
                                              dense(resnet, 14, 1024, 2048, 1, 2),
                                              dense(resnet, 7, 2048, 512, 1),
                                              dense(resnet, 7, 512, 512, 3),
                                              dense(mobilenet, 224, 3, 32, 3, 2),
                                              depthwise(112, 32),
                                              dense(mobilenet, 112, 32, 16, 1),
                                              dense(mobilenet, 112, 16, 96, 1),
                                              depthwise(112, 96, 2),
                                              dense(mobilenet, 56, 96, 24, 1),
                                              dense(mobilenet, 56, 24, 144, 1),
                                              depthwise(56, 144),
                                              dense(mobilenet, 56, 144, 24, 1),
                                              depthwise(56, 144, 2),
                                              dense(mobilenet, 28, 144, 32, 1),
                                              dense(mobilenet, 28, 32, 192, 1),
                                              depthwise(28, 192),
                                              dense(mobilenet, 28, 192, 32, 1),
                                              depthwise(28, 192, 2),
                                              dense(mobilenet, 14, 192, 64, 1),
                                              dense(mobilenet, 14, 64, 384, 1),
                                              depthwise(14, 384),
                                              dense(mobilenet, 14, 384, 64, 1),
                                              dense(mobilenet, 14, 384, 96, 1),
                                              dense(mobilenet, 14, 96, 576, 1),
                                              depthwise(14, 576),
                                              dense(mobilenet, 14, 576, 96, 1),
                                              depthwise(14, 576, 2),
                                              dense(mobilenet, 7, 576, 160, 1),
                                              dense(mobilenet, 7, 160, 960, 1),
                                              depthwise(7, 960),
                                              dense(mobilenet, 7, 960, 160, 1),
                                              dense(mobilenet, 7, 960, 320, 1),
                                              dense(mobilenet, 7, 320, 1280, 1)});
constexpr std::array<ElementType, 2> types = {ElementType::f32, ElementType::bf16};

/// Seconds of one run; 0 where a library has no implementation.
struct Figures {
  double mmk = 0, constant = 0, oneDnn = 0, prepacked = 0, pyTorch = 0;
  double ceiling = 0; ///< the part of it that mmk with constant weights reaches
};
using Measured = std::map<std::string, Figures>;

std::optional<Figures> measure(const Problem &problem) {
  Operands operands(problem);
  std::vector<Contender> contenders;
  std::vector<double Figures::*> fields;
  auto add = [&](double Figures::*field, std::optional<Contender> contender) {
    if (!contender)
      return;
    fields.push_back(field);
    contenders.push_back(std::move(*contender));
  };
  add(&Figures::mmk, ofMmk(problem, operands, /*packs=*/false));
  add(&Figures::constant, ofMmk(problem, operands, /*packs=*/true));
  add(&Figures::oneDnn, ofOneDnn(problem, operands, /*packs=*/false));
  add(&Figures::prepacked, ofOneDnn(problem, operands, /*packs=*/true));
  add(&Figures::pyTorch, ofPyTorch(problem, operands));
  const Unit unit = problem.type == ElementType::bf16 ? Unit::bf16 : Unit::f32;
  std::vector<double> ceilings;
  const std::vector<peers::Measured> times = peers::takeTurns(
      contenders, problem.threads, rowSeconds,
      [&](const Tensor &result) { return whatIsWrong(problem, operands, result); },
      [&] {
        if (problem.threads > 1)
          peers::letOthersSleep();
        ceilings.push_back(measureCeiling(unit, problem.threads));
      });
  Figures figures;
  for (size_t i = 0; i < times.size(); ++i) {
    if (!times[i].wrong.empty()) {
      fmt::print("{} of {}: {}\n", times[i].name, problem.name(), times[i].wrong);
      return std::nullopt;
    }
    figures.*fields[i] = times[i].seconds.median;
  }
  figures.ceiling =
      problem.operations() / figures.constant / 1e9 / peers::spreadOf(std::move(ceilings)).median;
  return figures;
}

using Threads = std::vector<unsigned>;

std::vector<Problem> problemsOf(const std::string &network, int64_t batch, bool channelsLast,
                                ElementType type, unsigned threads) {
  std::vector<Problem> all;
  for (const Layer &layer : layers)
    if (layer.network == network)
      all.push_back({layer, type, batch, channelsLast, threads});
  return all;
}

/// A table has the layers of a network in one layout.
struct Table {
  const char *network;
  int64_t batch;
  bool channelsLast;
  unsigned threads;
};

std::vector<Table> tablesOf(const Threads &counts) {
  std::vector<Table> all;
  for (unsigned threads : counts)
    for (bool channelsLast : {false, true})
      for (const auto &[network, batch] : {std::pair(resnet, 1), {resnet, 16}, {mobilenet, 1}})
        all.push_back({network, batch, channelsLast, threads});
  return all;
}

std::string line(const Problem &problem, const Figures &figures) {
  std::string text =
      fmt::format("{:50} {:8.3f} ms, {:.2f} of the ceiling, constant {:.2f}", problem.name(),
                  figures.mmk * 1e3, figures.ceiling, figures.mmk / figures.constant);
  for (const auto &[name, ratio] : {std::pair("oneDNN", figures.oneDnn / figures.mmk),
                                    {"prepacked", figures.prepacked / figures.constant},
                                    {"PyTorch", figures.pyTorch / figures.mmk}})
    if (ratio > 0)
      text += fmt::format(", {} {:.2f}", name, ratio);
  return text;
}

/// The geometric mean of what is above 0.
struct Mean {
  double logarithms = 0;
  int count = 0;
  void add(double ratio) {
    if (ratio > 0)
      logarithms += std::log(ratio), ++count;
  }
  std::string text() const {
    return count ? fmt::format("{:.2f}", std::exp(logarithms / count)) : "";
  }
};

std::string tableOf(const Measured &measured, const Table &table) {
  std::string text = fmt::format("\n### {}, batch {}, {}, {} thread{}\n\n| layer |",
                                 table.network == resnet ? "ResNet-50" : "MobileNet v2",
                                 table.batch, table.channelsLast ? "NHWC" : "NCHW", table.threads,
                                 table.threads == 1 ? "" : "s"),
              rule = "\n|---|";
  for (ElementType type : types) {
    text += fmt::format(" {}: ms | of the ceiling | oneDNN / mmk | PyTorch / mmk | prepacked: "
                        "oneDNN / mmk |",
                        spelling(type));
    rule += "---|---|---|---|---|";
  }
  text += rule + "\n";
  std::map<ElementType, std::array<Mean, 3>> means;
  const auto some = [](double ratio) { return ratio > 0 ? fmt::format("{:.2f}", ratio) : ""; };
  for (const Problem &first :
       problemsOf(table.network, table.batch, table.channelsLast, types[0], table.threads)) {
    text += fmt::format("| {} |", first.layerName());
    for (ElementType type : types) {
      Problem problem = first;
      problem.type = type;
      const Figures &figures = measured.at(problem.name());
      const std::array<double, 3> ratios = {figures.oneDnn / figures.mmk,
                                            figures.pyTorch / figures.mmk,
                                            figures.prepacked / figures.constant};
      for (size_t i = 0; i < ratios.size(); ++i)
        means[type][i].add(ratios[i]);
      text += fmt::format(" {:.3f} | {:.2f} | {} | {} | {} |", figures.mmk * 1e3, figures.ceiling,
                          some(ratios[0]), some(ratios[1]), some(ratios[2]));
    }
    text += "\n";
  }
  text += "| geometric mean |";
  for (ElementType type : types)
    text += fmt::format(" | | **{}** | **{}** | **{}** |", means[type][0].text(),
                        means[type][1].text(), means[type][2].text());
  return text + "\n";
}

bool write(const Measured &measured, const Threads &counts) {
  std::string tables = fmt::format("\nMeasured on {}, beside oneDNN {} and PyTorch {}.\n",
                                   cpuName(), oneDnnVersion(), pyTorchVersion());
  for (const Table &table : tablesOf(counts))
    tables += tableOf(measured, table);
  return replaceTables(page, begin, end, tables + "\n");
}

int run(int count, char **words) {
  const std::string word = count > 1 ? words[1] : "";
  const bool isOne = word == "--write-one-thread", writes = isOne || word == "--write";
  const Threads counts = isOne ? Threads{1} : Threads{1, 2};
  const std::regex pattern(writes ? "" : word);
  bool isRight = true;
  Measured measured;
  for (const Table &table : tablesOf(counts))
    for (ElementType type : types)
      for (const Problem &problem :
           problemsOf(table.network, table.batch, table.channelsLast, type, table.threads)) {
        if (!std::regex_search(problem.name(), pattern))
          continue;
        const std::optional<Figures> figures = measure(problem);
        isRight &= figures.has_value();
        if (!figures)
          continue;
        measured[problem.name()] = *figures;
        fmt::print("{}\n", line(problem, *figures));
        std::fflush(stdout);
      }
  if (writes && isRight && !write(measured, counts))
    return 2;
  return isRight ? 0 : 1;
}

} // namespace
} // namespace mmk::convolution

int main(int argc, char **argv) {
  mmk::peers::keepOpenMpShort(argv);
  return mmk::convolution::run(argc, argv);
}
