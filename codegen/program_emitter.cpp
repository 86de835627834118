#include "codegen/program_emitter.h"

#include "codegen/plan.h"
#include "codegen/program.h"
#include "codegen/scalar_ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstddef>

using namespace llvm;

namespace mmk {

//===--- operations -------------------------------------------------------------------------===//

void ProgramEmitter::emitBlock(mlir::Block &block) {
  for (mlir::Operation &op : block)
    emitOp(op);
}

void ProgramEmitter::emitOp(mlir::Operation &op) {
  if (!watch.sees(&op))
    return emitMeaning(op);
  Value *isLegal = watch.call(&op, values);
  if (op.getNumResults() == 0)
    return e.when(isLegal, [&] { emitMeaning(op); });
  // What is not to be executed gives zeros.
  const SmallVector<Value *> results = e.eitherOf(
      isLegal,
      [&] {
        emitMeaning(op);
        return to_vector(
            map_range(op.getResults(), [&](mlir::Value it) { return values.value(it); }));
      },
      [&] { return SmallVector<Value *>(op.getNumResults(), e.number(0)); });
  for (auto [result, value] : zip(op.getResults(), results))
    values.bind(result, value);
}

void ProgramEmitter::emitMeaning(mlir::Operation &op) {
  TypeSwitch<mlir::Operation *>(&op)
      .Case<aicore::AllocOp, aicore::TallyOp, mlir::scf::YieldOp>([](auto) {})
      .Case([&](aicore::SlotOp slot) { emitSlot(slot); })
      .Case([&](aicore::ScalarBoundOp bound) {
        values.bind(bound.getResult(), b.CreateSExt(values.value(bound.getScalar()), e.i64()));
      })
      .Case([&](mlir::scf::ForOp loop) { emitLoop(loop); })
      .Case([&](mlir::scf::IfOp branch) { emitBranch(branch); })
      .Default([&](mlir::Operation *other) {
        if (!emitInstruction(*other))
          emitScalar(other);
      });
}

void ProgramEmitter::emitSlot(aicore::SlotOp op) {
  auto alloc = op.getBuffer().getDefiningOp<aicore::AllocOp>();
  values.bind(op.getResult(),
              b.CreateURem(values.value(op.getIndex()), e.number(alloc.getCopies())));
}

void ProgramEmitter::emitLoop(mlir::scf::ForOp op) {
  if (op.getNumRegionIterArgs() > 0)
    return values.fail(op);
  e.loop(values.value(op.getLowerBound()), values.value(op.getUpperBound()),
         values.value(op.getStep()), [&](Value *i) {
           beginIteration(op, i);
           values.bind(op.getInductionVar(), i);
           emitBlock(*op.getBody());
           endIteration();
         });
}

void ProgramEmitter::emitBranch(mlir::scf::IfOp op) {
  if (op.getNumResults() > 0)
    return values.fail(op);
  Value *condition = values.value(op.getCondition());
  e.when(condition, [&] { emitBlock(*op.thenBlock()); });
  if (op.elseBlock())
    e.when(b.CreateNot(condition), [&] { emitBlock(*op.elseBlock()); });
}

void ProgramEmitter::emitScalar(mlir::Operation *op) {
  SmallVector<Value *> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(values.value(operand));
  Value *result = emitScalarOp(e, op, operands);
  if (!result || op->getNumResults() != 1)
    return values.fail(op);
  values.bind(op->getResult(0), result);
}

//===--- functions --------------------------------------------------------------------------===//

Function *ProgramEmitter::startFunction(const std::string &name, ArrayRef<Type *> parameters) {
  auto *function = Function::Create(FunctionType::get(b.getVoidTy(), parameters, false),
                                    GlobalValue::ExternalLinkage, name, e.module);
  e.finishCold(function);
  b.SetInsertPoint(BasicBlock::Create(b.getContext(), "entry", function));
  return function;
}

// Scalar code before the phases of a kernel is computed again in each phase.
void ProgramEmitter::bindArguments(const ArgumentArrays &arrays) {
  values.bindArguments(arrays);
  for (mlir::Operation &op : kernel.getBody().front()) {
    if (isa<aicore::PhaseOp>(op))
      continue;
    if (auto workspace = dyn_cast<aicore::WorkspaceOp>(op)) {
      if (!arrays.tensors)
        continue;
      values.bindWorkspace(workspace, arrays);
      if (watch.sees(workspace))
        watch.call(workspace, values);
      continue;
    }
    // Values computed from a scalar of the kernel are left out as well, whatever their type: the
    // sign of a scalar is a bit.
    bool needsScalars = llvm::any_of(op.getOperands(), [&](mlir::Value operand) {
      return !arrays.scalars && !values.isKnown(operand) &&
             !operand.getDefiningOp<mlir::arith::ConstantOp>();
    });
    if (!needsScalars)
      emitOp(op);
  }
}

constexpr int64_t tooManyBytes = int64_t(1) << 62;

void ProgramEmitter::emitWorkspaces() {
  Function *function = startFunction(workspacesName, {e.pointer(), e.pointer()});
  bindArguments({.dims = function->getArg(0)});
  unsigned index = 0;
  for (auto workspace : kernel.getBody().getOps<aicore::WorkspaceOp>()) {
    Value *bytes = e.number(e.bytesOf(values.elementOf(workspace.getResult())));
    // A size beyond 63 bits exceeds any memory, and must not wrap to a small one.
    Value *most = e.number(tooManyBytes);
    for (mlir::Value extent : workspace.getExtents()) {
      Value *product =
          b.CreateBinaryIntrinsic(Intrinsic::smul_with_overflow, bytes, values.value(extent));
      bytes = b.CreateSelect(
          b.CreateExtractValue(product, 1), most,
          b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateExtractValue(product, 0), most));
    }
    e.store(bytes, e.offset(function->getArg(1), 8 * index++));
  }
  b.CreateRetVoid();
}

