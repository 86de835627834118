// Reductions over a few literal taps of a window, tap by tap. Poolings and depthwise convolutions
// are then elementwise operations that read the window once for each tap: a vector core loads whole
// lines of a tile, and its instructions go along the lines; the elements of one window lie apart in
// memory, and a row of them is short. With `fuse = windows`, a pooling of a product, such as the
// largest of each 2 x 2 results of a convolution, is a combination of products, one for each tap,
// of which all elements at one place are combined. The product is then never whole in memory.
#include "backend/backend.h"
#include "ir/diagnostic_code.h"
#include "passes/dead_code.h"
#include "passes/dimensions.h"
#include "passes/passes.h"
#include "passes/variant.h"
#include "passes/windows/copy_in_order.h"
#include "schedule/joined_dimension.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <functional>
#include <optional>
#include <string>

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_UNROLLWINDOWS
#include "passes/Passes.h.inc"

namespace {

/// So many inputs of a tile leave UB room for tiles of some lines: a window of 5 x 5.
constexpr int64_t mostTaps = 25;
/// So many products of a tile leave room for tiles of some columns: a window of 3 x 3.
constexpr int64_t mostProducts = 9;

/// factor * d + constant, of one kept dimension d.
struct AlongDim {
  int64_t factor, constant;
  bool isIdentity() const { return factor == 1 && constant == 0; }
};
std::optional<AlongDim> alongDim(AffineExpr index, unsigned dim) {
  const AffineExpr position = getAffineDimExpr(dim, index.getContext());
  const auto at = [&](int64_t number) {
    return dyn_cast<AffineConstantExpr>(
        index.replace(position, getAffineConstantExpr(number, index.getContext())));
  };
  const auto first = at(0), second = at(1);
  if (!first || !second)
    return std::nullopt;
  const AlongDim found{second.getValue() - first.getValue(), first.getValue()};
  const bool isLinear = simplifyAffineExpr(index - position * found.factor, dim + 1, 0) == first;
  return isLinear ? std::optional(found) : std::nullopt;
}

RankedTensorType dynamicType(size_t rank, Type element) {
  return RankedTensorType::get(SmallVector<int64_t>(rank, ShapedType::kDynamic), element);
}
Type elementType(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

bool isElementwise(linalg::GenericOp op) {
  return op && op.getNumResults() == 1 && op.getNumParallelLoops() == op.getNumLoops() &&
         op.getIndexingMapsArray().back().isIdentity() &&
         op.getBody()->getOps<linalg::IndexOp>().empty();
}

bool isCopy(linalg::GenericOp op) {
  return isElementwise(op) && op.getNumDpsInputs() == 1 &&
         op.getBody()->getTerminator()->getOperand(0) == op.getBody()->getArgument(0);
}

/// Whether a window stands in what is read at a place, through elementwise operations.
bool readsWindow(Value value) {
  if (value.getDefiningOp<ir::WindowOp>())
    return true;
  auto op = value.getDefiningOp<linalg::GenericOp>();
  return isElementwise(op) && llvm::any_of(op.getDpsInputs(), readsWindow);
}

/// A tensor, and of each of its dimensions the kept one that it is.
struct Read {
  Value tensor;
  AffineMap map;
};
/// An element that is computed from what is read.
struct Element {
  SmallVector<Read> reads;
  std::function<Value(OpBuilder &, ValueRange)> build; ///< from the elements of those
};
Element elementOf(const Read &read) {
  return {{read}, [](OpBuilder &, ValueRange elements) { return elements[0]; }};
}

/// One reduction, and what is read for it, in the dimensions that are kept.
class Unroller {
public:
  /// `pools`: whether it is of a product, of which each tap has its own.
  Unroller(linalg::GenericOp reduction, bool pools)
      : reduction(reduction), pools(pools), names(dimNames(reduction)), b(reduction) {}

  /// Whether it was a reduction over few literal taps of a window, and is none now.
  bool run() {
    if (!isOfFewTaps() || llvm::none_of(reduction.getDpsInputs(), [&](Value input) {
          return pools ? isPooled(input) : readsWindow(input);
        }))
      return false;
    const int64_t taps = computeProduct(extents);
    std::optional<Element> soFar;
    for (int64_t tap = 0; tap < taps; ++tap) {
      soFar = combined(tap, soFar);
      if (!soFar)
        return false;
      // Each product is combined with those before it, by an operation of its own.
      if (pools ? tap > 0 : tap + 1 == taps)
        soFar = emit(*soFar, elementType(reduction.getResult(0)), reduction.getLoc());
    }
    if (!readsOnce(taps))
      return false;
    const Value result = soFar->reads[0].tensor;
    if (auto name = reduction->getAttr("mmk.name"))
      result.getDefiningOp()->setAttr("mmk.name", name);
    reduction.replaceAllUsesWith(ValueRange{result});
    return true;
  }

  /// Those that it pooled.
  auto products() { return llvm::make_first_range(reads); }

private:
  bool isOfFewTaps() {
    if (reduction.getNumResults() != 1 || reduction.getNumReductionLoops() == 0 ||
        !reduction.getBody()->getOps<linalg::IndexOp>().empty() ||
        !reduction.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
      return false;
    Value soFar = reduction.getBody()->getArguments().back();
    Operation *combination = reduction.getBody()->getTerminator()->getOperand(0).getDefiningOp();
    if (!combination || combination->getNumOperands() != 2 || !soFar.hasOneUse() ||
        *soFar.user_begin() != combination)
      return false;
    int64_t taps = 1;
    SmallVector<unsigned> loops;
    for (auto [loop, name] : llvm::enumerate(names)) {
      if (reduction.getIteratorTypesArray()[loop] == utils::IteratorType::parallel) {
        loops.push_back(loop);
        kept.push_back(name);
        continue;
      }
      int64_t extent = 0;
      if (name.getAsInteger(10, extent) || (taps *= extent) > (pools ? mostProducts : mostTaps))
        return false;
      extents.push_back(extent);
    }
    if (pools && (taps == 1 || reduction.getNumDpsInputs() != 1 ||
                  !isa<FloatType>(elementType(reduction.getResult(0)))))
      return false;
    return !kept.empty() && !llvm::is_contained(kept, "") &&
           reduction.getIndexingMapsArray().back() ==
               AffineMap::getMultiDimMapWithTargets(names.size(), loops, b.getContext());
  }

  /// From the kept dimensions to the loops of the reduction, at a tap.
  AffineMap loopsAt(int64_t tap) {
    const SmallVector<int64_t> places = delinearize(tap, computeSuffixProduct(extents));
    SmallVector<AffineExpr> loops;
    unsigned own = 0, reduced = 0;
    for (utils::IteratorType iterator : reduction.getIteratorTypesArray())
      loops.push_back(iterator == utils::IteratorType::parallel
                          ? b.getAffineDimExpr(own++)
                          : b.getAffineConstantExpr(places[reduced++]));
    return AffineMap::get(kept.size(), 0, loops, b.getContext());
  }

  /// Whether it is computed from a product, element by element or through windows.
  bool isPooled(Value tensor) {
    Operation *op = tensor.getDefiningOp();
    if (!pools || !op)
      return false;
    if (const auto found = pooled.find(tensor); found != pooled.end())
      return found->second;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    const bool result =
        isa<linalg::ContractOp>(op) ||
        ((isReshape(op) || isa<ir::WindowOp>(op)) && isPooled(op->getOperand(0))) ||
        (isElementwise(generic) &&
         llvm::any_of(generic.getDpsInputs(), [&](Value input) { return isPooled(input); }));
    return pooled[tensor] = result;
  }

  /// Whether the elements of a line, along the last kept dimension, follow each other in memory.
  bool readsLines(AffineMap map) {
    const unsigned last = kept.size() - 1;
    if (!map.isFunctionOfDim(last))
      return true;
    AffineExpr dim = b.getAffineDimExpr(last), index = map.getResults().back();
    return simplifyAffineExpr(index.replace(dim, dim + 1) - index, kept.size(),
                              map.getNumSymbols()) == b.getAffineConstantExpr(1);
  }

  /// What `map` reads of a source, as a window in those kept dimensions that it reads. Nothing
  /// where it reads none, or would be loaded element by element.
  std::optional<Element> window(Value source, AffineMap map, ValueRange symbols, Value padding) {
    SmallVector<AffineExpr> own;
    SmallVector<StringRef> dims;
    for (unsigned d = 0; d < kept.size(); ++d)
      if (map.isFunctionOfDim(d)) {
        own.push_back(b.getAffineDimExpr(d));
        dims.push_back(kept[d]);
      }
    if (dims.empty() || ir::isGenerated(source.getDefiningOp()) || (!pools && !readsLines(map)))
      return std::nullopt;
    const Value result = ir::WindowOp::create(
        b, reduction.getLoc(), dynamicType(dims.size(), elementType(source)), source,
        AffineMapAttr::get(compressUnusedDims(map)), symbols, b.getStrArrayAttr(dims), padding);
    return elementOf({result, AffineMap::get(kept.size(), 0, own, b.getContext())});
  }

  /// What stands in a tensor at a place that `map` gives, from the kept dimensions to those of the
  /// tensor; nothing where that is not known. It is computed once.
  std::optional<Element> at(Value tensor, AffineMap map) {
    const auto key = std::pair(tensor, map);
    if (const auto before = known.find(key); before != known.end())
      return before->second;
    const std::optional<Element> element = found(tensor, map);
    known.try_emplace(key, element);
    return element;
  }

  std::optional<Element> found(Value tensor, AffineMap map) {
    if (isWhole(tensor, map))
      return elementOf({tensor, map});
    if (auto op = tensor.getDefiningOp<linalg::GenericOp>(); isElementwise(op))
      return computed(op, map);
    if (auto source = tensor.getDefiningOp<ir::WindowOp>()) {
      const AffineMap whole = source.getMap().compose(map);
      if (!isPooled(tensor))
        return window(source.getSource(), whole, source.getSymbols(), source.getPadding());
      // Outside of a product there is none.
      const bool isInside = !source.getPadding() && source.getSymbols().empty();
      return isInside ? at(source.getSource(), whole) : std::nullopt;
    }
    return isPooled(tensor) ? product(tensor, map) : window(tensor, map, {}, {});
  }

  /// Whether it is read at each position of kept dimensions. A window of a product may have
  /// shorter ones.
  bool isWhole(Value tensor, AffineMap map) {
    return map.isProjectedPermutation() && !isPooled(tensor) &&
           (!pools || llvm::all_of(llvm::seq(map.getNumResults()), [&](unsigned dim) {
             return dimName(tensor, dim) == kept[map.getDimPosition(dim)];
           }));
  }

  /// Computed with each tap, so that few elements are there at a time. What a product is computed
  /// into is an operation of its own.
  std::optional<Element> computed(linalg::GenericOp op, AffineMap map) {
    Element whole;
    SmallVector<Element> inputs;
    for (OpOperand *input : op.getDpsInputOperands()) {
      std::optional<Element> element =
          at(input->get(), op.getMatchingIndexingMap(input).compose(map));
      if (!element)
        return std::nullopt;
      whole.reads.append(element->reads);
      inputs.push_back(std::move(*element));
    }
    whole.build = [op, inputs](OpBuilder &builder, ValueRange elements) mutable {
      IRMapping mapping;
      for (auto [argument, input] : llvm::zip(op.getBody()->getArguments(), inputs)) {
        mapping.map(argument, input.build(builder, elements.take_front(input.reads.size())));
        elements = elements.drop_front(input.reads.size());
      }
      for (Operation &inner : op.getBody()->without_terminator())
        builder.clone(inner, mapping);
      return mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
    };
    return pools ? emit(whole, elementType(op.getResult(0)), op.getLoc()) : whole;
  }

  //===--- products ---------------------------------------------------------------------------===//

  /// A dimension of a product: the kept ones that are one there.
  struct Group {
    ReassociationIndices dims;
    std::string name;
  };

  /// The product at a place, of which each dimension is read along the kept one in its place; split
  /// as the product was.
  std::optional<Element> product(Value tensor, AffineMap map) {
    auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>();
    auto contract = (expand ? expand.getSrc() : tensor).getDefiningOp<linalg::ContractOp>();
    if (!contract || map.getNumResults() != kept.size() || !isa<FloatType>(operandType(contract)))
      return std::nullopt;
    SmallVector<AlongDim> read;
    for (AffineExpr index : map.getResults()) {
      const std::optional<AlongDim> own = alongDim(index, read.size());
      if (!own)
        return std::nullopt;
      read.push_back(*own);
    }
    reads[contract].push_back(read);
    const unsigned rank = cast<RankedTensorType>(contract.getResult(0).getType()).getRank();
    SmallVector<Group> groups;
    for (unsigned dim = 0; dim < rank; ++dim)
      groups.push_back(
          groupOf(expand ? expand.getReassociationIndices()[dim] : ReassociationIndices{dim},
                  dimName(contract.getResult(0), dim), tensor, read));
    if (contract.getIndexingMapsArray().back() !=
        b.getMultiDimIdentityMap(rank + 1).getMajorSubMap(rank))
      return std::nullopt;
    const Location loc = contract.getLoc();
    SmallVector<Value> operands, sizes;
    for (OpOperand *input : contract.getDpsInputOperands()) {
      operands.push_back(operand(contract, *input, groups, read));
      if (!operands.back())
        return std::nullopt;
    }
    for (const Group &group : groups)
      sizes.push_back(dimValue(b, loc, group.name));
    const Type type = elementType(tensor);
    const Value empty = tensor::EmptyOp::create(b, loc, dynamicType(rank, type), sizes);
    const Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    operands.push_back(linalg::FillOp::create(b, loc, zero, empty).getResult(0));
    Value result = mlir::clone(b, contract, contract->getResultTypes(), operands)->getResult(0);
    if (expand)
      result = tensor::ExpandShapeOp::create(b, loc, expand.getType(), result,
                                             expand.getReassociationIndices(),
                                             getAsOpFoldResult(keptSizes(loc)));
    return elementOf({result, b.getMultiDimIdentityMap(kept.size())});
  }

  /// Its name is that of the product's dimension where the tap reads all of it.
  Group groupOf(ReassociationIndices dims, StringRef before, Value tensor,
                ArrayRef<AlongDim> read) {
    SmallVector<std::string> parts;
    bool isSame = true;
    for (const int64_t dim : dims) {
      parts.push_back(kept[dim].str());
      isSame &= read[dim].isIdentity() && dimName(tensor, dim) == kept[dim];
    }
    return {dims, isSame ? before.str() : joinedName(std::span(parts.data(), parts.size()))};
  }

  /// The operand of the product of a tap: what the tap reads of its rows or columns; null where
  /// that is not known.
  Value operand(linalg::ContractOp contract, OpOperand &input, ArrayRef<Group> groups,
                ArrayRef<AlongDim> read) {
    const AffineMap map = contract.getMatchingIndexingMap(&input);
    auto collapse = input.get().getDefiningOp<tensor::CollapseShapeOp>();
    Value source = collapse ? collapse.getSrc() : input.get();
    bool isSame = true;
    SmallVector<AffineExpr> along;
    SmallVector<StringRef> dims, merged;
    for (unsigned d = 0; d < map.getNumResults(); ++d) {
      const unsigned loop = map.getDimPosition(d);
      const auto piece = collapse ? collapse.getReassociationIndices()[d] : ReassociationIndices{d};
      const Group *group = loop < groups.size() ? &groups[loop] : nullptr;
      if (group && piece.size() != group->dims.size())
        return {};
      merged.push_back(group ? StringRef(group->name) : dimName(input.get(), d));
      isSame &= merged.back() == dimName(input.get(), d);
      for (auto [i, dim] : llvm::enumerate(piece)) {
        const AlongDim own = group ? read[group->dims[i]] : AlongDim{1, 0};
        along.push_back(b.getAffineDimExpr(dim) * own.factor + own.constant);
        dims.push_back(group ? kept[group->dims[i]] : dimName(source, dim));
        isSame &= own.isIdentity();
      }
    }
    if (isSame)
      return input.get();
    // One window through all that moves or reads elements.
    Value padding;
    SmallVector<Value> symbols;
    AffineMap index = AffineMap::get(along.size(), 0, along, b.getContext());
    while (!padding) {
      if (auto window = source.getDefiningOp<ir::WindowOp>()) {
        index = window.getMap().compose(index);
        symbols.insert(symbols.begin(), window.getSymbols().begin(), window.getSymbols().end());
        padding = window.getPadding();
        source = window.getSource();
      } else if (auto copy = source.getDefiningOp<linalg::GenericOp>(); copy && isCopy(copy)) {
        index = copy.getIndexingMapsArray()[0].compose(index);
        source = copy.getDpsInputs()[0];
      } else {
        break;
      }
    }
    auto window = ir::WindowOp::create(
        b, contract.getLoc(), dynamicType(dims.size(), elementType(source)), source,
        AffineMapAttr::get(index), symbols, b.getStrArrayAttr(dims), padding);
    if (!collapse && window.isOfMatrices())
      return window;
    const Value copy =
        copyInOrder(b, window, llvm::to_vector(llvm::seq<int64_t>(0, int64_t(dims.size()))));
    if (!collapse)
      return copy;
    auto result = tensor::CollapseShapeOp::create(b, contract.getLoc(), input.get().getType(), copy,
                                                  collapse.getReassociationIndices());
    result->setAttr(collapsedDimsAttr, b.getStrArrayAttr(merged));
    return result;
  }

  /// Whether each product is read once by each tap, and no element of it by two.
  bool readsOnce(int64_t taps) {
    return llvm::all_of(reads, [&](const auto &product) {
      const auto &places = product.second;
      for (size_t d = 0; d < kept.size(); ++d) {
        const auto [least, most] = std::ranges::minmax(
            llvm::map_to_vector(places, [&](const auto &tap) { return tap[d].constant; }));
        if (most - least >= places[0][d].factor)
          return false;
      }
      return int64_t(places.size()) == taps;
    });
  }

  //===--- the operation ----------------------------------------------------------------------===//

  SmallVector<Value> keptSizes(Location loc) {
    return llvm::map_to_vector(kept, [&](StringRef name) { return dimValue(b, loc, name); });
  }

  /// The elements of a tensor that is computed.
  Element emit(const Element &element, Type type, Location loc) {
    SmallVector<Value> tensors;
    SmallVector<AffineMap> maps;
    for (const Read &read : element.reads) {
      tensors.push_back(read.tensor);
      maps.push_back(read.map);
    }
    maps.push_back(b.getMultiDimIdentityMap(kept.size()));
    const Value target =
        tensor::EmptyOp::create(b, loc, dynamicType(kept.size(), type), keptSizes(loc));
    auto result = linalg::GenericOp::create(
        b, loc, target.getType(), tensors, target, maps,
        SmallVector<utils::IteratorType>(kept.size(), utils::IteratorType::parallel),
        [&](OpBuilder &builder, Location, ValueRange elements) {
          const Value built = element.build(builder, elements.drop_back());
          linalg::YieldOp::create(builder, loc, built);
        });
    return elementOf({result.getResult(0), maps.back()});
  }

  /// The reduction's body at a tap, combined with what is there so far.
  std::optional<Element> combined(int64_t tap, std::optional<Element> before) {
    Element result = before ? *before : Element();
    SmallVector<Element> inputs;
    for (OpOperand *input : reduction.getDpsInputOperands()) {
      const AffineMap place = reduction.getMatchingIndexingMap(input).compose(loopsAt(tap));
      std::optional<Element> element = at(input->get(), place);
      if (!element)
        return std::nullopt;
      result.reads.append(element->reads);
      inputs.push_back(std::move(*element));
    }
    result.build = [this, before, inputs](OpBuilder &builder, ValueRange read) {
      Value soFar;
      if (before) {
        soFar = before->build(builder, read.take_front(before->reads.size()));
        read = read.drop_front(before->reads.size());
      }
      SmallVector<Value> elements;
      for (const Element &input : inputs) {
        elements.push_back(input.build(builder, read.take_front(input.reads.size())));
        read = read.drop_front(input.reads.size());
      }
      return step(builder, elements, soFar);
    };
    return result;
  }

  /// The reduction's body for these elements of its inputs, combined with what is there so far;
  /// null: nothing is.
  Value step(OpBuilder &builder, ValueRange elements, Value soFar) {
    Block &body = *reduction.getBody();
    Operation *combination = body.getTerminator()->getOperand(0).getDefiningOp();
    Value before = body.getArguments().back();
    IRMapping mapping;
    mapping.map(body.getArguments().drop_back(), elements);
    if (soFar)
      mapping.map(before, soFar);
    for (Operation &inner : body.without_terminator())
      if (soFar || &inner != combination)
        builder.clone(inner, mapping);
    if (soFar)
      return mapping.lookup(combination->getResult(0));
    return mapping.lookupOrDefault(combination->getOperand(combination->getOperand(0) == before));
  }

  linalg::GenericOp reduction;
  bool pools;
  SmallVector<StringRef> names; ///< of its loops
  SmallVector<StringRef> kept;  ///< of those that are not reduced
  SmallVector<int64_t> extents; ///< of those that are
  OpBuilder b;
  llvm::DenseMap<std::pair<Value, AffineMap>, std::optional<Element>> known;
  llvm::DenseMap<Value, bool> pooled;
  /// How each tap reads the products.
  llvm::MapVector<Operation *, SmallVector<SmallVector<AlongDim>>> reads;
};

struct UnrollWindowsPass : impl::UnrollWindowsBase<UnrollWindowsPass> {
  LogicalResult poolProducts(ir::KernelOp kernel) {
    llvm::SmallPtrSet<Operation *, 4> pooled;
    // A pooling of what another one computes is a reduction of that.
    for (auto op : llvm::to_vector(
             llvm::reverse(llvm::to_vector(kernel.getBody().getOps<linalg::GenericOp>()))))
      if (Unroller unroller(op, /*pools=*/true); unroller.run())
        pooled.insert_range(unroller.products());
    eraseDeadOperations(kernel);
    const bool isReadElsewhere =
        llvm::any_of(kernel.getBody().getOps<linalg::ContractOp>(),
                     [&](linalg::ContractOp product) { return pooled.contains(product); });
    if (!pooled.empty() && !isReadElsewhere)
      return success();
    ir::ChoiceOp choice = kernel.choice("fuse");
    return nearestLegal((choice ? choice.emitError() : kernel.emitError())
                        << "fuse = windows computes a product once for each tap of a pooling "
                           "behind it, of at most "
                        << mostProducts
                        << " taps that do not overlap and are within the product, and this kernel "
                           "has no such pooling; nearest legal: fuse = all");
  }

  void runOnOperation() override {
    auto machine = getOperation()->getAttrOfType<aicore::MachineAttr>("aicore.machine");
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>()) {
      if (kernel.chosenWord("fuse", "all") == "windows" && failed(poolProducts(kernel)))
        return signalPassFailure();
      if (machine && !backendOf(machine).readsWindowsByTap())
        continue;
      for (auto op : llvm::to_vector(kernel.getBody().getOps<linalg::GenericOp>()))
        Unroller(op, /*pools=*/false).run();
      eraseDeadOperations(kernel);
    }
  }
};

} // namespace
} // namespace mmk
