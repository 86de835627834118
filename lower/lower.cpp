#include "lower/lower.h"

#include "ir/mmk.h"
#include "lower/elementwise.h"
#include "lower/index_map.h"
#include "lower/rule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;

namespace mmk {
namespace {

/// A value of the body in the IR: a tensor whose dimension i is the logical dimension order[i] of
/// the value, so that a transposition is an order and never a copy. Logical dimensions without a
/// dimension of the tensor are broadcast. A scalar has no shape.
struct View {
  mlir::Value value;
  std::vector<unsigned> order;
  unsigned rank = 0; ///< logical
  Shape shape;       ///< of `value`
};

mlir::Type elementOf(const View &view) { return mlir::getElementTypeOrSelf(view.value); }
bool isScalar(const View &view) { return !mlir::isa<mlir::RankedTensorType>(view.value.getType()); }

class KernelLowering {
public:
  KernelLowering(const Kernel &kernel, mlir::MLIRContext &context)
      : kernel(kernel), b(&context), loc(b.getUnknownLoc()) {}

  mlir::OwningOpRef<mlir::ModuleOp> run(std::string_view machine);

private:
  void lowerBody(ir::KernelOp op);
  void lowerSchedule(const Schedule &schedule, ir::KernelOp op);

  View lower(const Value *value, bool transposed);
  View build(const Value *value, bool transposed);
  View elementwise(const Shape &domain, ElementType type, llvm::ArrayRef<View> operands,
                   llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> element,
                   bool keepsUnits = false);
  View product(const Value *value, bool transposed);
  View withMatrix(const View &view);
  View reduce(const Value *value);
  View reduce(const Value *value, View operand, Reduction reduction, mlir::Type element);
  View asNumbers(const View &conditions, const Shape &shape, bool keepsUnits);
  View asConditions(const View &numbers, const Shape &shape);
  View reduceConditions(const Value *value, View operand);
  View cumulate(const Value *value);
  View squeeze(const Value *value);
  View access(const Value *value);
  View gather(const Value *value);
  View window(const Value *value, View source, mlir::Value padding);
  View viewOf(mlir::Value tensor, const Shape &shape);
  mlir::ArrayAttr names(const Shape &shape);
  View position(const Value *value);
  View random(const Value *value);
  mlir::Value index(mlir::OpBuilder &builder, const Rule &rule);
  void prepareExtents(const Value *value);
  View whole(const View &view, const Value *value, ElementType type);
  mlir::Value resultOf(const Result &result);

  /// The view without the dimensions of extent 1 that broadcast in `domain`.
  View withoutUnits(View view, const Shape &domain);
  mlir::Value extent(const Dimension &dimension);
  mlir::Value extentNumber(const Value *value);
  mlir::Value filled(const Shape &shape, mlir::Value number);
  mlir::Value emptyTensor(const Shape &shape, mlir::Type element);
  ir::NamedAttr named(const std::string &name, const Shape &shape, bool isConstant = false);
  mlir::Location place(SourceRange where);
  mlir::RankedTensorType tensorType(const Shape &shape, mlir::Type element);

