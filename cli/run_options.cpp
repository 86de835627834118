#include "cli/run_options.h"

#include "cli/ending.h"
#include "cli/files.h"
#include "cli/option_values.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

std::map<std::string, std::string> files(const std::vector<std::string> &texts,
                                         const std::string &option) {
  std::map<std::string, std::string> result;
  for (const std::string &text : texts) {
    const auto [name, file] = nameAndValue(text, option + " NAME=FILE.npy");
    const auto [first, isNew] = result.try_emplace(name, file);
    if (!isNew)
      throw UserError(
          fmt::format("{} gives '{}' twice: {} and {}", option, name, first->second, file));
  }
  return result;
}

void expectTensor(const std::string &option, const std::string &name, const Kernel &kernel,
                  const std::vector<std::string> &legal, std::string_view what) {
  if (std::ranges::find(legal, name) != legal.end())
    return;
  throw UserError(fmt::format("{}: '{}' has no {} '{}'{}; {}s: {}", option, kernel.name, what, name,
                              didYouMean(name, legal), what,
                              legal.empty() ? "none" : listOf(legal, "and")));
}

} // namespace

void RunOptions::addOptionsTo(CommandLine &commandLine) {
  commandLine.repeated("--case", "NAME", cases);
  commandLine.repeated("--input", "NAME=FILE.npy", inputTexts_);
  commandLine.repeated("--output", "NAME=FILE.npy", outputTexts_);
  commandLine.option("--seed", "N", seedText_);
  commandLine.option("--data", "KIND", dataText_);
  commandLine.option("--warmup", "N", warmupText_);
  commandLine.option("--repeat", "N", repeatText_);
  commandLine.option("--threads", "N", threadsText_);
  commandLine.flag("--no-check", noCheck);
  commandLine.flag("--watch", watch);
  commandLine.flag("--count-only", countOnly);
  commandLine.flag("--no-cache", noCache);
  commandLine.flag("--timing", timing);
  commandLine.option("--profile", "DIR", profile);
  commandLine.option("--json", "FILE", json);
}

void RunOptions::read() {
  seed = seedFrom(seedText_, seed);
  if (dataText_)
    data = *dataKindFromSpelling(oneOf("--data", *dataText_, dataKindNames()));
  warmup = warmupFrom(warmupText_, warmup);
  repeat = repeatFrom(repeatText_, repeat);
  threads = threadsFrom(threadsText_);
  inputs = files(inputTexts_, "--input");
  outputs = files(outputTexts_, "--output");

  const char *needless = firstGiven({{!inputs.empty(), "--input"},
                                     {!outputs.empty(), "--output"},
                                     {seedText_.has_value(), "--seed"},
                                     {dataText_.has_value(), "--data"},
                                     {watch, "--watch"},
                                     {warmupText_.has_value(), "--warmup"},
                                     {repeatText_.has_value(), "--repeat"}});
  if (countOnly && needless)
    throw UserError(fmt::format("--count-only runs on no data, so {} has no meaning", needless));
}

void RunOptions::checkAgainst(const Kernel &kernel, size_t cases) const {
  std::vector<std::string> tensors, results;
  for (const Parameter &parameter : kernel.parameters)
    if (!parameter.isScalar())
      tensors.push_back(parameter.name);
  for (const Result &result : kernel.results)
    results.push_back(result.name);
  for (const auto &[name, file] : inputs)
    expectTensor("--input", name, kernel, tensors, "tensor");
  for (const auto &[name, file] : outputs) {
    expectTensor("--output", name, kernel, results, "result");
    expectWritable(file);
    if (cases > 1)
      throw UserError(fmt::format("--output {}={}: {} cases would write it; choose one with --case",
                                  name, file, cases));
  }
  if (json)
    expectWritable(*json);
}

} // namespace mmk::driver
