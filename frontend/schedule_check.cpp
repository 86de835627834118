// Checks the schedules in a kernel's text: every alternative of every directive.
#include "frontend/check_kernel.h"
#include "frontend/numbers.h"
#include "frontend/requirement.h"
#include "frontend/schedule.h"
#include "schedule/directive.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk {
namespace {

constexpr size_t maximumAlternatives = 64;

class ScheduleCheck {
public:
  ScheduleCheck(const Kernel &kernel, const Machine *machine, bool knowsBody,
                const std::set<std::string> &refusedRoles, Diagnostics &diagnostics)
      : kernel_(kernel), machine_(machine), knowsBody_(knowsBody), refusedRoles_(refusedRoles),
        diagnostics_(diagnostics) {}

  Schedule check(const ast::Schedule &tree) {
    schedule_.machinePattern = tree.pattern ? tree.pattern->text : "";
    if (machine_ && schedule_.isFor(machine_->name))
      cube_ = &machine_->cube;
    schedule_.where = tree.where;
    for (const ast::Directive &directive : tree.directives)
      for (const ast::Setting &setting : directive.settings)
        if (!this->setting(directive, setting))
          break;
    stagesHoldWholeTiles();
    for (const ast::Requirement &requirement : tree.requirements)
      if (auto rule = buildRequirement(requirement, kernel_, schedule_, knowsBody_, diagnostics_))
        schedule_.requirements.push_back(std::move(*rule));
    if (sound_)
      defaultsAreLegal();
    return std::move(schedule_);
  }

private:
  Diagnostic &error(SourceRange where, std::string message) {
    sound_ = false;
    return diagnostics_.error(where, std::move(message));
  }

  /// False when the directive itself is wrong; its other settings would only repeat the error.
  bool setting(const ast::Directive &directive, const ast::Setting &tree) {
    Directive added{withoutAlias(directive.name.text), {}, tree.where};
    for (const ast::Word &part : tree.key)
      added.key += "." + part.text;
    std::string message;
    if (refusedRoles_.contains(std::string(indexOf(added.key)))) {
      sound_ = false;
      return true;
    }
    if (!checkKey(kernel_, directive.name.text, knowsBody_, message) && tree.key.empty()) {
      error(directive.name.where, message);
      return false;
    }
    if (!checkKey(kernel_, added.key, knowsBody_, message)) {
      const bool isUnknown = !findDirective(directive.name.text);
      SourceRange where = isUnknown ? directive.name.where : tree.key.front().where;
      if (!isUnknown)
        where.end = tree.key.back().where.end;
      error(where, message);
      return !isUnknown;
    }
    const auto first = std::ranges::find(schedule_.directives, added.key, &Directive::key);
    if (first != schedule_.directives.end()) {
      error(tree.where, fmt::format("'{}' is given twice", added.key))
          .notes.push_back({Severity::note, first->where, "first here", {}});
      return true;
    }
    if (tree.alternatives.size() > maximumAlternatives)
      error(tree.where, fmt::format("{} alternatives for '{}'; at most {} are allowed",
                                    tree.alternatives.size(), added.key, maximumAlternatives));
    else
      for (const ast::Word &alternative : tree.alternatives)
        this->alternative(alternative, added);
    schedule_.directives.push_back(std::move(added));
    return true;
  }

  void alternative(const ast::Word &tree, Directive &directive) {
    std::string word = tree.text, message;
    // Leading zeros are dropped: "064" becomes "64".
    if (const auto number = parseInteger(word))
      word = std::to_string(*number);
    if (!checkWord(kernel_, cube_, directive.key, word, knowsBody_, message)) {
      error(tree.where, message);
      return;
    }
    word = wordWithoutAlias(directive.key, word);
    const auto first =
        std::ranges::find(directive.alternatives, word, &Directive::Alternative::word);
    if (first != directive.alternatives.end())
      error(tree.where, fmt::format("the alternative {} stands twice", word))
          .notes.push_back({Severity::note, first->where, "first here", {}});
    else
      directive.alternatives.push_back({word, tree.where});
  }

  const Directive *find(std::string_view key) const {
    const auto found = std::ranges::find(schedule_.directives, key, &Directive::key);
    return found == schedule_.directives.end() || found->alternatives.empty() ? nullptr : &*found;
  }

  /// A stage is moved as whole tiles; the default one must fit the default tile.
  void stagesHoldWholeTiles() {
    for (const Directive &stage : schedule_.directives) {
      // The base depth of a dimension that is an output as well is not known here.
      if (!isOf(stage.key, "stage") ||
          (knowsBody_ && roleOf(kernel_, indexOf(stage.key)).isOfProduct))
        continue;
      const std::string tileKey = fmt::format("tile.{}", indexOf(stage.key));
      const Directive *tile = find(tileKey);
      if (!tile)
        continue;
      for (const auto &alternative : stage.alternatives) {
        const bool isDefault = &alternative == &stage.alternatives.front();
        const int64_t length = *parseInteger(alternative.word);
        const auto fits = [&](const Directive::Alternative &each) {
          return length % parseInteger(each.word).value_or(1) == 0;
        };
        const auto tilesEnd = isDefault ? tile->alternatives.begin() + 1 : tile->alternatives.end();
        if (std::any_of(tile->alternatives.begin(), tilesEnd, fits))
          continue;
        const std::string &tileWord = tile->alternatives.front().word;
        error(alternative.where,
              fmt::format("{} = {} is not a multiple of {}; nearest legal: {}", stage.key, length,
                          isDefault ? fmt::format("the default {} = {}", tileKey, tileWord)
                                    : fmt::format("any {}", tileKey),
                          nearestMultiples(length, *parseInteger(tileWord), maximumTile)))
            .notes.push_back({Severity::note, tile->where, "the tile", {}});
      }
    }
  }

  void defaultsAreLegal() {
    const ChosenNumber chosen = [&](std::string_view key) -> std::optional<int64_t> {
      const Directive *directive = find(key);
      return directive ? parseInteger(directive->alternatives.front().word) : std::nullopt;
    };
    for (const Requirement &requirement : schedule_.requirements)
      if (judge(*requirement.rule, chosen) == Verdict::broken)
        error(requirement.where,
              fmt::format("the default variant, made of all first alternatives, breaks 'require "
                          "{}': {}",
                          requirement.text, explain(*requirement.rule, chosen)));
  }

  const Kernel &kernel_;
  const Machine *machine_;
  Cube cube_ = nullptr; ///< of that machine, where this schedule may be for it
  bool knowsBody_;
  const std::set<std::string> &refusedRoles_;
  Diagnostics &diagnostics_;
  Schedule schedule_;
  bool sound_ = true;
};

} // namespace

void checkSchedules(const ast::Kernel &tree, const Machine *machine, bool knowsBody,
                    const std::set<std::string> &refusedRoles, Kernel &kernel,
                    Diagnostics &diagnostics) {
  std::map<std::string, SourceRange> seen;
  for (const ast::Schedule &schedule : tree.schedules) {
    kernel.schedules.push_back(
        ScheduleCheck(kernel, machine, knowsBody, refusedRoles, diagnostics).check(schedule));
    const Schedule &added = kernel.schedules.back();
    const auto [first, isNew] = seen.try_emplace(added.machinePattern, added.where);
    if (!isNew)
      diagnostics
          .error(added.where, added.machinePattern.empty()
                                  ? "two schedules for every machine; expected one, or a 'for' "
                                    "with the machines it is for"
                                  : fmt::format("two schedules for '{}'", added.machinePattern))
          .notes.push_back({Severity::note, first->second, "first here", {}});
  }
}

} // namespace mmk
