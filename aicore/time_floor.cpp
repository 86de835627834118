#include "aicore/time_floor.h"

#include "aicore/group_floor.h"
#include "aicore/plan_time.h"
#include "passes/variant.h"
#include "runtime/clock.h"
#include "schedule/directive.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <map>
#include <tuple>

namespace mmk::aicore {
namespace {

/// What a directive changes of a plan, given the number of its dimension and the value of a word.
struct Effect {
  std::string_view key; ///< of a dimension, the name of the directive alone
  bool ofDimension;
  /// Null: whether it is another word than that of the kernel that was read.
  int64_t (*valueOf)(llvm::StringRef word);
  void (*set)(Plan &plan, size_t dim, int64_t value);
};

int64_t numberOf(llvm::StringRef word) {
  int64_t number = 0;
  return word.getAsInteger(10, number) ? 0 : number;
}

/// The value of swizzle(0): of an order with a width.
constexpr int64_t swizzled = 16;
int64_t orderOf(llvm::StringRef word) {
  const auto chosen = chosenWord(*findDirective("order"), word);
  if (chosen && chosen->word == "swizzle")
    return swizzled + chosen->argument;
  return chosen ? static_cast<int64_t>(
                      ir::symbolizeOrder(llvm::StringRef(chosen->word)).value_or(ir::Order::rows))
                : 0;
}
void setOrder(Plan &plan, size_t, int64_t value) {
  plan.options.order = value > swizzled ? ir::Order::swizzle : static_cast<ir::Order>(value);
  plan.options.width = value > swizzled ? value - swizzled : 1;
}

int64_t panelOf(llvm::StringRef word) {
  const auto panel = keptPanel(word);
  return panel ? 1 + panel->operand + 2 * panel->depth : 0;
}
void setPanel(Plan &plan, size_t, int64_t value) {
  using enum PlanOptions::Kept;
  plan.options.kept = value == 0 ? none : value % 2 == 1 ? a : b;
  plan.panelDepth = (value - 1) / 2;
}

/// 1: groups of their own; 2: groups that reduce products.
int64_t fusionOf(llvm::StringRef word) { return word == "none" ? 1 : word == "all" ? 0 : 2; }
void setFusion(Plan &plan, size_t, int64_t value) {
  plan.options.separate = value == 1;
  plan.options.reducesProducts = value == 2;
}

template <auto member> void setCopies(Plan &plan, size_t, int64_t value) {
  plan.copies.*member = value;
}
template <auto member> void setOption(Plan &plan, size_t, int64_t value) {
  plan.options.*member = value;
}
template <auto member> void setLength(Plan &plan, size_t dim, int64_t value) {
  plan.dims[dim].*member = value;
}

llvm::ArrayRef<Effect> effects() {
  static constexpr Effect all[] = {
      {"cores", false, numberOf, [](Plan &plan, size_t, int64_t value) { plan.cores = value; }},
      {"tile", true, numberOf, setLength<&Plan::Dimension::tile>},
      {"stage", true, numberOf, setLength<&Plan::Dimension::stage>},
      {"grid", true, numberOf,
       [](Plan &plan, size_t dim, int64_t value) {
         plan.dims[dim].splits = std::max<int64_t>(1, value);
       }},
      {"buffers.l1", false, numberOf, setCopies<&PlanCopies::l1>},
      {"buffers.l0", false, numberOf, setCopies<&PlanCopies::l0>},
      {"buffers.ub", false, numberOf, setCopies<&PlanCopies::ub>},
      {"buffers.out", false, numberOf, setCopies<&PlanCopies::out>},
      {"buffers.acc", false, numberOf, setCopies<&PlanCopies::acc>},
      {"order", false, orderOf, setOrder},
      {"keep", false, panelOf, setPanel},
      {"bias", false, [](llvm::StringRef word) -> int64_t { return word == "table"; },
       setOption<&PlanOptions::biasTable>},
      {"skew", false, [](llvm::StringRef word) -> int64_t { return word == "stages"; },
       setOption<&PlanOptions::skewed>},
      {"store", false, [](llvm::StringRef word) -> int64_t { return word == "overlapped"; },
       setOption<&PlanOptions::overlapped>},
      {"fuse", false, fusionOf, setFusion},
      {"window", false, nullptr, setOption<&PlanOptions::readsWindows>},
  };
  return all;
}

class FloorOfPlans : public TimeFloor {
public:
  FloorOfPlans(ir::KernelOp kernel, const Machine &machine, llvm::ArrayRef<int64_t> dims,
               llvm::ArrayRef<VariedDirective> varied)
      : window_(kernel.chosenWord("window", "unfolded")), dims_(dims.begin(), dims.end()),
        request_(requestFor(dims_)), space_(kernel, machine, request_), time_(space_),
        first_(space_.first()), task_(static_cast<double>(taskCycles(machine))) {
    for (const PlanSpace::Group &group : space_.groups())
      floors_.emplace_back(group.work, machine);
    outputs_.resize(first_.dims.size());
    for (const PlanSpace::Group &group : space_.groups())
      for (const auto &dim : {group.row, group.column})
        if (dim)
          outputs_[*dim] = true;
    for (Plan::Dimension &dim : first_.dims)
      dim = {};
    for (const VariedDirective &each : varied)
      setters_.push_back(setterOf(each));
  }

