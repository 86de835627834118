// `mmk compare`: two variants of a kernel, two machines, or two saved runs, side by side.
#include "cli/ending.h"
#include "cli/files.h"
#include "cli/option_values.h"
#include "cli/terminal.h"
#include "driver/chosen_variants.h"
#include "driver/command.h"
#include "driver/count_case.h"
#include "driver/footprint.h"
#include "driver/session.h"
#include "print/placed_flags.h"
#include "print/saved_run.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

bool isSavedRun(const std::string &side) {
  return side.ends_with(".json") && side.find('=') == std::string::npos;
}

/// What `mmk run` runs with the options of a side: the variant that is chosen for a case. A tuned
/// one would differ from a side with choices in more than these.
Choices variantFor(Session &side, const Target &target, const RunCase &run) {
  const auto chosen =
      target.variant ? std::nullopt : chooseVariant(side, side.kernel(), run, /*remembers=*/true);
  return chosen ? chosen->choices : Choices();
}

/// The common target of both sides, with the changes of `text`: "l1=1,machine=ascend910b1".
Target targetOf(Target shared, const std::string &option, const std::optional<std::string> &text) {
  if (!text)
    return shared;
  shared.side = {option, *text, ""};
  llvm::SmallVector<llvm::StringRef> items;
  llvm::StringRef(*text).split(items, ',');
  bool hasMachine = false;
  for (llvm::StringRef item : items) {
    const auto [name, value] =
        nameAndValue(item.trim().str(), option + " DIRECTIVE=VALUE or " + option + " RUN.json");
    if (name == "machine") {
      if (hasMachine)
        throw UserError(fmt::format("{} gives machine twice: {} and {}", option,
                                    shared.machine.value_or(""), value));
      shared.machine = value;
      hasMachine = true;
    } else if (name.starts_with("machine.")) {
      shared.machineSets.push_back(name.substr(sizeof "machine." - 1) + "=" + value);
    } else {
      std::string &choices = shared.side->choices;
      choices += (choices.empty() ? "" : ",") + item.trim().str();
    }
  }
  return shared;
}

