#include "driver/run_options.h"

#include "driver/ending.h"
#include "driver/files.h"
#include "runtime/threads.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

constexpr int64_t maximumRuns = 1000000, maximumThreads = 1024;

std::map<std::string, std::string> files(const std::vector<std::string> &texts,
                                         const std::string &option) {
  std::map<std::string, std::string> result;
  for (const std::string &text : texts) {
    const auto [name, file] = nameAndValue(text, option + " NAME=FILE.npy");
    const auto [first, isNew] = result.try_emplace(name, file);
    if (!isNew)
      throw Mistake(
          fmt::format("{} gives '{}' twice: {} and {}", option, name, first->second, file));
  }
  return result;
}

void expectTensor(const std::string &option, const std::string &name, const Kernel &kernel,
                  const std::vector<std::string> &legal, std::string_view what) {
  if (std::ranges::find(legal, name) != legal.end())
    return;
  throw Mistake(fmt::format("{}: '{}' has no {} '{}'{}; {}s: {}", option, kernel.name, what, name,
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
  if (seedText_)
    seed = wholeNumber("--seed", *seedText_, 0, INT64_MAX);
  if (dataText_) {
    const auto kind = dataKindFromSpelling(*dataText_);
    if (!kind)
      throw Mistake(fmt::format("--data is {}, found '{}'{}", listOf(dataKindNames()), *dataText_,
                                didYouMean(*dataText_, dataKindNames())));
    data = *kind;
  }
  if (warmupText_)
    warmup = wholeNumber("--warmup", *warmupText_, 0, maximumRuns);
  if (repeatText_)
    repeat = wholeNumber("--repeat", *repeatText_, 1, maximumRuns);
  threads = threadsText_ ? wholeNumber("--threads", *threadsText_, 1, maximumThreads)
                         : availableThreads();
  inputs = files(inputTexts_, "--input");
  outputs = files(outputTexts_, "--output");

  if (countOnly)
    for (const auto &[given, option] :
         {std::pair(!inputs.empty(), "--input"), std::pair(!outputs.empty(), "--output"),
          std::pair(seedText_.has_value(), "--seed"), std::pair(dataText_.has_value(), "--data"),
          std::pair(watch, "--watch"), std::pair(warmupText_.has_value(), "--warmup"),
          std::pair(repeatText_.has_value(), "--repeat")})
      if (given)
        throw Mistake(fmt::format("--count-only runs on no data, so {} has no meaning", option));
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
      throw Mistake(fmt::format("--output {}={}: {} cases would write it; choose one with --case",
                                name, file, cases));
  }
  if (json)
    expectWritable(*json);
}

} // namespace mmk::driver
