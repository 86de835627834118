#include "compiler/nearest_legal.h"

#include "compiler/pipeline.h"

#include "frontend/numbers.h"
#include "frontend/schedule.h"
#include "lower/lower.h"
#include "schedule/directive.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace mmk {
namespace {

/// Bounds the time of a message.
constexpr size_t maximumTries = 100;
constexpr int64_t leastStep = 16;
bool isTileOrStage(std::string_view key) {
  const DirectiveTraits *directive = findDirective(key);
  return directive && directive->isLength;
}

/// One other value of a directive, and its distance from the requested one.
struct Change {
  std::string key;
  int64_t number;
  double cost;
};

/// Several changes of different directives.
struct Candidate {
  std::vector<Change> changes;
  double cost = 0;
};

class Search {
public:
  Search(const Kernel &kernel, const Machine &machine, mlir::MLIRContext &context,
         const Choices &requested)
      : kernel_(kernel), machine_(machine), context_(context), requested_(requested) {}

  /// Most candidates are only compiled without the proof, which takes longest; the named variant is
  /// proven, too.
  std::optional<Choices> run() {
    std::optional<Choices> found = find();
    return found && compiles(*found, /*proveSync=*/true) ? found : std::nullopt;
  }

private:
  std::optional<Choices> find() {
    findNumbers();
    findChanges();
    std::vector<Candidate> candidates = combine();
    std::ranges::sort(candidates, {}, &Candidate::cost);
    if (candidates.size() > maximumTries)
      candidates.resize(maximumTries);
    for (const Candidate &candidate : candidates) {
      Choices changed;
      for (const Change &change : candidate.changes)
        changed.emplace_back(change.key, std::to_string(change.number));
      if (isLegal(changed))
        return changed;
    }
    return byHalvingAll();
  }

  /// The numbers of the requested variant, with the defaults of the machine.
  void findNumbers() {
    auto module = lowerToIr(kernel_, machine_.name, context_);
    PipelineOptions options;
    options.choices = requested_;
    // The choices are made even if it fails.
    (void)runPipeline(*module, machine_, LoweringLevel::mmk, options);
    for (ir::KernelOp op : module->getOps<ir::KernelOp>())
      op.walk([&](ir::ChoiceOp choice) {
        auto number = mlir::dyn_cast<mlir::IntegerAttr>(choice.getAlternatives()[0]);
        if (number && isTileOrStage(choice.getKey()))
          numbers_[choice.getKey().str()] = number.getInt();
      });
  }

  void findChanges() {
    if (const Schedule *schedule = kernel_.scheduleFor(machine_.name))
      for (const Directive &directive : schedule->directives)
        if (isTileOrStage(directive.key))
          for (const Directive::Alternative &alternative : directive.alternatives)
            if (const auto number = parseInteger(alternative.word))
              add(directive.key, *number, 0);
    for (const auto &[key, number] : numbers_)
      for (int64_t half = number / 2; half >= unitOf(key); half /= 2)
        add(key, half / unitOf(key) * unitOf(key), 1);
  }

  /// The granularity of tiles along the dimension of a key; at least 16, which keeps the candidates
  /// few.
  int64_t unitOf(const std::string &key) const {
    return std::lcm(roleOf(kernel_, indexOf(key), &machine_.cube).multiple, leastStep);
  }

  void add(const std::string &key, int64_t number, double penalty) {
    const auto now = numbers_.find(key);
    if (now == numbers_.end() || now->second == number)
      return;
    std::vector<Change> &changes = changes_[key];
    if (std::ranges::find(changes, number, &Change::number) != changes.end())
      return;
    // Fewer changed directives first, then smaller changes; of equal ones the smaller value, as it
    // is likelier to fit.
    const double ratio = std::log2(static_cast<double>(number) / static_cast<double>(now->second));
    changes.push_back({key, number, 2 + penalty + (ratio < 0 ? -ratio : 1.25 * ratio)});
  }

  /// Every set of changes that takes at most one for each directive.
  std::vector<Candidate> combine() const {
    std::vector<Candidate> all(1);
    for (const auto &[key, changes] : changes_)
      for (size_t i = 0, before = all.size(); i < before; ++i)
        for (const Change &change : changes) {
          Candidate more = all[i];
          more.changes.push_back(change);
          more.cost += change.cost;
          if (more.changes.size() <= 3)
            all.push_back(std::move(more));
        }
    all.erase(all.begin());
    return all;
  }

  bool isLegal(const Choices &changed) const {
    return stagesAreMultiples(changed) && compiles(changed, /*proveSync=*/false);
  }

  bool compiles(const Choices &changed, bool proveSync) const {
    auto module = lowerToIr(kernel_, machine_.name, context_);
    PipelineOptions options;
    options.choices = requested_;
    options.choices.insert(options.choices.end(), changed.begin(), changed.end());
    options.proveSync = proveSync;
    options.keepImplied = !proveSync;
    return mlir::succeeded(runPipeline(*module, machine_, LoweringLevel::aicore, options));
  }

  /// When a few changes are not enough: halves the largest tile or stage until all fit.
  std::optional<Choices> byHalvingAll() {
    const auto byNumber = [](const auto &a, const auto &b) { return a.second < b.second; };
    std::map<std::string, int64_t> numbers = numbers_;
    for (size_t i = 0; i < maximumTries && !numbers.empty(); ++i) {
      auto &[key, largest] = *std::ranges::max_element(numbers, byNumber);
      largest = largest / 2 / unitOf(key) * unitOf(key);
      if (largest < unitOf(key))
        return std::nullopt;
      makeStagesMultiples(numbers);
      Choices changed;
      for (const auto &[key, number] : numbers)
        if (number != numbers_.at(key))
          changed.emplace_back(key, std::to_string(number));
      if (isLegal(changed))
        return changed;
    }
    return std::nullopt;
  }

  static void makeStagesMultiples(std::map<std::string, int64_t> &numbers) {
    for (auto &[key, stage] : numbers)
      if (const auto tile = numbers.find("tile." + std::string(indexOf(key)));
          isOf(key, "stage") && tile != numbers.end()) {
        tile->second = std::min(tile->second, stage);
        stage = stage / tile->second * tile->second;
      }
  }

  /// Rejects candidates that break a rule, without running the passes.
  bool stagesAreMultiples(const Choices &changed) const {
    std::map<std::string, int64_t> numbers = numbers_;
    for (const auto &[key, word] : changed)
      numbers[key] = *parseInteger(word);
    for (const auto &[key, number] : numbers)
      if (const auto tile = numbers.find("tile." + std::string(indexOf(key)));
          isOf(key, "stage") && tile != numbers.end() && number % tile->second != 0)
        return false;
    return true;
  }

  const Kernel &kernel_;
  const Machine &machine_;
  mlir::MLIRContext &context_;
  const Choices &requested_;
  std::map<std::string, int64_t> numbers_;
  std::map<std::string, std::vector<Change>> changes_;
};

} // namespace

std::optional<Choices> nearestLegal(const Kernel &kernel, const Machine &machine,
                                    mlir::MLIRContext &context, const Choices &requested) {
  mlir::ScopedDiagnosticHandler silence(&context,
                                        [](mlir::Diagnostic &) { return mlir::success(); });
  return Search(kernel, machine, context, requested).run();
}

} // namespace mmk
