#include "aicore/candidates.h"

#include "aicore/chain_candidates.h"
#include "aicore/plan_time.h"
#include "runtime/clock.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>
#include <cmath>

namespace mmk::aicore {
namespace {

/// Plans that are compared with their waits for memory, which takes longer than without.
constexpr size_t mostWaiting = 20;
/// Depths of a stage that are tried for each tile.
constexpr int triedStages = 4;

/// Plans with divided rows that are counted.
constexpr size_t mostDivided = 3;

/// Plans that a descent starts from, and its steps; what it must gain to go on.
constexpr size_t descents = 3;
constexpr int mostDescent = 8;
constexpr double worthDescent = 0.998;

/// Elements of a step of elementwise work that hide the start-up of its transfers.
constexpr int64_t leastElements = 4096;

struct TimedPlan {
  double cycles = INFINITY;
  Plan plan;
};

/// The plans with the least cycles, the best first; of equal ones the first that was added.
class BestPlans {
public:
  explicit BestPlans(size_t most) : most_(most) {}
  void add(double cycles, const Plan &plan) {
    if (plans_.size() == most_ && cycles >= plans_.back().cycles)
      return;
    const auto place = std::ranges::upper_bound(plans_, cycles, {}, &TimedPlan::cycles);
    for (auto same = plans_.begin(); same != place; ++same)
      if (same->cycles == cycles && same->plan.dims == plan.dims &&
          same->plan.options == plan.options && same->plan.copies == plan.copies)
        return;
    plans_.insert(place, {cycles, plan});
    if (plans_.size() > most_)
      plans_.pop_back();
  }
  const std::vector<TimedPlan> &plans() const { return plans_; }

private:
  size_t most_;
  std::vector<TimedPlan> plans_;
};

class CandidateSearch {
public:
  CandidateSearch(ir::KernelOp kernel, const Machine &machine, const CandidateRequest &request)
      : request_(request), space_(kernel, machine, request), time_(space_),
        taskCycles_(static_cast<double>(taskCycles(machine))) {}

  Candidates run() {
    Candidates candidates;
    addBest(request_.most, candidates);
    // Plans that divide rows come besides the others: steps of a short part wait for each other,
    // which the closed form does not know, so that it may rank them too high.
    divides_ = !request_.variesOptions && std::ranges::any_of(space_.groups(), [&](auto &group) {
      return group.products.empty() && group.work.ofRows && space_.mayDivide(group);
    });
    if (divides_)
      addBest(mostDivided, candidates);
    candidates.considered = considered_;
    return candidates;
  }

private:
  /// The best plans, or with `divides_` those that divide rows.
  void addBest(size_t most, Candidates &candidates) {
    BestPlans tiled(mostWaiting);
    Plan plan = space_.first();
    // Groups share dimensions, so that the tile of one decides that of another.
    const int sweeps = space_.groups().size() == 1 ? 1 : 2;
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (const PlanSpace::Group &group : space_.groups())
        plan = !group.products.empty() ? improveProduct(plan, group, tiled)
               : group.work.ofRows     ? improveRows(plan, group, tiled)
                                       : improveElementwise(plan, group, tiled);
    BestPlans best(most);
    for (const TimedPlan &each : tiled.plans())
      addOptions(each.plan, best);
    if (!request_.variesOptions)
      descend(best);
    for (const TimedPlan &each : best.plans())
      candidates.best.push_back({space_.choicesOf(each.plan), each.cycles + taskCycles_,
                                 time_.steps(each.plan),
                                 taskCycles_ + time_.ofBothKinds(each.plan)});
  }

  using Consider = llvm::function_ref<void(const Plan &)>;

  bool isAllowed(const Plan &plan) const {
    return !request_.isAllowed || request_.isAllowed(space_.choicesOf(plan));
  }

  /// The least time that a plan may take, with any word of `bias`: with the table a product may
  /// have no work for the vector cores.
  double leastCycles(Plan plan) const {
    double least = INFINITY;
    for (bool table : space_.tables(plan)) {
      plan.options.biasTable = table;
      least = std::min(least, time_.cyclesWithoutWaits(plan));
    }
    return least;
  }

