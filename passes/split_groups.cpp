#include "passes/split_groups.h"

#include "passes/dead_code.h"
#include "passes/dimensions.h"
#include "passes/variant.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;

namespace mmk {

namespace {

/// A tensor whose matrices positions read in groups.
struct GroupedOperand {
  Value window, matrices; ///< its result and its source
  unsigned dim;           ///< of the window, whose positions are grouped
  int64_t count;          ///< positions of a group
  StringRef name;         ///< of the dimension of groups
};

std::optional<GroupedOperand> groupedOperandOf(ir::WindowOp window) {
  if (!window.getGrouped() || !window.getSymbols().empty() || window.getPadding())
    return std::nullopt;
  std::optional<GroupedOperand> found;
  for (auto [i, expression] : llvm::enumerate(window.getMap().getResults())) {
    if (expression == getAffineDimExpr(i, window.getContext()))
      continue;
    auto quotient = dyn_cast<AffineBinaryOpExpr>(expression);
    auto count = quotient ? dyn_cast<AffineConstantExpr>(quotient.getRHS()) : AffineExpr();
    if (found || !count || quotient.getKind() != AffineExprKind::FloorDiv ||
        quotient.getLHS() != getAffineDimExpr(i, window.getContext()))
      return std::nullopt;
    found = {window.getResult(), window.getSource(), static_cast<unsigned>(i),
             cast<AffineConstantExpr>(count).getValue(), dimName(window.getSource(), i)};
  }
  return found && !found->name.empty() ? found : std::nullopt;
}

/// What becomes of a dimension, or of a loop.
enum class Part : uint8_t {
  none,   ///< it is another
  both,   ///< it is two: the groups, and the positions of one
  groups, ///< the groups alone: what is the same for all positions of one
};

class GroupSplitter {
public:
  explicit GroupSplitter(ir::KernelOp kernel)
      : kernel(kernel), block(kernel.getBody().front()), b(kernel.getContext()) {}

  bool run() {
    for (auto window : block.getOps<ir::WindowOp>())
      if (std::optional<GroupedOperand> operand = groupedOperandOf(window))
        if (operands.empty() ||
            (operand->count == operands.front().count && operand->name == operands.front().name))
          operands.push_back(*operand);
    if (operands.empty())
      return false;
    for (const GroupedOperand &operand : operands)
      partsOf(operand.window)[operand.dim] = Part::groups;
    if (!spread() || !areSupported())
      return false;
    rewrite();
    return true;
  }

private:
  using Parts = SmallVector<Part>;

  static bool isAny(ArrayRef<Part> all) {
    return llvm::any_of(all, [](Part part) { return part != Part::none; });
  }
  /// The dimension of a tensor, or the loop, that is another afterwards.
  static int64_t which(ArrayRef<Part> all) {
    return llvm::find_if(all, [](Part part) { return part != Part::none; }) - all.begin();
  }

  Parts &partsOf(Value tensor) {
    Parts &known = parts[tensor];
    known.resize(cast<RankedTensorType>(tensor.getType()).getRank(), Part::none);
    return known;
  }
  const GroupedOperand *groupedOf(Value tensor) {
    const auto *found =
        llvm::find_if(operands, [&](const GroupedOperand &it) { return it.window == tensor; });
    return found == operands.end() ? nullptr : found;
  }
  Part partOf(Value tensor) {
    const Parts &known = partsOf(tensor);
    return isAny(known) ? known[which(known)] : Part::none;
  }

  /// Calls back with each tensor of an operation, and the loops of its dimensions.
  static void forEachTensor(linalg::LinalgOp op,
                            function_ref<void(Value, ArrayRef<AffineExpr>)> body) {
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        body(operand.get(), op.getMatchingIndexingMap(&operand).getResults());
    for (OpResult result : op->getResults())
      body(result, op.getIndexingMapMatchingResult(result).getResults());
  }
  static int64_t loopOf(AffineExpr expression) {
    auto position = dyn_cast<AffineDimExpr>(expression);
    return position ? int64_t(position.getPosition()) : -1;
  }

