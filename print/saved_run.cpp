#include "print/saved_run.h"

#include "cli/ending.h"
#include "cli/environment.h"
#include "cli/files.h"
#include "cli/json.h"

#include "llvm/Support/JSON.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace json = llvm::json;

namespace mmk::driver {
namespace {

struct SavedPipe {
  double busyMicroseconds = 0, ratio = 0;
};
struct SavedUse {
  int64_t used = 0, capacity = 0;
};
struct SavedTimes {
  double median = 0;
};
struct SavedHost {
  SavedTimes runMs;
};

bool fromJSON(const json::Value &value, SavedPipe &pipe, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("busy_us", pipe.busyMicroseconds) && map.map("ratio", pipe.ratio);
}

bool fromJSON(const json::Value &value, SavedUse &use, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("used", use.used) && map.map("capacity", use.capacity);
}

bool fromJSON(const json::Value &value, SavedTimes &times, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("median", times.median);
}

bool fromJSON(const json::Value &value, SavedHost &host, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("run_ms", host.runMs);
}

} // namespace
} // namespace mmk::driver

// In the namespace of the types, where the mapper looks them up.
namespace mmk {

static bool fromJSON(const json::Value &value, Pipe &pipe, json::Path path) {
  const auto word = value.getAsString();
  const auto *found = word ? std::ranges::find(allPipes, std::string_view(*word),
                                               [](Pipe each) { return spelling(each); })
                           : allPipes.end();
  if (found == allPipes.end()) {
    path.report("expected a pipe");
    return false;
  }
  pipe = *found;
  return true;
}

static bool fromJSON(const json::Value &value, CoveredElements &covered, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("elements", covered.all) && map.map("skipped", covered.skipped) &&
         map.map("unmasked", covered.full) && map.mapOptional("assumed", covered.isAssumed);
}

static bool fromJSON(const json::Value &value, ClockReport &clock, json::Path path) {
  json::ObjectMapper map(value, path);
  std::map<std::string, driver::SavedPipe> pipes;
  if (!map || !map.map("cycles", clock.cycles) || !map.map("time_us", clock.microseconds) ||
      !map.mapOptional("task_us", clock.taskMicroseconds) ||
      !map.map("launch_us", clock.launchMicroseconds) || !map.map("cores", clock.cores) ||
      !map.map("bound", clock.bound) || !map.map("bound_us", clock.boundMicroseconds) ||
      !map.mapOptional("global_bytes", clock.movedBytes) ||
      !map.mapOptional("conditions", clock.covered) || !map.map("pipes", pipes))
    return false;
  for (size_t i = 0; i < allPipes.size(); ++i) {
    const driver::SavedPipe &pipe = pipes[std::string(spelling(allPipes[i]))];
    clock.pipes[i].busyMicroseconds = pipe.busyMicroseconds;
    clock.pipes[i].ratio = pipe.ratio;
  }
  return true;
}

} // namespace mmk