  /// The best of the plans that `enumerate` considers, which are added to `best`.
  Plan bestOf(const Plan &plan, BestPlans &best, llvm::function_ref<void(Consider)> enumerate) {
    TimedPlan least{INFINITY, plan};
    enumerate([&](const Plan &trial) {
      if (!space_.fits(trial) || !isAllowed(trial))
        return;
      ++considered_;
      const double cycles = leastCycles(trial);
      if (!divides_ || space_.divides(trial))
        best.add(cycles, trial);
      if (cycles < least.cycles)
        least = {cycles, trial};
    });
    return least.plan;
  }

  Plan improveProduct(const Plan &plan, const PlanSpace::Group &group, BestPlans &best) {
    const PlanSpace::ProductDims &dims = group.products.front();
    const ProductWork &product = group.work.products.front();
    const auto lengths = [&](PlanSpace::Number dim, int64_t extent, int64_t literal) {
      return dim ? space_.lengths(*dim, extent, space_.longestTile())
                 : std::vector<int64_t>{literal};
    };
    return bestOf(plan, best, [&](Consider consider) {
      for (int64_t rows : lengths(dims.row, product.rows, dims.literal.m))
        for (int64_t columns : lengths(dims.column, product.columns, dims.literal.n)) {
          Plan trial = plan;
          if (dims.row)
            trial.dims[*dims.row].tile = rows;
          if (dims.column)
            trial.dims[*dims.column].tile = columns;
          // The depths of other products follow from the new tile.
          for (const PlanSpace::Group &other : space_.groups())
            for (size_t i = 0; i < other.products.size(); ++i)
              (void)space_.setDepth(trial, other.products[i], other.work.products[i].depth, 0);
          considerDepths(trial, group, consider);
        }
    });
  }

  void considerDepths(Plan trial, const PlanSpace::Group &group, Consider consider) const {
    const PlanSpace::ProductDims &dims = group.products.front();
    const ProductWork &product = group.work.products.front();
    const GroupTiling tiling = space_.tilingOf(trial, group);
    const int64_t tiles = group.work.batches * llvm::divideCeilSigned(product.rows, tiling.rows) *
                          llvm::divideCeilSigned(product.columns, tiling.columns);
    for (int64_t splits : space_.splits(dims, product, tiles)) {
      if (dims.depth)
        trial.dims[*dims.depth].splits = splits;
      const int64_t depth = llvm::divideCeilSigned(product.depth, splits);
      for (int stage = 0; stage < triedStages && space_.setDepth(trial, dims, depth, stage);
           ++stage)
        // Of numbers of splits that come out the same, the least.
        if (splits == 1 || space_.hasSplits() || time_.splits(trial, group) == splits)
          consider(trial);
    }
  }

  Plan improveElementwise(const Plan &plan, const PlanSpace::Group &group, BestPlans &best) {
    if (space_.hasProduct())
      return plan; // its tile is that of the products
    return bestOf(plan, best, [&](Consider consider) {
      // Whole vectors; rows are distributed to the vector cores, or columns where there are no
      // rows.
      const int64_t cores = space_.cores() * space_.unitsOfCore();
      const int64_t elements = group.work.rows * group.work.columns,
                    share = llvm::divideCeilSigned(group.work.batches * elements, cores),
                    least = std::min({share, leastElements, elements,
                                      space_.mostElements(plan, group.work) / 2});
      for (int64_t rows : space_.shares(group.row, group.work.rows, cores, 1))
        for (int64_t columns :
             space_.shares(group.column, group.work.columns, group.row ? 1 : cores, 16)) {
          if (rows * columns < least)
            continue;
          Plan trial = plan;
          if (group.row)
            trial.dims[*group.row].tile = rows;
          if (group.column)
            trial.dims[*group.column].tile = columns;
          fitCopies(trial);
          consider(trial);
        }
    });
  }

