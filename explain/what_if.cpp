#include "explain/what_if.h"

#include "backend/backend.h"
#include "frontend/numbers.h"
#include "frontend/schedule.h"
#include "schedule/directive.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace mmk::tune {
namespace {

/// The changes to try; some may not be legal.
class Proposals {
public:
  Proposals(const Kernel &kernel, const Machine &machine, const Choices &variant)
      : kernel_(kernel), machine_(machine), now_(variant.begin(), variant.end()) {}

  std::vector<Choices> all() {
    buffers();
    tiles();
    stages();
    listed();
    cores();
    for (const DirectiveTraits &directive : allDirectives())
      if (isProposed(directive.proposed, kernel_))
        words(directive);
    return std::move(proposals_);
  }

private:
  std::optional<int64_t> number(const std::string &key) const {
    const auto found = now_.find(key);
    return found == now_.end() ? std::nullopt : parseInteger(found->second);
  }

  void propose(Choices choices) {
    std::erase_if(choices, [&](const auto &choice) {
      const auto found = now_.find(choice.first);
      return found != now_.end() && found->second == choice.second;
    });
    std::string message;
    for (const auto &[key, word] : choices)
      if (!checkChoice(kernel_, &machine_.cube, key, word, message))
        return;
    if (!choices.empty() && std::ranges::find(proposals_, choices) == proposals_.end())
      proposals_.push_back(std::move(choices));
  }
  void propose(const std::string &key, int64_t value) { propose({{key, std::to_string(value)}}); }

  /// The choices with a number; one that is computed when the kernel runs has none.
  std::vector<std::string> keysOf(const std::string &directive) const {
    std::vector<std::string> keys;
    for (const auto &[key, word] : now_)
      if (isOf(key, directive) && key != directive && parseInteger(word))
        keys.push_back(key);
    return keys;
  }
  /// Keys of the tiles of outputs, whose shape can change at the same area.
  std::vector<std::string> outputTiles() const {
    std::vector<std::string> keys = keysOf("tile");
    std::erase_if(keys,
                  [&](const std::string &key) { return !roleOf(kernel_, indexOf(key)).isOutput; });
    return keys;
  }

  void buffers() {
    for (const std::string &key : keysOf("buffers"))
      propose(key, *number(key) + 1);
  }

  /// A tile along a reduction, with a stage of whole tiles.
  Choices tile(const std::string &key, int64_t length) const {
    Choices choices = {{key, std::to_string(length)}};
    const std::string stage = fmt::format("stage.{}", indexOf(key));
    if (const auto now = number(stage); now && *now % length != 0)
      choices.emplace_back(stage, std::to_string((*now + length - 1) / length * length));
    return choices;
  }

  void tiles() {
    for (const auto &[key, word] : now_)
      if (isOf(key, "tile") && word == "auto")
        for (int64_t length : {64, 128, 256})
          propose(key, length);
    for (const std::string &key : keysOf("tile"))
      for (int64_t length : {*number(key) * 2, *number(key) / 2})
        propose(tile(key, length));
    std::vector<std::string> outputs = outputTiles();
    std::erase_if(outputs,
                  [&](const std::string &key) { return roleOf(kernel_, indexOf(key)).isDivided; });
    for (const std::string &longer : outputs)
      for (const std::string &shorter : outputs)
        if (longer != shorter)
          propose({{longer, std::to_string(*number(longer) * 2)},
                   {shorter, std::to_string(*number(shorter) / 2)}});
    // A smaller accumulator leaves room for another.
    if (const auto copies = number("buffers.acc"))
      for (const std::string &key : outputs)
        propose({{key, std::to_string(*number(key) / 2)},
                 {"buffers.acc", std::to_string(*copies + 1)}});
  }

  void stages() {
    const auto copies = number("buffers.l1");
    for (const std::string &key : keysOf("stage")) {
      const int64_t length = *number(key);
      propose(key, length * 2);
      propose(key, length / 2);
      // Fewer and longer stages, or more and shorter ones, in about the same memory.
      if (copies && *copies > 1)
        propose({{key, std::to_string(length * 2)}, {"buffers.l1", std::to_string(*copies - 1)}});
      if (copies)
        propose({{key, std::to_string(length / 2)}, {"buffers.l1", std::to_string(*copies + 1)}});
    }
  }

  void listed() {
    if (const Schedule *schedule = kernel_.scheduleFor(machine_.name))
      for (const Directive &directive : schedule->directives)
        for (const Directive::Alternative &alternative : directive.alternatives)
          if (directive.key != "cores" || alternative.word != "auto")
            propose({{directive.key, alternative.word}});
  }

