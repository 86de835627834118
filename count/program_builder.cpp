#include "count/program_builder.h"

#include "count/run.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mmk::count {
namespace {

/// Ops of two operands with the same result on 64 bits as on their own width.
std::optional<StepKind> binaryKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<StepKind>>(op)
      .Case([](arith::AddIOp) { return StepKind::add; })
      .Case([](arith::SubIOp) { return StepKind::subtract; })
      .Case([](arith::MulIOp) { return StepKind::multiply; })
      .Case([](arith::DivSIOp) { return StepKind::divide; })
      .Case([](arith::RemSIOp) { return StepKind::remainder; })
      .Case([](arith::CeilDivSIOp) { return StepKind::ceilDivide; })
      .Case([](arith::FloorDivSIOp) { return StepKind::floorDivide; })
      .Case([](arith::MinSIOp) { return StepKind::minimum; })
      .Case([](arith::MaxSIOp) { return StepKind::maximum; })
      .Case([](arith::MinUIOp) { return StepKind::minimumUnsigned; })
      .Case([](arith::MaxUIOp) { return StepKind::maximumUnsigned; })
      .Case([](arith::AndIOp) { return StepKind::bitAnd; })
      .Case([](arith::OrIOp) { return StepKind::bitOr; })
      .Case([](arith::XOrIOp) { return StepKind::bitXor; })
      .Case([](arith::ShLIOp) { return StepKind::shiftLeft; })
      .Case([](arith::ShRSIOp) { return StepKind::shiftRight; })
      .Default([](Operation *) { return std::nullopt; });
}

/// A comparison as a step; `swapped`: of the operands in the other order.
StepKind compareKind(arith::CmpIPredicate predicate, bool &swapped) {
  using Predicate = arith::CmpIPredicate;
  swapped = llvm::is_contained({Predicate::sgt, Predicate::sge, Predicate::ugt, Predicate::uge},
                               predicate);
  switch (predicate) {
  case Predicate::eq:
    return StepKind::equal;
  case Predicate::ne:
    return StepKind::notEqual;
  case Predicate::slt:
  case Predicate::sgt:
    return StepKind::less;
  case Predicate::sle:
  case Predicate::sge:
    return StepKind::lessEqual;
  case Predicate::ult:
  case Predicate::ugt:
    return StepKind::lessUnsigned;
  case Predicate::ule:
  case Predicate::uge:
    return StepKind::lessEqualUnsigned;
  }
  llvm_unreachable("predicate");
}

bool isCountable(Type type) { return type.isIndex() || type.isInteger(64) || type.isInteger(1); }

} // namespace

ProgramBuilder::ProgramBuilder(aicore::PhaseOp phase, const Machine &machine, const Call &call,
                               Scope scope)
    : phase_(phase), kernel_(cast<aicore::KernelOp>(phase->getParentOp())), machine_(machine),
      call_(call), scope_(scope) {}

llvm::Expected<CountProgram> ProgramBuilder::run() {
  program_.packet = std::max<int64_t>(1, machine_.packetBytes);
  for (auto [argument, value] : llvm::zip(kernel_.getBody().getArguments(), call_.dims)) {
    const int32_t dim = placeOf(argument);
    program_.values[dim] = value;
    known_.insert(dim);
  }
  for (BlockArgument argument : kernel_.getBody().getArguments())
    if (isa<MemRefType>(argument.getType()))
      tensor(argument);
  for (auto workspace : kernel_.getBody().getOps<aicore::WorkspaceOp>())
    tensor(workspace);
  program_.block = placeOf(phase_.getBody().getArgument(0));
  // The kernel computes little for all its phases, so each phase computes it again.
  for (Operation &op : kernel_.getBody().front()) {
    if (&op == phase_)
      break;
    if (!isa<aicore::PhaseOp>(op))
      if (llvm::Error error = statement(op))
        return std::move(error);
  }
  if (llvm::Error error = statements(phase_.getBody().front()))
    return std::move(error);
  findLoops(program_);
  program_.places = std::move(places_);
  return std::move(program_);
}