  const Kernel &kernel;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Block *body = nullptr;
  std::map<std::pair<const Value *, bool>, View> done;
  std::map<std::string, mlir::Value> extents;
  llvm::DenseSet<mlir::Value> returned;
};

std::string text(const Dimension &dimension) {
  return dimension.isLiteral() ? std::to_string(dimension.literal) : dimension.name;
}

Shape transposedShape(Shape shape) {
  if (shape.size() == 1)
    shape.push_back({"", 1});
  else if (shape.size() > 1)
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return shape;
}

mlir::Location KernelLowering::place(SourceRange where) {
  if (!where.file)
    return b.getUnknownLoc();
  auto begin = where.file->position(where.begin), end = where.file->position(where.end);
  return mlir::FileLineColRange::get(b.getStringAttr(where.file->path()), begin.line, begin.column,
                                     end.line, end.column);
}

mlir::RankedTensorType KernelLowering::tensorType(const Shape &shape, mlir::Type element) {
  std::vector<int64_t> dynamic(shape.size(), mlir::ShapedType::kDynamic);
  return mlir::RankedTensorType::get(dynamic, element);
}

ir::NamedAttr KernelLowering::named(const std::string &name, const Shape &shape, bool isConstant) {
  std::vector<mlir::StringAttr> dims;
  for (const Dimension &dimension : shape)
    dims.push_back(b.getStringAttr(text(dimension)));
  return ir::NamedAttr::get(b.getContext(), b.getStringAttr(name), dims, isConstant);
}

mlir::ArrayAttr KernelLowering::names(const Shape &shape) {
  std::vector<mlir::Attribute> dims;
  for (const Dimension &dimension : shape)
    dims.push_back(b.getStringAttr(text(dimension)));
  return b.getArrayAttr(dims);
}

mlir::Value KernelLowering::extent(const Dimension &dimension) {
  mlir::Value &known = extents[text(dimension)];
  if (!known) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(body);
    known = ir::DimOp::create(b, b.getUnknownLoc(), b.getIndexType(), text(dimension));
  }
  return known;
}

mlir::Value KernelLowering::emptyTensor(const Shape &shape, mlir::Type element) {
  std::vector<mlir::Value> sizes;
  for (const Dimension &dimension : shape)
    sizes.push_back(extent(dimension));
  return tensor::EmptyOp::create(b, loc, tensorType(shape, element), sizes);
}

/// The product of several extents is rounded once, to f32.
mlir::Value KernelLowering::extentNumber(const Value *value) {
  mlir::Value product;
  for (const Dimension &dimension : value->dimensions) {
    mlir::Value next = arith::IndexCastOp::create(b, loc, b.getI64Type(), extent(dimension));
    product = product ? arith::MulIOp::create(b, loc, product, next).getResult() : next;
  }
  return arith::SIToFPOp::create(b, loc, b.getF32Type(), product);
}

mlir::Value KernelLowering::filled(const Shape &shape, mlir::Value number) {
  return linalg::FillOp::create(b, loc, number, emptyTensor(shape, number.getType())).getResult(0);
}

View KernelLowering::withoutUnits(View view, const Shape &domain) {
  std::vector<bool> drop(view.shape.size(), false);
  for (size_t i = 0; i < view.shape.size(); ++i) {
    const Dimension &against = domain[view.order[i] + domain.size() - view.rank];
    drop[i] = view.shape[i] == Dimension{"", 1} && against != Dimension{"", 1};
  }
  if (llvm::none_of(drop, [](bool d) { return d; }))
    return view;

  View reduced{{}, {}, view.rank, {}};
  std::vector<mlir::OpFoldResult> offsets(drop.size(), b.getIndexAttr(0)),
      strides(drop.size(), b.getIndexAttr(1)), sizes;
  std::vector<int64_t> shape;
  for (size_t i = 0; i < drop.size(); ++i) {
    if (drop[i]) {
      sizes.push_back(b.getIndexAttr(1));
      continue;
    }
    sizes.push_back(extent(view.shape[i]));
    shape.push_back(mlir::ShapedType::kDynamic);
    reduced.order.push_back(view.order[i]);
    reduced.shape.push_back(view.shape[i]);
  }
  auto type = mlir::RankedTensorType::get(
      shape, mlir::cast<mlir::RankedTensorType>(view.value.getType()).getElementType());
  reduced.value = tensor::ExtractSliceOp::create(b, loc, type, view.value, offsets, sizes, strides);
  return reduced;
}

/// For each dimension of a domain, the iteration of an elementwise operation over it. One of
/// literal extent 1 that no operand has, such as a reduced one, has none; but a result keeps all.
std::vector<std::optional<unsigned>> iterationsOf(const Shape &domain,
                                                  llvm::ArrayRef<View> operands, bool keepsUnits) {
  std::vector<bool> isRead(domain.size(), keepsUnits);
  bool readsTensors = false;
  for (const View &view : operands) {
    readsTensors |= !isScalar(view);
    for (unsigned logical : view.order)
      isRead[logical + domain.size() - view.rank] = true;
  }
  std::vector<std::optional<unsigned>> iterations(domain.size());
  unsigned next = 0;
  for (size_t i = 0; i < domain.size(); ++i)
    if (isRead[i] || !readsTensors || domain[i] != Dimension{"", 1})
      iterations[i] = next++;
  return iterations;
}

View KernelLowering::elementwise(
    const Shape &domain, ElementType type, llvm::ArrayRef<View> operands,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> element, bool keepsUnits) {
  std::vector<View> views;
  for (const View &view : operands)
    views.push_back(isScalar(view) ? view : withoutUnits(view, domain));
  const std::vector<std::optional<unsigned>> iterated = iterationsOf(domain, views, keepsUnits);
  View result{{}, {}, static_cast<unsigned>(domain.size()), {}};
  for (unsigned logical = 0; logical < domain.size(); ++logical)
    if (iterated[logical]) {
      result.order.push_back(logical);
      result.shape.push_back(domain[logical]);
    }
  const size_t rank = result.order.size();

  // Scalars are not inputs: the region uses them from above, as constants of the tile. A tensor
  // without dimensions is one.
  std::vector<mlir::Value> inputs;
  std::vector<mlir::AffineMap> maps;
  std::vector<std::optional<unsigned>> inputOf;
  for (const View &view : views) {
    if (isScalar(view)) {
      inputOf.push_back(std::nullopt);
      continue;
    }
    std::vector<mlir::AffineExpr> along;
    for (unsigned logical : view.order)
      along.push_back(b.getAffineDimExpr(*iterated[logical + domain.size() - view.rank]));
    maps.push_back(mlir::AffineMap::get(rank, 0, along, b.getContext()));
    inputOf.push_back(inputs.size());
    inputs.push_back(view.value);
  }

  mlir::Type elementType = typeOf(type, b.getContext());
  auto body = [&](mlir::OpBuilder &builder, mlir::ValueRange arguments) {
    std::vector<mlir::Value> elements;
    for (size_t i = 0; i < views.size(); ++i)
      elements.push_back(inputOf[i] ? arguments[*inputOf[i]] : views[i].value);
    return element(builder, elements);
  };
  if (rank == 0 && inputs.empty()) {
    result.value = body(b, {});
    return result;
  }
  maps.push_back(b.getMultiDimIdentityMap(rank));
  std::vector<mlir::utils::IteratorType> iterators(rank, mlir::utils::IteratorType::parallel);
  mlir::Value init = emptyTensor(result.shape, elementType);
  auto generic = linalg::GenericOp::create(
      b, loc, init.getType(), inputs, init, maps, iterators,
      [&](mlir::OpBuilder &builder, mlir::Location, mlir::ValueRange arguments) {
        linalg::YieldOp::create(builder, loc, body(builder, arguments));
      });
  result.value = generic.getResult(0);
  return result;
}

/// Whether the tensor's last two dimensions are those of the view, in either order, and its batches
/// lie before them in order, as the passes read the operands of a product.
bool isMatrix(const View &view) {
  const size_t rank = view.order.size();
  if (rank < 2 || !llvm::is_sorted(llvm::ArrayRef(view.order).drop_back(2)))
    return false;
  const unsigned last = std::max(view.order[rank - 1], view.order[rank - 2]),
                 first = std::min(view.order[rank - 1], view.order[rank - 2]);
  return last == view.rank - 1 && first == view.rank - 2;
}

/// The view with a tensor that is a matrix: one that was reduced has its last dimensions no more,
/// and of others the dimensions are in another order, or it is generated. Those are written out.
View KernelLowering::withMatrix(const View &view) {
  if (isMatrix(view) && !ir::isGenerated(view.value.getDefiningOp()))
    return view;
  Shape shape(view.rank, {"", 1});
  for (size_t i = 0; i < view.order.size(); ++i)
    shape[view.order[i]] = view.shape[i];
  const mlir::Type element =
      mlir::cast<mlir::RankedTensorType>(view.value.getType()).getElementType();
  return elementwise(
      shape, *elementTypeOf(element), view,
      [](mlir::OpBuilder &, mlir::ValueRange elements) { return elements[0]; },
      /*keepsUnits=*/true);
}

View KernelLowering::product(const Value *value, bool transposed) {
  // The transpose of a product is the product of the transposes, in reverse order.
  View left = lower(value->operands[transposed ? 1 : 0], transposed);
  View right = lower(value->operands[transposed ? 0 : 1], transposed);
  Shape result = transposed ? transposedShape(value->shape) : value->shape;
  const size_t rank = result.size(), batch = rank - 2;
  const unsigned m = batch, n = batch + 1, k = batch + 2;

  auto mapOf = [&](const View &view, unsigned row, unsigned column) {
    std::vector<mlir::AffineExpr> along;
    for (unsigned logical : view.order) {
      unsigned fromEnd = view.rank - logical;
      along.push_back(b.getAffineDimExpr(fromEnd == 1   ? column
                                         : fromEnd == 2 ? row
                                                        : batch + 2 - fromEnd));
    }
    return mlir::AffineMap::get(rank + 1, 0, along, b.getContext());
  };
  // Only batch dimensions broadcast; the shape against which units are dropped has the operand's
  // own last two.
  auto batchOnly = [&](View view) {
    Shape domain = result;
    for (size_t i = 0; i < view.shape.size(); ++i)
      if (view.order[i] + 2 >= view.rank)
        domain[view.order[i] + rank - view.rank] = view.shape[i];
    return withoutUnits(view, domain);
  };
  left = batchOnly(withMatrix(left));
  right = batchOnly(withMatrix(right));

  std::vector<mlir::AffineExpr> out;
  for (unsigned i = 0; i < rank; ++i)
    out.push_back(b.getAffineDimExpr(i));
  mlir::ArrayAttr maps =
      b.getAffineMapArrayAttr({mapOf(left, m, k), mapOf(right, k, n),
                               mlir::AffineMap::get(rank + 1, 0, out, b.getContext())});

  mlir::Type element = typeOf(value->type, b.getContext());
  mlir::Value init = filled(result, arith::ConstantOp::create(b, loc, b.getZeroAttr(element)));
  auto contract = linalg::ContractOp::create(b, loc, mlir::TypeRange{init.getType()},
                                             mlir::ValueRange{left.value, right.value},
                                             mlir::ValueRange{init}, maps);
  if (!value->name.empty())
    contract->setAttr("mmk.name", b.getStringAttr(value->name));
  View view{contract.getResult(0), {}, static_cast<unsigned>(rank), result};
  for (unsigned i = 0; i < rank; ++i)
    view.order.push_back(i);
  return view;
}

/// The same tensor with the last two logical dimensions swapped.
View transposedView(View view) {
  if (view.rank == 1)
    view.rank = 2;
  else if (view.rank > 1)
    for (unsigned &logical : view.order)
      if (logical + 2 >= view.rank)
        logical = 2 * view.rank - 3 - logical;
  return view;
}

// Conditions have no tensors: numbers, 1 where one holds and else 0, stand for them.
View KernelLowering::asNumbers(const View &conditions, const Shape &shape, bool keepsUnits) {
  return elementwise(
      shape, ElementType::f32, conditions,
      [&](mlir::OpBuilder &builder, mlir::ValueRange elements) {
        return numberOfCondition(builder, loc, elements[0]);
      },
      keepsUnits);
}

View KernelLowering::asConditions(const View &numbers, const Shape &shape) {
  return elementwise(shape, ElementType::boolean, numbers,
                     [&](mlir::OpBuilder &builder, mlir::ValueRange elements) {
                       return conditionOfNumber(builder, loc, elements[0]);
                     });
}

// Whether any is true is the maximum, whether all are is the minimum.
View KernelLowering::reduceConditions(const Value *value, View operand) {
  const Reduction extreme =
      value->reduction == Reduction::any ? Reduction::maximum : Reduction::minimum;
  operand = asNumbers(operand, value->operands[0]->shape, /*keepsUnits=*/false);
  return asConditions(reduce(value, operand, extreme, b.getF32Type()), value->shape);
}

View KernelLowering::reduce(const Value *value) {
  const View operand = lower(value->operands[0], false);
  if (value->reduction == Reduction::any || value->reduction == Reduction::all)
    return reduceConditions(value, operand);
  return reduce(value, operand, value->reduction, typeOf(value->operands[0]->type, b.getContext()));
}

// The reduced dimensions are none of the result's tensor.
View KernelLowering::reduce(const Value *value, View operand, Reduction reduction,
                            mlir::Type element) {
  std::optional<View> guard;
  if (value->operands.size() > 1)
    guard = withoutUnits(lower(value->operands[1], false), value->operands[0]->shape);
  // What repeats along a reduced dimension, or along one of the condition, is written out.
  const auto isThere = [&](size_t logical) { return llvm::is_contained(operand.order, logical); };
  if (!llvm::all_of(value->along, isThere) ||
      (guard && !llvm::all_of(guard->order, [&](unsigned logical) {
         return isThere(logical + operand.rank - guard->rank);
       })))
    operand = whole(operand, value->operands[0], *elementTypeOf(element));
  const bool isArgument = reduction == Reduction::argmax || reduction == Reduction::argmin;
  View result{{}, {}, operand.rank, {}};
  std::vector<mlir::AffineExpr> out;
  std::vector<mlir::utils::IteratorType> iterators;
  unsigned position = 0;
  for (unsigned i = 0; i < operand.order.size(); ++i) {
    const bool isReduced = llvm::is_contained(value->along, operand.order[i]);
    iterators.push_back(isReduced ? mlir::utils::IteratorType::reduction
                                  : mlir::utils::IteratorType::parallel);
    if (isReduced) {
      position = i;
      continue;
    }
    out.push_back(b.getAffineDimExpr(i));
    result.order.push_back(operand.order[i]);
    result.shape.push_back(operand.shape[i]);
  }
  const unsigned rank = operand.order.size();
  const mlir::AffineMap map = mlir::AffineMap::get(rank, 0, out, b.getContext());
  std::vector<mlir::Value> inits = {
      filled(result.shape, arith::ConstantOp::create(b, loc, identityOf(b, reduction, element)))};
  std::vector<mlir::AffineMap> maps = {b.getMultiDimIdentityMap(rank)};
  std::vector<mlir::Value> inputs = {operand.value};
  if (guard) {
    std::vector<mlir::AffineExpr> along;
    for (unsigned logical : guard->order)
      along.push_back(b.getAffineDimExpr(
          llvm::find(operand.order, logical + operand.rank - guard->rank) - operand.order.begin()));
    maps.push_back(mlir::AffineMap::get(rank, 0, along, b.getContext()));
    inputs.push_back(guard->value);
  }
  maps.push_back(map);
  if (isArgument) {
    inits.push_back(filled(result.shape, arith::ConstantOp::create(
                                             b, loc, b.getZeroAttr(mlir::Type(b.getI32Type())))));
    maps.push_back(map);
  }
  std::vector<mlir::Type> types;
  for (mlir::Value init : inits)
    types.push_back(init.getType());
  auto generic = linalg::GenericOp::create(
      b, loc, types, inputs, inits, maps, iterators,
      [&](mlir::OpBuilder &builder, mlir::Location, mlir::ValueRange arguments) {
        std::vector<mlir::Value> step(arguments.begin(), arguments.end());
        if (guard) {
          // The element itself is left out: NaN times 0 would not be.
          mlir::Value identity =
              arith::ConstantOp::create(builder, loc, identityOf(builder, reduction, element));
          step[0] = arith::SelectOp::create(builder, loc, step[1], step[0], identity);
          step.erase(step.begin() + 1);
        }
        linalg::YieldOp::create(builder, loc,
                                emitReduction(builder, loc, reduction, step, position));
      });
  if (!value->name.empty())
    generic->setAttr("mmk.name", b.getStringAttr(value->name));
  result.value = generic.getResults().back();
  return result;
}

View KernelLowering::cumulate(const Value *value) {
  View view = lower(value->operands[0], false);
  if (ir::isGenerated(view.value.getDefiningOp()))
    view = whole(view, value, value->operands[0]->type);
  const int64_t along = llvm::find(view.order, value->along[0]) - view.order.begin();
  view.value = ir::CumulateOp::create(b, loc, view.value.getType(), view.value, along);
  return view;
}

View KernelLowering::squeeze(const Value *value) {
  View view = lower(value->operands[0], false);
  const Shape &whole = value->operands[0]->shape;
  // Of each logical dimension, its number among those that stay.
  std::vector<std::optional<unsigned>> stays(whole.size());
  unsigned own = 0;
  for (size_t i = 0; i < whole.size(); ++i)
    if (own < value->shape.size() && whole[i] == value->shape[own])
      stays[i] = own++;
  // A dimension of extent 1 that the tensor has goes with a slice.
  Shape kept = whole;
  for (size_t i = 0; i < whole.size(); ++i)
    if (!stays[i])
      kept[i] = {"-", 0};
  view = withoutUnits(view, kept);
  view.rank = value->shape.size();
  for (unsigned &logical : view.order)
    logical = *stays[logical];
  return view;
}

/// The view with a tensor that has all dimensions of the value.
View KernelLowering::whole(const View &view, const Value *value, ElementType type) {
  return elementwise(
      value->shape, type, view,
      [](mlir::OpBuilder &, mlir::ValueRange elements) { return elements[0]; },
      /*keepsUnits=*/true);
}

// One that only moves dimensions is another order of the same tensor.
View KernelLowering::access(const Value *value) {
  std::vector<std::optional<size_t>> places;
  if (!isPermutation(*value, places))
    return gather(value);
  View view = lower(value->operands[0], false);
  if (isScalar(view))
    return whole(view, value, value->type);
  const Shape &operand = value->operands[0]->shape;
  Shape kept = operand;
  for (size_t d = 0; d < operand.size(); ++d)
    if (!places[d])
      kept[d] = {"-", 0};
  view = withoutUnits(view, kept);
  view.rank = value->shape.size();
  for (unsigned &logical : view.order)
    logical = *places[logical];
  return view;
}

/// Creates the extents that indices read above the op whose region reads them.
void KernelLowering::prepareExtents(const Value *value) {
  for (const Index &each : value->indices)
    for (const std::string &dimension : kernel.dimensions)
      if (each->reads(dimension))
        extent({dimension, 0});
}

mlir::Value KernelLowering::index(mlir::OpBuilder &builder, const Rule &rule) {
  return emitRule(builder, loc, rule, [&](const std::string &name) -> mlir::Value {
    if (!name.starts_with('#'))
      return extents.at(name);
    return linalg::IndexOp::create(builder, loc, std::stoul(name.substr(1)));
  });
}

// A tensor whose elements depend on their position alone.
View KernelLowering::position(const Value *value) {
  prepareExtents(value);
  const unsigned rank = value->shape.size();
  mlir::Value init = emptyTensor(value->shape, typeOf(value->type, b.getContext()));
  auto generic = linalg::GenericOp::create(
      b, loc, init.getType(), mlir::ValueRange(), init, b.getMultiDimIdentityMap(rank),
      llvm::SmallVector(rank, mlir::utils::IteratorType::parallel),
      [&](mlir::OpBuilder &builder, mlir::Location, mlir::ValueRange) {
        mlir::Value number = index(builder, *value->indices[0]);
        if (value->type != ElementType::boolean) {
          number = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), number);
          number = arith::SIToFPOp::create(builder, loc, builder.getF32Type(), number);
        }
        linalg::YieldOp::create(builder, loc, number);
      });
  return viewOf(generic.getResult(0), value->shape);
}

