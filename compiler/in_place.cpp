#include "compiler/in_place.h"

#include "ir/rows.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

using namespace mlir;

namespace mmk {
namespace {

/// Along which dimension of the group each dimension of a tensor goes.
using Loops = SmallVector<int64_t>;

/// The place where the tile loop of a group adds a tile to a result; null where it is another form.
tensor::InsertSliceOp insertionOf(Value filled) {
  auto loop = filled.getDefiningOp<scf::ForOp>();
  if (!loop)
    return {};
  const unsigned number = cast<OpResult>(filled).getResultNumber();
  auto insert = loop.getYieldedValues()[number].getDefiningOp<tensor::InsertSliceOp>();
  return insert && insert.getDest() == loop.getRegionIterArg(number) ? insert
                                                                     : tensor::InsertSliceOp();
}

bool isSamePart(tensor::ExtractSliceOp read, tensor::InsertSliceOp written) {
  return read->getBlock() == written->getBlock() &&
         read.getMixedOffsets() == written.getMixedOffsets() &&
         read.getMixedSizes() == written.getMixedSizes() &&
         read.getMixedStrides() == written.getMixedStrides() && read.hasUnitStride() &&
         read.getType().getRank() == read.getSourceType().getRank();
}

/// The dimensions along which an operand goes; nothing where it is not read element by element.
std::optional<Loops> loopsOf(linalg::GenericOp op, AffineMap map) {
  Loops loops;
  for (AffineExpr expression : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expression);
    if (!dim)
      return std::nullopt;
    loops.push_back(dim.getPosition());
  }
  return loops;
}

/// Whether an element of a row group's program is computed from another one.
bool reads(Value element, Value other) {
  Operation *op = element.getDefiningOp();
  return element == other ||
         (op && op->getBlock() == other.getParentBlock() &&
          llvm::any_of(op->getOperands(), [&](Value it) { return reads(it, other); }));
}

/// Follows the elements of a parameter to a result, within one tile.
class Dataflow {
public:
  explicit Dataflow(tensor::InsertSliceOp written) : written_(written) {}

  /// `tile` is what is read of the parameter.
  bool reachesResultAlone(Value tile) {
    SetVector<Value> values;
    values.insert(tile);
    for (size_t i = 0; i < values.size(); ++i)
      for (OpOperand &use : values[i].getUses())
        if (!follow(use, values))
          return false;
    // The tile has the dimensions of the result.
    const auto ofTile = loops_.find(tile), ofResult = loops_.find(written_.getSource());
    return ofTile != loops_.end() && ofResult != loops_.end() && ofTile->second == ofResult->second;
  }

private:
  bool follow(OpOperand &use, SetVector<Value> &values) {
    if (use.getOwner() == written_)
      return use.getOperandNumber() == 0; // the source
    if (isa<tensor::DimOp>(use.getOwner()))
      return true;
    if (auto rows = dyn_cast<ir::RowsOp>(use.getOwner()))
      return follow(use, rows, values);
    auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!generic || !isAlong(use.get(), generic, generic.getMatchingIndexingMap(&use)))
      return false;
    for (auto [result, init] : llvm::zip(generic.getResults(), generic.getDpsInitsMutable())) {
      if (!isAlong(result, generic, generic.getMatchingIndexingMap(&init)))
        return false;
      values.insert(result);
    }
    return true;
  }

  bool follow(OpOperand &use, ir::RowsOp rows, SetVector<Value> &values) {
    const unsigned number = use.getOperandNumber();
    // A cumulative sum reads elements before its own.
    if (rows.hasScan() || !isAlong(use.get(), rows.dimsOfInput(number)))
      return false;
    for (OpResult result : rows->getResults())
      if (const unsigned own = result.getResultNumber();
          reads(rows.elements()[own], rows.block().getArgument(number))) {
        if (!isAlong(result, rows.dimsOfResult(own)))
          return false;
        values.insert(result);
      }
    return true;
  }

