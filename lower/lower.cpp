#include "lower/lower.h"

#include "lower/elementwise.h"
#include "lower/kernel_to_ir.h"
#include "lower/rule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;

namespace mmk {

View KernelToIr::lower(const Value *value, bool transposed) {
  auto known = done.find({value, transposed});
  if (known != done.end())
    return known->second;
  mlir::Location outer = loc;
  loc = place(value->where);
  View view = build(value, transposed);
  loc = outer;
  return done[{value, transposed}] = view;
}

View KernelToIr::build(const Value *value, bool transposed) {
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
  case Operation::reshape: // of a product; that of an operand is lowered with its product
    return transposed ? transposedView(lower(value, false)) : split(value);
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

mlir::Value KernelToIr::resultOf(const Result &result) {
  View view = lower(result.value, false);
  loc = place(result.where);
  // Each result has a tensor of its own: not a parameter's, and not another result's.
  mlir::Value computed = view.value;
  if (auto expand = computed.getDefiningOp<tensor::ExpandShapeOp>())
    computed = expand.getSrc();
  const bool own =
      (computed.getDefiningOp<linalg::LinalgOp>() || computed.getDefiningOp<ir::CumulateOp>()) &&
      view.shape == result.shape && llvm::is_sorted(view.order);
  if (own && result.value->type == result.type && returned.insert(computed).second)
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

void KernelToIr::lowerBody(ir::KernelOp op) {
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
  // Others may be read in their place.
  for (mlir::Operation &each : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (mlir::isa<ir::WindowOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(each) &&
        each.use_empty())
      each.erase();
}

void KernelToIr::lowerSchedule(const Schedule &schedule, ir::KernelOp op) {
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

mlir::OwningOpRef<mlir::ModuleOp> KernelToIr::run(std::string_view machine) {
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

mlir::OwningOpRef<mlir::ModuleOp> lowerToIr(const Kernel &kernel, std::string_view machine,
                                            mlir::MLIRContext &context) {
  context.loadDialect<ir::MmkDialect, arith::ArithDialect, mlir::math::MathDialect,
                      linalg::LinalgDialect, tensor::TensorDialect>();
  return KernelToIr(kernel, context).run(machine);
}

} // namespace mmk
