#include "passes/variant.h"
#include "place/passes.h"

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

void Distribution::run() {
  Value core;
  int64_t cores = 1;
  if (machine.getTopology() == aicore::Topology::split) {
    cores = machine.getVectorCores();
    auto onCores = aicore::VectorCoresOp::create(b, loc, cores);
    Block *inside = b.createBlock(&onCores.getBody(), {}, b.getIndexType(), loc);
    core = inside->getArgument(0);
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
