// Views of values: their types and extents, and elementwise operations, which take operands in any
// order of dimensions.
#include "lower/kernel_to_ir.h"

#include "lower/elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;

namespace mmk {

static std::string text(const Dimension &dimension) {
  return dimension.isLiteral() ? std::to_string(dimension.literal) : dimension.name;
}

Shape transposedShape(Shape shape) {
  if (shape.size() == 1)
    shape.push_back({"", 1});
  else if (shape.size() > 1)
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return shape;
}

View transposedView(View view) {
  if (view.rank == 1)
    view.rank = 2;
  else if (view.rank > 1)
    for (unsigned &logical : view.order)
      if (logical + 2 >= view.rank)
        logical = 2 * view.rank - 3 - logical;
  return view;
}

mlir::Location KernelToIr::place(SourceRange where) {
  if (!where.file)
    return b.getUnknownLoc();
  auto begin = where.file->position(where.begin), end = where.file->position(where.end);
  return mlir::FileLineColRange::get(b.getStringAttr(where.file->path()), begin.line, begin.column,
                                     end.line, end.column);
}

mlir::RankedTensorType KernelToIr::tensorType(const Shape &shape, mlir::Type element) {
  std::vector<int64_t> dynamic(shape.size(), mlir::ShapedType::kDynamic);
  return mlir::RankedTensorType::get(dynamic, element);
}

ir::NamedAttr KernelToIr::named(const std::string &name, const Shape &shape, bool isConstant) {
  std::vector<mlir::StringAttr> dims;
  for (const Dimension &dimension : shape)
    dims.push_back(b.getStringAttr(text(dimension)));
  return ir::NamedAttr::get(b.getContext(), b.getStringAttr(name), dims, isConstant);
}

mlir::ArrayAttr KernelToIr::names(const Shape &shape) {
  std::vector<mlir::Attribute> dims;
  for (const Dimension &dimension : shape)
    dims.push_back(b.getStringAttr(text(dimension)));
  return b.getArrayAttr(dims);
}

mlir::Value KernelToIr::extent(const Dimension &dimension) {
  mlir::Value &known = extents[text(dimension)];
  if (!known) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(body);
    known = ir::DimOp::create(b, b.getUnknownLoc(), b.getIndexType(), text(dimension));
  }
  return known;
}

mlir::Value KernelToIr::emptyTensor(const Shape &shape, mlir::Type element) {
  std::vector<mlir::Value> sizes;
  for (const Dimension &dimension : shape)
    sizes.push_back(extent(dimension));
  return tensor::EmptyOp::create(b, loc, tensorType(shape, element), sizes);
}

/// The product of several extents is rounded once, to f32.
mlir::Value KernelToIr::extentNumber(const Value *value) {
  mlir::Value product;
  for (const Dimension &dimension : value->dimensions) {
    mlir::Value next = arith::IndexCastOp::create(b, loc, b.getI64Type(), extent(dimension));
    product = product ? arith::MulIOp::create(b, loc, product, next).getResult() : next;
  }
  if (value->type == ElementType::i32)
    return arith::TruncIOp::create(b, loc, b.getI32Type(), product);
  return arith::SIToFPOp::create(b, loc, b.getF32Type(), product);
}

mlir::Value KernelToIr::filled(const Shape &shape, mlir::Value number) {
  return linalg::FillOp::create(b, loc, number, emptyTensor(shape, number.getType())).getResult(0);
}

View KernelToIr::withoutUnits(View view, const Shape &domain) {
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

View KernelToIr::elementwise(
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

View KernelToIr::moved(View view, const Shape &shape, llvm::ArrayRef<std::optional<size_t>> places,
                       unsigned rank) {
  Shape kept = shape;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (!places[dim])
      kept[dim] = {"-", 0};
  view = withoutUnits(view, kept);
  view.rank = rank;
  for (unsigned &logical : view.order)
    logical = *places[logical];
  return view;
}

/// The view with a tensor that has all dimensions of the value.
View KernelToIr::whole(const View &view, const Value *value, ElementType type) {
  return elementwise(
      value->shape, type, view,
      [](mlir::OpBuilder &, mlir::ValueRange elements) { return elements[0]; },
      /*keepsUnits=*/true);
}

/// The view of a generated tensor, or of another that has each dimension of the value.
View KernelToIr::viewOf(mlir::Value tensor, const Shape &shape) {
  View view{tensor, {}, static_cast<unsigned>(shape.size()), shape};
  for (unsigned i = 0; i < shape.size(); ++i)
    view.order.push_back(i);
  return view;
}

} // namespace mmk