  void cores() {
    const int64_t cores = number("cores").value_or(machine_.cubeCores);
    for (int64_t other : {machine_.cubeCores, cores / 2})
      propose("cores", other);
    const std::vector<std::string> outputs = outputTiles();
    auto grid = [](const std::string &tile) { return fmt::format("grid.{}", indexOf(tile)); };
    if (outputs.size() == 2)
      for (int64_t rows = 1; rows <= cores; ++rows)
        if (cores % rows == 0)
          propose({{grid(outputs[0]), std::to_string(rows)},
                   {grid(outputs[1]), std::to_string(cores / rows)}});
    for (const std::string &key : keysOf("tile"))
      if (roleOf(kernel_, indexOf(key)).isReduction)
        for (int64_t parts : {2, 4})
          propose(grid(key), parts);
      else if (backendOf(machine_.kind).hasPipes() && roleOf(kernel_, indexOf(key)).isDivided)
        for (int64_t parts : {cores, 2 * cores})
          propose(grid(key), parts);
  }

  /// All words except the variant's own; a variant that names none has the first.
  void words(const DirectiveTraits &directive) {
    const std::string key(directive.name);
    const auto now = now_.find(key);
    for (const std::string &word :
         triedWords(directive, kernel_.hasReduction(), kernel_.hasPooling()))
      if (word != (now == now_.end() ? directive.words.front().word : now->second))
        propose({{key, word}});
  }

  const Kernel &kernel_;
  const Machine &machine_;
  std::map<std::string, std::string> now_;
  std::vector<Choices> proposals_;
};

/// The first message, without its advice.
std::string firstReason(const Diagnostics &messages) {
  for (const Diagnostic &message : messages.all())
    if (message.severity == Severity::error)
      return message.message.substr(0, message.message.find(';'));
  return "it cannot be compiled";
}

class Trial {
public:
  Trial(const std::string &variant, const TrialWays &ways) : ways_(ways) { seen_.insert(variant); }

  /// Nothing when this variant was tried before.
  std::optional<WhatIf> operator()(const Choices &choices) {
    if (ways_.watch)
      ways_.watch(choices);
    WhatIf result{choices, true, "", 0};
    Lowering lowering = ways_.lower(choices);
    if (!lowering) {
      result.exists = false;
      result.reason = firstReason(lowering.messages);
      return result;
    }
    if (!seen_.insert(lowering.variant).second)
      return std::nullopt;
    if (std::string problem = ways_.limit ? ways_.limit(lowering) : ""; !problem.empty()) {
      result.exists = false;
      result.reason = problem.substr(0, problem.find(';'));
      return result;
    }
    result.cycles = ways_.count(lowering).cycles;
    return result;
  }

private:
  const TrialWays &ways_;
  std::set<std::string> seen_; ///< variants
};

/// Combines the best change with others that save more time.
std::optional<WhatIf> combine(const std::vector<WhatIf> &sorted, int64_t cycles, Trial &tryOut) {
  constexpr size_t most = 8;
  std::optional<WhatIf> best;
  for (size_t i = 0; i < std::min(most, sorted.size()); ++i) {
    const WhatIf &next = sorted[i];
    if (!next.exists || next.cycles >= cycles)
      break;
    if (!best) {
      best = next;
      continue;
    }
    if (shareDirective(best->choices, next.choices))
      continue;
    const std::optional<WhatIf> result = tryOut(both(best->choices, next.choices));
    if (result && result->exists && result->cycles < best->cycles)
      best = result;
  }
  const bool isNew = best && best->choices != sorted.front().choices;
  return isNew ? best : std::nullopt;
}

} // namespace

std::vector<Choices> neighboursOf(const Kernel &kernel, const Machine &machine,
                                  const Choices &variant) {
  return Proposals(kernel, machine, variant).all();
}

WhatIfs tryChanges(const std::vector<Choices> &changes, const std::string &variant, int64_t cycles,
                   const TrialWays &ways) {
  Trial tryOut(variant, ways);
  WhatIfs result;
  for (const Choices &change : changes)
    if (std::optional<WhatIf> tried = tryOut(change))
      result.alone.push_back(std::move(*tried));
  std::ranges::sort(result.alone, {}, [](const WhatIf &it) {
    return std::tuple(!it.exists, it.cycles, it.choices.size(), spelling(it.choices));
  });
  result.together = combine(result.alone, cycles, tryOut);
  return result;
}

} // namespace mmk::tune
