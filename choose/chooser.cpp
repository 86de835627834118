#include "choose/chooser.h"

#include "backend/backend.h"
#include "frontend/numbers.h"
#include "frontend/schedule.h"
#include "passes/windows/image_operand.h"
#include "runtime/clock.h"
#include "schedule/directive.h"
#include "schedule/joined_dimension.h"
#include "support/timing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/PassManager.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mmk {

Chooser::Chooser(Compiler &compiler, const Kernel &kernel, const Machine &machine, Choices fixed)
    : compiler_(compiler), kernel_(kernel), machine_(machine), fixed_(std::move(fixed)) {
  // `auto` leaves the choice to the shape.
  if (const Schedule *schedule = kernel_.scheduleFor(machine_.name))
    for (const Directive &directive : schedule->directives)
      if (const std::string &word = directive.alternatives.front().word; word != "auto")
        kept_[directive.key] = word;
  for (const auto &[key, word] : fixed_)
    kept_[key] = word;
}

std::string Chooser::kept() const {
  std::string text = variantText({kept_.begin(), kept_.end()});
  if (const Schedule *schedule = kernel_.scheduleFor(machine_.name))
    for (const Requirement &requirement : schedule->requirements)
      text += ";" + requirement.text;
  return text;
}

bool hasInnermostUnit(const Kernel &kernel, llvm::ArrayRef<int64_t> dims) {
  return std::ranges::any_of(kernel.results, [&](const Result &result) {
    const auto last =
        std::find_if(result.shape.rbegin(), result.shape.rend(),
                     [](const Dimension &it) { return !it.isLiteral() || it.literal != 1; });
    if (last == result.shape.rend() || last->isLiteral())
      return false;
    const auto at = std::ranges::find(kernel.dimensions, last->name);
    return dims[at - kernel.dimensions.begin()] == 1;
  });
}

Choices Chooser::unitsOf(llvm::ArrayRef<int64_t> dims) {
  if (!backendOf(machine_.kind).hasClock() && !hasInnermostUnit(kernel_, dims))
    return {};
  Choices units;
  for (auto [name, extent] : llvm::zip(kernel_.dimensions, dims)) {
    const auto isNamed = [&, &name = name](const auto &choice) {
      return llvm::is_contained(factorsOf(indexOf(choice.first)), name);
    };
    const DimensionRole role = roleOf(kernel_, name);
    if (extent == 1 && role.isOutput && !role.isOfProduct && !role.isReduction && !role.isReduced &&
        std::ranges::none_of(kept_, isNamed))
      units.emplace_back("extent." + name, "1");
  }
  // Of a single element there is nothing to gain.
  if (units.empty() || std::ranges::all_of(dims, [](int64_t extent) { return extent == 1; }))
    return {};
  if (!ir_)
    ir_ = compiler_.toIr(kernel_);
  const auto tilesWith = [&](const Choices &choices) {
    mlir::OwningOpRef<mlir::ModuleOp> joined = ir_->clone();
    mlir::PassManager manager(joined->getContext());
    setChoices(*joined, both(fixed_, choices));
    manager.addPass(createJoinDimensions());
    // Of a choice that is about a dimension of another form.
    const mlir::ScopedDiagnosticHandler quiet(joined->getContext(),
                                              [](mlir::Diagnostic &) { return mlir::success(); });
    return mlir::succeeded(manager.run(*joined)) ? tileDims(*joined->getOps<ir::KernelOp>().begin())
                                                 : std::vector<std::string>();
  };
  const std::vector<std::string> dimsOfTile = tilesWith(units);
  return dimsOfTile.empty() || dimsOfTile == tilesWith({}) ? Choices() : units;
}

Lowering Chooser::lower(const Choices &choices, FlagEffort effort) {
  PipelineOptions options;
  options.choices = both(fixed_, choices);
  // The proof changes no instruction; the variant that is used is proved.
  options.proveSync = false;
  options.keepImplied = effort == FlagEffort::kept;
  return compiler_.lower(kernel_, ir_->clone(), LoweringLevel::aicore, options,
                         /*findsNearest=*/false);
}

int64_t Chooser::cyclesOf(const Choices &choices, llvm::ArrayRef<int64_t> dims, FlagEffort effort) {
  Lowering lowering = lower(choices, effort);
  if (!lowering || !lowering.kernel().limitProblem(dims).empty())
    return 0;
  const TimedScope timed("count");
  llvm::Expected<ClockReport> report =
      backendOf(machine_.kind).estimate(lowering.kernel(), machine_, dims);
  if (report)
    return report->cycles;
  llvm::consumeError(report.takeError());
  return 0;
}