/// The view of a generated tensor, or of another that has each dimension of the value.
View KernelLowering::viewOf(mlir::Value tensor, const Shape &shape) {
  View view{tensor, {}, static_cast<unsigned>(shape.size()), shape};
  for (unsigned i = 0; i < shape.size(); ++i)
    view.order.push_back(i);
  return view;
}

View KernelLowering::random(const Value *value) {
  mlir::Value seed = lower(value->operands[0], false).value;
  const mlir::Type type = tensorType(value->shape, b.getF32Type());
  return viewOf(ir::RandomOp::create(b, loc, type, names(value->shape), seed), value->shape);
}

View KernelLowering::gather(const Value *value) {
  const Value *source = value->operands[0];
  View view = lower(source, false);
  mlir::Value padding =
      value->operands.size() > 1 ? lower(value->operands[1], false).value : mlir::Value();
  if (value->type != ElementType::boolean)
    return window(value, view, padding);
  view = asNumbers(view, source->shape, /*keepsUnits=*/true);
  if (padding)
    padding = numberOfCondition(b, loc, padding);
  return asConditions(window(value, view, padding), value->shape);
}

// The tensor that it reads is in memory, with each dimension that has an index.
View KernelLowering::window(const Value *value, View source, mlir::Value padding) {
  const Value *operand = value->operands[0];
  if (isScalar(source) || ir::isGenerated(source.value.getDefiningOp()) ||
      source.order.size() < operand->shape.size())
    source = whole(source, operand, *elementTypeOf(elementOf(source)));
  std::vector<mlir::Value> symbols;
  std::map<std::string, mlir::AffineExpr> known;
  const auto read = [&](const std::string &name) {
    if (name.starts_with('#'))
      return b.getAffineDimExpr(std::stoul(name.substr(1)));
    mlir::AffineExpr &symbol = known[name];
    if (!symbol) {
      symbol = b.getAffineSymbolExpr(symbols.size());
      symbols.push_back(extent({name, 0}));
    }
    return symbol;
  };
  std::vector<mlir::AffineExpr> indices;
  for (unsigned logical : source.order)
    indices.push_back(affineOf(*value->indices[logical], b.getContext(), read));
  const auto map =
      mlir::AffineMap::get(value->shape.size(), symbols.size(), indices, b.getContext());
  const mlir::Type type = tensorType(value->shape, elementOf(source));
  return viewOf(
      ir::WindowOp::create(b, loc, type, source.value, map, symbols, names(value->shape), padding),
      value->shape);
}