  /// Elementwise work on what is the same for all positions of a group is the same for them, too.
  Parts loopsOf(linalg::LinalgOp op) {
    Parts loops(op.getNumLoops(), Part::none);
    forEachTensor(op, [&](Value tensor, ArrayRef<AffineExpr> along) {
      for (auto [dim, expression] : llvm::enumerate(along))
        if (const int64_t loop = loopOf(expression);
            loop >= 0 && partsOf(tensor)[dim] != Part::none)
          loops[loop] = Part::both;
    });
    if (!isAny(loops) || !isa<linalg::GenericOp>(op.getOperation()))
      return loops;
    const int64_t loop = which(loops);
    bool areGroups = true;
    for (OpOperand *input : op.getDpsInputOperands())
      for (auto [dim, expression] : llvm::enumerate(op.getMatchingIndexingMap(input).getResults()))
        if (loopOf(expression) == loop)
          areGroups &= partsOf(input->get())[dim] == Part::groups;
    if (areGroups)
      loops[loop] = Part::groups;
    return loops;
  }

  /// Finds the dimension in all tensors that operations go along with it. At most one of a tensor.
  bool spread() {
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (auto op : block.getOps<linalg::LinalgOp>()) {
        const Parts loops = loopsOf(op);
        forEachTensor(op, [&](Value tensor, ArrayRef<AffineExpr> along) {
          for (auto [dim, expression] : llvm::enumerate(along))
            if (const int64_t loop = loopOf(expression);
                loop >= 0 && loops[loop] != Part::none && partsOf(tensor)[dim] == Part::none) {
              partsOf(tensor)[dim] = loops[loop];
              isChanged = true;
            }
        });
      }
    }
    return llvm::all_of(parts, [](const auto &it) {
      return llvm::count_if(it.second, [](Part part) { return part != Part::none; }) <= 1;
    });
  }

  bool areSupported() {
    for (auto &[tensor, known] : parts) {
      if (!isAny(known))
        continue;
      if (Operation *op = tensor.getDefiningOp();
          op && !groupedOf(tensor) && !isa<linalg::LinalgOp, tensor::EmptyOp>(op))
        return false;
      if (!llvm::all_of(tensor.getUsers(), [&](Operation *user) {
            return isa<linalg::LinalgOp>(user) ||
                   (isa<ir::ReturnOp>(user) && partOf(tensor) == Part::both);
          }))
        return false;
    }
    return llvm::all_of(block.getOps<linalg::LinalgOp>(), [&](linalg::LinalgOp op) {
      const Parts loops = loopsOf(op);
      if (!isAny(loops))
        return true;
      bool isPlain = isa<linalg::GenericOp, linalg::ContractOp, linalg::FillOp>(op.getOperation());
      for (auto [part, kind] : llvm::zip(loops, op.getIteratorTypesArray()))
        isPlain &= part == Part::none || kind == utils::IteratorType::parallel;
      op->walk([&](linalg::IndexOp index) { isPlain &= loops[index.getDim()] == Part::none; });
      for (Value result : op->getResults())
        isPlain &= partOf(result) == loops[which(loops)];
      if (auto contract = dyn_cast<linalg::ContractOp>(op.getOperation()))
        isPlain &= partOf(contract.getInputs()[0]) == Part::both;
      return isPlain && llvm::count(loops, Part::none) + 1 == static_cast<int64_t>(loops.size());
    });
  }

  //===--- splitting it ---------------------------------------------------------------------===//

