#include "place/passes.h"
#include "place/with_operands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_DOUBLEBUFFER
#include "place/Passes.h.inc"

namespace {

/// The copies that the variant requests: of this operand ("l1.a"), else of the group ("l1").
int64_t requestedCopies(aicore::AllocOp alloc, DictionaryAttr requests) {
  for (std::string key : {(alloc.getGroup() + "." + alloc.getName()).str(), alloc.getGroup().str()})
    if (auto copies = requests.getAs<IntegerAttr>(key))
      return copies.getInt();
  return 1;
}

/// The buffer of a transfer that can be pipelined, as its source is ready long before. A drain
/// cannot: the product that it reads has just been computed.
aicore::AllocOp filledBy(Operation &op) {
  Value target;
  if (auto load = dyn_cast<aicore::LoadOp>(op))
    target = load.getTarget();
  else if (auto window = dyn_cast<aicore::WindowOp>(op))
    target = window.getTarget();
  else if (auto stage = dyn_cast<aicore::LoadL0Op>(op))
    target = stage.getTarget();
  else if (auto windows = dyn_cast<aicore::Load3dOp>(op))
    target = windows.getTarget();
  else if (auto fetch = dyn_cast<aicore::FetchOp>(op);
           fetch && aicore::spaceOf(fetch.getTarget()) == aicore::Space::ub)
    target = fetch.getTarget();
  return target ? target.getDefiningOp<aicore::AllocOp>() : aicore::AllocOp();
}

bool isOfPanel(Operation &op) {
  aicore::AllocOp alloc = filledBy(op);
  return alloc && alloc.getGroup() == "panel";
}

/// A loop inside that loads into L1, too, in a loop over parts of an image. Its first transfers are
/// needed before those of the next iteration.
scf::ForOp innerLoads(scf::ForOp loop) {
  if (isa<aicore::PhaseOp>(loop->getParentOp()))
    return {}; // over tiles, which may keep a panel
  for (auto inner : loop.getOps<scf::ForOp>()) {
    bool loads = false;
    inner.walk([&](aicore::LoadOp load) {
      loads |= aicore::spaceOf(load.getTarget()) == aicore::Space::l1;
    });
    if (loads)
      return inner;
  }
  return {};
}

// Moves the transfers of a loop's iteration `depth` iterations ahead: the first ones before the
// loop, the others under the condition that their iteration exists.
//
// scf::pipelineForLoop is not used for it: it carries slots and extents from stage to stage as
// loop arguments, where here they are cheap to compute twice, and it predicates op by op, where one
// branch for all transfers of a step keeps the flags of that step in pairs.
void pipelineLoads(scf::ForOp loop, ArrayRef<Operation *> transfers, int64_t depth) {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  SmallVector<Operation *> ops = withOperands(transfers, loop.getBody());
  auto emitIf = [&](Value iteration, Operation *before) {
    b.setInsertionPoint(before);
    Value exists =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, iteration, loop.getUpperBound());
    auto branch = scf::IfOp::create(b, loc, exists, /*withElseRegion=*/false);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    IRMapping map;
    map.map(loop.getInductionVar(), iteration);
    for (Operation *op : ops)
      b.clone(*op, map);
  };
  Value iteration = loop.getLowerBound();
  for (int64_t i = 0; i < depth; ++i) {
    emitIf(iteration, loop);
    b.setInsertionPoint(loop);
    iteration = arith::AddIOp::create(b, loc, iteration, loop.getStep());
  }
  b.setInsertionPointToStart(loop.getBody());
  Value ahead = loop.getInductionVar();
  for (int64_t i = 0; i < depth; ++i)
    ahead = arith::AddIOp::create(b, loc, ahead, loop.getStep());
  Operation *first = transfers.front();
  for (Operation *op : ops)
    if (op->isBeforeInBlock(first))
      first = op;
  scf::ForOp inner = innerLoads(loop);
  emitIf(ahead, inner ? inner.getOperation() : ahead.getDefiningOp()->getNextNode());
  for (Operation *op : transfers)
    op->erase();
}

/// The transfers of an iteration, by the buffer that they fill.
llvm::MapVector<aicore::AllocOp, SmallVector<Operation *>> transfersOf(scf::ForOp loop) {
  llvm::MapVector<aicore::AllocOp, SmallVector<Operation *>> transfers;
  for (Operation &op : *loop.getBody())
    if (aicore::AllocOp alloc = filledBy(op))
      transfers[alloc].push_back(&op);
  return transfers;
}

/// Copies of a buffer that the transfers of an iteration fill: some fill parts of one.
int64_t copiesOf(aicore::AllocOp alloc, ArrayRef<Operation *> transfers) {
  DenseSet<Value> numbers;
  for (Operation *op : transfers)
    for (Value operand : op->getOperands())
      if (auto slot = operand.getDefiningOp<aicore::SlotOp>(); slot && slot.getBuffer() == alloc)
        numbers.insert(slot.getIndex());
  return std::max<int64_t>(1, numbers.size());
}

/// Whether a loop goes over output tiles, or over lines of them that share a panel.
bool walksTiles(scf::ForOp loop) {
  Operation *parent = loop->getParentOp();
  if (auto outer = dyn_cast<scf::ForOp>(parent))
    return llvm::any_of(*outer.getBody(), isOfPanel);
  return isa<aicore::PhaseOp>(parent);
}

struct DoubleBufferPass : impl::DoubleBufferBase<DoubleBufferPass> {
  void runOnOperation() override {
    for (aicore::KernelOp kernel : getOperation().getOps<aicore::KernelOp>()) {
      // A buffer that has its copies already is filled where the program says.
      DenseSet<Operation *> own;
      kernel.walk([&](aicore::AllocOp alloc) {
        if (alloc.getCopies() > 1)
          own.insert(alloc);
        else
          alloc.setCopies(requestedCopies(alloc, kernel.getBuffers()));
      });
      // Inner loops first: their transfers then move as one with the body that contains them.
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops) {
        // The operands of a tile are loaded in its own loops, but panels are shared by several
        // tiles.
        const bool onlyPanels = walksTiles(loop);
        // Transfers that are the same number of iterations ahead share a branch.
        llvm::MapVector<int64_t, SmallVector<Operation *>> byDepth;
        for (auto &[alloc, transfers] : transfersOf(loop))
          if (!own.contains(alloc) && (!onlyPanels || isOfPanel(*transfers.front())))
            // Those of several iterations are in the buffer at once only if all have a copy.
            if (const int64_t iterations = alloc.getCopies() / copiesOf(alloc, transfers);
                iterations > 1)
              llvm::append_range(byDepth[iterations - 1], transfers);
        for (auto &[depth, transfers] : byDepth) {
          llvm::sort(transfers, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
          pipelineLoads(loop, transfers, depth);
        }
      }
    }
  }
};

} // namespace
} // namespace mmk