View KernelLowering::lower(const Value *value, bool transposed) {
  auto known = done.find({value, transposed});
  if (known != done.end())
    return known->second;
  mlir::Location outer = loc;
  loc = place(value->where);
  View view = build(value, transposed);
  loc = outer;
  return done[{value, transposed}] = view;
}

View KernelLowering::build(const Value *value, bool transposed) {
  switch (value->operation) {
  case Operation::parameter: {
    View view{body->getArgument(value->parameter), {}, 0, value->shape};
    const unsigned rank = value->shape.size();
    for (unsigned i = 0; i < rank; ++i)
      view.order.push_back(i);
    view.rank = rank;
    if (transposed && rank == 1)
      view.rank = 2;
    else if (transposed && rank > 1)
      std::swap(view.order[rank - 1], view.order[rank - 2]);
    return view;
  }
  case Operation::constant:
    if (value->type == ElementType::i32)
      return {arith::ConstantOp::create(b, loc,
                                        b.getI32IntegerAttr(static_cast<int32_t>(value->constant))),
              {},
              0,
              {}};
    return {
        arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(value->constant))),
        {},
        0,
        {}};
  case Operation::transpose:
    return lower(value->operands[0], !transposed);
  case Operation::product:
    return product(value, transposed);
  case Operation::extent:
    return {extentNumber(value), {}, 0, {}};
  case Operation::reduce:
  case Operation::cumulate:
    if (transposed)
      return transposedView(lower(value, false));
    return value->operation == Operation::reduce ? reduce(value) : cumulate(value);
  case Operation::squeeze: // of a result
    return squeeze(value);
  case Operation::access:
  case Operation::position:
    if (transposed)
      return transposedView(lower(value, false));
    return value->operation == Operation::access ? access(value) : position(value);
  case Operation::random:
    return transposed ? transposedView(lower(value, false)) : random(value);
  default:
    break;
  }
  std::vector<View> operands;
  for (const Value *operand : value->operands)
    operands.push_back(lower(operand, transposed));
  Shape domain = transposed ? transposedShape(value->shape) : value->shape;
  return elementwise(
      domain, value->type, operands, [&](mlir::OpBuilder &builder, mlir::ValueRange elements) {
        if (value->operation == Operation::cast)
          return emitConversion(builder, loc, elements[0], typeOf(value->type, b.getContext()));
        return emitElement(builder, loc, value->operation, elements);
      });
}

