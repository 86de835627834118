// mmk-constants: skinny products with constant weights, beside oneDNN with weights in the layout of
// its own choice, interleaved in one process.
//
//   mmk-constants [REGEX] [--threads N] [--write]
//
// Only rows whose name matches, by one thread and by two, or by N; --write puts the tables into
// docs/constants.md. Several threads need a computer of their own: those of OpenMP wait for each
// other.
#include "bench/compiled.h"
#include "bench/page.h"
#include "bench/peers/contenders.h"
#include "bench/peers/turns.h"
#include "bench/peers/versions_of.h"
#include "runtime/pack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <regex>

namespace mmk::peers {
namespace {

constexpr const char *page = MMK_SOURCE_DIR "/docs/constants.md";
constexpr const char *begin = "<!-- The tables: mmk-constants --write -->\n",
                     *end = "<!-- End of the tables -->\n";

/// Seconds of a row.
constexpr double rowSeconds = 1;

/// M x N x K: the layers of small and of large language models, and their neighbours.
constexpr std::array<std::array<int64_t, 3>, 20> shapes = {
    {{1, 1024, 1024},   {1, 4096, 4096},  {1, 11008, 4096}, {1, 4096, 11008},  {4, 1024, 1024},
     {4, 2048, 2048},   {4, 4096, 4096},  {4, 11008, 4096}, {8, 1024, 4096},   {8, 4096, 1024},
     {8, 4096, 4096},   {8, 4096, 11008}, {16, 1024, 1024}, {16, 2048, 8192},  {16, 4096, 4096},
     {16, 11008, 4096}, {32, 1024, 1024}, {32, 4096, 4096}, {32, 11008, 4096}, {32, 4096, 11008}}};

/// The operands of mmk and of oneDNN, which has no f16 here.
struct Pair {
  const char *name;
  ElementType own, other;
};
constexpr std::array<Pair, 5> pairs = {{{"f32", ElementType::f32, ElementType::f32},
                                        {"bf16", ElementType::bf16, ElementType::bf16},
                                        {"f16, by bf16", ElementType::f16, ElementType::bf16},
                                        {"f16, by f32", ElementType::f16, ElementType::f32},
                                        {"i8", ElementType::i8, ElementType::i8}}};

/// The kernel of the comparison with a constant right operand.
std::string constantText(ElementType type) {
  std::string text = fusedText(std::string(spelling(type)));
  const std::string operand = fmt::format(", b: {}[", spelling(type));
  text.insert(text.find(operand) + 5, "const ");
  return text;
}

/// mmk with the weights packed beforehand.
struct Constant {
  PackedConstant packed;
  Contender contender;
};

Constant ofConstants(const Problem &problem, const Operands &operands) {
  static std::map<ElementType, Compiled> kernels;
  auto found = kernels.find(problem.type);
  if (found == kernels.end())
    found = kernels.emplace(problem.type, compile(constantText(problem.type), "host")).first;
  Executable &executable = *found->second.executable;

  Constant made;
  Arguments arguments;
  const std::map<std::string, int64_t> dims = {
      {"M", problem.m}, {"N", problem.n}, {"K", problem.k}};
  for (const std::string &name : found->second.program.kernels[0]->dimensions)
    arguments.dims.push_back(dims.at(name));
  const PackedOperand &weights = executable.packedOperands()[0];
  if (!made.packed.pack(weights, operands.b.data(), {problem.k, problem.n}))
    std::exit(1);
  arguments.tensors = {operands.a.data(), made.packed.data()};
  if (problem.type == ElementType::i8)
    arguments.tensors.push_back(operands.scale.data());
  arguments.tensors.push_back(operands.bias.data());
  arguments.tensors.push_back(nullptr);
  arguments.packed.assign(arguments.tensors.size(), false);
  arguments.packed[weights.parameter] = true;
  arguments.scalars.assign(arguments.tensors.size(), 0);
  arguments.scalars.back() = Operands::alpha;
  Tensor result = problem.result();
  arguments.results = {result.data()};
  made.contender = {"mmk", true, std::move(result),
                    [&executable, arguments, threads = problem.threads] {
                      llvm::cantFail(executable.run(arguments, threads));
                    }};
  return made;
}

struct Figures {
  double own = 0, other = 0; ///< medians, seconds
  double bytes = 0;          ///< of the weights of mmk
};

/// Nothing where a result is wrong, which is printed.
std::optional<Figures> measure(const Pair &pair, const std::array<int64_t, 3> &shape,
                               unsigned threads) {
  const Problem own{pair.own, 0, shape[0], shape[1], shape[2], threads};
  const Problem other{pair.other, 0, shape[0], shape[1], shape[2], threads};
  const Operands ofOwn(own), ofOther(other);
  Constant constant = ofConstants(own, ofOwn);
  std::vector<Contender> contenders;
  contenders.push_back(std::move(constant.contender));
  // Where its own layout is the plain one, that is what it is given.
  Contenders peers = ofOneDnn(other, ofOther);
  contenders.push_back(std::move(peers.back()));
  const Tensor unknown;
  const Tensor *ofMmk = &contenders[0].result;
  const auto wrong = [&](const Tensor &result) {
    const bool isOwn = &result == ofMmk;
    return whatIsWrong(isOwn ? own : other, isOwn ? ofOwn : ofOther, result, unknown);
  };
  const std::vector<Measured> times =
      takeTurns(contenders, threads, rowSeconds, wrong, letOthersSleep);
  for (const Measured &each : times)
    if (!each.wrong.empty()) {
      fmt::print("{} of {}: {}\n", each.name, own.name(), each.wrong);
      return std::nullopt;
    }
  return Figures{times[0].seconds.median, times[1].seconds.median,
                 static_cast<double>(constant.packed.bytes())};
}

/// The table of one number of threads; false when a result was wrong.
bool addTable(unsigned threads, const std::regex &filter, std::string &text) {
  text += fmt::format("\n### {} thread{}\n\n| M x N x K |", threads, threads == 1 ? "" : "s");
  std::string line = "\n|---|";
  for (const Pair &pair : pairs) {
    text += fmt::format(" {}: us | GB/s | oneDNN / mmk |", pair.name);
    line += "---|---|---|";
  }
  text += line + "\n";
  std::array<double, pairs.size()> logarithms = {};
  std::array<int, pairs.size()> counts = {};
  bool isRight = true;
  for (const auto &shape : shapes) {
    const std::string name = fmt::format("{} x {} x {}", shape[0], shape[1], shape[2]);
    std::string row = fmt::format("| {} |", name);
    bool isShown = false;
    for (size_t i = 0; i < pairs.size(); ++i) {
      if (!std::regex_search(fmt::format("{} {} {}", name, pairs[i].name, threads), filter)) {
        row += " | | |";
        continue;
      }
      isShown = true;
      const auto figures = measure(pairs[i], shape, threads);
      if (!figures) {
        isRight = false;
        row += " wrong | | |";
        continue;
      }
      const double ratio = figures->other / figures->own;
      logarithms[i] += std::log(ratio);
      ++counts[i];
      row += fmt::format(" {:.0f} | {:.0f} | {:.2f} |", 1e6 * figures->own,
                         figures->bytes / figures->own / 1e9, ratio);
    }
    if (!isShown)
      continue;
    fmt::print("{} threads: {}\n", threads, row);
    std::fflush(stdout);
    text += row + "\n";
  }
  text += "| geometric mean |";
  for (size_t i = 0; i < pairs.size(); ++i)
    text += counts[i] ? fmt::format(" | | **{:.2f}** |", std::exp(logarithms[i] / counts[i]))
                      : " | | |";
  text += "\n";
  return isRight;
}

int run(int count, char **words) {
  bool writes = false;
  std::string filter;
  std::vector<unsigned> threads = {1, 2};
  for (int i = 1; i < count; ++i)
    if (words[i] == std::string("--write"))
      writes = true;
    else if (words[i] == std::string("--threads") && i + 1 < count)
      threads = {static_cast<unsigned>(std::max(1, std::atoi(words[++i])))};
    else
      filter = words[i];
  if (writes && !filter.empty()) {
    fmt::print(stderr, "--write is for all rows\n");
    return 2;
  }
  std::string tables =
      fmt::format("\nMeasured on {}, beside oneDNN {}.\n", cpuName(), oneDnnVersion());
  bool isRight = true;
  for (unsigned each : threads)
    isRight &= addTable(each, std::regex(filter), tables);
  fmt::print("{}", tables);
  if (writes && isRight && !replaceTables(page, begin, end, tables))
    return 2;
  return isRight ? 0 : 1;
}

} // namespace
} // namespace mmk::peers

int main(int argc, char **argv) {
  mmk::peers::keepOpenMpShort(argv);
  return mmk::peers::run(argc, argv);
}
