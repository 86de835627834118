#include "codegen/program.h"

#include "codegen/emitter.h"
#include "codegen/micro_kernel.h"
#include "codegen/pack.h"
#include "codegen/plan.h"
#include "codegen/product.h"
#include "codegen/scalar_ops.h"
#include "codegen/transfer.h"
#include "codegen/vector_op.h"
#include "runtime/abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstddef>

using namespace llvm;

namespace mmk {

std::string phaseName(unsigned index) { return "mmk_phase_" + std::to_string(index); }

std::string planName(unsigned index) { return "mmk_plan_" + std::to_string(index); }

std::vector<mlir::Operation *> watchedOps(aicore::KernelOp kernel) {
  std::vector<mlir::Operation *> ops;
  kernel.walk([&](mlir::Operation *op) {
    auto barrier = dyn_cast<aicore::BarrierOp>(op);
    if ((barrier && !barrier.getPipe()) ||
        isa<aicore::Instruction, aicore::SetFlagOp, aicore::WaitFlagOp, aicore::SetCrossOp,
            aicore::WaitCrossOp, aicore::WorkspaceOp>(op))
      ops.push_back(op);
  });
  return ops;
}

namespace {

using aicore::Space;

class ProgramEmitter {
public:
  ProgramEmitter(aicore::KernelOp kernel, Emitter &e, bool watched)
      : kernel(kernel), machine(aicore::machineOf(kernel)), e(e), b(e.b) {
    if (watched)
      for (auto [number, op] : enumerate(watchedOps(kernel)))
        watchedNumbers[op] = number;
  }

  Error run();

private:
  /// A tensor in global memory: its pointer, and of each dimension the extent and the elements from
  /// one index to the next.
  struct Global {
    Value *pointer = nullptr;
    SmallVector<Value *> extents, strides;
  };

  void emitWorkspaces();
  void emitPhase(aicore::PhaseOp phase, const PhasePlan &plan, unsigned index);
  void emitPlan(aicore::PhaseOp phase, const PhasePlan &plan, unsigned index);
  void bindArguments(Value *dims, Value *scalars, Value *tensors, Value *strides);
  void emitBlock(mlir::Block &block);
  void emitOp(mlir::Operation &op);
  void emitMeaning(mlir::Operation &op);
  void emitWatch(Value *core);
  Value *callWatch(mlir::Operation *op);
  bool isView(mlir::Value buffer);
  void emitLoad(aicore::LoadOp op);
  void emitStage(aicore::StageOp op);
  void emitMmad(aicore::MmadOp op);
  void emitVector(aicore::VectorOp op);
  /// Rows of a buffer, from a row on, into another.
  template <typename Op> void emitMove(Op op, std::optional<int64_t> part);
  void emitHostProduct(aicore::ProductOp op);
  void emitHostElementwise(aicore::ElementwiseOp op);
  SmallVector<Value *> scalarsFor(mlir::Block &region);
  void copy(Value *to, int64_t toRow, Value *from, int64_t fromRow, Value *rows, Value *columns,
            Type *fromType, Type *toType);
  void writeOut(Value *source, mlir::Value sourceBuffer, mlir::Value target,
                mlir::OperandRange offsets, ArrayRef<int64_t> along, mlir::Value rows,
                mlir::Value columns);
  void fail(mlir::Operation *op) {
    if (!problem)
      problem = op;
  }

  Value *value(mlir::Value v);
  Value *buffer(mlir::Value alloc, mlir::Value slot, std::optional<int64_t> part = {});
  Value *address(const Global &global, mlir::ValueRange offsets, Type *element);
  Value *elementsOf(const Global &global) {
    Value *elements = e.number(1);
    for (Value *extent : global.extents)
      elements = b.CreateMul(elements, extent);
    return elements;
  }
  Type *elementOf(mlir::Value memref) {
    return e.elementType(cast<mlir::MemRefType>(memref.getType()).getElementType());
  }
  int64_t rowBytes(mlir::Value memref) {
    return cast<mlir::MemRefType>(memref.getType()).getShape()[1] * e.bytesOf(elementOf(memref));
  }
  int64_t columnsOf(mlir::Value memref) {
    return cast<mlir::MemRefType>(memref.getType()).getShape()[1];
  }
  /// In the emulated L0, where every element has four bytes.
  Multiply multiplyOf(Type *element) {
    return element->isFloatingPointTy() ? Multiply::f32 : Multiply::i32;
  }
  Plane planeOf(mlir::Value tensor, mlir::ValueRange offsets, ArrayRef<int64_t> along);
  SmallVector<Plane> planesOf(mlir::OperandRange tensors, mlir::ValueRange offsets,
                              ArrayRef<int64_t> along);