  Value dim(StringRef name) {
    Value &known = dims[name.str()];
    if (!known) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&block);
      known = dimValue(b, kernel.getLoc(), name);
    }
    return known;
  }

  SmallVector<OpFoldResult> extentsOf(Value tensor, Part part) {
    const int64_t changed = which(partsOf(tensor));
    SmallVector<OpFoldResult> extents;
    for (int64_t i = 0; i < cast<RankedTensorType>(tensor.getType()).getRank(); ++i) {
      extents.push_back(dim(i == changed ? operands.front().name : dimName(tensor, i)));
      if (i == changed && part == Part::both)
        extents.push_back(dim(std::to_string(operands.front().count)));
    }
    return extents;
  }
  SmallVector<ReassociationIndices> piecesOf(Value tensor) {
    const int64_t changed = which(partsOf(tensor));
    SmallVector<ReassociationIndices> pieces;
    int64_t next = 0;
    for (int64_t i = 0; i < cast<RankedTensorType>(tensor.getType()).getRank(); ++i) {
      pieces.push_back({next++});
      if (i == changed)
        pieces.back().push_back(next++);
    }
    return pieces;
  }
  RankedTensorType typeOf(Value tensor, Part part) {
    const auto type = cast<RankedTensorType>(tensor.getType());
    return RankedTensorType::get(
        SmallVector<int64_t>(type.getRank() + (part == Part::both), ShapedType::kDynamic),
        type.getElementType());
  }

  /// The tensor as an operation reads it whose loop becomes `part`.
  Value split(Value tensor, Part part) {
    if (!isa<RankedTensorType>(tensor.getType()) || partOf(tensor) == Part::none)
      return tensor;
    if (const GroupedOperand *operand = groupedOf(tensor))
      return operand->matrices;
    if (tensor.getDefiningOp<tensor::EmptyOp>())
      return tensor::EmptyOp::create(b, tensor.getLoc(), extentsOf(tensor, part),
                                     typeOf(tensor, part).getElementType());
    if (Value known = done.lookupOrNull(tensor))
      return known;
    const SmallVector<OpFoldResult> extents = extentsOf(tensor, Part::both);
    const Value made = tensor::ExpandShapeOp::create(b, tensor.getLoc(), typeOf(tensor, Part::both),
                                                     tensor, piecesOf(tensor), extents);
    done.map(tensor, made);
    return made;
  }

  /// A loop that is split is two; what has groups alone has the first of them.
  AffineMap mapOf(Value tensor, ArrayRef<AffineExpr> along, int64_t loop, unsigned count) {
    const bool hasGroups = partOf(tensor) == Part::groups;
    SmallVector<AffineExpr> all;
    for (AffineExpr expression : along) {
      const int64_t position = loopOf(expression);
      all.push_back(b.getAffineDimExpr(position > loop ? position + 1 : position));
      if (position == loop && !hasGroups)
        all.push_back(b.getAffineDimExpr(loop + 1));
    }
    return AffineMap::get(count + 1, 0, all, b.getContext());
  }

  void split(linalg::LinalgOp op) {
    const Parts loops = loopsOf(op);
    if (!isAny(loops))
      return;
    const int64_t loop = which(loops);
    const Part part = loops[loop];
    b.setInsertionPoint(op);
    SmallVector<Value> inputs;
    SmallVector<Type> types;
    SmallVector<Attribute> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      inputs.push_back(split(operand.get(), part));
      if (isa<RankedTensorType>(operand.get().getType()))
        maps.push_back(AffineMapAttr::get(mapOf(operand.get(),
                                                op.getMatchingIndexingMap(&operand).getResults(),
                                                loop, op.getNumLoops())));
    }
    for (Value result : op->getResults())
      types.push_back(typeOf(result, part));
    Operation *made = mlir::clone(b, op, types, inputs);
    for (auto [before, after] : llvm::zip(op->getResults(), made->getResults()))
      done.map(before, after);
    if (part == Part::groups)
      return;
    if (auto generic = dyn_cast<linalg::GenericOp>(made)) {
      SmallVector<Attribute> iterators(generic.getIteratorTypes().getValue());
      iterators.insert(iterators.begin() + loop, iterators[loop]);
      generic.setIteratorTypesAttr(b.getArrayAttr(iterators));
      generic.setIndexingMapsAttr(b.getArrayAttr(maps));
      generic->walk([&](linalg::IndexOp index) {
        if (static_cast<int64_t>(index.getDim()) > loop)
          index.setDim(index.getDim() + 1);
      });
    } else if (auto contract = dyn_cast<linalg::ContractOp>(made)) {
      contract.setIndexingMapsAttr(b.getArrayAttr(maps));
    }
  }

  void rewrite() {
    SmallVector<linalg::LinalgOp> old(block.getOps<linalg::LinalgOp>());
    for (linalg::LinalgOp op : old)
      split(op);
    b.setInsertionPoint(block.getTerminator());
    for (OpOperand &returned : block.getTerminator()->getOpOperands()) {
      const Value tensor = returned.get();
      if (partOf(tensor) == Part::none)
        continue;
      auto collapse = tensor::CollapseShapeOp::create(b, tensor.getLoc(), tensor.getType(),
                                                      split(tensor, Part::both), piecesOf(tensor));
      SmallVector<StringRef> names;
      for (int64_t i = 0; i < collapse.getResultType().getRank(); ++i)
        names.push_back(dimName(tensor, i));
      collapse->setAttr(collapsedDimsAttr, b.getStrArrayAttr(names));
      returned.set(collapse);
    }
    eraseDeadOperations(kernel);
  }

  ir::KernelOp kernel;
  Block &block;
  OpBuilder b;
  SmallVector<GroupedOperand> operands;
  llvm::MapVector<Value, Parts> parts; ///< of the dimensions of each tensor
  IRMapping done;                      ///< tensor -> with the dimension as two
  std::map<std::string, Value> dims;
};