Candidates Chooser::ranked(ir::KernelOp kernel, const CandidateRequest &request) const {
  const TimedScope timed("rank variants");
  return backendOf(machine_.kind).candidates(kernel, machine_, request);
}

// The flags that others imply cost all candidates some cycles, and finding them half of the time.
void Chooser::count(const Candidate &candidate, llvm::ArrayRef<int64_t> dims,
                    ChosenVariant &chosen) {
  stepsLeft_ -= candidate.steps;
  CountedCandidate &counted = chosen.counted.emplace_back();
  counted.choices = candidate.choices;
  counted.predicted = candidate.cycles;
  counted.form = candidate.form;
  counted.cycles = cyclesOf(candidate.choices, dims, FlagEffort::kept);
  if (counted.cycles == 0) // or there may be too few events for all flags
    counted.cycles = cyclesOf(candidate.choices, dims, FlagEffort::fewest);
  if (counted.cycles > 0 && (chosen.cycles == 0 || counted.cycles < chosen.cycles)) {
    chosen.cycles = counted.cycles;
    chosen.choices = candidate.choices;
  }
}

// Where no candidate has room, such as of groups whose tiles the closed form leaves to the machine.
void Chooser::countShrunk(llvm::ArrayRef<int64_t> dims, ChosenVariant &chosen) {
  constexpr int64_t longest = 512;
  for (int64_t length = longest; length > 0 && chosen.cycles == 0; length /= 2) {
    Candidate shrunk;
    for (const std::string &dim : kernel_.dimensions) {
      const DimensionRole role = roleOf(kernel_, dim, &machine_.cube);
      const std::string key = "tile." + dim, word = std::to_string(llvm::alignTo(
                                                 length, std::max<int64_t>(1, role.multiple)));
      std::string message;
      if (!kept_.contains(key) && !role.isReduction &&
          checkChoice(kernel_, &machine_.cube, key, word, message))
        shrunk.choices.emplace_back(key, word);
    }
    count(shrunk, dims, chosen);
  }
}

void Chooser::takeByForm(const Candidate &candidate, llvm::ArrayRef<int64_t> dims,
                         ChosenVariant &chosen) {
  Lowering lowering = lower(candidate.choices, FlagEffort::kept);
  if (!lowering || !lowering.kernel().limitProblem(dims).empty())
    return;
  chosen.isByForm = true;
  chosen.choices = candidate.choices;
  chosen.cycles = static_cast<int64_t>(candidate.cycles);
}

namespace {

/// Directives in which two candidates differ; one that only one of them has counts as well.
size_t differences(const Choices &a, const Choices &b) {
  const std::map<std::string, std::string> ofA(a.begin(), a.end()), ofB(b.begin(), b.end());
  size_t count = 0;
  for (const auto &[key, word] : ofA)
    count += !ofB.contains(key) || ofB.at(key) != word;
  for (const auto &[key, word] : ofB)
    count += !ofA.contains(key);
  return count;
}

/// The closed form is right within a few percent; beyond this a change is not counted.
constexpr double worthCounting = 1.06;
/// Changes whose cycles differ by less, by the closed form, make no difference.
constexpr double noDifference = 1e-6;
/// Changes of one word that the closed form is computed for.
constexpr size_t mostCompared = 64;
/// Steps that are counted in all. It takes some 0.2 seconds; 8192 cubed has 65536 of them. A
/// variant that alone has more is not counted: 65536 cubed has 41 million.
constexpr double mostSteps = 3 << 18;
/// Steps that are counted while more than the usual number of tiles is: counting them takes less
/// time than compiling the variants.
constexpr double fewSteps = 1 << 12;

} // namespace

// Of the best variant: changes of one word, such as another order.
void Chooser::countChanges(ir::KernelOp kernel, CandidateRequest request, ChosenVariant &chosen) {
  Choices numbers;
  for (const auto &[key, word] : chosen.choices)
    if (hasNumbers(key) || key == "keep") { // a panel decides which tiles fit
      numbers.emplace_back(key, word);
      request.fixed[key] = word;
    }
  request.most = mostCompared;
  request.variesOptions = true;
  const Choices best = chosen.choices;
  const Candidates found = ranked(kernel, request);
  std::vector<double> known;
  const auto isKnown = [&](double cycles) {
    return std::ranges::any_of(
        known, [&](double it) { return std::abs(cycles - it) <= noDifference * it; });
  };
  for (const CountedCandidate &it : chosen.counted)
    if (differences(it.choices, best) == 0)
      known.push_back(it.form);
  size_t left = mostChanges;
  for (Candidate candidate : found.best) {
    if (left == 0 || stepsLeft_ <= 0 || candidate.form > worthCounting * found.best.front().form)
      return;
    candidate.choices = both(std::move(candidate.choices), numbers);
    if (differences(candidate.choices, best) != 1 || isKnown(candidate.form))
      continue;
    known.push_back(candidate.form);
    count(candidate, request.dims, chosen);
    --left;
  }
}