mlir::Value KernelLowering::resultOf(const Result &result) {
  View view = lower(result.value, false);
  loc = place(result.where);
  // Each result has a tensor of its own: not a parameter's, and not another result's.
  const bool own = (view.value.getDefiningOp<linalg::LinalgOp>() ||
                    view.value.getDefiningOp<ir::CumulateOp>()) &&
                   view.shape == result.shape && llvm::is_sorted(view.order);
  if (own && result.value->type == result.type && returned.insert(view.value).second)
    return view.value;
  return elementwise(
             result.shape, result.type, view,
             [&](mlir::OpBuilder &builder, mlir::ValueRange elements) {
               return emitConversion(builder, loc, elements[0],
                                     typeOf(result.type, b.getContext()));
             },
             /*keepsUnits=*/true)
      .value;
}

void KernelLowering::lowerBody(ir::KernelOp op) {
  body = b.createBlock(&op.getBody());
  for (const Parameter &parameter : kernel.parameters) {
    mlir::Type element = typeOf(parameter.type, b.getContext());
    body->addArgument(parameter.isScalar() ? element
                                           : mlir::Type(tensorType(parameter.shape, element)),
                      place(parameter.where));
  }
  std::vector<mlir::Value> results;
  for (const Result &result : kernel.results)
    results.push_back(resultOf(result));
  ir::ReturnOp::create(b, op.getLoc(), results);
}

