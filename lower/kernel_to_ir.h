// A kernel on its way into the IR: what the lowerings of its operations share.
#pragma once

#include "frontend/kernel.h"
#include "ir/mmk.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"

#include <map>

namespace mmk {

/// A value of the body in the IR: a tensor whose dimension i is the logical dimension order[i] of
/// the value, so that a transposition is an order and never a copy. Logical dimensions without a
/// dimension of the tensor are broadcast. A scalar has no shape.
struct View {
  mlir::Value value;
  std::vector<unsigned> order;
  unsigned rank = 0; ///< logical
  Shape shape;       ///< of `value`
};

inline mlir::Type elementOf(const View &view) { return mlir::getElementTypeOrSelf(view.value); }
inline bool isScalar(const View &view) {
  return !mlir::isa<mlir::RankedTensorType>(view.value.getType());
}

/// The shape and the view with the last two dimensions swapped; a vector gets a last one of 1.
Shape transposedShape(Shape shape);
View transposedView(View view);

/// One kernel on its way into the IR. A value is lowered once, and read as a view.
class KernelToIr {
public:
  KernelToIr(const Kernel &kernel, mlir::MLIRContext &context)
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
  View operandOfProduct(const Value *value, const Value *guard, bool isOther, bool transposed);
  View selected(const View &operand, const View &guard);
  View withWindowOfMatrices(const View &view);
  View withMatrix(const View &view);
  View reduce(const Value *value);
  View reduce(const Value *value, View operand, Reduction reduction, mlir::Type element);
  View asNumbers(const View &conditions, const Shape &shape, bool keepsUnits);
  View asConditions(const View &numbers, const Shape &shape);
  View reduceConditions(const Value *value, View operand);
  View split(const Value *value);
  View merged(View view, const Shape &shape, const Shape &matrix, llvm::ArrayRef<size_t> groups);
  View cumulate(const Value *value);
  View squeeze(const Value *value);
  View access(const Value *value);
  View gather(const Value *value);
  View window(const Value *value, View source, mlir::Value padding);
  /// Whether the quotients of a window's indices go over whole groups (mmk.window).
  bool isGrouped(mlir::AffineMap map, const Shape &shape, const Shape &source);
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
  /// The view of a value of this shape with its dimensions at other places among `rank`; those
  /// without a place have extent 1 and go with a slice.
  View moved(View view, const Shape &shape, llvm::ArrayRef<std::optional<size_t>> places,
             unsigned rank);
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

} // namespace mmk