  /// A tile that has no room for two copies of its buffers takes one.
  void fitCopies(Plan &trial) const {
    if (!space_.fits(trial) && space_.hasOpenCopies())
      trial.copies.ub = trial.copies.out = 1;
  }

  /// Rows of a tile are shares of the cores, and parts of the reduced dimension as long as UB
  /// takes, or the whole of it.
  Plan improveRows(const Plan &plan, const PlanSpace::Group &group, BestPlans &best) {
    if (space_.hasProduct())
      return plan;
    const RowWork &work = *group.work.ofRows;
    const bool reducesColumns = work.program.plane().reducesColumns;
    const PlanSpace::Number kept = reducesColumns ? group.row : group.column,
                            reduced = reducesColumns ? group.column : group.row;
    const int64_t cores = space_.cores() * space_.unitsOfCore();
    return bestOf(plan, best, [&](Consider consider) {
      for (RowForm form : space_.rowForms(group))
        for (int64_t length : space_.shares(kept, work.keptExtent, cores, reducesColumns ? 1 : 16))
          for (int64_t part :
               space_.shares(reduced, work.reducedExtent, 1, reducesColumns ? 16 : 1)) {
            const bool whole = form == RowForm::whole;
            if (whole && part < work.reducedExtent)
              continue;
            Plan trial = plan;
            if (!space_.namedForm(group))
              trial.options.rows = form;
            if (kept)
              trial.dims[*kept].tile = length;
            if (reduced)
              trial.dims[*reduced].tile = part;
            considerParts(trial, group, whole, length, consider);
          }
    });
  }

  /// The same tile for whole rows, and for parts of them that the cores share.
  void considerParts(Plan trial, const PlanSpace::Group &group, bool whole, int64_t length,
                     Consider consider) const {
    // A long row is still read once where its buffers have one copy.
    if (whole)
      fitCopies(trial);
    for (const std::vector<int64_t> &division : space_.divisions(group, length, divides_)) {
      for (auto [dim, parts] : llvm::zip(group.work.ofRows->reduced, division))
        if (const PlanSpace::Number number = space_.numberOf(dim.name))
          trial.dims[*number].splits = parts;
      Plan fitted = trial;
      space_.fitResultRows(fitted, group);
      consider(fitted);
    }
  }

  /// Adds the plan with the best of its options, or with all of them.
  void addOptions(const Plan &plan, BestPlans &best) const {
    if (space_.isKept()) {
      for (const Plan &kept : space_.keeping(plan))
        addKeeping(kept, INFINITY, best);
      return;
    }
    TimedPlan least;
    Plan trial = plan;
    for (const auto &[order, width] : space_.orders())
      for (bool skewed : space_.skews())
        for (bool table : space_.tables(plan)) {
          trial.options = {.order = order,
                           .width = width,
                           .skewed = skewed,
                           .biasTable = table,
                           .rows = plan.options.rows};
          const PlanTime::Waits waits = time_.waitsOf(trial);
          for (bool overlapped : space_.overlaps(trial))
            for (bool separate : space_.separations()) {
              trial.options.overlapped = overlapped;
              trial.options.separate = separate;
              const double cycles = time_.cycles(trial, waits);
              if (request_.variesOptions)
                best.add(cycles, trial);
              if (cycles < least.cycles)
                least = {cycles, trial};
            }
        }
    if (request_.variesOptions)
      return;
    best.add(least.cycles, least.plan);
    for (const Plan &kept : space_.keeping(plan))
      addKeeping(kept, least.cycles, best);
  }

  /// Adds what the best plans become, change by change. Then tries exchanges of rows and columns on
  /// all of them, and descends once more where one of these is the best so far.
  void descend(BestPlans &best) {
    const std::vector<TimedPlan> starts = best.plans();
    for (size_t i = 0; i < std::min(descents, starts.size()); ++i)
      descendFrom(starts[i], best);
    TimedPlan exchanged = best.plans().empty() ? TimedPlan() : best.plans().front();
    const double least = exchanged.cycles;
    for (const TimedPlan &each : best.plans())
      improve(exchanged, space_.exchangesOf(each.plan));
    if (exchanged.cycles < least)
      descendFrom(exchanged, best);
  }

