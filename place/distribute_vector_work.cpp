#include "passes/variant.h"
#include "place/passes.h"
#include "place/with_operands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_DISTRIBUTEVECTORWORK
#include "place/Passes.h.inc"

namespace {

/// The window of a tile for one vector core.
struct Share {
  Value firstRow, rows, firstColumn, columns;
};

class Distribution {
public:
  Distribution(aicore::VectorWorkOp work, aicore::MachineAttr machine)
      : work(work), machine(machine), b(work), loc(work.getLoc()) {}

  void run();

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Share shareOf(Value core, int64_t cores);
  SmallVector<Operation *> independentOfRows();
  void runInterleaved();
  /// What is computed once for all windows: `values` without effects, and `effects` without values.
  struct Once {
    DenseSet<Operation *> values, effects;
  };
  Once once();
  /// From here on, in the part of the program of the vector cores; gives the number of the core.
  Value openPart();
  /// Clones the operations that belong to the current place, in their order.
  void cloneAll(ArrayRef<Operation *> ops, IRMapping &map) {
    for (Operation *op : ops)
      b.clone(*op, map);
  }

  aicore::VectorWorkOp work;
  aicore::MachineAttr machine;
  OpBuilder b;
  Location loc;
};

/// Rows of the tile, or columns of it when it has only one row.
Share Distribution::shareOf(Value core, int64_t cores) {
  Share own = {index(0), work.getRows(), work.getColumn(), work.getColumns()};
  if (!core || cores == 1)
    return own;
  Value &first = work.getByColumns() ? own.firstColumn : own.firstRow;
  Value &extent = work.getByColumns() ? own.columns : own.rows;
  Value part = arith::CeilDivSIOp::create(b, loc, extent, index(cores));
  first = arith::MulIOp::create(b, loc, core, part);
  Value rest = arith::SubIOp::create(b, loc, extent, first);
  extent = arith::MaxSIOp::create(b, loc, arith::MinSIOp::create(b, loc, part, rest), index(0));
  return own;
}

/// The ops of the region that are equal in all windows of a vector core.
SmallVector<Operation *> Distribution::independentOfRows() {
  Block &body = work.getBody().front();
  DenseSet<Value> varying;
  for (unsigned i : {0, 1, 4}) // row, rows and step
    varying.insert(body.getArgument(i));
  SmallVector<Operation *> independent;
  for (Operation &op : body) {
    const bool varies =
        op.walk([&](Operation *inner) {
            return llvm::any_of(inner->getOperands(),
                                [&](Value operand) { return varying.contains(operand); })
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          }).wasInterrupted();
    if (varies)
      varying.insert_range(op.getResults());
    else
      independent.push_back(&op);
  }
  return independent;
}

Value Distribution::openPart() {
  auto onCores = aicore::VectorCoresOp::create(b, loc, machine.getVectorCores());
  Block *inside = b.createBlock(&onCores.getBody(), {}, b.getIndexType(), loc);
  return inside->getArgument(0);
}

Distribution::Once Distribution::once() {
  Once once;
  Block &body = work.getBody().front();
  for (Operation *op : independentOfRows()) {
    const bool isReady = llvm::all_of(op->getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return !def || def->getBlock() != &body || once.values.contains(def);
    });
    if (isReady && isMemoryEffectFree(op))
      once.values.insert(op);
    else if (isReady && op->getNumResults() == 0)
      once.effects.insert(op);
  }
  return once;
}