// A rule that reads what neither is chosen nor fixed is left to the lowering.
bool Chooser::follows(const Schedule &schedule, const Choices &choices) const {
  const ChosenNumber numberOf = [&](std::string_view key) -> std::optional<int64_t> {
    const std::string *word = wordOf(choices, key);
    if (const auto fixed = kept_.find(std::string(key)); !word && fixed != kept_.end())
      word = &fixed->second;
    return word ? parseInteger(*word) : std::nullopt;
  };
  return std::ranges::none_of(schedule.requirements, [&](const Requirement &requirement) {
    return judge(*requirement.rule, numberOf) == Verdict::broken;
  });
}

// Where the author or the user divides rows, every candidate does.
bool Chooser::dividesRows(const Choices &choices) const {
  return std::ranges::any_of(choices, [&](const auto &choice) {
    return isOf(choice.first, "grid") && roleOf(kernel_, indexOf(choice.first)).isDivided;
  });
}

/// A kernel in fusion groups, and the choices that group it so.
struct Chooser::Grouping {
  Choices choices;
  Lowering lowering;

  ir::KernelOp kernel() const { return *lowering.module.get().getOps<ir::KernelOp>().begin(); }
  CandidateRequest requestFor(CandidateRequest request) const {
    for (const auto &[key, word] : choices)
      request.fixed[key] = word;
    return request;
  }
  bool isOf(const Choices &variant) const {
    return std::ranges::all_of(choices, [&](const auto &choice) {
      return std::ranges::find(variant, choice) != variant.end();
    });
  }
};

// The groups are those of any variant, also where a rule, or the order that a panel needs, refuses
// the default.
Lowering Chooser::grouped(const Choices &choices) {
  PipelineOptions options;
  llvm::copy_if(fixed_, std::back_inserter(options.choices),
                [](const auto &it) { return it.first != "keep"; });
  options.choices = both(both(std::move(options.choices), units_), choices);
  mlir::OwningOpRef<mlir::ModuleOp> withoutRules = ir_->clone();
  // They name dimensions all the same, which are not joined then.
  withoutRules->walk([](ir::RequireOp rule) {
    mlir::Operation *result = rule.getRule().front().getTerminator();
    mlir::OpBuilder b(result);
    mlir::Value zero = mlir::arith::ConstantIndexOp::create(b, rule.getLoc(), 0);
    result->setOperand(0, mlir::arith::CmpIOp::create(b, rule.getLoc(),
                                                      mlir::arith::CmpIPredicate::eq, zero, zero));
  });
  return compiler_.lower(kernel_, std::move(withoutRules), LoweringLevel::fused, options,
                         /*findsNearest=*/false);
}

// Windows that products read in place of a matrix of them, with some channels at a time.
void Chooser::addWindows(const Choices &others, std::vector<Grouping> &groupings) {
  ir::KernelOp kernel = *ir_->getOps<ir::KernelOp>().begin();
  if (!backendOf(machine_.kind).hasPipes() || copiedWindows(kernel).empty())
    return;
  for (const int64_t channels : {8, 16, 32, 64, 128}) {
    Grouping direct{others, {}};
    direct.choices.emplace_back("window", fmt::format("direct({})", channels));
    direct.lowering = grouped(direct.choices);
    if (direct.lowering)
      groupings.push_back(std::move(direct));
  }
}

// Reductions of a product's rows are groups of their own, or in that of the product, as may be a
// product behind them.
std::vector<Chooser::Grouping> Chooser::groupings() {
  std::vector<Grouping> groupings;
  const auto addWhere = [&](const char *word, auto isJoined) {
    Grouping &joined = groupings.emplace_back(Choices{{"fuse", word}});
    joined.lowering = grouped(joined.choices);
    bool joins = false;
    if (joined.lowering)
      joined.lowering.module->walk([&](ir::FusionGroupOp group) { joins |= isJoined(group); });
    if (!joins)
      groupings.pop_back();
  };
  const auto products = [](ir::FusionGroupOp group) {
    return llvm::range_size(group.getBody().getOps<mlir::linalg::ContractOp>());
  };
  if (kernel_.hasProduct() && kernel_.hasReduction() && !kept_.contains("fuse"))
    addWhere("rows",
             [&](ir::FusionGroupOp group) { return group.getSpaceAttr() && products(group) > 0; });
  if (kernel_.hasProduct() && !kept_.contains("fuse"))
    addWhere("products",
             [&](ir::FusionGroupOp group) { return group.getSpaceAttr() && products(group) > 1; });
  if (!kept_.contains("window"))
    addWindows({}, groupings);
  if (kernel_.hasPooling() && !kept_.contains("fuse")) {
    addWhere("windows", [&](ir::FusionGroupOp group) { return products(group) > 1; });
    if (!kept_.contains("window"))
      addWindows({{"fuse", "windows"}}, groupings);
  }
  Grouping &usual = groupings.emplace_back();
  usual.lowering = grouped({});
  if (!usual.lowering)
    groupings.pop_back();
  return groupings;
}