void KernelLowering::lowerSchedule(const Schedule &schedule, ir::KernelOp op) {
  b.createBlock(&op.getSchedule());
  for (const Directive &directive : schedule.directives) {
    std::vector<mlir::Attribute> alternatives;
    for (const Directive::Alternative &alternative : directive.alternatives) {
      int64_t number;
      if (llvm::to_integer(alternative.word, number, 10))
        alternatives.push_back(b.getI64IntegerAttr(number));
      else
        alternatives.push_back(b.getStringAttr(alternative.word));
    }
    ir::ChoiceOp::create(b, place(directive.where), directive.key, b.getArrayAttr(alternatives));
  }
  for (const Requirement &requirement : schedule.requirements) {
    loc = place(requirement.where);
    auto require = ir::RequireOp::create(b, loc, requirement.text);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.createBlock(&require.getRule());
    ir::YieldOp::create(b, loc, emitRule(b, loc, *requirement.rule, [&](const std::string &choice) {
                          return ir::ChosenOp::create(b, loc, b.getIndexType(), choice).getResult();
                        }));
  }
}

mlir::OwningOpRef<mlir::ModuleOp> KernelLowering::run(std::string_view machine) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(b.getUnknownLoc());
  b.setInsertionPointToStart(module->getBody());
  std::vector<mlir::Attribute> parameters, results;
  for (const Parameter &parameter : kernel.parameters)
    parameters.push_back(named(parameter.name, parameter.shape, parameter.isConstant));
  for (const Result &result : kernel.results)
    results.push_back(named(result.name, result.shape));
  std::vector<llvm::StringRef> dims(kernel.dimensions.begin(), kernel.dimensions.end());
  auto op = ir::KernelOp::create(b, place(kernel.where), kernel.name, b.getStrArrayAttr(dims),
                                 b.getArrayAttr(parameters), b.getArrayAttr(results));
  if (kernel.check.isFast)
    op->setAttr("fast_math", b.getUnitAttr());
  lowerBody(op);
  if (const Schedule *schedule = kernel.scheduleFor(machine))
    lowerSchedule(*schedule, op);
  return module;
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> lowerToIr(const Kernel &kernel, std::string_view machine,
                                            mlir::MLIRContext &context) {
  context.loadDialect<ir::MmkDialect, arith::ArithDialect, mlir::math::MathDialect,
                      linalg::LinalgDialect, tensor::TensorDialect>();
  return KernelLowering(kernel, context).run(machine);
}

} // namespace mmk