void ProgramBuilder::tensor(Value value) {
  tensors_[value] = program_.tensors.size();
  TensorShape shape;
  shape.elementBytes = aicore::elementBytes(value.getType());
  if (auto workspace = value.getDefiningOp<aicore::WorkspaceOp>()) {
    shape.workspace = true;
    for (Value extent : workspace.getExtents())
      shape.extents.push_back(placeOf(extent));
  } else {
    // The extents of a parameter or a result are dimensions by name, or numbers.
    const unsigned argument = cast<BlockArgument>(value).getArgNumber() - kernel_.getDims().size();
    const unsigned parameters = kernel_.getArgs().size();
    auto named =
        cast<ir::NamedAttr>(argument < parameters ? kernel_.getArgs()[argument]
                                                  : kernel_.getResults()[argument - parameters]);
    if (argument < call_.parameters.size())
      shape.elements = call_.parameters[argument].elements;
    for (StringAttr name : named.getDims()) {
      const auto *dim = llvm::find(kernel_.getDims(), Attribute(name));
      int64_t literal = 0;
      shape.extents.push_back(
          name.getValue().getAsInteger(10, literal)
              ? placeOf(kernel_.getBody().getArgument(dim - kernel_.getDims().begin()))
              : constant(literal));
    }
  }
  program_.tensors.push_back(std::move(shape));
}

//===--- places and steps -----------------------------------------------------------------===//

int32_t ProgramBuilder::place(int64_t initial) {
  program_.values.push_back(initial);
  return program_.values.size() - 1;
}

int32_t ProgramBuilder::placeOf(Value value) {
  needsData_ |= unknown_.contains(value) && isCountable(value.getType());
  auto [entry, isNew] = places_.try_emplace(value, 0);
  if (isNew)
    entry->second = place();
  return entry->second;
}

int32_t ProgramBuilder::constant(int64_t value) {
  auto [entry, isNew] = constants_.try_emplace(value, 0);
  if (isNew)
    known_.insert(entry->second = place(value));
  return entry->second;
}

size_t ProgramBuilder::emit(Operation *op, Step step) {
  program_.steps.push_back(step);
  program_.origins.push_back(op);
  return program_.steps.size() - 1;
}

void ProgramBuilder::compute(Operation *op, StepKind kind, int32_t target, int32_t a, int32_t b,
                             int32_t c) {
  emit(op, {.kind = kind, .target = target, .a = a, .b = b, .c = c});
}

void ProgramBuilder::define(Operation *op, StepKind kind, int32_t target, int32_t a, int32_t b,
                            int32_t c) {
  const Step step = {.kind = kind, .target = target, .a = a, .b = b, .c = c};
  if (isKnown(a) && isKnown(b) && isKnown(c) && evaluate(step, program_.values.data()))
    known_.insert(target);
  else
    emit(op, step);
}

void ProgramBuilder::jumpHere(size_t step) { program_.steps[step].target = program_.steps.size(); }

void ProgramBuilder::copyAll(Operation *op, ValueRange from, ValueRange to) {
  SmallVector<int32_t> held;
  for (Value value : from) {
    held.push_back(place());
    compute(op, StepKind::copy, held.back(), placeOf(value));
  }
  for (auto [value, copy] : llvm::zip(to, held))
    compute(op, StepKind::copy, placeOf(value), copy);
}

//===--- statements -----------------------------------------------------------------------===//