  double predicted(llvm::ArrayRef<uint16_t> places) const override {
    const Plan plan = planOf(places);
    if (!isWhole(plan))
      return 0;
    // Whether elementwise work fits UB is an estimate.
    constexpr double mayNotFit = 1.1;
    return (task_ + time_.cycles(plan, waitsOf(plan))) * (space_.fits(plan) ? 1 : mayNotFit);
  }

  double steps(llvm::ArrayRef<uint16_t> places) const override {
    const Plan plan = planOf(places);
    return isWhole(plan) ? time_.steps(plan) : 0;
  }

  std::optional<int64_t> cycles(llvm::ArrayRef<uint16_t> places) const override {
    const Plan plan = planOf(places);
    FloorOptions options;
    Grid grid;
    const int64_t cores = plan.cores > 0 ? plan.cores : space_.cores();
    for (size_t i = 0; i < outputs_.size(); ++i)
      (outputs_[i] ? grid.rectangles : grid.splits) *= std::max<int64_t>(1, plan.dims[i].splits);
    if (!isWhole(plan))
      return 0;
    if (!fits(plan, grid))
      return std::nullopt;
    options.cores = cores;
    double cycles = task_ + time_.ofBothKinds(plan);
    for (size_t i = 0; i < floors_.size(); ++i) {
      const PlanSpace::Group &group = space_.groups()[i];
      llvm::SmallVector<GroupTiling, 2> tilings;
      for (size_t product = 0; product < std::max<size_t>(1, group.products.size()); ++product) {
        tilings.push_back(space_.tilingOf(plan, group, product));
        tilings.back().cores = std::min(cores, busyCores(plan, group));
      }
      options.separate = plan.options.separate;
      cycles += floors_[i].cycles(tilings, options);
    }
    return static_cast<int64_t>(cycles);
  }

private:
  static CandidateRequest requestFor(llvm::ArrayRef<int64_t> dims) {
    CandidateRequest request;
    request.dims = dims;
    return request;
  }

  struct Setter {
    void (*set)(Plan &plan, size_t dim, int64_t value) = nullptr; ///< null: no effect on the time
    size_t dim = 0;
    std::vector<int64_t> values; ///< by word; 0: open
  };

  Setter setterOf(const VariedDirective &varied) const {
    Setter setter;
    const auto number = space_.numberOf(std::string(indexOf(varied.key)));
    const auto effect = llvm::find_if(effects(), [&](const Effect &it) {
      return it.ofDimension ? number && isOf(varied.key, it.key) : varied.key == it.key;
    });
    if (effect == effects().end())
      return {nullptr, 0, std::vector<int64_t>(varied.words.size())};
    setter.set = effect->set;
    setter.dim = number.value_or(0);
    for (const std::string &word : varied.words)
      setter.values.push_back(effect->valueOf ? effect->valueOf(word) : word != window_);
    return setter;
  }

