#include "driver/report/ladder.h"

#include "driver/count_case.h"
#include "frontend/schedule.h"
#include "schedule/directive.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace mmk::driver {
namespace {

/// `choices` with those of `changes` instead.
Choices with(Choices choices, const Choices &changes) {
  for (const auto &[key, word] : changes) {
    const auto found = std::ranges::find(choices, key, &Choices::value_type::first);
    if (found == choices.end())
      choices.emplace_back(key, word);
    else
      found->second = word;
  }
  return choices;
}

std::string firstError(const Diagnostics &messages) {
  for (const Diagnostic &message : messages.all())
    if (message.severity == Severity::error)
      return message.message;
  return "it cannot be compiled";
}

/// Whether something other than a change of type or of place is computed from a product.
bool computesFromProducts(const Kernel &kernel) {
  std::set<const Value *> fromProduct;
  for (const auto &value : kernel.values) {
    const bool follows = std::ranges::any_of(
        value->operands, [&](const Value *operand) { return fromProduct.contains(operand); });
    const bool isMove =
        value->operation == Operation::cast || value->operation == Operation::transpose ||
        value->operation == Operation::squeeze || value->operation == Operation::reshape ||
        value->operation == Operation::access;
    if (follows && !isMove)
      return true;
    if (follows || value->operation == Operation::product)
      fromProduct.insert(value.get());
  }
  return false;
}

class LadderMaker {
public:
  LadderMaker(Session &session, const RunCase &run, Progress &progress)
      : session_(session), kernel_(session.kernel()), machine_(session.machine()), run_(run),
        fixed_(session.setChoices(kernel_)), progress_(progress) {}

  Ladder make(const Choices &base, const Choices &best, const std::string &bestFrom) {
    const std::string *fuse = wordOf(best, "fuse");
    const bool isFused =
        fuse && *fuse != "none" && !wordOf(fixed_, "fuse") && computesFromProducts(kernel_);
    Choices now = asFarAsLegal(base, plainGroups(base));
    add("naive",
        kernel_.hasProduct()
            ? "One product of the cube's size at a time, one copy of each buffer, tile after tile."
            : "One copy of each buffer, tile after tile.",
        now);
    if (kernel_.hasProduct()) {
      now = asFarAsLegal(now, {lengths(base)});
      add("tiled", "Base tiles in L0 and stages in L1, of the lengths of the default.", now);
    }
    now = asFarAsLegal(now, doubledGroups(now));
    add("double-buffered",
        "Two copies of each buffer that has room: loads, work and stores overlap.", now);
    const std::string tuned = fmt::format("All choices of {}", bestFrom);
    if (isFused)
      add("tuned", tuned + ", but nothing is fused.", with(best, {{"fuse", "none"}}));
    add(isFused ? "fused" : "tuned",
        isFused ? tuned + "; what follows the products is computed before it leaves the chip."
                : tuned + ".",
        best);
    return std::move(ladder_);
  }

private:
  /// The choices that make `base` plain, in groups that may be legal alone.
  std::vector<Choices> plainGroups(const Choices &base) const {
    std::vector<Choices> groups;
    for (const auto &[key, word] : base) {
      const DirectiveTraits *directive = findDirective(key);
      if (!directive->words.empty())
        groups.push_back({{key, key == "fuse" ? "none" : std::string(directive->words[0].word)}});
      else if (isOf(key, "buffers"))
        groups.push_back({{key, "1"}});
    }
    Choices shortest;
    if (kernel_.hasProduct())
      for (const auto &[key, word] : base)
        if (findDirective(key)->isLength)
          shortest.emplace_back(
              key, std::to_string(roleOf(kernel_, indexOf(key), &machine_.cube).multiple));
    groups.push_back(std::move(shortest));
    return groups;
  }

  /// The tiles and stages.
  static Choices lengths(const Choices &of) {
    Choices found;
    std::ranges::copy_if(of, std::back_inserter(found),
                         [](const auto &choice) { return findDirective(choice.first)->isLength; });
    return found;
  }

  static std::vector<Choices> doubledGroups(const Choices &of) {
    std::vector<Choices> groups;
    for (const auto &[key, word] : of)
      if (isOf(key, "buffers"))
        groups.push_back({{key, "2"}});
    return groups;
  }

  /// All of the groups where that is legal, else each that is legal beside those before it.
  Choices asFarAsLegal(const Choices &from, const std::vector<Choices> &groups) {
    Choices all = from;
    for (const Choices &group : groups)
      all = with(std::move(all), group);
    if (lower(all))
      return all;
    Choices now = from;
    for (const Choices &group : groups)
      if (Choices next = with(now, group); lower(next))
        now = std::move(next);
    return now;
  }

  /// Null, with a message, where the variant or the shape is not legal.
  Lowering lower(const Choices &choices) {
    progress_.show(fmt::format("{}: {}", run_.title(), spelling(choices)));
    Lowering lowering = session_.tryLower(kernel_, with(choices, fixed_));
    if (!lowering)
      return lowering;
    if (const std::string problem = limitProblem(lowering, kernel_, run_); !problem.empty()) {
      Lowering refused;
      refused.messages.error({}, problem);
      return refused;
    }
    return lowering;
  }

  void add(const std::string &name, std::string idea, const Choices &choices) {
    Lowering lowering = lower(choices);
    if (!lowering) {
      ladder_.omitted.push_back(fmt::format("{}: {}", name, firstError(lowering.messages)));
      return;
    }
    if (!ladder_.versions.empty() && ladder_.best().variant == lowering.variant) {
      ladder_.omitted.push_back(
          fmt::format("{}: it changes nothing of {}", name, ladder_.best().name));
      return;
    }
    Version version = {name, std::move(idea), lowering.variant, lowering.choices, {}};
    if (!ladder_.versions.empty())
      for (const auto &[key, word] : lowering.choices)
        if (const std::string *old = wordOf(ladder_.best().choices, key); !old || *old != word)
          version.changes.emplace_back(key, word);
    if (backendOf(machine_.kind).hasClock()) {
      llvm::Expected<tune::Diagnosis> at = tune::diagnose(
          lowering, kernel_, machine_, dimsOf(kernel_, run_), knownParameters(kernel_, run_, {}));
      if (!at)
        throw Bug(llvm::toString(at.takeError()));
      version.at = std::move(*at);
    }
    ladder_.versions.push_back(std::move(version));
  }

  Session &session_;
  const Kernel &kernel_;
  const Machine &machine_;
  const RunCase &run_;
  const Choices fixed_;
  Progress &progress_;
  Ladder ladder_;
};

} // namespace

Ladder ladderOf(Session &session, const RunCase &run, const Choices &best,
                const std::string &bestFrom, Progress &progress) {
  const Kernel &kernel = session.kernel();
  // Each says why it is not legal, and what is.
  const Choices base = session.lower(kernel, LoweringLevel::aicore).choices;
  Session chosen(session, session.withoutChoices(), best);
  Lowering lowering = chosen.lower(kernel, LoweringLevel::aicore);
  expectWithinLimits(lowering, kernel, run);
  return LadderMaker(session, run, progress).make(base, lowering.choices, bestFrom);
}

} // namespace mmk::driver
