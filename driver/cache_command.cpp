// `mmk cache`: shows, exports, imports and removes the results of tuning.
#include "cli/command_line.h"
#include "cli/ending.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "driver/chosen_variants.h"
#include "driver/command.h"
#include "driver/known_variants.h"
#include "store/choice_memory.h"
#include "store/exchange.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

const std::vector<std::string> actions = {"list", "export", "import", "prune"};

std::unique_ptr<tune::Store> openOrRefuse() {
  if (memoryFolder().empty())
    throw UserError("there is no folder for what is remembered; set MMK_CACHE_DIR");
  std::string notice;
  auto store = tune::Store::open(memoryFolder(), notice);
  if (!notice.empty())
    printError(fmt::format("warning: {}\n", notice));
  if (!store)
    throw UserError(llvm::toString(store.takeError()));
  return std::move(*store);
}

template <typename Value> Value orRefuse(llvm::Expected<Value> value) {
  if (!value)
    throw UserError(llvm::toString(value.takeError()));
  return std::move(*value);
}

bool isOfThisBuild(const tune::BestRow &row) { return row.identity.build == tune::buildId(); }

std::string stateOf(const tune::BestRow &row) {
  return !isOfThisBuild(row)                           ? "of another build"
         : row.check.state == tune::CheckState::passed ? "checked"
                                                       : "unchecked";
}

void list(const std::vector<tune::BestRow> &rows) {
  if (rows.empty())
    return print("nothing is remembered\n");
  Table shown("<<<>><<");
  shown.add({"kernel", "machine", "dims", "time us", "variants", "state", "best"});
  for (const tune::BestRow &row : rows)
    shown.add({row.identity.kernelName, row.identity.machineName, row.shape.dims,
               fmt::format("{:.2f}", row.measure.microseconds), std::to_string(row.variants),
               stateOf(row), row.variant});
  print(shown.text());
}

void writeRow(llvm::json::OStream &out, const tune::BestRow &row) {
  out.attribute("kernel", row.identity.kernelName);
  out.attribute("machine", row.identity.machineName);
  out.attribute("key", row.shape.key);
  out.attribute("dims", row.shape.dims);
  out.attribute("variant", row.variant);
  out.attribute("cycles", row.measure.cycles);
  writeNumber(out, "time_us", row.measure.microseconds);
  out.attribute("checked", row.check.state == tune::CheckState::passed);
  out.attribute("of_this_build", isOfThisBuild(row));
  out.attribute("variants", row.variants);
}

void expectWords(const std::vector<std::string> &words, size_t least, size_t most,
                 const std::string &usage) {
  if (words.size() < least + 1 || words.size() > most + 1)
    throw UserError(fmt::format("expected {}", usage));
}

} // namespace

int cacheCommand(const std::vector<std::string> &words) {
  std::optional<std::string> json;
  bool all = false;
  CommandLine commandLine("cache");
  commandLine.option("--json", "FILE", json);
  commandLine.flag("--all", all);
  const std::vector<std::string> rest = commandLine.parse(words);
  const std::string action = rest.empty() ? "list" : rest.front();
  if (std::ranges::find(actions, action) == actions.end())
    throw UserError(fmt::format("'mmk cache' can {}, found '{}'{}", listOf(actions, "and"), action,
                                didYouMean(action, actions)));
  if (json && action != "list")
    throw UserError(fmt::format("--json is for mmk cache list; mmk cache {} takes a file", action));
  if (all && action != "prune")
    throw UserError("--all is for mmk cache prune");

  if (action == "list") {
    expectWords(rest.empty() ? std::vector<std::string>{"list"} : rest, 0, 0, "mmk cache list");
    if (json)
      expectWritable(*json);
    const auto rows = orRefuse(openOrRefuse()->all());
    if (json.value_or("") != "-")
      list(rows);
    if (json)
      writeFile(*json, jsonArray(rows, [](llvm::json::OStream &out, const tune::BestRow &row) {
        writeRow(out, row);
      }));
  } else if (action == "export") {
    expectWords(rest, 0, 1, "mmk cache export [FILE]");
    const std::string file = rest.size() > 1 ? rest[1] : "-";
    expectWritable(file);
    writeFile(file, tune::exchangeText(orRefuse(openOrRefuse()->all())));
  } else if (action == "import") {
    expectWords(rest, 1, 1, "mmk cache import FILE");
    auto rows = tune::readExchange(readReport(rest[1]));
    if (!rows)
      throw UserError(fmt::format("{}: {}", rest[1], llvm::toString(rows.takeError())));
    if (llvm::Error error = openOrRefuse()->import(*rows))
      throw UserError(llvm::toString(std::move(error)));
    print(fmt::format("{} variants are known now; mmk run tries them where they may help\n",
                      rows->size()));
  } else {
    expectWords(rest, 0, 0, "mmk cache prune [--all]");
    const std::string build = all ? "" : tune::buildId();
    const int64_t figures = orRefuse(openOrRefuse()->prune(build));
    const int64_t choices = tune::ChoiceMemory(choiceFolder()).prune(build);
    print(fmt::format("{} figures and {} choices are forgotten\n", figures, choices));
  }
  return success;
}

} // namespace mmk::driver