  /// Everything that reads or makes a value goes along the same dimensions.
  bool isAlong(Value value, ArrayRef<int64_t> dims) {
    const Loops loops(dims);
    return loops_.try_emplace(value, loops).first->second == loops;
  }
  bool isAlong(Value value, linalg::GenericOp op, AffineMap map) {
    const std::optional<Loops> loops = loopsOf(op, map);
    return loops && isAlong(value, *loops);
  }

  tensor::InsertSliceOp written_;
  DenseMap<Value, Loops> loops_;
};

/// The groups that read a tensor; nothing where anything else does.
std::optional<SetVector<Operation *>> readersOf(Value tensor, ir::KernelOp kernel) {
  SetVector<Operation *> readers;
  for (Operation *user : tensor.getUsers()) {
    if (isa<tensor::DimOp>(user))
      continue;
    Operation *ancestor = kernel.getBody().findAncestorOpInRegion(*user);
    if (!isa_and_nonnull<ir::FusionGroupOp>(ancestor) || ancestor == user)
      return std::nullopt;
    readers.insert(ancestor);
  }
  return readers;
}

/// The first phase that has the result at all; null where none has.
aicore::PhaseOp firstPhaseOf(Value result, aicore::KernelOp kernel) {
  for (auto phase : kernel.getBody().getOps<aicore::PhaseOp>())
    if (llvm::any_of(result.getUsers(),
                     [&](Operation *user) { return phase->isProperAncestor(user); }))
      return phase;
  return {};
}

/// Whether a program reads the tensor behind the phase, or in it.
bool isUsedBehind(Value tensor, aicore::PhaseOp phase, bool orInIt) {
  return llvm::any_of(tensor.getUsers(), [&](Operation *user) {
    auto other = user->getParentOfType<aicore::PhaseOp>();
    return !other || (other == phase ? orInIt : phase->isBeforeInBlock(other));
  });
}

/// Whether all that the phase does with a tensor is this.
bool hasOnly(ElementAccess access, Value tensor, aicore::PhaseOp phase, const Backend &backend) {
  return llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
    return !phase->isProperAncestor(use.getOwner()) || backend.accessOf(use) == access;
  });
}

} // namespace

std::string whyNotInPlace(ir::KernelOp tiled, aicore::KernelOp lowered, const Backend &backend,
                          unsigned parameter, unsigned result) {
  Block &body = tiled.getBody().front();
  const size_t dims = lowered.getDims().size(), parameters = lowered.getArgs().size();
  Block &program = lowered.getBody().front();
  const Value read = program.getArgument(dims + parameter),
              written = program.getArgument(dims + parameters + result);
  const Value returned = body.getTerminator()->getOperand(result);
  auto group = returned.getDefiningOp<ir::FusionGroupOp>();
  const auto readers = readersOf(body.getArgument(parameter), tiled);
  aicore::PhaseOp phase = firstPhaseOf(written, lowered);
  if (!group || !readers || !phase)
    return "is read or written in another form";

  if (!readers->contains(group)) {
    const bool areBefore =
        llvm::all_of(*readers, [&](Operation *each) { return each->isBeforeInBlock(group); });
    return areBefore && !isUsedBehind(read, phase, /*orInIt=*/true)
               ? ""
               : "is read by a later pass over memory";
  }
  if (readers->size() > 1 || isUsedBehind(read, phase, /*orInIt=*/false))
    return "is read by several passes over memory";
  auto yield = cast<ir::YieldOp>(group.getBody().front().getTerminator());
  tensor::InsertSliceOp insert =
      insertionOf(yield.getValues()[cast<OpResult>(returned).getResultNumber()]);
  if (!insert)
    return "is read or written in another form";
  for (Operation *user : body.getArgument(parameter).getUsers()) {
    if (isa<tensor::DimOp>(user))
      continue;
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    if (!slice || !isSamePart(slice, insert))
      return "is read at other elements than that which is written";
    if (!Dataflow(insert).reachesResultAlone(slice))
      return "is an operand of other elements of it, or of another result";
  }
  if (!hasOnly(ElementAccess::writes, written, phase, backend))
    return "is read by a pass with a product, which may keep sums in it";
  return hasOnly(ElementAccess::reads, read, phase, backend) ? "" : "bounds a loop";
}

} // namespace mmk
