#include "executable/program.h"

#include "codegen/scalar_ops.h"
#include "cpu/host_instructions.h"
#include "cpu/next_product.h"
#include "emulator/core_instructions.h"
#include "emulator/watch_calls.h"
#include "executable/plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstddef>

using namespace llvm;

namespace mmk {

std::string phaseName(unsigned index) { return "mmk_phase_" + std::to_string(index); }

std::string planName(unsigned index) { return "mmk_plan_" + std::to_string(index); }

namespace {

class ProgramEmitter {
public:
  ProgramEmitter(aicore::KernelOp kernel, Emitter &e, bool watched)
      : kernel(kernel), e(e), b(e.b), values(kernel, e), watch(kernel, e, watched),
        instructions(kernel, e, values, watch.enabled()) {}

  Error run();

private:
  void emitWorkspaces();
  void emitPlan(aicore::PhaseOp phase, const PhasePlan &plan, unsigned index);
  Value *emitAlone(aicore::PhaseOp phase, const PhasePlan &plan);
  void emitPhase(aicore::PhaseOp phase, const PhasePlan &plan, unsigned index);
  Function *startFunction(const std::string &name, ArrayRef<Type *> parameters);
  void bindArguments(const ArgumentArrays &arrays);

  void emitBlock(mlir::Block &block);
  void emitOp(mlir::Operation &op);
  void emitMeaning(mlir::Operation &op);
  void emitSlot(aicore::SlotOp op);
  void emitVectorCores(aicore::VectorCoresOp op);
  void emitLoop(mlir::scf::ForOp op);
  OperandPlaces placesInNext(mlir::scf::ForOp op, Value *i);
  void emitBranch(mlir::scf::IfOp op);
  void emitScalar(mlir::Operation *op);

  aicore::KernelOp kernel;
  Emitter &e;
  IRBuilder<> &b;
  ProgramValues values;
  WatchCalls watch;
  Value *threads = nullptr; ///< of a plan
  OperandPlaces next;       ///< of the next iteration of the loop that is being emitted
  CoreInstructions instructions;
};

//===--- operations -------------------------------------------------------------------------===//

void ProgramEmitter::emitBlock(mlir::Block &block) {
  for (mlir::Operation &op : block)
    emitOp(op);
}

void ProgramEmitter::emitOp(mlir::Operation &op) {
  if (watch.sees(&op))
    e.when(watch.call(&op, values), [&] { emitMeaning(op); });
  else
    emitMeaning(op);
}

void ProgramEmitter::emitMeaning(mlir::Operation &op) {
  TypeSwitch<mlir::Operation *>(&op)
      .Case<aicore::AllocOp, aicore::SetFlagOp, aicore::WaitFlagOp, aicore::SetCrossOp,
            aicore::WaitCrossOp, aicore::BarrierOp, mlir::scf::YieldOp>([](auto) {})
      .Case([&](aicore::SlotOp slot) { emitSlot(slot); })
      .Case([&](aicore::ThreadsOp op) { values.bind(op.getResult(), threads); })
      .Case([&](aicore::ProductOp product) { emitHostProduct(e, product, values, next); })
      .Case([&](aicore::ElementwiseOp part) { emitHostElementwise(e, part, values); })
      .Case([&](aicore::Instruction instruction) { instructions.emit(instruction); })
      .Case([&](aicore::VectorCoresOp cores) { emitVectorCores(cores); })
      .Case([&](mlir::scf::ForOp loop) { emitLoop(loop); })
      .Case([&](mlir::scf::IfOp branch) { emitBranch(branch); })
      .Default([&](mlir::Operation *other) { emitScalar(other); });
}

void ProgramEmitter::emitSlot(aicore::SlotOp op) {
  auto alloc = op.getBuffer().getDefiningOp<aicore::AllocOp>();
  values.bind(op.getResult(),
              b.CreateURem(values.value(op.getIndex()), e.number(alloc.getCopies())));
}

void ProgramEmitter::emitVectorCores(aicore::VectorCoresOp op) {
  Value *outer = values.vectorCore;
  e.loop(e.number(0), e.number(op.getCount()), e.number(1), [&](Value *core) {
    values.vectorCore = core;
    values.bind(op.getBody().getArgument(0), core);
    emitBlock(op.getBody().front());
  });
  values.vectorCore = outer;
}

// What the next iteration multiplies, for this one to ask for; the last one, its own again.
OperandPlaces ProgramEmitter::placesInNext(mlir::scf::ForOp op, Value *i) {
  auto products = op.getBody()->getOps<aicore::ProductOp>();
  if (!llvm::hasSingleElement(products) || !isOfBatch(*products.begin()))
    return {};
  Value *following = b.CreateAdd(i, values.value(op.getStep()));
  Value *isLast = b.CreateICmpSGE(following, values.value(op.getUpperBound()));
  values.bind(op.getInductionVar(), b.CreateSelect(isLast, i, following));
  for (mlir::Operation &inner : *op.getBody())
    if (inner.getNumRegions() == 0 && mlir::isMemoryEffectFree(&inner))
      emitOp(inner);
  return placesOf(e, *products.begin(), values);
}

void ProgramEmitter::emitLoop(mlir::scf::ForOp op) {
  if (op.getNumRegionIterArgs() > 0)
    return values.fail(op);
  e.loop(values.value(op.getLowerBound()), values.value(op.getUpperBound()),
         values.value(op.getStep()), [&](Value *i) {
           next = placesInNext(op, i);
           values.bind(op.getInductionVar(), i);
           emitBlock(*op.getBody());
           next = {};
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

// Scalar code of the kernel that stands before its phases is computed again in each of them.
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
    // What follows from a scalar of the kernel is left out with it, whatever type it has: the sign
    // of one is a bit.
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
    // What does not fit in 63 bits is more than any memory has, and must not come out as little.
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
  Value *alone = emitAlone(phase, plan);
  set(planSingleBlock, alone);
  Value *cores = e.number(kernel.getCores());
  set(planBlocks, plan.laterBlocksIdleIfSecondIs ? b.CreateSelect(alone, e.number(1), cores) : cores);
  b.CreateRetVoid();
}

// Whether the second block has nothing to do.
Value *ProgramEmitter::emitAlone(aicore::PhaseOp phase, const PhasePlan &plan) {
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
    return createStringError("no code is known for elements of " + mlir::debugString(e.unknownType));
  if (values.problem)
    return createStringError("no code for this operation of the aicore IR: " +
                             values.problem->getName().getStringRef());
  return Error::success();
}

} // namespace

Expected<std::unique_ptr<Module>> emitProgram(aicore::KernelOp kernel, const CodeTarget &target,
                                              LLVMContext &context, bool watched) {
  auto module = std::make_unique<Module>(kernel.getSymName(), context);
  module->setDataLayout(target.machine->createDataLayout());
  module->setTargetTriple(target.machine->getTargetTriple());
  Emitter emitter(*module, target);
  if (Error error = ProgramEmitter(kernel, emitter, watched).run())
    return std::move(error);
  return module;
}

} // namespace mmk