void ProgramEmitter::emitPlan(aicore::PhaseOp phase, const PhasePlan &plan, unsigned index) {
  Function *function = startFunction(planName(index), {e.pointer(), e.i64(), e.pointer()});
  bindArguments({.dims = function->getArg(0)});
  threads = function->getArg(1);
  auto set = [&](size_t field, Value *value) {
    e.store(b.CreateZExt(value, e.i64()), e.offset(function->getArg(2), 8 * field));
  };
  for (mlir::Operation *op : plan.ops)
    emitOp(*op);
  for (auto [i, kept] : enumerate(plan.values))
    set(planFields + i, values.value(kept));
  Value *alone = emitIdleCheck(phase, plan);
  set(planSingleBlock, alone);
  Value *cores = e.number(kernel.getCores());
  set(planBlocks,
      plan.laterBlocksIdleIfSecondIs ? b.CreateSelect(alone, e.number(1), cores) : cores);
  b.CreateRetVoid();
}

// Whether the second block has no work.
Value *ProgramEmitter::emitIdleCheck(aicore::PhaseOp phase, const PhasePlan &plan) {
  values.bind(phase.getBody().getArgument(0), e.number(1));
  Value *alone = nullptr;
  for (mlir::Operation &op : phase.getBody().front()) {
    if (auto loop = dyn_cast<mlir::scf::ForOp>(op)) {
      Value *none =
          b.CreateICmpSGE(values.value(loop.getLowerBound()), values.value(loop.getUpperBound()));
      alone = alone ? b.CreateAnd(alone, none) : none;
    } else if (!plan.ops.contains(&op) && op.getNumResults() == 1 && op.getNumRegions() == 0 &&
               mlir::isMemoryEffectFree(&op)) {
      emitOp(op);
    }
  }
  return alone ? alone : b.getFalse();
}

void ProgramEmitter::emitPhase(aicore::PhaseOp phase, const PhasePlan &plan, unsigned index) {
  Function *function = startFunction(phaseName(index), {e.pointer(), e.pointer()});
  Value *arguments = function->getArg(0), *core = function->getArg(1);
  auto field = [&](Value *from, size_t offset, Type *type) -> Value * {
    return b.CreateAlignedLoad(type, e.offset(from, offset), Align(8));
  };
  auto array = [&](size_t offset) { return field(arguments, offset, e.pointer()); };
  const ArgumentArrays arrays = {.dims = array(offsetof(KernelArguments, dims)),
                                 .scalars = array(offsetof(KernelArguments, scalars)),
                                 .tensors = array(offsetof(KernelArguments, tensors)),
                                 .strides = array(offsetof(KernelArguments, strides))};
  if (watch.enabled())
    watch.begin(core);
  bindArguments(arrays);
  values.bindMemories(core);
  values.bind(phase.getBody().getArgument(0), field(core, offsetof(CoreMemories, block), e.i64()));
  Value *planned = array(offsetof(KernelArguments, plan));
  for (auto [i, value] : enumerate(plan.values))
    values.bind(value, b.CreateTrunc(field(planned, 8 * (planFields + i), e.i64()),
                                     e.elementType(value.getType())));
  for (mlir::Operation &op : phase.getBody().front())
    if (!plan.ops.contains(&op))
      emitOp(op);
  b.CreateRetVoid();
}

Error ProgramEmitter::run() {
  emitWorkspaces();
  unsigned index = 0;
  for (auto phase : kernel.getBody().getOps<aicore::PhaseOp>()) {
    const PhasePlan plan(phase);
    emitPlan(phase, plan, index);
    emitPhase(phase, plan, index++);
  }
  if (e.unknownType)
    return createStringError("no code is known for elements of " +
                             mlir::debugString(e.unknownType));
  if (values.problem)
    return createStringError("no code for this operation of the aicore IR: " +
                             values.problem->getName().getStringRef());
  return Error::success();
}

} // namespace mmk
