#include "passes/read_positions.h"

#include "passes/dimensions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;

namespace mmk {
namespace {

class PositionReader {
public:
  explicit PositionReader(ir::KernelOp kernel) : kernel(kernel), b(kernel.getContext()) {}

  void run() {
    SmallVector<linalg::GenericOp> ops;
    for (auto op : kernel.getBody().getOps<linalg::GenericOp>())
      if (op.getNumReductionLoops() == 0 && op.hasIndexSemantics())
        ops.push_back(op);
    for (linalg::GenericOp op : ops)
      replace(op);
  }

private:
  Value positionsOf(StringRef name) {
    Value &known = positions[name.str()];
    if (!known) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&kernel.getBody().front());
      const auto type = RankedTensorType::get({ShapedType::kDynamic}, b.getI32Type());
      known = ir::PositionsOp::create(b, kernel.getLoc(), type, name);
    }
    return known;
  }

  /// The operation with the positions of its loops behind its inputs.
  void replace(linalg::GenericOp op) {
    const SmallVector<StringRef> names = dimNames(op);
    llvm::MapVector<uint64_t, SmallVector<linalg::IndexOp>> reads;
    for (auto index : op.getBody()->getOps<linalg::IndexOp>())
      reads[index.getDim()].push_back(index);
    SmallVector<Value> inputs(op.getInputs());
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    const AffineMap output = maps.pop_back_val();
    for (auto &[loop, all] : reads) {
      inputs.push_back(positionsOf(names[loop]));
      maps.push_back(AffineMap::get(op.getNumLoops(), 0, b.getAffineDimExpr(loop), b.getContext()));
    }
    maps.push_back(output);
    b.setInsertionPoint(op);
    auto created = linalg::GenericOp::create(b, op.getLoc(), op.getResultTypes(), inputs,
                                             op.getOutputs(), maps, op.getIteratorTypesArray());
    if (Attribute name = op->getAttr("mmk.name"))
      created->setAttr("mmk.name", name);
    created.getRegion().takeBody(op.getRegion());
    Block &body = created.getRegion().front();
    unsigned argument = op.getInputs().size();
    for (auto &[loop, all] : reads) {
      Value position = body.insertArgument(argument++, b.getI32Type(), op.getLoc());
      for (linalg::IndexOp index : all) {
        b.setInsertionPoint(index);
        index.replaceAllUsesWith(
            arith::IndexCastOp::create(b, index.getLoc(), b.getIndexType(), position).getResult());
        index.erase();
      }
    }
    op.replaceAllUsesWith(created.getResults());
    op.erase();
  }

  ir::KernelOp kernel;
  OpBuilder b;
  std::map<std::string, Value> positions;
};

} // namespace

void readPositions(ir::KernelOp kernel) { PositionReader(kernel).run(); }

} // namespace mmk
