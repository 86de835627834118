// Dimensions that every operation goes along together, as one. A tile extends along two dimensions:
// those outside of it, and rows of a few elements inside, cost a transfer each.
#include "passes/dead_code.h"
#include "passes/dimensions.h"
#include "passes/merge_elementwise.h"
#include "passes/passes.h"
#include "passes/row_space.h"
#include "passes/split_groups.h"
#include "passes/variant.h"
#include "schedule/directive.h"
#include "schedule/joined_dimension.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_JOINDIMENSIONS
#include "passes/Passes.h.inc"

namespace {

/// How a tensor is gone along: which of its dimensions of extent 1 stay, and where one that stays
/// begins anew rather than going on with the one before.
struct Form {
  SmallVector<bool> stays, begins;

  bool isWhole() const {
    return llvm::all_of(stays, [](bool it) { return it; }) &&
           llvm::all_of(begins, [](bool it) { return it; });
  }
  /// The dimensions that stay, those that are one together.
  SmallVector<SmallVector<int64_t>> groups() const {
    SmallVector<SmallVector<int64_t>> all;
    for (int64_t dim = 0; dim < static_cast<int64_t>(stays.size()); ++dim) {
      if (!stays[dim])
        continue;
      if (begins[dim] || all.empty())
        all.emplace_back();
      all.back().push_back(dim);
    }
    return all;
  }
  /// The same as pieces of all dimensions: one that does not stay belongs to its neighbour.
  SmallVector<ReassociationIndices> pieces() const {
    SmallVector<ReassociationIndices> all;
    bool isFirst = true; // of those that stay
    for (int64_t dim = 0; dim < static_cast<int64_t>(stays.size()); ++dim) {
      if (all.empty() || (stays[dim] && begins[dim] && !isFirst))
        all.emplace_back();
      all.back().push_back(dim);
      isFirst &= !stays[dim];
    }
    return all;
  }
};

/// Where an operation reads or gives a tensor. All have it in one form: what reads the same
/// parameter may be computed together.
struct Access {
  const void *key;
  Value tensor;
  SmallVector<int64_t> loops; ///< of each dimension
};

/// What goes along some loops in tensors: an operation of linalg, or a slice.
struct Traversal {
  Operation *op;
  SmallVector<Access> accesses;
  SmallVector<bool> isReduced, isApart; ///< of each loop; one that is apart is never joined
};

class Joiner {
public:
  /// `hasGroups`: of a kernel that splitGroups has changed.
  Joiner(ir::KernelOp kernel, const llvm::StringSet<> &named, bool hasGroups)
      : kernel(kernel), block(kernel.getBody().front()), b(kernel.getContext()), named(named),
        keepsPlanes(hasProduct(kernel)), hasGroups(hasGroups) {}

  void run() {
    for (Operation &op : block.without_terminator())
      read(op);
    while (restrict()) {
    }
    const SmallVector<SmallVector<bool>> begins = allBegins();
    separateNamed();
    while (restrict()) {
    }
    kernel.setApart(begins != allBegins());
    if (llvm::all_of(forms, [](const auto &it) { return it.second.isWhole(); }))
      return;
    SmallVector<Operation *> old;
    for (Operation &op : block.without_terminator())
      old.push_back(&op);
    for (Operation *op : old)
      rebuild(op);
    returnAll();
    eraseDeadOperations(kernel);
  }

private:
  //===--- what may be joined ---------------------------------------------------------------===//

  static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

  /// All is open where it is first met: only dimensions of extent 1 go.
  Form &formOf(const void *key, Value tensor) {
    auto [at, isNew] = forms.insert({key, {}});
    Form &form = at->second;
    if (!isNew)
      return form;
    const int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    for (int64_t dim = 0; dim < rank; ++dim) {
      form.stays.push_back(dimName(tensor, dim) != "1");
      form.begins.push_back(dim == 0);
    }
    if (rank > 0 && !llvm::is_contained(form.stays, true))
      form.stays.back() = true;
    return form;
  }

  void keepWhole(const void *key, Value tensor) {
    Form &form = formOf(key, tensor);
    form.stays.assign(form.stays.size(), true);
    form.begins.assign(form.begins.size(), true);
  }

