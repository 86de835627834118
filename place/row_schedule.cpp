#include "place/row_schedule.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace mmk {

aicore::Broadcast broadcastOf(const RowProgram &program, ArrayRef<int64_t> dims) {
  // A plane without rows has one.
  const bool byColumn = llvm::is_contained(dims, program.plane().columns),
             byRow = program.plane().rows < 0 ? byColumn
                                              : llvm::is_contained(dims, program.plane().rows);
  return byRow && byColumn ? aicore::Broadcast::full
         : byColumn        ? aicore::Broadcast::row
         : byRow           ? aicore::Broadcast::column
                           : aicore::Broadcast::single;
}

bool varies(const RowProgram &program, ArrayRef<int64_t> dims) {
  return llvm::any_of(dims,
                      [&](int64_t dim) { return dim >= 0 && program.space().isReduced[dim]; });
}

namespace {

using Kind = RowStep::Kind;
using Place = RowPlace::Kind;

class RowScheduler {
public:
  RowScheduler(RowProgram &program, bool whole) : p(program), whole(whole) {}

  RowSchedule run();

private:
  /// The operations of the block that compute a value from what is held, in order, and the held
  /// values that they read.
  struct Cone {
    llvm::SetVector<Operation *> operations;
    llvm::SetVector<Value> leaves;
  };
  /// A value that has to be in UB: an operand of a reduction, or an output.
  struct Wanted {
    Value value;
    unsigned level = 0;
    std::optional<size_t> reduction, output;
  };

  void findWanted();
  void schedule(const Wanted &next, RowPass &pass);
  void scheduleScan(size_t number, RowPlace from, RowPass &pass);
  void scheduleReduction(size_t number, RowPlace from, RowPass &pass);
  void scheduleRunning(RowPass &pass);
  const OnlineRows::Sum *onlineSum(size_t number);
  void scheduleFactors(RowPass &pass);
  void scheduleKeptOutputs(unsigned level, std::vector<RowStep> &steps);
  void collect(Value value, Cone &cone);
  Cone coneOf(ArrayRef<Value> values);
  /// Computes what a step on the plane reads of kept values.
  void prepareKept(Value value, std::vector<RowStep> &steps);
  void ensureKept(Value value, std::vector<RowStep> &steps);
  void compute(ArrayRef<Value> values, ArrayRef<RowPlace> targets, bool isKept,
               std::vector<RowStep> &steps);
  void scheduleWeights(const Wanted &first, RowPass &pass);
  std::optional<RowPlace> placeOnPlane(Value value);
  RowPlace planeTile(Value value);
  bool isNeeded(Value value);
  /// Whether a value has one element for each kept iteration, and may be held so.
  bool isKept(Value value) { return p.isOfBlock(value) && p.isKept(value); }
  RowPlace keptTile(Type element) {
    s.tiles.push_back({element, true});
    return {Place::tile, static_cast<unsigned>(s.tiles.size() - 1)};
  }
  void countScratch(const Cone &cone, ArrayRef<Value> values);
  void endPass(RowPass &pass);