// Whether a pooling is a pass of its own decides over the transfers of single elements, of which
// the closed form knows little: the best candidates of both ways are counted.
void Chooser::countPooled(std::vector<Candidate> &best) {
  constexpr ptrdiff_t most = 3;
  const auto isPooled = [](const Candidate &it) {
    const std::string *fuse = wordOf(it.choices, "fuse");
    return fuse && *fuse == "windows";
  };
  auto first = best.begin();
  for (auto at = best.begin(); at != best.end() && first - best.begin() < most; ++at)
    if (isPooled(*at))
      std::rotate(first++, at, at + 1);
}

std::optional<ChosenVariant> Chooser::choose(llvm::ArrayRef<int64_t> dims) {
  const TimedScope timed("choose the variant");
  if (!ir_)
    ir_ = compiler_.toIr(kernel_);
  units_ = unitsOf(dims);
  CandidateRequest request;
  request.dims = dims;
  for (const Parameter &parameter : kernel_.parameters)
    if (parameter.isScalar() && parameter.byDefault && !isFloat(parameter.type))
      request.scalars[parameter.name] = static_cast<int64_t>(*parameter.byDefault);
  request.fixed = kept_;
  request.most = mostCheap;
  if (const Schedule *schedule = kernel_.scheduleFor(machine_.name);
      schedule && !schedule->requirements.empty())
    request.isAllowed = [&, schedule](const Choices &choices) {
      return follows(*schedule, choices);
    };

  std::vector<Grouping> groupings = this->groupings();
  std::vector<Candidate> best;
  ChosenVariant chosen;
  for (const Grouping &grouping : groupings) {
    Candidates found = ranked(grouping.kernel(), grouping.requestFor(request));
    chosen.considered += found.considered;
    for (Candidate &candidate : found.best) {
      candidate.choices = both(both(std::move(candidate.choices), grouping.choices), units_);
      best.push_back(std::move(candidate));
    }
  }
  std::ranges::stable_sort(best, {},
                           [](const Candidate &it) { return std::pair(it.cycles, it.form); });
  if (kernel_.hasPooling())
    countPooled(best);
  // The default is counted as well, and has about as many steps as a candidate.
  stepsLeft_ = mostSteps - (best.empty() ? 0 : std::min(best.front().steps, mostSteps / 2));
  const double most = stepsLeft_;
  // Of those that divide rows all are counted, besides the best of the others.
  size_t countedWhole = 0;
  for (const Candidate &candidate : best) {
    const bool isDivided = dividesRows(candidate.choices),
               isOfFirst = (isDivided || countedWhole < mostTiles) && stepsLeft_ > 0,
               isCheap = most - stepsLeft_ + candidate.steps <= fewSteps;
    if (chosen.cycles == 0 && candidate.steps > mostSteps)
      takeByForm(candidate, dims, chosen);
    else if (isOfFirst || isCheap || chosen.cycles == 0) {
      count(candidate, dims, chosen);
      countedWhole += !isDivided;
    }
    if (chosen.isByForm)
      break;
  }
  if (chosen.isByForm)
    return chosen;
  if (chosen.cycles == 0)
    countShrunk(dims, chosen);
  if (chosen.cycles == 0)
    return std::nullopt;
  chosen.defaultCycles = cyclesOf(units_, dims, FlagEffort::fewest);
  for (const Grouping &grouping : groupings)
    if (grouping.isOf(chosen.choices)) {
      countChanges(grouping.kernel(), grouping.requestFor(request), chosen);
      break;
    }
  if (chosen.counted.size() > 1)
    chosen.cycles = cyclesOf(chosen.choices, dims, FlagEffort::fewest);
  if (chosen.defaultCycles > 0 && chosen.defaultCycles < chosen.cycles) {
    chosen.cycles = chosen.defaultCycles;
    chosen.choices = units_;
  }
  return chosen;
}

} // namespace mmk