  void addAccess(Traversal &traversal, const void *key, Value tensor, ArrayRef<int64_t> loops) {
    formOf(key, tensor);
    traversal.accesses.push_back({key, tensor, SmallVector<int64_t>(loops)});
  }

  /// The loops of a map; nothing where one is not gone along.
  static std::optional<SmallVector<int64_t>> loopsOfMap(AffineMap map) {
    SmallVector<int64_t> loops;
    for (AffineExpr expression : map.getResults()) {
      auto loop = dyn_cast<AffineDimExpr>(expression);
      if (!loop)
        return std::nullopt;
      loops.push_back(loop.getPosition());
    }
    return loops;
  }

  /// Whether it gives a parameter the dimensions of splitGroups.
  bool isSplit(Operation *op) {
    return hasGroups && isa<tensor::ExpandShapeOp>(op) && isa<BlockArgument>(op->getOperand(0));
  }
  /// Whether it takes them from a result.
  bool isUnsplit(Operation *op) {
    return hasGroups && isa<tensor::CollapseShapeOp>(op) && isReturned(op);
  }

  void read(Operation &op) {
    if (isa<ir::DimOp, tensor::EmptyOp>(op))
      return;
    if (isUnsplit(&op))
      return;
    if (isSplit(&op))
      return keepWhole(op.getOperand(0).getAsOpaquePointer(), op.getOperand(0));
    std::optional<Traversal> traversal;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      traversal = traversalOf(linalgOp);
    else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      traversal = traversalOf(slice);
    if (traversal) {
      traversals.push_back(std::move(*traversal));
      return;
    }
    for (OpOperand &operand : op.getOpOperands())
      if (isTensor(operand.get()))
        keepWhole(operand.get().getAsOpaquePointer(), operand.get());
    for (Value result : op.getResults())
      if (isTensor(result))
        keepWhole(result.getAsOpaquePointer(), result);
  }

