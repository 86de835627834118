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

/// A message may take a moment, not a minute.
constexpr size_t maximumTries = 100;
constexpr int64_t leastStep = 16;
bool isTileOrStage(std::string_view key) {
  const DirectiveTraits *directive = findDirective(key);
  return directive && directive->isLength;
}

/// One value that a directive could have instead, and how far that is from what was asked.
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
         const Choices &asked)
      : kernel_(kernel), machine_(machine), context_(context), asked_(asked) {}

  /// Most candidates are only asked whether they fit; what is named is proven, too, as that takes
  /// longest.
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

  /// The numbers of the variant that was asked for, with the defaults of the machine.
  void findNumbers() {
    auto module = lowerToIr(kernel_, machine_.name, context_);
    PipelineOptions options;
    options.choices = asked_;
    // Whether it succeeds or not, the choices are made by then.
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

  /// What tiles along the dimension of a key are multiples of, beside the 16 that keep candidates
  /// few where a tile may be anything.
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
    // Each directive that changes counts, then how much. What is smaller is likelier to fit.
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
    options.choices = asked_;
    options.choices.insert(options.choices.end(), changed.begin(), changed.end());
    options.proveSync = proveSync;
    return mlir::succeeded(runPipeline(*module, machine_, LoweringLevel::aicore, options));
  }

  /// When it takes more than a few changes: the largest tile or stage is halved until all fit.
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

  /// Spares the passes the candidates that are wrong at first sight.
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
  const Choices &asked_;
  std::map<std::string, int64_t> numbers_;
  std::map<std::string, std::vector<Change>> changes_;
};

} // namespace

std::optional<Choices> nearestLegal(const Kernel &kernel, const Machine &machine,
                                    mlir::MLIRContext &context, const Choices &asked) {
  mlir::ScopedDiagnosticHandler silence(&context,
                                        [](mlir::Diagnostic &) { return mlir::success(); });
  return Search(kernel, machine, context, asked).run();
}

} // namespace mmk