// The windows of a tile one after the other: the cube core drains the rows of all vector cores,
// then these work on them.
void Distribution::runInterleaved() {
  Block &body = work.getBody().front();
  const Once once = this->once();
  SmallVector<Operation *> values, effects, drains, inWindow;
  for (Operation &op : body)
    if (once.values.contains(&op))
      values.push_back(&op);
    else if (machine.cubeFillsUb() && isa<aicore::DrainOp>(op))
      drains.push_back(&op);
    else
      (once.effects.contains(&op) ? effects : inWindow).push_back(&op);
  IRMapping map;
  map.map(body.getArgument(2), work.getColumn());
  map.map(body.getArgument(3), work.getColumns());
  cloneAll(values, map);
  if (!effects.empty()) {
    OpBuilder::InsertionGuard guard(b);
    openPart();
    cloneAll(effects, map);
  }
  const int64_t cores = machine.getVectorCores();
  Value height = index(work.getHeight() * cores), all = work.getRows(), zero = index(0);
  Value first = arith::MulIOp::create(b, loc, work.getNumber(), index(work.getSteps()));
  if (work.getNonempty())
    all = arith::MaxSIOp::create(b, loc, all, index(1));
  auto loop = scf::ForOp::create(b, loc, zero, all, height);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value done = loop.getInductionVar();
  Value rest = arith::SubIOp::create(b, loc, work.getRows(), done);
  Value rows = arith::MinSIOp::create(b, loc, height, rest);
  Value inTile = arith::DivSIOp::create(b, loc, done, height);
  map.map(body.getArgument(4), arith::AddIOp::create(b, loc, first, inTile).getResult());

  IRMapping ofBlock = map;
  ofBlock.map(body.getArgument(0), done);
  ofBlock.map(body.getArgument(1), rows);
  SmallVector<Operation *> drained = withOperands(drains, &body);
  llvm::erase_if(drained, [&](Operation *op) { return once.values.contains(op); });
  cloneAll(drained, ofBlock);

  Value core = openPart();
  Value part = arith::CeilDivSIOp::create(b, loc, rows, index(cores));
  Value before = arith::MulIOp::create(b, loc, core, part);
  Value left = arith::SubIOp::create(b, loc, rows, before);
  Value least = arith::MinSIOp::create(b, loc, part, left);
  map.map(body.getArgument(0), arith::AddIOp::create(b, loc, done, before).getResult());
  map.map(body.getArgument(1), arith::MaxSIOp::create(b, loc, least, zero).getResult());
  cloneAll(inWindow, map);
  work.erase();
}

void Distribution::run() {
  if (work.getInterleaved())
    return runInterleaved();
  Value core;
  int64_t cores = 1;
  if (machine.getTopology() == aicore::Topology::split) {
    cores = machine.getVectorCores();
    core = openPart();
  }
  const Share own = shareOf(core, cores);
  Block &body = work.getBody().front();
  IRMapping map;
  map.map(body.getArgument(2), own.firstColumn);
  map.map(body.getArgument(3), own.columns);
  const SmallVector<Operation *> once = independentOfRows();
  for (Operation *op : once)
    b.clone(*op, map);

  Value height = index(work.getHeight());
  Value first = arith::MulIOp::create(b, loc, work.getNumber(), index(work.getSteps()));
  Value bound = own.rows;
  if (work.getNonempty())
    bound = arith::MaxSIOp::create(b, loc, bound, index(1));
  auto loop = scf::ForOp::create(b, loc, index(0), bound, height);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value done = loop.getInductionVar();
  map.map(body.getArgument(0), arith::AddIOp::create(b, loc, own.firstRow, done).getResult());
  Value rest = arith::SubIOp::create(b, loc, own.rows, done);
  map.map(body.getArgument(1), arith::MinSIOp::create(b, loc, height, rest).getResult());
  Value inTile = arith::DivSIOp::create(b, loc, done, height);
  map.map(body.getArgument(4), arith::AddIOp::create(b, loc, first, inTile).getResult());
  for (Operation &op : body)
    if (!llvm::is_contained(once, &op))
      b.clone(op, map);
  work.erase();
}

struct DistributeVectorWorkPass : impl::DistributeVectorWorkBase<DistributeVectorWorkPass> {
  void runOnOperation() override {
    aicore::MachineAttr machine = expectMachine(getOperation());
    if (!machine)
      return signalPassFailure();
    SmallVector<aicore::VectorWorkOp> all;
    getOperation().walk([&](aicore::VectorWorkOp work) { all.push_back(work); });
    for (aicore::VectorWorkOp work : all)
      Distribution(work, machine).run();
  }
};

} // namespace
} // namespace mmk