  void descendFrom(TimedPlan now, BestPlans &best) {
    for (int step = 0; step < mostDescent; ++step) {
      const double before = now.cycles;
      improve(now, space_.changesOf(now.plan));
      if (now.cycles > worthDescent * before)
        break;
    }
    best.add(now.cycles, now.plan);
  }

  /// The best of a plan and these.
  void improve(TimedPlan &now, const std::vector<Plan> &trials) {
    for (const Plan &trial : trials) {
      if (!space_.fits(trial) || !isAllowed(trial))
        continue;
      ++considered_;
      if (time_.cyclesWithoutWaits(trial) >= now.cycles)
        continue;
      if (const double cycles = time_.cycles(trial, time_.waitsOf(trial)); cycles < now.cycles)
        now = {cycles, trial};
    }
  }

  /// Adds a plan that keeps a panel, if it may take less than `most` cycles.
  void addKeeping(Plan trial, double most, BestPlans &best) const {
    TimedPlan least;
    if (leastCycles(trial) >= most || !isAllowed(trial))
      return;
    for (bool table : space_.tables(trial)) {
      trial.options.biasTable = table;
      const PlanTime::Waits waits = time_.waitsOf(trial);
      for (bool overlapped : space_.overlaps(trial)) {
        trial.options.overlapped = overlapped;
        const double cycles = time_.cycles(trial, waits);
        if (request_.variesOptions)
          best.add(cycles, trial);
        if (cycles < least.cycles)
          least = {cycles, trial};
      }
    }
    if (!request_.variesOptions)
      best.add(least.cycles, least.plan);
  }

  const CandidateRequest &request_;
  PlanSpace space_;
  PlanTime time_;
  int64_t considered_ = 0;
  bool divides_ = false; ///< also tries parts of rows
  double taskCycles_;
};

} // namespace

/// What HBM takes for the tensors of a kernel, each of them once, but for those that are read in
/// parts.
static double memoryCycles(ir::KernelOp kernel, const Machine &machine,
                           llvm::ArrayRef<int64_t> dims) {
  const auto bytesOf = [&](mlir::Attribute attribute, mlir::Type type) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor)
      return 0.0;
    double bytes = tensor.getElementTypeBitWidth() / 8.0;
    for (mlir::StringAttr name : mlir::cast<ir::NamedAttr>(attribute).getDims())
      bytes *= static_cast<double>(extentOf(kernel, dims, name.getValue()));
    return bytes;
  };
  mlir::Block &body = kernel.getBody().front();
  double loaded = 0, stored = 0;
  for (auto [name, argument] : llvm::zip(kernel.getArgs(), body.getArguments()))
    if (!argument.use_empty() && llvm::none_of(argument.getUsers(), [](mlir::Operation *user) {
          return mlir::isa<ir::WindowOp, mlir::tensor::ExtractSliceOp>(user);
        }))
      loaded += bytesOf(name, argument.getType());
  for (auto [name, result] : llvm::zip(kernel.getResults(), body.getTerminator()->getOperands()))
    stored += bytesOf(name, result.getType());
  return ofHbm(machine, loaded, stored);
}

Candidates findCandidates(ir::KernelOp kernel, const Machine &machine,
                          const CandidateRequest &request) {
  Candidates candidates;
  if (std::optional<Candidates> chains = chainCandidates(kernel, machine, request))
    candidates = std::move(*chains);
  else
    candidates = CandidateSearch(kernel, machine, request).run();
  const double memory = memoryCycles(kernel, machine, request.dims);
  for (Candidate &candidate : candidates.best) {
    candidate.form = candidate.cycles;
    candidate.cycles = std::max(candidate.cycles, candidate.fixed + memory);
  }
  return candidates;
}

} // namespace mmk::aicore
