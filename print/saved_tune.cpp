#include "print/saved_tune.h"

#include "cli/ending.h"
#include "cli/json.h"

#include <fmt/format.h>

namespace json = llvm::json;

namespace mmk::driver {

static bool fromJSON(const json::Value &value, SavedVariant &variant, json::Path path) {
  json::ObjectMapper map(value, path);
  std::optional<SavedCheck> check;
  if (!map || !map.map("variant", variant.variant) || !map.mapOptional("cycles", variant.cycles) ||
      !map.map("time_us", variant.microseconds) || !map.mapOptional("check", check))
    return false;
  if (check)
    variant.passed = check->passed;
  return true;
}

static bool mapShared(json::ObjectMapper &map, SavedSearchCase &shared) {
  return map.map("kernel", shared.kernel) && map.map("case", shared.name) &&
         map.map("dims", shared.dims) && map.map("machine", shared.machine) &&
         map.mapOptional("machine_set", shared.machineSet) &&
         map.mapOptional("environment", shared.environment);
}

static bool fromJSON(const json::Value &value, SavedTune &tune, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !mapShared(map, tune) || !map.mapOptional("best", tune.best) ||
      !map.mapOptional("default", tune.byDefault) || !map.map("variants", tune.variants) ||
      !map.map("failed", tune.failed))
    return false;
  const json::Value *search = value.getAsObject()->get("search");
  if (!search) {
    path.field("search").report("missing value");
    return false;
  }
  json::ObjectMapper of(*search, path.field("search"));
  return of && of.map("space", tune.space) && of.map("exhaustive", tune.isExhaustive) &&
         of.map("counted", tune.counted) && of.map("remembered", tune.remembered) &&
         of.map("refused", tune.refused) && of.map("bounded", tune.bounded);
}

static bool fromJSON(const json::Value &value, SavedGuided::Round &round, json::Path path) {
  json::ObjectMapper map(value, path);
  std::optional<SavedVariant> after;
  if (!map || !map.map("before", round.before) || !map.map("tried", round.tried) ||
      !map.mapOptional("change", round.change) || !map.mapOptional("after", after) ||
      !map.mapOptional("kept", round.isKept) || !map.mapOptional("failure", round.failure))
    return false;
  if (after)
    round.after = std::move(*after);
  return true;
}

static bool fromJSON(const json::Value &value, SavedGuided &guided, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && mapShared(map, guided) && map.map("first", guided.first) &&
         map.map("last", guided.last) && map.map("rounds", guided.rounds) &&
         map.map("at_its_best", guided.isAtItsBest);
}

template <typename Case>
static std::vector<Case> readCases(const std::string &file, std::string_view command) {
  const json::Value value = readJson(file);
  std::vector<Case> cases;
  json::Path::Root root("report");
  if (!fromJSON(value, cases, root))
    throw UserError(fmt::format("{}: expected what {} has written: {}", file, command,
                                llvm::toString(root.getError())));
  return cases;
}

std::vector<SavedTune> readSavedTune(const std::string &file) {
  return readCases<SavedTune>(file, "mmk tune --json");
}

std::vector<SavedGuided> readSavedGuided(const std::string &file) {
  return readCases<SavedGuided>(file, "mmk tune --guided --json");
}

} // namespace mmk::driver
