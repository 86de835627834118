// mmk-hunt: random kernels, schedules, machines and shapes, against everything that has to hold.
//
//   mmk-hunt [COUNT [SEED [KERNELS]]]     samples 0 to COUNT - 1 of a seed
//   mmk-hunt --one NUMBER SEED [KERNELS]  one of them, as text, with what comes of it
//   mmk-hunt --text NUMBER SEED [KERNELS] the text alone, and the command that runs it
//
// KERNELS: "attention", two products with row algebra between them alone; "convolution", products
// of windows alone; "integers", arithmetic of i8 and i32 alone.
//
// A sample that fails is made small and written to hunt-SEED-NUMBER/, with the command that shows
// it. The exit code is 1 when one did.
#include "tests/hunt/child.h"
#include "tests/hunt/shrink.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <unistd.h>

using namespace mmk::hunt;

namespace {

/// A process keeps what LLVM interns for good, so that each has its share of the samples only.
constexpr uint64_t samplesOfAProcess = 5000;

std::string commented(const std::string &text) {
  std::string all = "// ";
  for (char character : text)
    all += character == '\n' ? std::string("\n// ") : std::string(1, character);
  return all + "\n";
}

void save(const Sample &sample, const Outcome &outcome) {
  const std::string folder = fmt::format("hunt-{}-{}", sample.seed, sample.number);
  std::filesystem::create_directories(folder);
  const bool isMade = sample.fill == Fill::strewn || sample.fill == Fill::whole || sample.poison;
  const std::vector<std::string> inputs =
      isMade ? saveInputs(sample, folder) : std::vector<std::string>();
  const std::string command =
      fmt::format("mmk run {}/sample.mmk{}", folder, commandLine(sample, inputs));
  std::ofstream file(folder + "/sample.mmk");
  file << commented(fmt::format("Sample {} of seed {} does not keep to: {}", sample.number,
                                sample.seed, outcome.property))
       << commented(outcome.message) << commented(command) << text(sample.kernel);
  std::cout << "  made small:\n    " << outcome.message << "\n    " << command << "\n"
            << text(sample.kernel) << std::flush;
}

void report(const Found &found, const Series &series) {
  std::cout << fmt::format("sample {} of seed {} does not keep to: {}\n  {}\n", found.number,
                           series.seed, found.outcome.property, found.outcome.message)
            << std::flush;
  Outcome last = found.outcome;
  const auto failsAlike = [&](const Sample &sample) {
    const Outcome outcome = attemptInChild(sample);
    const bool isAlike = outcome.failed() && outcome.property == found.outcome.property;
    if (isAlike)
      last = outcome;
    return isAlike;
  };
  const Sample sample = draw(series, found.number);
  if (!failsAlike(sample))
    std::cout << "  only behind the samples before it\n";
  else
    save(shrink(sample, failsAlike), last);
}

void print(const Sample &sample) {
  std::cout << text(sample.kernel) << "mmk run sample.mmk" << commandLine(sample, {}) << "\n"
            << std::flush;
}

int one(uint64_t number, const Series &series) {
  const Sample sample = draw(series, number);
  print(sample);
  const Outcome outcome = attemptInChild(sample);
  std::cout << (outcome.failed() ? "does not keep to: " + outcome.property + "\n" : "")
            << outcome.message << "\n";
  return outcome.failed();
}

int hunt(uint64_t count, const Series &series) {
  const auto start = std::chrono::steady_clock::now();
  Tally tally;
  uint64_t failures = 0;
  for (uint64_t next = 0; next < count;) {
    const uint64_t end = std::min(count, next + samplesOfAProcess);
    const auto found = attemptAll(series, next, end, tally);
    next = found ? found->number + 1 : end;
    if (found) {
      ++failures;
      report(*found, series);
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::cout << fmt::format("{} samples of seed {} in {:.1f} s, {:.1f} a second: {} failed, {} "
                           "refused, {} programs compiled and run, {} results in place, {} flags "
                           "taken away, which broke "
                           "{}\n",
                           tally.samples, series.seed, seconds, tally.samples / seconds, failures,
                           tally.refused, tally.programs, tally.inPlace, tally.mutants,
                           tally.mutantsSeen);
  return failures > 0;
}

} // namespace

int main(int argc, char **argv) {
  const auto number = [&](int index, uint64_t byDefault) {
    return argc > index ? std::strtoull(argv[index], nullptr, 10) : byDefault;
  };
  const std::string_view option = argc > 1 ? argv[1] : "";
  const bool isOne = option == "--one", isText = option == "--text";
  const int first = isOne || isText ? 2 : 1;
  const std::string_view kernels = argc > first + 2 ? argv[first + 2] : "";
  const std::pair<std::string_view, Series::Kernels> words[] = {
      {"attention", Series::Kernels::attention},
      {"convolution", Series::Kernels::convolution},
      {"integers", Series::Kernels::integers}};
  Series series{number(first + 1, 1)};
  for (const auto &[word, of] : words)
    if (kernels == word)
      series.kernels = of;
  if (isText) {
    print(draw(series, number(first, 0)));
    return 0;
  }
  return isOne ? one(number(first, 0), series) : hunt(number(first, 200), series);
}