  std::optional<Traversal> traversalOf(linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp, linalg::ContractOp, linalg::FillOp>(op.getOperation()))
      return std::nullopt;
    Traversal traversal{op, {}, {}, {}};
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isTensor(operand.get()))
        continue;
      const auto loops = loopsOfMap(op.getMatchingIndexingMap(&operand));
      if (!loops)
        return std::nullopt;
      addAccess(traversal, operand.get().getAsOpaquePointer(), operand.get(), *loops);
    }
    for (OpResult result : op->getResults())
      addAccess(traversal, result.getAsOpaquePointer(), result,
                *loopsOfMap(op.getIndexingMapMatchingResult(result)));
    for (utils::IteratorType iterator : op.getIteratorTypesArray())
      traversal.isReduced.push_back(iterator == utils::IteratorType::reduction);
    const SmallVector<StringRef> names = dimNames(op);
    traversal.isApart.assign(names.size(), false);
    // A reduction stays one: its body combines elements with the result so far.
    for (size_t loop = 0; loop < names.size(); ++loop)
      if (traversal.isReduced[loop] && names[loop] == "1")
        stay(traversal, loop);
    op->walk([&](linalg::IndexOp index) {
      traversal.isApart[index.getDim()] = true;
      stay(traversal, index.getDim());
    });
    if (auto contract = dyn_cast<linalg::ContractOp>(op.getOperation())) {
      const FailureOr<ProductDims> dims = productDims(contract);
      if (failed(dims))
        return std::nullopt;
      for (unsigned loop : {dims->columns, dims->reduction})
        stay(traversal, loop);
      // Of rows that are several dimensions, one of extent 1 goes.
      if (names[dims->rows] != "1" || !hasOtherRows(contract, *dims, names))
        stay(traversal, dims->rows);
      traversal.isApart[dims->columns] = traversal.isApart[dims->reduction] = true;
    } else if (keepsPlanes && isa<linalg::GenericOp>(op.getOperation()) && !isRowReduction(op) &&
               !isOfRows(op)) {
      // Tiles of elementwise work in a kernel with products have rows and columns.
      for (size_t loop = names.size(); loop-- > 0;)
        if (names[loop] != "1") {
          traversal.isApart[loop] = true;
          break;
        }
    }
    return traversal;
  }

  /// Whether it goes over what reductions of rows give: a row group computes it with them.
  bool isOfRows(linalg::LinalgOp op) {
    const bool is = llvm::any_of(op.getDpsInputs(), [&](Value input) {
      auto producer = input.getDefiningOp<linalg::LinalgOp>();
      return producer && (isRowReduction(producer) ? producer.getNumLoops() > op.getNumLoops()
                                                   : producer.getNumLoops() == op.getNumLoops() &&
                                                         ofRows.contains(producer));
    });
    if (is)
      ofRows.insert(op);
    return is;
  }

  /// Whether the left operand alone has other loops than batches and rows, of more than one
  /// element.
  static bool hasOtherRows(linalg::ContractOp contract, const ProductDims &dims,
                           ArrayRef<StringRef> names) {
    const SmallVector<AffineMap> maps = contract.getIndexingMapsArray();
    for (unsigned loop = 0; loop < names.size(); ++loop)
      if (loop != dims.rows && names[loop] != "1" && maps[0].isFunctionOfDim(loop) &&
          maps[2].isFunctionOfDim(loop) && !maps[1].isFunctionOfDim(loop))
        return true;
    return false;
  }

  /// Of slices, those that only leave out dimensions of extent 1.
  std::optional<Traversal> traversalOf(tensor::ExtractSliceOp slice) {
    const llvm::SmallBitVector dropped = slice.getDroppedDims();
    if (!llvm::all_of(slice.getMixedOffsets(),
                      [](OpFoldResult it) { return isConstantIntValue(it, 0); }) ||
        !llvm::all_of(slice.getMixedStrides(),
                      [](OpFoldResult it) { return isConstantIntValue(it, 1); }))
      return std::nullopt;
    SmallVector<int64_t> all, kept;
    for (int64_t dim = 0; dim < slice.getSourceType().getRank(); ++dim) {
      const StringRef name = dimName(slice.getSource(), dim);
      if (dropped.test(dim) ? name != "1"
                            : name.empty() || nameOf(slice.getMixedSizes()[dim]) != name)
        return std::nullopt;
      all.push_back(dim);
      if (!dropped.test(dim))
        kept.push_back(dim);
    }
    Traversal traversal{slice, {}, {}, {}};
    addAccess(traversal, slice.getSource().getAsOpaquePointer(), slice.getSource(), all);
    addAccess(traversal, slice.getResult().getAsOpaquePointer(), slice.getResult(), kept);
    traversal.isReduced.assign(all.size(), false);
    traversal.isApart.assign(all.size(), false);
    return traversal;
  }

  static std::string nameOf(OpFoldResult size) {
    if (auto value = dyn_cast<Value>(size))
      if (auto dim = value.getDefiningOp<ir::DimOp>())
        return dim.getName().str();
    const std::optional<int64_t> literal = getConstantIntValue(size);
    return literal ? std::to_string(*literal) : "";
  }

  /// Sets a mark of a loop in each tensor. Whether that is new.
  bool mark(const Traversal &traversal, int64_t loop, SmallVector<bool> Form::*marks) {
    bool isNew = false;
    for (const Access &access : traversal.accesses)
      for (auto [dim, own] : llvm::enumerate(access.loops))
        if (own == loop) {
          bool &isMarked = (forms.find(access.key)->second.*marks)[dim];
          isNew |= !isMarked;
          isMarked = true;
        }
    return isNew;
  }

  /// Keeps a loop's dimension, also where its extent is 1. Whether that is new.
  bool stay(const Traversal &traversal, int64_t loop) {
    return mark(traversal, loop, &Form::stays);
  }

  /// Of an access, each loop that goes on with the one before: loop -> that one.
  std::map<int64_t, int64_t> joinsOf(const Access &access) {
    std::map<int64_t, int64_t> joins;
    for (const SmallVector<int64_t> &group : forms.find(access.key)->second.groups())
      for (size_t i = 1; i < group.size(); ++i)
        joins[access.loops[group[i]]] = access.loops[group[i - 1]];
    return joins;
  }

  bool hasLoop(const Access &access, int64_t loop) {
    const Form &form = forms.find(access.key)->second;
    return llvm::any_of(llvm::enumerate(access.loops),
                        [&](auto it) { return it.value() == loop && form.stays[it.index()]; });
  }

  /// Whether two loops are one: in each tensor that has any of them they follow each other.
  bool mayJoin(const Traversal &traversal, int64_t outer, int64_t inner) {
    if (traversal.isApart[outer] || traversal.isApart[inner] ||
        traversal.isReduced[outer] != traversal.isReduced[inner])
      return false;
    return llvm::all_of(traversal.accesses, [&](const Access &access) {
      const std::map<int64_t, int64_t> joins = joinsOf(access);
      const auto join = joins.find(inner);
      return join != joins.end() ? join->second == outer
                                 : !hasLoop(access, outer) && !hasLoop(access, inner);
    });
  }

  /// Begins a loop anew in each tensor. Whether that is new.
  bool separate(const Traversal &traversal, int64_t loop) {
    return mark(traversal, loop, &Form::begins);
  }

  /// What the schedule names stays apart, unless it also names all that it would be one with: the
  /// tile of A does not part A*B, where that has a tile, too.
  void separateNamed() {
    for (Traversal &traversal : traversals)
      for (const Access &access : traversal.accesses) {
        const Form &form = forms.find(access.key)->second;
        for (auto [group, name] : llvm::zip(form.groups(), namesOf(access.tensor, form)))
          for (int64_t dim : group)
            if (!named.contains(name) && named.contains(dimName(access.tensor, dim)))
              traversal.isApart[access.loops[dim]] = true;
      }
  }

  /// Where a dimension begins anew, of all tensors.
  SmallVector<SmallVector<bool>> allBegins() const {
    return llvm::map_to_vector(forms, [](const auto &it) { return it.second.begins; });
  }

  /// One round over all operations; whether any dimension was separated or kept.
  bool restrict() {
    bool isChanged = false;
    for (const Traversal &traversal : traversals)
      for (const Access &access : traversal.accesses) {
        const Form form = forms.find(access.key)->second;
        for (auto [dim, loop] : llvm::enumerate(access.loops))
          if (form.stays[dim])
            isChanged |= stay(traversal, loop);
        for (const auto &[inner, outer] : joinsOf(access))
          if (!mayJoin(traversal, outer, inner))
            isChanged |= separate(traversal, inner);
      }
    return isChanged;
  }

  //===--- joining it -----------------------------------------------------------------------===//

  Value dim(StringRef name) {
    Value &known = dims[name.str()];
    if (!known) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&block);
      known = dimValue(b, kernel.getLoc(), name);
    }
    return known;
  }

  /// The names of a tensor's dimensions in a form.
  static SmallVector<std::string> namesOf(Value tensor, const Form &form) {
    SmallVector<std::string> names;
    for (const SmallVector<int64_t> &group : form.groups()) {
      SmallVector<std::string> own;
      for (int64_t dim : group)
        own.push_back(dimName(tensor, dim).str());
      names.push_back(joinedName(std::span(own.data(), own.size())));
    }
    return names;
  }

  static RankedTensorType typeOf(Value tensor, const Form &form) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (form.isWhole())
      return type;
    return RankedTensorType::get(SmallVector<int64_t>(form.groups().size(), ShapedType::kDynamic),
                                 type.getElementType());
  }

  /// The tensor in a form: a computed one has it, a parameter is read in it.
  Value inForm(const void *key, Value tensor) {
    const Form &form = forms.find(key)->second;
    if (form.isWhole())
      return formed.lookupOrDefault(tensor);
    if (Value known = formed.lookupOrNull(tensor))
      return known;
    if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
      return emptyOf(empty, form);
    const SmallVector<ReassociationIndices> pieces = form.pieces();
    const SmallVector<std::string> names = namesOf(tensor, form);
    Value &known = collapsed[{tensor.getAsOpaquePointer(), form.begins, form.stays}];
    if (!known) {
      auto collapse =
          tensor::CollapseShapeOp::create(b, tensor.getLoc(), typeOf(tensor, form), tensor, pieces);
      collapse->setAttr(collapsedDimsAttr,
                        b.getStrArrayAttr(SmallVector<StringRef>(names.begin(), names.end())));
      known = collapse;
    }
    return known;
  }

  Value emptyOf(tensor::EmptyOp empty, const Form &form) {
    SmallVector<Value> sizes;
    for (const std::string &name : namesOf(empty.getResult(), form))
      sizes.push_back(dim(name));
    return tensor::EmptyOp::create(b, empty.getLoc(), typeOf(empty.getResult(), form), sizes);
  }

  void rebuild(Operation *op) {
    b.setInsertionPoint(op);
    const auto traversal =
        llvm::find_if(traversals, [&](const Traversal &it) { return it.op == op; });
    const bool isChanged = traversal != traversals.end() &&
                           llvm::any_of(traversal->accesses, [&](const Access &access) {
                             return !forms.find(access.key)->second.isWhole();
                           });
    if (isChanged && isa<tensor::ExtractSliceOp>(op))
      return rebuildSlice(*traversal);
    if (isChanged)
      return rebuildLoops(*traversal);
    if (isUnsplit(op))
      op->setOperand(0, inItsDims(op->getOperand(0)));
    for (OpOperand &operand : op->getOpOperands())
      if (Value known = formed.lookupOrNull(operand.get()))
        operand.set(known);
  }

  void rebuildSlice(const Traversal &traversal) {
    const Access &from = traversal.accesses[0], &to = traversal.accesses[1];
    const Value source = inForm(from.key, from.tensor);
    SmallVector<OpFoldResult> sizes;
    int64_t kept = 0;
    const Form &form = forms.find(from.key)->second;
    for (const auto &[group, name] : llvm::zip(form.groups(), namesOf(from.tensor, form))) {
      const bool isKept = llvm::is_contained(to.loops, group.front());
      kept += isKept;
      sizes.push_back(isKept ? OpFoldResult(dim(name)) : OpFoldResult(b.getIndexAttr(1)));
    }
    if (kept == static_cast<int64_t>(sizes.size())) {
      formed.map(to.tensor, source);
      return;
    }
    const SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
        strides(sizes.size(), b.getIndexAttr(1));
    formed.map(to.tensor,
               tensor::ExtractSliceOp::create(b, traversal.op->getLoc(),
                                              typeOf(to.tensor, forms.find(to.key)->second), source,
                                              offsets, sizes, strides)
                   .getResult());
  }

  void rebuildLoops(const Traversal &traversal) {
    auto op = cast<linalg::LinalgOp>(traversal.op);
    // The first of each run of loops that are one.
    SmallVector<bool> isThere(op.getNumLoops(), false), goesOn(op.getNumLoops(), false);
    for (const Access &access : traversal.accesses) {
      for (int64_t loop : access.loops)
        isThere[loop] = isThere[loop] || hasLoop(access, loop);
      for (const auto &[inner, outer] : joinsOf(access))
        goesOn[inner] = true;
    }
    SmallVector<int64_t> numbers(op.getNumLoops(), -1);
    SmallVector<utils::IteratorType> iterators;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (isThere[loop] && !goesOn[loop]) {
        numbers[loop] = static_cast<int64_t>(iterators.size());
        iterators.push_back(op.getIteratorTypesArray()[loop]);
      }
    const auto mapOf = [&](const Access &access) {
      SmallVector<AffineExpr> along;
      for (const SmallVector<int64_t> &group : forms.find(access.key)->second.groups())
        along.push_back(b.getAffineDimExpr(numbers[access.loops[group.front()]]));
      return AffineMap::get(iterators.size(), 0, along, b.getContext());
    };
    SmallVector<Value> operands;
    SmallVector<AffineMap> maps;
    auto access = traversal.accesses.begin();
    for (Value operand : op->getOperands()) {
      if (!isTensor(operand)) {
        operands.push_back(operand);
        continue;
      }
      operands.push_back(inForm(access->key, operand));
      maps.push_back(mapOf(*access++));
    }
    SmallVector<Type> types;
    for (Value result : op->getResults())
      types.push_back(typeOf(result, forms.find(result.getAsOpaquePointer())->second));
    Operation *joined = mlir::clone(b, op, types, operands);
    if (auto generic = dyn_cast<linalg::GenericOp>(joined)) {
      generic.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
      generic.setIteratorTypesAttr(
          b.getArrayAttr(llvm::map_to_vector(iterators, [&](utils::IteratorType it) -> Attribute {
            return linalg::IteratorTypeAttr::get(b.getContext(), it);
          })));
      generic->walk([&](linalg::IndexOp index) { index.setDim(numbers[index.getDim()]); });
    } else if (auto contract = dyn_cast<linalg::ContractOp>(joined)) {
      contract.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
    }
    for (auto [before, after] : llvm::zip(op->getResults(), joined->getResults()))
      formed.map(before, after);
  }

  /// A computed tensor with the dimensions that it had before.
  Value inItsDims(Value value) {
    const auto form = forms.find(value.getAsOpaquePointer());
    if (form == forms.end() || form->second.isWhole())
      return formed.lookupOrDefault(value);
    SmallVector<OpFoldResult> extents;
    for (int64_t i = 0; i < cast<RankedTensorType>(value.getType()).getRank(); ++i)
      extents.push_back(dim(dimName(value, i)));
    return tensor::ExpandShapeOp::create(b, value.getLoc(), value.getType(), formed.lookup(value),
                                         form->second.pieces(), extents);
  }

  /// A result has the dimensions that the kernel says.
  void returnAll() {
    b.setInsertionPoint(block.getTerminator());
    for (OpOperand &returned : block.getTerminator()->getOpOperands())
      returned.set(inItsDims(returned.get()));
  }

  ir::KernelOp kernel;
  Block &block;
  OpBuilder b;
  const llvm::StringSet<> &named; ///< dimensions that the schedule names, rules too
  bool keepsPlanes, hasGroups;
  llvm::DenseSet<Operation *> ofRows; ///< see isOfRows
  std::vector<Traversal> traversals;
  llvm::MapVector<const void *, Form> forms;
  IRMapping formed; ///< tensor -> in its form
  std::map<std::tuple<const void *, SmallVector<bool>, SmallVector<bool>>, Value> collapsed;
  std::map<std::string, Value> dims;
};