namespace mmk::driver {

static bool fromJSON(const json::Value &value, SavedCase &saved, json::Path path) {
  json::ObjectMapper map(value, path);
  std::map<std::string, SavedUse> memory;
  std::optional<std::map<std::string, std::string>> machineSet;
  std::optional<SavedCheck> check;
  std::optional<SavedHost> host;
  if (!map || !map.map("kernel", saved.kernel) || !map.map("case", saved.name) ||
      !map.map("dims", saved.dims) || !map.map("machine", saved.side.machine) ||
      !map.map("variant", saved.side.variant) || !map.map("memory", memory) ||
      !map.map("environment", saved.environment) || !map.mapOptional("flags", saved.side.flags) ||
      !map.mapOptional("machine_set", machineSet) || !map.mapOptional("check", check) ||
      !map.mapOptional("clock", saved.figures.clock) || !map.mapOptional("host", host))
    return false;
  for (Memory each : allMemories)
    if (const auto use = memory.find(std::string(spelling(each))); use != memory.end())
      saved.side.memory.push_back({use->first, use->second.used, use->second.capacity});
  if (machineSet)
    saved.side.machineSet = std::move(*machineSet);
  if (check)
    saved.figures.passed = check->passed;
  if (host)
    saved.figures.hostMs = host->runMs.median;
  return true;
}

namespace {

std::string titles(const std::vector<SavedCase> &cases) {
  std::string text;
  for (const SavedCase &each : cases)
    text += (text.empty() ? "" : ", ") + each.title();
  return text;
}

/// The figures that one of the runs changed, or both in another way.
void addMachineSets(SideBySide &pair) {
  std::set<std::string> paths;
  for (const Side *side : {&pair.a, &pair.b})
    for (const auto &[path, value] : side->machineSet)
      paths.insert(path);
  const auto valueOn = [](const Side &side, const std::string &path) {
    const auto found = side.machineSet.find(path);
    return found == side.machineSet.end() ? std::string("as described") : found->second;
  };
  for (const std::string &path : paths)
    if (const std::string a = valueOn(pair.a, path), b = valueOn(pair.b, path); a != b)
      pair.changes.push_back({"machine." + path, a, b});
}

/// Lists those of `cases` that the other side lacks.
void remarkLonely(const std::vector<SavedCase> &cases, const std::vector<SavedCase> &others,
                  const std::string &side, SideBySide &pair) {
  std::vector<SavedCase> lonely;
  std::ranges::copy_if(cases, std::back_inserter(lonely), [&](const SavedCase &each) {
    return std::ranges::none_of(others, [&](const SavedCase &other) { return each.isOf(other); });
  });
  if (!lonely.empty())
    pair.remarks.push_back(fmt::format("only in {}: {}", side, titles(lonely)));
}

/// The pair of the variants of these cases, made where there is none.
SideBySide &pairOf(const SavedCase &a, const SavedCase &b, std::vector<SideBySide> &pairs) {
  for (SideBySide &pair : pairs)
    if (pair.a.variant == a.side.variant && pair.b.variant == b.side.variant)
      return pair;
  SideBySide &pair = pairs.emplace_back();
  pair.kernel = a.kernel;
  pair.a = a.side;
  pair.b = b.side;
  pair.changes = changesBetween(pair.a, pair.b);
  addMachineSets(pair);
  for (const auto &[name, value] : a.environment)
    if (const auto other = b.environment.find(name);
        other != b.environment.end() && other->second != value)
      pair.changes.push_back({name, value, other->second});
  return pair;
}

} // namespace

std::string SavedCase::title() const {
  std::string text = name.empty() ? "" : name + ":";
  for (const auto &[dimension, size] : dims)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", dimension, size);
  return text;
}

std::vector<SavedCase> readSavedRun(const std::string &file) {
  const json::Value value = readJson(file);
  std::vector<SavedCase> cases;
  json::Path::Root root("report");
  if (!fromJSON(value, cases, root))
    throw UserError(fmt::format("{}: expected what mmk run --json has written: {}", file,
                                llvm::toString(root.getError())));
  if (cases.empty())
    throw UserError(fmt::format("{} holds no case", file));
  for (const SavedCase &each : cases)
    if (const SavedCase &first = cases.front();
        each.kernel != first.kernel || each.side.machine != first.side.machine)
      throw UserError(fmt::format("{} holds several kernels or machines; expected one run", file));
  for (size_t i = 0; i < cases.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (cases[i].isOf(cases[j]))
        throw UserError(fmt::format("{} holds {} twice; expected one run", file, cases[i].title()));
  return cases;
}

static std::string clockVersionOf(const SavedCase &saved) {
  return driver::clockVersionOf({saved.environment.begin(), saved.environment.end()});
}

std::vector<SideBySide> compareSavedRuns(const std::string &fileA, const std::string &fileB) {
  const std::vector<SavedCase> casesA = readSavedRun(fileA), casesB = readSavedRun(fileB);
  const SavedCase &firstA = casesA.front(), &firstB = casesB.front();
  if (firstA.kernel != firstB.kernel)
    throw UserError(fmt::format("{} is a run of '{}', but {} of '{}'", fileA, firstA.kernel, fileB,
                                firstB.kernel));
  const std::string clockA = clockVersionOf(firstA), clockB = clockVersionOf(firstB);
  if (firstA.figures.clock && firstB.figures.clock && clockA != clockB)
    throw UserError(
        fmt::format("{} has cycles of version {} of the clock, which cannot be compared "
                    "with those of version {} in {}",
                    fileA, clockA, clockB, fileB));
  std::vector<SideBySide> pairs;
  for (const SavedCase &a : casesA)
    for (const SavedCase &b : casesB)
      if (a.isOf(b)) {
        pairOf(a, b, pairs)
            .cases.push_back({a.name, {a.dims.begin(), a.dims.end()}, a.figures, b.figures});
        break;
      }
  if (pairs.empty())
    throw UserError(fmt::format("{} and {} have no case in common: {}; {}", fileA, fileB,
                                titles(casesA), titles(casesB)));
  remarkLonely(casesA, casesB, "a", pairs.front());
  remarkLonely(casesB, casesA, "b", pairs.front());
  for (SideBySide &pair : pairs)
    pair.remarks.push_back(pair.a.flags.has_value() == pair.b.flags.has_value()
                               ? "saved runs hold no IR"
                               : "only one of the runs holds its flags, and none its IR");
  return pairs;
}

} // namespace mmk::driver