// Values of a region stay in scope after it: later code may look them up.
bool ProgramBuilder::isInScope(Operation &op) const {
  if (scope_ == Scope::all || op.getNumResults() > 0)
    return true;
  return op
      .walk([&](Operation *inner) {
        const bool found =
            scope_ == Scope::conditions
                ? isa<aicore::TallyOp>(inner)
                : isa<aicore::LoadOp, aicore::WindowOp, aicore::StoreOp, aicore::FixpipeOp>(inner);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

llvm::Error ProgramBuilder::statements(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && isInScope(op))
      if (llvm::Error error = statement(op))
        return error;
  return llvm::Error::success();
}

llvm::Error ProgramBuilder::statement(Operation &op) {
  const bool outerNeeds = std::exchange(needsData_, false);
  if (llvm::Error error = translate(op))
    return error;
  if (needsData_)
    return fault(&op, "depends on data, which counting does not have");
  needsData_ = outerNeeds;
  return llvm::Error::success();
}

llvm::Error ProgramBuilder::translate(Operation &op) {
  auto emitted = [&](Step step) {
    emit(&op, step);
    return llvm::Error::success();
  };
  auto flag = [&](StepKind kind, auto it) {
    return emitted({.kind = kind,
                    .pipe = aicore::machinePipe(it.getFrom()),
                    .to = aicore::machinePipe(it.getTo()),
                    .target = static_cast<int32_t>(it.getEvent()),
                    .a = placeOf(it.getSlot())});
  };
  auto cross = [&](StepKind kind, auto it) {
    return emitted({.kind = kind,
                    .pipe = aicore::machinePipe(it.getPipe()),
                    .target = static_cast<int32_t>(it.getFlag()),
                    .a = placeOf(it.getSlot())});
  };
  return llvm::TypeSwitch<Operation *, llvm::Error>(&op)
      .Case([&](scf::ForOp it) { return loop(it); })
      .Case([&](scf::IfOp it) { return branch(it); })
      .Case([&](aicore::VectorCoresOp it) { return vectorCores(it); })
      .Case([&](aicore::SlotOp it) { return slot(it); })
      .Case([&](aicore::ScalarBoundOp it) { return scalarBound(it); })
      .Case([&](aicore::Instruction it) { return instruction(it); })
      .Case([&](aicore::SetFlagOp it) { return flag(StepKind::setFlag, it); })
      .Case([&](aicore::WaitFlagOp it) { return flag(StepKind::waitFlag, it); })
      .Case([&](aicore::SetCrossOp it) { return cross(StepKind::setCross, it); })
      .Case([&](aicore::WaitCrossOp it) { return cross(StepKind::waitCross, it); })
      .Case([&](aicore::BarrierOp it) {
        if (std::optional<aicore::Pipe> pipe = it.getPipe())
          return emitted({.kind = StepKind::barrier, .pipe = aicore::machinePipe(*pipe)});
        return emitted({.kind = StepKind::barrierOfAll});
      })
      .Case([&](aicore::TallyOp it) { return tally(it); })
      // They take no time.
      .Case<aicore::AllocOp, aicore::WorkspaceOp>(
          [](auto) -> llvm::Error { return llvm::Error::success(); })
      .Default([&](Operation *) { return arithmetic(op); });
}

// Floats and narrow integers are data, and so are values computed from them. They have no value
// here, which is an error only if an instruction or control flow needs one.
bool ProgramBuilder::isData(Operation &op) const {
  auto isUnknown = [&](Value operand) {
    return !isCountable(operand.getType()) || unknown_.contains(operand);
  };
  return op.getNumResults() > 0 && op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
         (llvm::none_of(op.getResultTypes(), isCountable) ||
          llvm::any_of(op.getOperands(), isUnknown));
}

llvm::Error ProgramBuilder::arithmetic(Operation &op) {
  if (isData(op)) {
    unknown_.insert(op.result_begin(), op.result_end());
    return llvm::Error::success();
  }
  if (op.getNumResults() != 1 || !llvm::all_of(op.getResultTypes(), isCountable) ||
      !llvm::all_of(op.getOperandTypes(), isCountable))
    return fault(&op, "cannot be counted; expected arithmetic on index, i64 or i1");
  const int32_t target = placeOf(op.getResult(0));
  const bool yieldsBit = op.getResult(0).getType().isInteger(1);
  auto operand = [&](unsigned i) { return placeOf(op.getOperand(i)); };
  if (auto it = dyn_cast<arith::ConstantOp>(op)) {
    const APInt value = cast<IntegerAttr>(it.getValue()).getValue();
    program_.values[target] = yieldsBit ? value.getZExtValue() : value.getSExtValue();
    known_.insert(target);
  } else if (auto it = dyn_cast<arith::CmpIOp>(op)) {
    bool swapped = false;
    const StepKind kind = compareKind(it.getPredicate(), swapped);
    const int32_t a = operand(swapped ? 1 : 0), b = operand(swapped ? 0 : 1);
    define(&op, kind, target, a, b, b);
  } else if (isa<arith::SelectOp>(op)) {
    define(&op, StepKind::select, target, operand(0), operand(1), operand(2));
  } else if (isa<arith::TruncIOp, arith::ExtUIOp, arith::ExtSIOp, arith::IndexCastOp,
                 arith::IndexCastUIOp>(op)) {
    // A bit is held as 0 or 1, so only its sign-extension changes a value.
    const bool extendsBit =
        isa<arith::ExtSIOp, arith::IndexCastOp>(op) && op.getOperand(0).getType().isInteger(1);
    compute(&op, extendsBit ? StepKind::negate : StepKind::copy, target, operand(0));
    if (yieldsBit)
      compute(&op, StepKind::bitAnd, target, target, constant(1));
  } else if (auto kind = binaryKind(&op)) {
    if (!yieldsBit) {
      define(&op, *kind, target, operand(0), operand(1), operand(1));
    } else {
      compute(&op, *kind, target, operand(0), operand(1));
      compute(&op, StepKind::bitAnd, target, target, constant(1));
    }
  } else {
    return fault(&op, "cannot be counted");
  }
  return llvm::Error::success();
}

// Sums would make every iteration of a loop different, so only a program of their own has them.
llvm::Error ProgramBuilder::tally(aicore::TallyOp op) {
  if (scope_ != Scope::conditions)
    return llvm::Error::success();
  int32_t &sum = program_.tallies[static_cast<size_t>(op.getCovered())];
  if (sum < 0)
    sum = place();
  emit(op, {.kind = StepKind::add, .target = sum, .a = sum, .b = placeOf(op.getElements())});
  return llvm::Error::success();
}

llvm::Error ProgramBuilder::scalarBound(aicore::ScalarBoundOp op) {
  const unsigned parameter =
      cast<BlockArgument>(op.getScalar()).getArgNumber() - kernel_.getDims().size();
  std::optional<int32_t> known;
  if (parameter < call_.parameters.size())
    known = call_.parameters[parameter].scalar;
  program_.assumesScalars |= !known;
  const int32_t target = placeOf(op.getResult());
  program_.values[target] = known ? *known : static_cast<int64_t>(op.getAbsent());
  known_.insert(target);
  return llvm::Error::success();
}

llvm::Error ProgramBuilder::slot(aicore::SlotOp op) {
  auto buffer = op.getBuffer().getDefiningOp<aicore::AllocOp>();
  if (!buffer)
    return fault(op, "expected a buffer made by aicore.alloc");
  const int32_t copies = constant(buffer.getCopies());
  define(op, StepKind::remainder, placeOf(op.getResult()), placeOf(op.getIndex()), copies, copies);
  return llvm::Error::success();
}

llvm::Error ProgramBuilder::loop(scf::ForOp op) {
  const int32_t number = placeOf(op.getInductionVar()), upper = placeOf(op.getUpperBound());
  copyAll(op, op.getInitArgs(), op.getRegionIterArgs());
  const size_t enter =
      emit(op, {.kind = StepKind::loop, .a = number, .b = placeOf(op.getLowerBound()), .c = upper});
  if (llvm::Error error = statements(*op.getBody()))
    return error;
  copyAll(op, op.getBody()->getTerminator()->getOperands(), op.getRegionIterArgs());
  emit(op, {.kind = StepKind::next,
            .target = static_cast<int32_t>(enter + 1),
            .a = number,
            .b = placeOf(op.getStep()),
            .c = upper});
  jumpHere(enter);
  copyAll(op, op.getRegionIterArgs(), op.getResults());
  return llvm::Error::success();
}

llvm::Error ProgramBuilder::branch(scf::IfOp op) {
  const size_t unless = emit(op, {.kind = StepKind::jumpUnless, .a = placeOf(op.getCondition())});
  auto side = [&](Block *body) -> llvm::Error {
    if (llvm::Error error = statements(*body))
      return error;
    copyAll(op, body->getTerminator()->getOperands(), op.getResults());
    return llvm::Error::success();
  };
  if (llvm::Error error = side(op.thenBlock()))
    return error;
  if (op.elseBlock()) {
    const size_t over = emit(op, {.kind = StepKind::jump});
    jumpHere(unless);
    if (llvm::Error error = side(op.elseBlock()))
      return error;
    jumpHere(over);
  } else {
    jumpHere(unless);
  }
  return llvm::Error::success();
}

llvm::Error ProgramBuilder::vectorCores(aicore::VectorCoresOp op) {
  const int64_t count = op.getCount();
  if (machine_.topology != Topology::split || count != machine_.vectorCoresPerCube)
    return fault(op, "is for " + Twine(count) + " vector cores a block, not for " + machine_.name);
  const int32_t number = placeOf(op.getBody().getArgument(0));
  const size_t enter = emit(op, {.kind = StepKind::enterCores, .a = number});
  if (llvm::Error error = statements(op.getBody().front()))
    return error;
  emit(op, {.kind = StepKind::nextCore,
            .target = static_cast<int32_t>(enter + 1),
            .a = number,
            .b = static_cast<int32_t>(count)});
  return llvm::Error::success();
}

llvm::Expected<CountProgram> compile(aicore::PhaseOp phase, const Machine &machine,
                                     const Call &call, Scope scope) {
  return ProgramBuilder(phase, machine, call, scope).run();
}

llvm::Error fault(Operation *op, const Twine &message) {
  std::string text;
  llvm::raw_string_ostream(text) << op->getLoc() << ": '" << op->getName() << "' " << message;
  return llvm::createStringError(text);
}

} // namespace mmk::count