/// What choices such as "tile.M" say of dimensions.
struct Choosing {
  llvm::StringSet<> named; ///< that stay apart
  llvm::StringSet<> units; ///< of extent 1 in this variant: `extent.W = 1`

  void add(StringRef key) {
    const DirectiveTraits *directive = findDirective(key);
    const size_t dot = key.find('.');
    if (!directive || directive->index == DirectiveIndex::buffer || dot == StringRef::npos)
      return;
    (isOf(key, "extent") ? units : named).insert(key.drop_front(dot + 1));
  }
};

/// Those of its tensors, and those that its operations go along.
llvm::StringSet<> dimsIn(ir::KernelOp kernel) {
  llvm::StringSet<> names;
  for (ArrayAttr list : {kernel.getArgs(), kernel.getResults()})
    for (auto tensor : list.getAsRange<ir::NamedAttr>())
      names.insert_range(namesOf(tensor.getDims()));
  kernel.walk([&](linalg::LinalgOp op) { names.insert_range(dimNames(op)); });
  return names;
}

/// Whether each dimension that is named as one is: its parts are not named, too.
LogicalResult checkThere(ir::KernelOp kernel, const llvm::StringSet<> &named,
                         const llvm::StringSet<> &all) {
  for (StringRef name : named.keys())
    if ((isJoined(name) || llvm::isDigit(name.front())) && !all.contains(name)) {
      SmallVector<StringRef> legal;
      for (StringRef each : all.keys())
        if (isTiled(each))
          legal.push_back(each);
      llvm::sort(legal);
      return kernel.emitError() << "a choice names the dimension " << name
                                << ", which is not one in this variant; dimensions: "
                                << llvm::join(legal, ", ");
    }
  return success();
}

