#include "cpu/row_guard.h"

#include "passes/rows/weights.h"
#include "place/guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace arith = mlir::arith;
using namespace llvm;

namespace mmk {

class RowGuard::Reader {
public:
  Reader(const RowFacts &facts, mlir::Block &region, RowGuard &guard)
      : facts(facts), region(region), guard(guard) {}

  /// Adds the linear parts of a condition; whether these are all of it.
  bool read(mlir::Value condition) {
    return forEachComparison(condition, [&](mlir::Value large, mlir::Value small, bool isStrict) {
      const std::optional<Form> x = formOf(large), y = formOf(small);
      return x && y && add(*x, *y, isStrict);
    });
  }

private:
  static Form sum(Form x, const Form &y, int64_t scale) {
    x.index += scale * y.index;
    x.kept += scale * y.kept;
    x.constant += scale * y.constant;
    for (const auto &[term, factor] : y.terms)
      x.terms.push_back({term, scale * factor});
    return x;
  }

  /// `large` is at least `small` + `more`.
  bool add(const Form &large, const Form &small, int64_t more) {
    Form form = sum(large, small, -1);
    form.constant -= more;
    if (form.index < -1 || form.index > 1)
      return false;
    guard.forms.push_back(form);
    return true;
  }

  /// Whether it differs between columns that are kept.
  bool differs(mlir::Value value) const {
    if (auto argument = dyn_cast<mlir::BlockArgument>(value))
      return argument.getOwner() == &region &&
             facts.inputAlong(argument.getArgNumber(), facts.columns()) >= 0;
    mlir::Operation *op = value.getDefiningOp();
    if (op->getBlock() != &region)
      return false;
    if (auto position = dyn_cast<cpu::PositionOp>(op))
      return position.getSizeAttr().getInt() == facts.columns();
    return any_of(op->getOperands(), [&](mlir::Value operand) { return differs(operand); });
  }

  /// A position along a dimension that is reduced, or along kept columns.
  std::optional<Form> formOf(cpu::PositionOp position) {
    const int64_t size = position.getSizeAttr().getInt();
    if (is_contained(facts.outerReduced, size))
      return Form{0, 0, 0, {{position.getResult(), 1}}};
    std::optional<Form> form = formOf(position.getFirst());
    if (form)
      (facts.isReduced[size] ? form->index : form->kept) += 1;
    return form;
  }

  std::optional<Form> formOf(mlir::Value value) {
    APInt constant;
    if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant)))
      return Form{0, 0, constant.getSExtValue(), {}};
    mlir::Operation *op = value.getDefiningOp();
    if (!facts.varies(value) && (facts.reducesColumns() || !differs(value))) {
      if (facts.levelOf(value) > 0 || !value.getType().isIntOrIndex())
        return std::nullopt;
      return Form{0, 0, 0, {{value, 1}}};
    }
    if (auto position = dyn_cast_or_null<cpu::PositionOp>(op))
      return formOf(position);
    if (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(op))
      return formOf(op->getOperand(0));
    // Narrow integers may wrap.
    if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) ||
        !(value.getType().isIndex() || value.getType().isInteger(64)))
      return std::nullopt;
    const std::optional<Form> x = formOf(op->getOperand(0)), y = formOf(op->getOperand(1));
    if (!x || !y)
      return std::nullopt;
    return sum(*x, *y, isa<arith::AddIOp>(op) ? 1 : -1);
  }

  const RowFacts &facts;
  mlir::Block &region;
  RowGuard &guard;
};

/// The condition where the element of a reduction is selected, else the identity.
static mlir::Value conditionOf(cpu::ReduceOp reduction) {
  arith::SelectOp select = selectionOf(reduction.getElement(), reduction.getIdentity());
  return select ? select.getCondition() : mlir::Value();
}

bool RowGuard::guards(cpu::ReduceOp reduction) const {
  return conditionOf(reduction) == condition_;
}

bool RowGuard::guardsAll(const RowFacts::Pass &pass) const {
  return pass.outputs.empty() &&
         all_of(pass.reductions, [&](cpu::ReduceOp reduction) { return guards(reduction); });
}

std::optional<RowGuard> RowGuard::of(const RowFacts &facts, mlir::Block &region,
                                     ArrayRef<mlir::Value> others) {
  SmallVector<mlir::Value> conditions = map_to_vector(region.getOps<cpu::ReduceOp>(), conditionOf);
  append_range(conditions, others);
  for (mlir::Value condition : conditions) {
    if (!condition || !facts.varies(condition))
      continue;
    RowGuard guard;
    guard.condition_ = condition;
    guard.isExact_ = Reader(facts, region, guard).read(condition);
    for (const Form &form : guard.forms)
      for (const auto &[term, factor] : form.terms)
        guard.terms_.push_back(term);
    if (!guard.forms.empty())
      return guard;
  }
  return std::nullopt;
}

RowGuard::Range RowGuard::limits(Emitter &e, const RowFacts::Known &known, Value *count,
                                 Range strip, bool ofAll) const {
  IRBuilder<> &b = e.b;
  Type *type = count->getType();
  auto number = [&](int64_t value) { return ConstantInt::get(type, value, /*IsSigned=*/true); };
  Value *zero = number(0), *first = zero, *end = count;
  for (const Form &form : forms) {
    Value *rest = number(form.constant);
    for (const auto &[term, factor] : form.terms) {
      Value *own = known.lookup(term);
      own = type->isVectorTy() ? own : b.CreateExtractElement(own, uint64_t(0));
      rest = b.CreateAdd(rest, b.CreateMul(b.CreateSExt(own, type), number(factor)));
    }
    // The column of the strip for which it holds soonest, or last.
    if (form.kept != 0)
      rest =
          e.plus(rest, (form.kept > 0) != ofAll ? b.CreateSub(strip.end, e.number(1)) : strip.first,
                 form.kept);
    if (form.index > 0)
      first = b.CreateBinaryIntrinsic(Intrinsic::smax, first, b.CreateNeg(rest));
    else if (form.index < 0)
      end = e.min(end, b.CreateAdd(rest, number(1)));
    else
      end = b.CreateSelect(b.CreateICmpSGE(rest, zero), end, zero);
  }
  return {first, end};
}

RowGuard::Range RowGuard::range(Emitter &e, const RowFacts::Known &known, Value *count, Range strip,
                                bool ofAll) const {
  auto [first, end] = limits(e, known, count, strip, ofAll);
  if (first != e.number(0)) // which tells that no index precedes
    first = e.min(first, count);
  return {first, e.b.CreateBinaryIntrinsic(Intrinsic::smax, end, first)};
}

RowGuard::Range RowGuard::rangeOfRows(Emitter &e, const RowFacts::Known &known,
                                      Value *count) const {
  return limits(e, known, e.splat(count, e.target.lanes), {}, /*ofAll=*/false);
}

RowGuard::Bounds RowGuard::boundsOfRows(Emitter &e, const RowFacts::Known &known,
                                        Value *count) const {
  const Range rows = rangeOfRows(e, known, count);
  auto of = [&](Intrinsic::ID id, Value *values) { return e.b.CreateUnaryIntrinsic(id, values); };
  return {
      {of(Intrinsic::vector_reduce_smin, rows.first), of(Intrinsic::vector_reduce_smax, rows.end)},
      {of(Intrinsic::vector_reduce_smax, rows.first),
       isExact_ ? of(Intrinsic::vector_reduce_smin, rows.end) : e.number(0)}};
}

} // namespace mmk