std::string printed(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

std::optional<ClockReport> count(Lowering &lowering, const Machine &machine, const Kernel &kernel,
                                 const RunCase &run) {
  if (!backendOf(machine.kind).hasClock())
    return std::nullopt;
  return countCase(lowering, machine, kernel, run);
}

/// The figures in which two machines of one name differ; of two names those that `sets` changed.
void addMachineChanges(const Machine &a, const Machine &b, const std::vector<std::string> &sets,
                       std::vector<Change> &changes) {
  const auto isSet = [&](const std::string &path) {
    return std::ranges::any_of(sets, [&](const std::string &set) {
      return llvm::StringRef(set).split('=').first == llvm::StringRef(path);
    });
  };
  const std::map<std::string, std::string> inB(b.figures.begin(), b.figures.end());
  for (const auto &[path, value] : a.figures)
    if (const auto other = inB.find(path); other != inB.end() && other->second != value)
      if (a.name == b.name || isSet(path))
        changes.push_back({"machine." + path, value, other->second});
}

SideBySide compareVariants(Session &a, Session &b, const std::vector<std::string> &machineSets,
                           const std::vector<RunCase> &runs) {
  const Kernel &kernel = a.kernel();
  Progress progress;
  progress.show("compile");
  Lowering loweredA = a.lower(kernel, LoweringLevel::aicore),
           loweredB = b.lower(kernel, LoweringLevel::aicore);

  const auto side = [](const Session &session, Lowering &lowering) {
    return Side{session.machine().name, lowering.variant, memoryUse(lowering.kernel()),
                placedFlags(lowering.kernel())};
  };
  SideBySide pair;
  pair.kernel = kernel.name;
  pair.a = side(a, loweredA);
  pair.b = side(b, loweredB);
  pair.changes = changesBetween(pair.a, pair.b);
  addMachineChanges(a.machine(), b.machine(), machineSets, pair.changes);
  pair.ir = diffIr(printed(*loweredA.module), printed(*loweredB.module));
  for (const Session *each : {&a, &b})
    if (!backendOf(each->machine().kind).hasClock()) {
      pair.remarks.push_back(fmt::format("the time is not known: {} has no clock but the real one; "
                                         "two saved runs on it can be compared",
                                         each->machine().name));
      break;
    }
  for (const RunCase &run : runs) {
    progress.show(run.title() + ": clock");
    CasePair &each = pair.cases.emplace_back();
    each.name = run.name;
    for (const std::string &dimension : kernel.shownDimensions())
      each.dims.emplace_back(dimension, run.dims.at(dimension));
    each.a.clock = count(loweredA, a.machine(), kernel, run);
    each.b.clock = count(loweredB, b.machine(), kernel, run);
  }
  return pair;
}

struct Options {
  Target target;
  std::optional<std::string> a, b, json;
  std::vector<std::string> cases;
  bool ir = false;
};

std::vector<SideBySide> compare(Options &options, std::vector<std::string> words) {
  const bool savedA = options.a && isSavedRun(*options.a);
  const bool savedB = options.b && isSavedRun(*options.b);
  if (savedA != savedB)
    throw UserError(fmt::format("a saved run is compared with another: {} is one, {} is not",
                                savedA ? "--a" : "--b", savedA ? "--b" : "--a"));
  if (savedA) {
    if (!words.empty())
      throw UserError(fmt::format("two saved runs need no file, found '{}'", words.front()));
    if (const char *option = firstGiven({{options.target.kernel.has_value(), "--kernel"},
                                         {options.target.machine.has_value(), "--machine"},
                                         {!options.target.machineSets.empty(), "--machine-set"},
                                         {!options.target.sets.empty(), "--set"},
                                         {options.target.variant.has_value(), "--variant"},
                                         {!options.cases.empty(), "--case"},
                                         {options.ir, "--ir"}}))
      throw UserError(fmt::format("two saved runs cannot change, so {} has no meaning", option));
    return compareSavedRuns(*options.a, *options.b);
  }
  words = options.target.takeFile(std::move(words), "compare");
  if (!options.a && !options.b)
    throw UserError("nothing to compare: give one side, such as --b l1=1, or both");

  const Target targetA = targetOf(options.target, "--a", options.a);
  const Target targetB = targetOf(options.target, "--b", options.b);
  Session a(targetA), b(a, targetB);
  const std::vector<RunCase> runs = casesToRun(a.kernel(), options.cases, words);
  expectLaunch(runs, "mmk compare");
  for (const RunCase &run : runs)
    expectSizes(a.kernel(), run);
  std::vector<std::string> machineSets = targetA.machineSets;
  llvm::append_range(machineSets, targetB.machineSets);

  std::vector<Choices> ofA, ofB;
  for (const RunCase &run : runs) {
    ofA.push_back(variantFor(a, targetA, run));
    ofB.push_back(variantFor(b, targetB, run));
  }
  // Cases in a row that have the same two variants stand in one comparison.
  std::vector<SideBySide> pairs;
  for (size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
    while (end < runs.size() && ofA[end] == ofA[begin] && ofB[end] == ofB[begin])
      ++end;
    Session chosenA(a, targetA, ofA[begin]), chosenB(b, targetB, ofB[begin]);
    pairs.push_back(
        compareVariants(chosenA, chosenB, machineSets, {runs.begin() + begin, runs.begin() + end}));
  }
  if (std::ranges::all_of(pairs, [](const SideBySide &pair) { return pair.changes.empty(); }))
    throw UserError(fmt::format("a and b are the same variant on {}, and there is nothing to "
                                "compare: {}",
                                pairs.front().a.machine, pairs.front().a.variant));
  return pairs;
}

} // namespace

int compareCommand(const std::vector<std::string> &words) {
  Options options;
  CommandLine commandLine("compare");
  commandLine.option("--a", "SIDE", options.a);
  commandLine.option("--b", "SIDE", options.b);
  options.target.addOptionsTo(commandLine);
  commandLine.repeated("--case", "NAME", options.cases);
  commandLine.flag("--ir", options.ir);
  commandLine.option("--json", "FILE", options.json);
  std::vector<std::string> rest = commandLine.parse(words);
  if (options.json)
    expectWritable(*options.json);

  const std::vector<SideBySide> pairs = compare(options, std::move(rest));
  bool isRight = true;
  for (const SideBySide &pair : pairs) {
    if (options.json.value_or("") != "-")
      print((&pair == &pairs.front() ? "" : "\n\n") + textOf(pair, options.ir));
    isRight &= std::ranges::all_of(pair.cases, [](const CasePair &each) {
      return each.a.passed.value_or(true) && each.b.passed.value_or(true);
    });
  }
  if (options.json)
    writeFile(*options.json, jsonOf(pairs, options.ir));
  return isRight ? success : wrongResult;
}

} // namespace mmk::driver