  Plan planOf(llvm::ArrayRef<uint16_t> places) const {
    Plan plan = first_;
    for (size_t i = 0; i < setters_.size(); ++i)
      if (const Setter &setter = setters_[i]; setter.set)
        setter.set(plan, setter.dim, setter.values[places[i]]);
    return plan;
  }

  /// Parts that the output and the reduction are distributed in.
  struct Grid {
    int64_t rectangles = 1, splits = 1;
  };

  /// Whether all sizes are known, and the groups are those of the kernel that was read.
  bool isWhole(const Plan &plan) const {
    if (plan.options.reducesProducts || plan.options.readsWindows)
      return false;
    for (const PlanSpace::Group &group : space_.groups())
      for (const PlanSpace::ProductDims &dims : group.products) {
        if (dims.image) // the lower bounds are those of two matrices
          return false;
        const auto hasTile = [&](const PlanSpace::Number &dim) {
          return !dim || plan.dims[*dim].tile > 0;
        };
        if (!hasTile(dims.row) || !hasTile(dims.column) || !hasTile(dims.depth) ||
            (dims.depth && plan.dims[*dims.depth].stage == 0))
          return false;
      }
    return true;
  }

  /// Rectangles of tiles are of one core each.
  static int64_t busyCores(const Plan &plan, const PlanSpace::Group &group) {
    const auto parts = [&](const PlanSpace::Number &dim) {
      return dim ? std::max<int64_t>(1, plan.dims[*dim].splits) : 1;
    };
    const int64_t rectangles = parts(group.row) * parts(group.column);
    return group.products.empty() || rectangles == 1
               ? INT64_MAX
               : rectangles * parts(group.products.front().depth);
  }

  bool fits(const Plan &plan, const Grid &grid) const {
    if (!space_.hasProduct())
      return true;
    if (grid.rectangles > 1 && grid.rectangles * grid.splits > space_.cores())
      return false;
    const auto has = [](const std::vector<bool> &words, bool word) {
      return std::ranges::find(words, word) != words.end();
    };
    return has(space_.overlaps(plan), plan.options.overlapped) &&
           has(space_.tables(plan), plan.options.biasTable) &&
           has(space_.separations(), plan.options.separate) && space_.fits(plan) && panelFits(plan);
  }

  /// A panel holds the depth of a split.
  bool panelFits(const Plan &plan) const {
    return plan.options.kept == PlanOptions::Kept::none ||
           std::ranges::all_of(space_.groups(), [&](const PlanSpace::Group &group) {
             return group.products.empty() ||
                    plan.panelDepth >= llvm::divideCeilSigned(group.work.products.front().depth,
                                                              space_.tilingOf(plan, group).splits);
           });
  }

  /// Few of the directives matter to them, and they take long to find.
  const PlanTime::Waits &waitsOf(const Plan &plan) const {
    Plan key = plan;
    key.copies = {};
    key.options.overlapped = key.options.separate = false;
    const auto [place, isNew] =
        waits_.try_emplace(std::tuple(key.dims, key.options, key.cores), PlanTime::Waits());
    if (isNew)
      place->second = time_.waitsOf(key);
    return place->second;
  }

  std::string window_; ///< the word of the kernel that was read
  std::vector<int64_t> dims_;
  CandidateRequest request_;
  PlanSpace space_;
  PlanTime time_;
  mutable std::map<std::tuple<decltype(Plan::dims), PlanOptions, int64_t>, PlanTime::Waits> waits_;
  std::vector<GroupFloor> floors_;
  std::vector<Setter> setters_;
  Plan first_;
  std::vector<bool> outputs_; ///< dimensions of the kernel that are of an output
  double task_;
};

} // namespace

std::unique_ptr<TimeFloor> timeFloor(ir::KernelOp kernel, const Machine &machine,
                                     llvm::ArrayRef<int64_t> dims,
                                     llvm::ArrayRef<VariedDirective> varied) {
  return std::make_unique<FloorOfPlans>(kernel, machine, dims, varied);
}

} // namespace mmk::aicore