/// Whether each product has its rows along one dimension.
bool haveOneRow(ir::KernelOp kernel) {
  return !kernel
              .walk([](linalg::ContractOp contract) {
                const SmallVector<AffineMap> maps = contract.getIndexingMapsArray();
                unsigned rows = 0;
                for (unsigned loop = 0; loop < maps[0].getNumDims(); ++loop)
                  rows += maps[0].isFunctionOfDim(loop) && maps[2].isFunctionOfDim(loop) &&
                          !maps[1].isFunctionOfDim(loop);
                return rows > 1 ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Whether parameters and results whose groups are split have those outside of their last two
/// dimensions, along which tiles extend.
bool areGroupsOutside(ir::KernelOp kernel) {
  const auto isOutside = [](int64_t outer, ArrayRef<ReassociationIndices> pieces) {
    for (auto [i, piece] : llvm::enumerate(pieces))
      if (llvm::is_contained(piece, outer))
        return llvm::is_contained(piece, outer + 1) || i + 2 < pieces.size();
    return false;
  };
  const auto splitOf = [](ArrayRef<ReassociationIndices> pieces) {
    const auto *piece = llvm::find_if(pieces, [](auto &it) { return it.size() > 1; });
    return piece == pieces.end() ? -1 : piece->front();
  };
  return llvm::all_of(kernel.getBody().front(), [&](Operation &op) {
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
        expand && isa<BlockArgument>(expand.getSrc()))
      return llvm::all_of(expand->getUsers(), [&](Operation *user) {
        auto collapse = dyn_cast<tensor::CollapseShapeOp>(user);
        return collapse && isOutside(splitOf(expand.getReassociationIndices()),
                                     collapse.getReassociationIndices());
      });
    auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
    if (!collapse || !isReturned(&op))
      return true;
    auto expand = collapse.getSrc().getDefiningOp<tensor::ExpandShapeOp>();
    return expand &&
           isOutside(splitOf(collapse.getReassociationIndices()), expand.getReassociationIndices());
  });
}

} // namespace

bool areGroupsJoined(ir::KernelOp kernel) { return haveOneRow(kernel) && areGroupsOutside(kernel); }

bool splitGroups(ir::KernelOp kernel) { return GroupSplitter(kernel).run(); }

} // namespace mmk