/// The kernel with the literal extent 1 for these dimensions.
void setUnits(ir::KernelOp kernel, const llvm::StringSet<> &units) {
  Builder b(kernel.getContext());
  const auto renamed = [&](StringAttr name) {
    return units.contains(name) ? b.getStringAttr("1") : name;
  };
  const auto renameAll = [&](ArrayAttr names) {
    SmallVector<Attribute> all;
    for (StringAttr name : names.getAsRange<StringAttr>())
      all.push_back(renamed(name));
    return b.getArrayAttr(all);
  };
  const auto shapes = [&](ArrayAttr list) {
    SmallVector<Attribute> all;
    for (auto tensor : list.getAsRange<ir::NamedAttr>())
      all.push_back(ir::NamedAttr::get(b.getContext(), tensor.getName(),
                                       llvm::map_to_vector(tensor.getDims(), renamed),
                                       tensor.getConstant()));
    return b.getArrayAttr(all);
  };
  kernel.setArgsAttr(shapes(kernel.getArgs()));
  kernel.setResultsAttr(shapes(kernel.getResults()));
  kernel.walk([&](Operation *op) {
    if (auto dim = dyn_cast<ir::DimOp>(op))
      dim.setNameAttr(renamed(dim.getNameAttr()));
    else if (auto positions = dyn_cast<ir::PositionsOp>(op))
      positions.setNameAttr(renamed(positions.getNameAttr()));
    else if (auto random = dyn_cast<ir::RandomOp>(op))
      random.setDimsAttr(renameAll(random.getDims()));
    else if (auto window = dyn_cast<ir::WindowOp>(op))
      window.setDimsAttr(renameAll(window.getDims()));
    else if (auto dims = op->getAttrOfType<ArrayAttr>(collapsedDimsAttr))
      op->setAttr(collapsedDimsAttr, renameAll(dims));
  });
}