  aicore::KernelOp kernel;
  aicore::MachineAttr machine;
  Emitter &e;
  IRBuilder<> &b;
  DenseMap<mlir::Value, Value *> values;
  DenseMap<mlir::Value, Global> globals;
  DenseMap<mlir::Value, bool> views; ///< isView, where it is known
  Value *memoryBase[memories] = {};
  Value *core = nullptr, *ubStride = nullptr, *vectorCore = nullptr;
  mlir::Operation *problem = nullptr;

  DenseMap<mlir::Operation *, int64_t> watchedNumbers; ///< empty unless the program is watched
  Value *watchStep = nullptr, *watch = nullptr, *watchOperands = nullptr;
};

Value *ProgramEmitter::value(mlir::Value v) {
  Value *known = values.lookup(v);
  if (known)
    return known;
  // Constants of the kernel are made where they are used.
  if (auto constant = v.getDefiningOp<mlir::arith::ConstantOp>())
    return emitConstant(e, constant.getValue());
  fail(v.getDefiningOp() ? v.getDefiningOp() : kernel);
  return PoisonValue::get(e.elementType(v.getType()));
}

// The emulated L0A and L0B hold four bytes for each element (runtime/abi.h).
int64_t widening(Space space, mlir::Type type) {
  return space == Space::l0a || space == Space::l0b ? 4 / aicore::elementBytes(type) : 1;
}

Value *ProgramEmitter::buffer(mlir::Value memref, mlir::Value slot, std::optional<int64_t> part) {
  auto alloc = memref.getDefiningOp<aicore::AllocOp>();
  if (!alloc || !alloc.getOffset()) {
    fail(alloc ? alloc : kernel);
    return PoisonValue::get(e.pointer());
  }
  Space space = alloc.getSpace();
  int64_t widened = widening(space, memref.getType());
  int64_t copyBytes = alignTo(alloc.getBytes(), machine.alignment(space)) * widened;
  Value *base = memoryBase[static_cast<unsigned>(space)];
  if (space == Space::ub && vectorCore)
    base = e.offset(base, b.CreateMul(vectorCore, ubStride));
  const int64_t firstColumn = part.value_or(0) * alloc.getPartWidth();
  Value *at = e.offset(base, *alloc.getOffset() * widened +
                                 firstColumn * aicore::elementBytes(memref.getType()));
  return slot && alloc.getCopies() > 1 ? e.offset(at, b.CreateMul(value(slot), e.number(copyBytes)))
                                       : at;
}

Value *ProgramEmitter::address(const Global &global, mlir::ValueRange offsets, Type *element) {
  Value *linear = e.number(0);
  for (auto [offset, stride] : zip(offsets, global.strides))
    linear = b.CreateAdd(linear, b.CreateMul(value(offset), stride));
  return e.offset(global.pointer, b.CreateMul(linear, e.number(e.bytesOf(element))));
}

void ProgramEmitter::copy(Value *to, int64_t toRow, Value *from, int64_t fromRow, Value *rows,
                          Value *columns, Type *fromType, Type *toType) {
  b.CreateCall(copyRows(e, fromType, toType),
               {to, from, e.number(toRow), e.number(fromRow), rows, columns});
}

//===--- instructions
//---------------------------------------------------------------------------===//

// A view: what a tile in L1 holds of a parameter, in place of its elements.
constexpr int64_t viewBytes = 24; // pointer, bytes from row to row, from column to column

// Whether tiles of this buffer in L1 are views. Parameters do not change while the kernel runs, so
// where all that reads a tile is the way on to L0, which converts it anyway, nobody can tell
// whether it has been copied; but a watch looks at L1 itself.
bool ProgramEmitter::isView(mlir::Value buffer) {
  auto [known, isNew] = views.try_emplace(buffer, false);
  auto alloc = buffer.getDefiningOp<aicore::AllocOp>();
  if (!isNew || !alloc || alloc.getSpace() != Space::l1 || !watchedNumbers.empty() ||
      alloc.getBytes() < viewBytes)
    return known->second;
  auto isParameter = [&](mlir::Value tensor) {
    auto argument = dyn_cast<mlir::BlockArgument>(tensor);
    return argument && argument.getOwner() == &kernel.getBody().front() &&
           argument.getArgNumber() < kernel.getDims().size() + kernel.getArgs().size();
  };
  known->second = llvm::all_of(buffer.getUsers(), [&](mlir::Operation *user) {
    if (auto load = dyn_cast<aicore::LoadOp>(user))
      return isParameter(load.getSource());
    auto stage = dyn_cast<aicore::StageOp>(user);
    return isa<aicore::SlotOp>(user) || (stage && aicore::spaceOf(stage.getTarget()) != Space::bt);
  });
  return known->second;
}

void ProgramEmitter::emitLoad(aicore::LoadOp op) {
  const Global &global = globals[op.getSource()];
  Type *element = elementOf(op.getSource());
  Value *size = e.number(e.bytesOf(element));
  ArrayRef<int64_t> along = op.getAlong();
  auto step = [&](int64_t dim) { return dim < 0 ? size : b.CreateMul(global.strides[dim], size); };
  if (isView(op.getTarget())) {
    Value *view = buffer(op.getTarget(), op.getSlot());
    Value *const fields[viewBytes / 8] = {address(global, op.getOffsets(), element), step(along[0]),
                                          step(along[1])};
    for (auto [i, field] : enumerate(fields))
      b.CreateAlignedStore(field, e.offset(view, 8 * i), Align(8));
    return;
  }
  Value *rows = value(op.getRows()), *columns = value(op.getColumns());
  int64_t pad = op.getPad();
  Value *paddedRows = pad > 1 ? e.roundUp(rows, pad) : rows;
  Value *paddedColumns = pad > 1 ? e.roundUp(columns, pad) : columns;
  b.CreateCall(loadPadded(e, element),
               {buffer(op.getTarget(), op.getSlot()), address(global, op.getOffsets(), element),
                e.number(rowBytes(op.getTarget())), step(along[0]), step(along[1]), rows, columns,
                paddedRows, paddedColumns});
}

void ProgramEmitter::emitStage(aicore::StageOp op) {
  Type *from = elementOf(op.getSource());
  Type *wide = from->isFloatingPointTy() ? e.f32() : b.getInt32Ty();
  Value *source = buffer(op.getSource(), op.getSlot());
  Value *rowStep = e.number(rowBytes(op.getSource())), *columnStep = e.number(e.bytesOf(from));
  const bool view = isView(op.getSource());
  if (view) {
    rowStep = b.CreateAlignedLoad(e.i64(), e.offset(source, 8), Align(8));
    columnStep = b.CreateAlignedLoad(e.i64(), e.offset(source, 16), Align(8));
    source = b.CreateAlignedLoad(e.pointer(), source, Align(8));
  }
  source = e.offset(source, b.CreateAdd(b.CreateMul(value(op.getRow()), rowStep),
                                        b.CreateMul(value(op.getColumn()), columnStep)));
  Value *target = buffer(op.getTarget(), op.getTargetSlot());
  if (aicore::spaceOf(op.getTarget()) == Space::bt)
    return copy(target, rowBytes(op.getTarget()), source, rowBytes(op.getSource()),
                value(op.getRows()), value(op.getColumns()), from, from);
  // As the cube wants it: the rows of A along m, the rows of B along k.
  Value *rows = value(op.getRows()), *columns = value(op.getColumns());
  if (op.getTransposed()) {
    std::swap(rows, columns);
    std::swap(rowStep, columnStep);
  }
  ArrayRef<int64_t> tile = cast<mlir::MemRefType>(op.getTarget().getType()).getShape();
  if (aicore::spaceOf(op.getTarget()) == Space::l0b) {
    b.CreateCall(packPanels(e, multiplyOf(from), from),
                 {target, source, rowStep, columnStep, e.number(tile[0] * 4), rows, columns});
    return;
  }
  // L1 is zero up to whole fractals of 16, so whole register tiles of rows are there to copy. A
  // tensor ends where it ends; sums of the rows beyond go nowhere.
  b.CreateCall(moveElements(e, from, wide),
               {target, source, e.number(tile[1] * 4), rowStep, columnStep,
                view ? rows : e.roundUp(rows, e.target.rows()), columns});
}

void ProgramEmitter::emitMmad(aicore::MmadOp op) {
  auto ofB = cast<mlir::MemRefType>(op.getB().getType());
  Value *acc = buffer(op.getAcc(), op.getAccSlot(), op.getPart()), *first = value(op.getFirst());
  if (op.getBias()) {
    // Each row starts from the same row, of the same columns.
    auto part = op.getAcc().getDefiningOp<aicore::AllocOp>().getPartWidth();
    Value *row =
        e.offset(buffer(op.getBias(), op.getBiasSlot()),
                 op.getPart().value_or(0) * part * aicore::elementBytes(op.getBias().getType()));
    Type *element = elementOf(op.getAcc());
    e.when(first, [&] {
      copy(acc, rowBytes(op.getAcc()), row, 0, value(op.getM()), value(op.getN()), element,
           element);
    });
    first = b.getFalse();
  }
  b.CreateCall(
      mmadFunction(e, multiplyOf(elementOf(op.getA())), ofB.getShape()[1], ofB.getShape()[0]),
      {buffer(op.getA(), op.getASlot()), buffer(op.getB(), op.getBSlot()), acc, value(op.getM()),
       value(op.getN()), value(op.getK()), first});
}

template <typename Op> void ProgramEmitter::emitMove(Op op, std::optional<int64_t> part) {
  Type *element = elementOf(op.getSource());
  const int64_t fromRow = rowBytes(op.getSource());
  Value *source = e.offset(buffer(op.getSource(), op.getSlot(), part),
                           b.CreateMul(value(op.getRow()), e.number(fromRow)));
  copy(buffer(op.getTarget(), op.getTargetSlot()), rowBytes(op.getTarget()), source, fromRow,
       value(op.getRows()), value(op.getColumns()), element, element);
}

void ProgramEmitter::writeOut(Value *source, mlir::Value sourceBuffer, mlir::Value target,
                              mlir::OperandRange offsets, ArrayRef<int64_t> along, mlir::Value rows,
                              mlir::Value columns) {
  const Global &global = globals[target];
  Type *from = elementOf(sourceBuffer), *to = elementOf(target);
  Value *size = e.number(e.bytesOf(to));
  Value *toRow = along[0] < 0 ? size : b.CreateMul(global.strides[along[0]], size);
  b.CreateCall(copyRows(e, from, to),
               {address(global, offsets, to), source, toRow, e.number(rowBytes(sourceBuffer)),
                value(rows), value(columns)});
}

void ProgramEmitter::emitVector(aicore::VectorOp op) {
  VectorCall call = vectorFunction(e, op);
  SmallVector<Value *> arguments;
  for (auto [input, slot] : zip(op.getInputs(), op.getInputSlots()))
    arguments.push_back(buffer(input, slot));
  for (auto [output, slot] : zip(op.getOutputs(), op.getOutputSlots()))
    arguments.push_back(buffer(output, slot));
  arguments.push_back(value(op.getRows()));
  arguments.push_back(value(op.getColumns()));
  for (mlir::Value scalar : call.scalars)
    arguments.push_back(value(scalar));
  if (!call.function)
    return fail(op);
  b.CreateCall(call.function, arguments);
}

//===--- watching
//-------------------------------------------------------------------------------===//

// At the start of a phase. One array serves all calls.
void ProgramEmitter::emitWatch(Value *core) {
  unsigned most = 0;
  for (auto [op, number] : watchedNumbers)
    most = std::max(most, op->getNumOperands());
  watchOperands = b.CreateAlloca(b.getInt64Ty(), b.getInt32(most));
  watchStep =
      b.CreateAlignedLoad(e.pointer(), e.offset(core, offsetof(CoreMemories, step)), Align(8));
  watch = b.CreateAlignedLoad(e.pointer(), e.offset(core, offsetof(CoreMemories, watch)), Align(8));
}

// Whether the op may be done, as the watch says.
Value *ProgramEmitter::callWatch(mlir::Operation *op) {
  for (auto [i, operand] : enumerate(op->getOperands())) {
    Value *shown = e.number(0);
    if (operand.getType().isIntOrIndex())
      shown = b.CreateZExt(value(operand), b.getInt64Ty());
    e.store(shown, e.offset(watchOperands, 8 * i));
  }
  Type *const types[] = {e.pointer(), b.getInt64Ty(), b.getInt64Ty(), e.pointer()};
  Value *unit = vectorCore ? b.CreateAdd(vectorCore, e.number(1)) : e.number(0);
  CallInst *legal = b.CreateCall(FunctionType::get(b.getInt1Ty(), types, false), watchStep,
                                 {watch, e.number(watchedNumbers.lookup(op)), unit, watchOperands});
  legal->addRetAttr(Attribute::ZExt);
  return legal;
}

Plane ProgramEmitter::planeOf(mlir::Value tensor, mlir::ValueRange offsets,
                              ArrayRef<int64_t> along) {
  const Global &global = globals[tensor];
  Type *element = elementOf(tensor);
  auto step = [&](int64_t dim) -> Value * {
    return dim < 0 ? e.number(0) : b.CreateMul(global.strides[dim], e.number(e.bytesOf(element)));
  };
  return {address(global, offsets, element), step(along[0]), step(along[1])};
}

SmallVector<Plane> ProgramEmitter::planesOf(mlir::OperandRange tensors, mlir::ValueRange offsets,
                                            ArrayRef<int64_t> along) {
  SmallVector<Plane> planes;
  for (mlir::Value tensor : tensors) {
    const size_t rank = cast<mlir::MemRefType>(tensor.getType()).getRank();
    planes.push_back(planeOf(tensor, offsets.take_front(rank), along.take_front(2)));
    offsets = offsets.drop_front(rank);
    along = along.drop_front(2);
  }
  return planes;
}

SmallVector<Value *> ProgramEmitter::scalarsFor(mlir::Block &region) {
  SmallVector<Value *> scalars;
  for (mlir::Value scalar : scalarsOf(region))
    scalars.push_back(value(scalar));
  return scalars;
}

void ProgramEmitter::emitHostElementwise(aicore::ElementwiseOp op) {
  Value *total = e.number(0);
  for (mlir::Value output : op.getOutputs())
    total = b.CreateAdd(
        total, b.CreateMul(elementsOf(globals[output]), e.number(e.bytesOf(elementOf(output)))));
  if (!emitElementwise(e, op, planesOf(op.getInputs(), op.getInputOffsets(), op.getInputAlong()),
                       planesOf(op.getOutputs(), op.getOutputOffsets(), op.getOutputAlong()),
                       scalarsFor(op.getBody().front()), value(op.getM()), value(op.getN()), total))
    fail(op);
}

// All of them, in one order.
void forEachValue(ProductOperands &operands, function_ref<void(Value *&)> body) {
  SmallVector<Plane *> planes = {&operands.a, &operands.b};
  for (SmallVector<Plane> *more : {&operands.inputs, &operands.outputs})
    for (Plane &plane : *more)
      planes.push_back(&plane);
  for (Plane *plane : planes)
    for (Value **value : {&plane->pointer, &plane->row, &plane->column})
      body(*value);
  for (Value **value : {&operands.m, &operands.n, &operands.k, &operands.aScratch,
                        &operands.bScratch, &operands.acc})
    body(*value);
  for (Value *&scalar : operands.scalars)
    body(scalar);
}

void ProgramEmitter::emitHostProduct(aicore::ProductOp op) {
  ProductOperands operands;
  operands.a = planeOf(op.getA(), op.getAOffsets(), op.getAAlong());
  operands.b = planeOf(op.getB(), op.getBOffsets(), op.getBAlong());
  operands.inputs = planesOf(op.getInputs(), op.getInputOffsets(), op.getInputAlong());
  operands.outputs = planesOf(op.getOutputs(), op.getOutputOffsets(), op.getOutputAlong());
  operands.m = value(op.getM());
  operands.n = value(op.getN());
  operands.k = value(op.getK());
  operands.aScratch = buffer(op.getAScratch(), {});
  operands.bScratch = buffer(op.getBScratch(), {});
  operands.acc = buffer(op.getAcc(), {});
  operands.scalars = scalarsFor(op.getBody().front());
  // In a function of its own, as it is to be fast and the program need not be (codegen/split.h).
  SmallVector<Value *> passed;
  forEachValue(operands, [&](Value *&value) { passed.push_back(value); });
  Value *frame = e.local(ArrayType::get(e.i64(), passed.size()));
  for (auto [i, value] : enumerate(passed))
    b.CreateAlignedStore(value, e.offset(frame, 8 * i), Align(8));
  bool complete = true;
  Function *tile = e.helper("tile_" + std::to_string(e.module.size()), 1, 0, {}, [&](Function *f) {
    int64_t next = 0;
    forEachValue(operands, [&](Value *&value) {
      value = b.CreateAlignedLoad(value->getType(), e.offset(f->getArg(0), 8 * next++), Align(8));
    });
    complete = emitProduct(e, op, operands);
  });
  b.CreateCall(tile, {frame});
  if (!complete)
    fail(op);
}

//===--- structure
//------------------------------------------------------------------------------===//

void ProgramEmitter::emitOp(mlir::Operation &op) {
  if (watchedNumbers.contains(&op))
    e.when(callWatch(&op), [&] { emitMeaning(op); });
  else
    emitMeaning(op);
}

void ProgramEmitter::emitMeaning(mlir::Operation &op) {
  TypeSwitch<mlir::Operation *>(&op)
      .Case<aicore::AllocOp, aicore::SetFlagOp, aicore::WaitFlagOp, aicore::SetCrossOp,
            aicore::WaitCrossOp, aicore::BarrierOp, mlir::scf::YieldOp>([](auto) {})
      .Case([&](aicore::SlotOp slot) {
        auto alloc = slot.getBuffer().getDefiningOp<aicore::AllocOp>();
        values[slot.getResult()] =
            b.CreateURem(value(slot.getIndex()), e.number(alloc.getCopies()));
      })
      .Case([&](aicore::LoadOp load) { emitLoad(load); })
      .Case([&](aicore::StageOp stage) { emitStage(stage); })
      .Case([&](aicore::MmadOp mmad) { emitMmad(mmad); })
      .Case([&](aicore::VectorOp vector) { emitVector(vector); })
      .Case([&](aicore::ProductOp product) { emitHostProduct(product); })
      .Case([&](aicore::ElementwiseOp part) { emitHostElementwise(part); })
      .Case([&](aicore::StoreOp store) {
        writeOut(buffer(store.getSource(), store.getSlot()), store.getSource(), store.getTarget(),
                 store.getOffsets(), store.getAlong(), store.getRows(), store.getColumns());
      })
      .Case([&](aicore::FixpipeOp fixpipe) {
        writeOut(buffer(fixpipe.getSource(), fixpipe.getSlot(), fixpipe.getPart()),
                 fixpipe.getSource(), fixpipe.getTarget(), fixpipe.getOffsets(), fixpipe.getAlong(),
                 fixpipe.getRows(), fixpipe.getColumns());
      })
      .Case([&](aicore::SpillOp spill) {
        Type *element = elementOf(spill.getSource());
        copy(buffer(spill.getTarget(), spill.getTargetSlot()), rowBytes(spill.getTarget()),
             buffer(spill.getSource(), spill.getSlot(), spill.getPart()),
             rowBytes(spill.getSource()), value(spill.getRows()), value(spill.getColumns()),
             element, element);
      })
      .Case([&](aicore::FetchOp fetch) { emitMove(fetch, {}); })
      .Case([&](aicore::DrainOp drain) { emitMove(drain, drain.getPart()); })
      .Case([&](aicore::VectorCoresOp cores) {
        Value *outer = vectorCore;
        e.loop(e.number(0), e.number(cores.getCount()), e.number(1), [&](Value *core) {
          vectorCore = core;
          values[cores.getBody().getArgument(0)] = core;
          emitBlock(cores.getBody().front());
        });
        vectorCore = outer;
      })
      .Case([&](mlir::scf::ForOp loop) {
        if (loop.getNumRegionIterArgs() > 0)
          return fail(loop);
        e.loop(value(loop.getLowerBound()), value(loop.getUpperBound()), value(loop.getStep()),
               [&](Value *i) {
                 values[loop.getInductionVar()] = i;
                 emitBlock(*loop.getBody());
               });
      })
      .Case([&](mlir::scf::IfOp branch) {
        if (branch.getNumResults() > 0)
          return fail(branch);
        Value *condition = value(branch.getCondition());
        e.when(condition, [&] { emitBlock(*branch.thenBlock()); });
        if (branch.elseBlock())
          e.when(b.CreateNot(condition), [&] { emitBlock(*branch.elseBlock()); });
      })
      .Default([&](mlir::Operation *other) {
        SmallVector<Value *> operands;
        for (mlir::Value operand : other->getOperands())
          operands.push_back(value(operand));
        Value *result = emitScalarOp(e, other, operands);
        if (!result || other->getNumResults() != 1)
          return fail(other);
        values[other->getResult(0)] = result;
      });
}

void ProgramEmitter::emitBlock(mlir::Block &block) {
  for (mlir::Operation &op : block)
    emitOp(op);
}

// Loads dimensions, scalars and pointers; scalar code of the kernel that stands before its phases
// is computed again in each of them.
void ProgramEmitter::bindArguments(Value *dims, Value *scalars, Value *tensors, Value *strides) {
  values.clear();
  globals.clear();
  auto element = [&](Value *array, Type *type, unsigned index) {
    return e.load(type, e.offset(array, index * (type->isPointerTy() ? 8 : e.bytesOf(type))));
  };
  auto loadPointer = [&](Value *array, unsigned index) {
    return b.CreateAlignedLoad(e.pointer(), e.offset(array, index * 8), Align(8));
  };
  mlir::Block &body = kernel.getBody().front();
  StringMap<Value *> extents;
  unsigned next = 0;
  for (auto name : kernel.getDims().getAsValueRange<mlir::StringAttr>()) {
    Value *extent = element(dims, e.i64(), next);
    extents[name] = extent;
    values[body.getArgument(next++)] = extent;
  }
  unsigned tensor = 0;
  auto bind = [&](mlir::ArrayAttr list, bool result) {
    for (auto [i, named] : enumerate(list.getAsRange<ir::NamedAttr>())) {
      mlir::Value argument = body.getArgument(next++);
      unsigned index = tensor++;
      if (!isa<mlir::MemRefType>(argument.getType())) {
        if (scalars)
          values[argument] = element(scalars, e.f32(), i);
        continue;
      }
      if (!tensors)
        continue;
      Global &global = globals[argument];
      global.pointer = loadPointer(tensors, index);
      Value *ofTensor = loadPointer(strides, index);
      for (mlir::StringAttr dim : named.getDims()) {
        int64_t literal;
        global.strides.push_back(element(ofTensor, e.i64(), global.strides.size()));
        global.extents.push_back(dim.getValue().getAsInteger(10, literal) ? extents[dim.getValue()]
                                                                          : e.number(literal));
      }
    }
  };
  bind(kernel.getArgs(), false);
  bind(kernel.getResults(), true);
  for (mlir::Operation &op : body) {
    if (isa<aicore::PhaseOp>(op))
      continue;
    if (auto workspace = dyn_cast<aicore::WorkspaceOp>(op)) {
      unsigned index = tensor++;
      if (!tensors)
        continue;
      Global &global = globals[workspace.getResult()];
      global.pointer = loadPointer(tensors, index);
      for (mlir::Value extent : workspace.getExtents())
        global.extents.push_back(value(extent));
      global.strides.resize(global.extents.size());
      Value *stride = e.number(1);
      for (size_t i = global.extents.size(); i-- > 0;
           stride = b.CreateMul(stride, global.extents[i]))
        global.strides[i] = stride;
      if (watch)
        callWatch(workspace);
      continue;
    }
    // What follows from a scalar of the kernel is left out with it, whatever type it has: the sign
    // of one is a bit.
    bool needsScalars = llvm::any_of(op.getOperands(), [&](mlir::Value operand) {
      return !scalars && !values.count(operand) &&
             !operand.getDefiningOp<mlir::arith::ConstantOp>();
    });
    if (!needsScalars)
      emitOp(op);
  }
}

constexpr int64_t tooManyBytes = int64_t(1) << 62;

void ProgramEmitter::emitWorkspaces() {
  auto *function =
      Function::Create(FunctionType::get(b.getVoidTy(), {e.pointer(), e.pointer()}, false),
                       GlobalValue::ExternalLinkage, workspacesName, e.module);
  e.finishCold(function);
  b.SetInsertPoint(BasicBlock::Create(b.getContext(), "entry", function));
  bindArguments(function->getArg(0), nullptr, nullptr, nullptr);
  unsigned index = 0;
  for (auto workspace : kernel.getBody().getOps<aicore::WorkspaceOp>()) {
    Value *bytes = e.number(e.bytesOf(elementOf(workspace.getResult())));
    // What does not fit in 63 bits is more than any memory has, and must not come out as little.
    Value *most = e.number(tooManyBytes);
    for (mlir::Value extent : workspace.getExtents()) {
      Value *product = b.CreateBinaryIntrinsic(Intrinsic::smul_with_overflow, bytes, value(extent));
      bytes = b.CreateSelect(
          b.CreateExtractValue(product, 1), most,
          b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateExtractValue(product, 0), most));
    }
    e.store(bytes, e.offset(function->getArg(1), 8 * index++));
  }
  b.CreateRetVoid();
}

void ProgramEmitter::emitPhase(aicore::PhaseOp phase, const PhasePlan &plan, unsigned index) {
  auto *function =
      Function::Create(FunctionType::get(b.getVoidTy(), {e.pointer(), e.pointer()}, false),
                       GlobalValue::ExternalLinkage, phaseName(index), e.module);
  e.finishCold(function);
  b.SetInsertPoint(BasicBlock::Create(b.getContext(), "entry", function));
  Value *arguments = function->getArg(0);
  core = function->getArg(1);
  auto field = [&](Value *from, size_t offset, Type *type) -> Value * {
    return b.CreateAlignedLoad(type, e.offset(from, offset), Align(8));
  };
  Value *dims = field(arguments, offsetof(KernelArguments, dims), e.pointer());
  Value *scalars = field(arguments, offsetof(KernelArguments, scalars), e.pointer());
  Value *tensors = field(arguments, offsetof(KernelArguments, tensors), e.pointer());
  vectorCore = nullptr;
  if (!watchedNumbers.empty())
    emitWatch(core);
  bindArguments(dims, scalars, tensors,
                field(arguments, offsetof(KernelArguments, strides), e.pointer()));
  ubStride = field(core, offsetof(CoreMemories, ubStride), e.i64());
  for (unsigned memory = 0; memory < memories; ++memory)
    memoryBase[memory] = field(core, offsetof(CoreMemories, memory) + 8 * memory, e.pointer());
  values[phase.getBody().getArgument(0)] = field(core, offsetof(CoreMemories, block), e.i64());
  Value *planned = field(arguments, offsetof(KernelArguments, plan), e.pointer());
  for (auto [i, value] : enumerate(plan.values))
    values[value] = b.CreateTrunc(field(planned, 8 * (planFields + i), e.i64()),
                                  e.elementType(value.getType()));
  for (mlir::Operation &op : phase.getBody().front())
    if (!plan.ops.contains(&op))
      emitOp(op);
  b.CreateRetVoid();
}

void ProgramEmitter::emitPlan(aicore::PhaseOp phase, const PhasePlan &plan, unsigned index) {
  auto *function =
      Function::Create(FunctionType::get(b.getVoidTy(), {e.pointer(), e.pointer()}, false),
                       GlobalValue::ExternalLinkage, planName(index), e.module);
  e.finishCold(function);
  b.SetInsertPoint(BasicBlock::Create(b.getContext(), "entry", function));
  bindArguments(function->getArg(0), nullptr, nullptr, nullptr);
  auto set = [&](size_t field, Value *value) {
    e.store(b.CreateZExt(value, e.i64()), e.offset(function->getArg(1), 8 * field));
  };
  for (mlir::Operation *op : plan.ops)
    emitOp(*op);
  for (auto [i, kept] : enumerate(plan.values))
    set(planFields + i, value(kept));

  // Whether the second block has nothing to do.
  values[phase.getBody().getArgument(0)] = e.number(1);
  Value *alone = nullptr;
  for (mlir::Operation &op : phase.getBody().front()) {
    if (auto loop = dyn_cast<mlir::scf::ForOp>(op)) {
      Value *none = b.CreateICmpSGE(value(loop.getLowerBound()), value(loop.getUpperBound()));
      alone = alone ? b.CreateAnd(alone, none) : none;
    } else if (!plan.ops.contains(&op) && op.getNumResults() == 1 && op.getNumRegions() == 0 &&
               mlir::isMemoryEffectFree(&op)) {
      emitOp(op);
    }
  }
  if (!alone)
    alone = b.getFalse();
  set(planAlone, alone);
  Value *cores = e.number(kernel.getCores());
  set(planBlocks, plan.laterHaveLess ? b.CreateSelect(alone, e.number(1), cores) : cores);
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
  if (problem)
    return createStringError("no code for this operation of the aicore IR: " +
                             problem->getName().getStringRef());
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