  RowProgram &p;
  bool whole;
  RowSchedule s;
  std::vector<Wanted> wanted; ///< on the plane, in order of levels
  size_t next = 0;            ///< of them, the first that is not scheduled
  llvm::MapVector<Value, RowPlace> held;
};

void RowScheduler::findWanted() {
  for (auto [number, reduction] : llvm::enumerate(p.reductions()))
    wanted.push_back({reduction.operand, p.levelOf(reduction.operand), number, std::nullopt});
  const auto isOfScan = [&](Value value) {
    return llvm::any_of(p.reductions(), [&](const RowReduction &reduction) {
      return reduction.isScan && reduction.result == value;
    });
  };
  for (auto [number, output] : llvm::enumerate(p.outputs()))
    if (isOfScan(output.element))
      continue; // scheduled with it
    else if (varies(p, output.dims))
      wanted.push_back({output.element, p.levelOf(output.element), std::nullopt, number});
    else
      s.keptOutputs.push_back(number);
  llvm::stable_sort(wanted, [](const Wanted &x, const Wanted &y) { return x.level < y.level; });
  for (auto [number, input] : llvm::enumerate(p.inputs())) {
    held[input.element] = {Place::input, static_cast<unsigned>(number)};
    if (!varies(p, input.dims))
      s.keptInputs.push_back(number);
  }
}

void RowScheduler::collect(Value value, Cone &cone) {
  // A reduction that is not scheduled yet is an argument of the block.
  if (held.contains(value) || isa<BlockArgument>(value)) {
    if (value.getParentBlock() == &p.block())
      cone.leaves.insert(value);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (value.getParentBlock() != &p.block() || cone.operations.contains(op))
    return;
  for (Value operand : op->getOperands())
    collect(operand, cone);
  cone.operations.insert(op);
}

RowScheduler::Cone RowScheduler::coneOf(ArrayRef<Value> values) {
  Cone cone;
  for (Value value : values)
    collect(value, cone);
  return cone;
}

bool RowScheduler::isNeeded(Value value) {
  for (size_t i = next; i < wanted.size(); ++i)
    if (coneOf(wanted[i].value).leaves.contains(value))
      return true;
  return false;
}

// Values alive at once between the operations; an instruction may overwrite an operand at its last
// use, and one value of f32 may be in a target of f32.
void RowScheduler::countScratch(const Cone &cone, ArrayRef<Value> values) {
  llvm::DenseMap<Value, unsigned> usesLeft;
  int64_t alive[2] = {0, 0}, most[2] = {0, 0}, floats = 0;
  const bool holdsFloat = values[0].getType().isF32();
  auto kindOf = [](Value it) { return it.getType().isInteger(1) ? 1 : 0; };
  for (Operation *op : cone.operations) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      continue; // a scalar of its instruction
    for (Value operand : op->getOperands())
      if (auto left = usesLeft.find(operand); left != usesLeft.end() && --left->second == 0)
        --alive[kindOf(operand)], floats -= operand.getType().isF32();
    for (Value result : op->getResults()) {
      unsigned uses = llvm::count(values, result);
      for (OpOperand &use : result.getUses())
        uses += cone.operations.contains(use.getOwner());
      usesLeft[result] = uses;
      const int kind = kindOf(result);
      floats += result.getType().isF32();
      const bool isHeld = kind == 0 && holdsFloat && floats > 0;
      most[kind] = std::max(most[kind], ++alive[kind] - isHeld);
    }
  }
  s.scratch = std::max(s.scratch, most[0]);
  s.masks = std::max(s.masks, most[1]);
}

void RowScheduler::compute(ArrayRef<Value> values, ArrayRef<RowPlace> targets, bool isOnKept,
                           std::vector<RowStep> &steps) {
  const Cone cone = coneOf(values);
  RowStep step;
  step.values.assign(values.begin(), values.end());
  step.targets.assign(targets.begin(), targets.end());
  step.isKept = isOnKept;
  for (Value leaf : cone.leaves)
    step.reads.push_back({leaf, held.lookup(leaf)});
  step.operations.assign(cone.operations.begin(), cone.operations.end());
  if (!isOnKept)
    countScratch(cone, values);
  steps.push_back(step);
}

void RowScheduler::ensureKept(Value value, std::vector<RowStep> &steps) {
  const RowPlace place = keptTile(value.getType());
  compute(value, place, true, steps);
  held[value] = place;
}

// A condition is no tile of numbers: it is computed where it is used.
void RowScheduler::prepareKept(Value value, std::vector<RowStep> &steps) {
  auto mayBeHeld = [&](Value it) {
    return isKept(it) && !it.getType().isInteger(1) && !held.contains(it);
  };
  for (Operation *op : coneOf(value).operations) {
    const bool isOnPlane = !isKept(op->getResult(0)) || op->getResult(0).getType().isInteger(1);
    for (Value operand : op->getOperands())
      if (isOnPlane && mayBeHeld(operand))
        ensureKept(operand, steps);
  }
  if (mayBeHeld(value))
    ensureKept(value, steps);
}

/// Where a value is in UB with all elements of the plane.
std::optional<RowPlace> RowScheduler::placeOnPlane(Value value) {
  auto found = held.find(value);
  if (found == held.end())
    return std::nullopt;
  const RowPlace place = found->second;
  const bool isWhole =
      place.kind == Place::input
          ? broadcastOf(p, p.inputs()[place.number].dims) == aicore::Broadcast::full
          : place.kind == Place::output || !s.tiles[place.number].isKept;
  return isWhole ? std::optional(place) : std::nullopt;
}

// A tile whose value nothing needs afterwards may take the result of the step that reads it last.
RowPlace RowScheduler::planeTile(Value value) {
  // What comes later reads the new value, not what it is computed from.
  const bool isNew = p.isOfBlock(value) && !held.contains(value);
  if (isNew)
    held[value] = {};
  const auto forget = llvm::make_scope_exit([&] {
    if (isNew)
      held.erase(value);
  });
  for (auto [number, tile] : llvm::enumerate(s.tiles)) {
    if (tile.isKept || tile.element != value.getType())
      continue;
    const RowPlace place = {Place::tile, static_cast<unsigned>(number)};
    SmallVector<Value> holds;
    for (auto &[other, where] : held)
      if (where == place && other != value)
        holds.push_back(other);
    if (llvm::any_of(holds, [&](Value other) { return isNeeded(other); }))
      continue;
    for (Value other : holds)
      held.erase(other);
    return place;
  }
  s.tiles.push_back({value.getType(), false});
  return {Place::tile, static_cast<unsigned>(s.tiles.size() - 1)};
}

// The sums are written where they are stored from.
void RowScheduler::scheduleScan(size_t number, RowPlace from, RowPass &pass) {
  const RowReduction &scan = p.reductions()[number];
  RowStep fill, step;
  fill.kind = Kind::fill;
  fill.reduction = step.reduction = number;
  fill.isKept = true;
  fill.targets = {keptTile(scan.result.getType())};
  step.kind = Kind::scan;
  step.sources = {from};
  for (auto [i, output] : llvm::enumerate(p.outputs()))
    if (output.element == scan.result) {
      step.targets = {{Place::output, static_cast<unsigned>(i)}, fill.targets[0]};
      pass.outputs.push_back(i);
    }
  pass.before.push_back(fill);
  pass.body.push_back(step);
  held[scan.result] = step.targets[0];
}

void RowScheduler::scheduleReduction(size_t number, RowPlace from, RowPass &pass) {
  const RowReduction &reduction = p.reductions()[number];
  SmallVector<Value> results = {reduction.result};
  if (reduction.position)
    results.push_back(reduction.position);
  SmallVector<RowPlace> total, part;
  for (Value result : results) {
    total.push_back(keptTile(result.getType()));
    if (!whole)
      part.push_back(keptTile(result.getType()));
  }
  auto step = [&](Kind kind, ArrayRef<RowPlace> targets, ArrayRef<RowPlace> sources) {
    RowStep it;
    it.kind = kind;
    it.targets.assign(targets.begin(), targets.end());
    it.sources.assign(sources.begin(), sources.end());
    it.reduction = number;
    it.isKept = kind != Kind::reduce;
    return it;
  };
  if (!whole)
    pass.before.push_back(step(Kind::fill, total, {}));
  pass.body.push_back(step(Kind::reduce, whole ? total : part, from));
  if (const OnlineRows::Sum *sum = onlineSum(number)) {
    held[sum->sum] = total[0];
    held[sum->part] = part[0];
    compute(sum->next, total[0], true, pass.body);
    compute(sum->result, total[0], true, pass.after);
  } else if (!whole) {
    pass.body.push_back(step(Kind::combine, total, part));
  }
  for (auto [result, place] : llvm::zip(results, total))
    held[result] = place;
  if (p.online() && number == p.online()->maximum)
    scheduleRunning(pass);
}

/// The sum of the online form that this reduction is; null for another.
const OnlineRows::Sum *RowScheduler::onlineSum(size_t number) {
  if (const OnlineRows *online = p.online())
    for (const OnlineRows::Sum &sum : online->sums)
      if (sum.number == number)
        return &sum;
  return nullptr;
}

// The maximum of a part is known: what the sums before it are multiplied with, and what the sums of
// this part take off.
void RowScheduler::scheduleRunning(RowPass &pass) {
  const OnlineRows &online = *p.online();
  const RowPlace running = keptTile(online.running.getType());
  compute(online.start, running, true, pass.before);
  held[online.running] = running;
  SmallVector<RowPlace> places;
  for (const OnlineRows::Ratio &ratio : online.ratios) {
    places.push_back(keptTile(ratio.ratio.getType()));
    compute(ratio.nextRatio, places.back(), true, pass.body);
  }
  compute(online.next, running, true, pass.body);
  for (auto [ratio, place] : llvm::zip(online.ratios, places))
    held[ratio.ratio] = place;
  for (auto [weights, place] : llvm::zip(p.weights(), s.ofWeights))
    if (weights.ratio)
      place.ratio = places[*weights.ratio];
}

void RowScheduler::schedule(const Wanted &it, RowPass &pass) {
  // What follows from the running maximum is computed for each part.
  const bool isOfWeights = it.output && p.weightsOf(*it.output);
  const bool isOnline = (p.online() && isOfWeights) || (it.reduction && onlineSum(*it.reduction));
  prepareKept(it.value, whole || isOnline ? pass.body : pass.before);
  if (isOfWeights)
    return scheduleWeights(it, pass);
  if (it.output) {
    const RowPlace place = {Place::output, static_cast<unsigned>(*it.output)};
    compute(it.value, place, false, pass.body);
    if (!isKept(it.value) && p.isOfBlock(it.value) && !held.contains(it.value))
      held[it.value] = place;
    pass.outputs.push_back(*it.output);
    return;
  }
  std::optional<RowPlace> from = placeOnPlane(it.value);
  if (!from) {
    std::vector<RowStep> computed;
    compute(it.value, RowPlace(), false, computed);
    from = computed[0].targets[0] = planeTile(it.value);
    pass.body.push_back(computed[0]);
    if (!isKept(it.value) && p.isOfBlock(it.value) && !held.contains(it.value))
      held[it.value] = *from;
  }
  if (p.reductions()[*it.reduction].isScan)
    return scheduleScan(*it.reduction, *from, pass);
  scheduleReduction(*it.reduction, *from, pass);
}

// All weights in one step, as they are computed from the same elements mostly.
void RowScheduler::scheduleWeights(const Wanted &first, RowPass &pass) {
  SmallVector<Value> values;
  SmallVector<RowPlace> places;
  const auto add = [&](const Wanted &it) {
    values.push_back(it.value);
    places.push_back({Place::output, static_cast<unsigned>(*it.output)});
    pass.outputs.push_back(*it.output);
  };
  add(first);
  for (; next < wanted.size() && wanted[next].level == first.level && wanted[next].output; ++next) {
    prepareKept(wanted[next].value, p.online() ? pass.body : pass.before);
    add(wanted[next]);
  }
  compute(values, places, false, pass.body);
}

void RowScheduler::scheduleKeptOutputs(unsigned level, std::vector<RowStep> &steps) {
  for (unsigned number : s.keptOutputs) {
    const RowOutput &output = p.outputs()[number];
    if (p.levelOf(output.element) == level)
      compute(output.element, RowPlace{Place::output, number}, true, steps);
  }
}

void RowScheduler::scheduleFactors(RowPass &pass) {
  for (auto [weights, places] : llvm::zip(p.weights(), s.ofWeights))
    if (weights.factor) {
      places.factor = keptTile(weights.factor.getType());
      compute(weights.factor, *places.factor, true, pass.after);
    }
}

// What the body reads of inputs. Values on the plane are of one part of the reduced dimensions.
void RowScheduler::endPass(RowPass &pass) {
  llvm::SetVector<unsigned> inputs;
  for (const RowStep &step : pass.body) {
    for (auto &[value, place] : step.reads)
      if (place.kind == Place::input)
        inputs.insert(place.number);
    for (const RowPlace &place : step.sources)
      if (place.kind == Place::input)
        inputs.insert(place.number);
  }
  for (unsigned number : inputs)
    if (varies(p, p.inputs()[number].dims))
      pass.inputs.push_back(number);
  held.remove_if([&](auto &entry) {
    const RowPlace place = entry.second;
    return place.kind == Place::output ||
           (place.kind == Place::tile && !s.tiles[place.number].isKept);
  });
}

RowSchedule RowScheduler::run() {
  findWanted();
  s.ofWeights.resize(p.weights().size());
  const unsigned levels = p.levels();
  for (unsigned level = 0; level < levels; ++level) {
    if (!whole || level == 0)
      s.passes.emplace_back();
    RowPass &pass = s.passes.back();
    if (level == 0)
      scheduleKeptOutputs(0, pass.before);
    while (next < wanted.size() && wanted[next].level == level) {
      const Wanted it = wanted[next++];
      schedule(it, pass);
    }
    scheduleKeptOutputs(level + 1, whole ? pass.body : pass.after);
    scheduleFactors(pass);
    if (!whole || level + 1 == levels)
      endPass(pass);
  }
  return std::move(s);
}

} // namespace

RowSchedule scheduleRows(RowProgram &program, bool whole) {
  return RowScheduler(program, whole).run();
}

} // namespace mmk