/// The position along a dimension of extent 1 is 0.
void foldUnitPositions(ir::KernelOp kernel) {
  SmallVector<linalg::IndexOp> units;
  kernel.walk([&](linalg::IndexOp index) {
    const SmallVector<StringRef> names = dimNames(index->getParentOfType<linalg::LinalgOp>());
    if (names[index.getDim()] == "1")
      units.push_back(index);
  });
  for (linalg::IndexOp index : units) {
    OpBuilder b(index);
    index.replaceAllUsesWith(arith::ConstantIndexOp::create(b, index.getLoc(), 0).getResult());
    index.erase();
  }
}

struct JoinDimensionsPass : impl::JoinDimensionsBase<JoinDimensionsPass> {
  using JoinDimensionsBase::JoinDimensionsBase;

  void runOnOperation() override {
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>()) {
      mergeElementwise(kernel);
      Choosing choosing;
      kernel.getSchedule().walk([&](ir::ChoiceOp choice) { choosing.add(choice.getKey()); });
      kernel.getSchedule().walk([&](ir::ChosenOp ofRule) { choosing.add(ofRule.getKey()); });
      setUnits(kernel, choosing.units);
      foldUnitPositions(kernel);
      if (failed(checkDims(kernel)))
        return signalPassFailure();
      llvm::StringSet<> all = dimsIn(kernel);
      if (joins && !joinGroups(kernel, choosing.named))
        Joiner(kernel, choosing.named, /*hasGroups=*/false).run();
      all.insert_range(dimsIn(kernel).keys());
      if (failed(checkThere(kernel, choosing.named, all)))
        return signalPassFailure();
    }
  }

private:
  /// Makes the rows of positions that read the same matrices one dimension; whether that could be.
  static bool joinGroups(ir::KernelOp kernel, const llvm::StringSet<> &named) {
    OwningOpRef<ir::KernelOp> grouped(kernel.clone());
    if (!splitGroups(*grouped))
      return false;
    Joiner(*grouped, named, /*hasGroups=*/true).run();
    if (!areGroupsJoined(*grouped))
      return false;
    kernel.getBody().takeBody(grouped->getBody());
    kernel.setApart(grouped->getApart());
    return true;
  }
};

} // namespace
} // namespace mmk
