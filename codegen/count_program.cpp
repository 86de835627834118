#include "codegen/count_program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mmk::count {
namespace {

/// An element type of the language by its spelling, which is also MLIR's.
std::optional<ElementType> elementTypeOf(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return elementTypeFromSpelling(name);
}

/// Arith ops of two operands that mean the same on 64-bit values, whatever their own width.
std::optional<StepKind> binaryKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<StepKind>>(op)
      .Case([](arith::AddIOp) { return StepKind::add; })
      .Case([](arith::SubIOp) { return StepKind::sub; })
      .Case([](arith::MulIOp) { return StepKind::mul; })
      .Case([](arith::DivSIOp) { return StepKind::divide; })
      .Case([](arith::RemSIOp) { return StepKind::remainder; })
      .Case([](arith::CeilDivSIOp) { return StepKind::ceilDivide; })
      .Case([](arith::FloorDivSIOp) { return StepKind::floorDivide; })
      .Case([](arith::MinSIOp) { return StepKind::min; })
      .Case([](arith::MaxSIOp) { return StepKind::max; })
      .Case([](arith::MinUIOp) { return StepKind::minUnsigned; })
      .Case([](arith::MaxUIOp) { return StepKind::maxUnsigned; })
      .Case([](arith::AndIOp) { return StepKind::bitAnd; })
      .Case([](arith::OrIOp) { return StepKind::bitOr; })
      .Case([](arith::XOrIOp) { return StepKind::bitXor; })
      .Case([](arith::ShLIOp) { return StepKind::shiftLeft; })
      .Case([](arith::ShRSIOp) { return StepKind::shiftRight; })
      .Default([](Operation *) { return std::nullopt; });
}

StepKind compareKind(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return StepKind::equal;
  case arith::CmpIPredicate::ne:
    return StepKind::notEqual;
  case arith::CmpIPredicate::slt:
    return StepKind::less;
  case arith::CmpIPredicate::sle:
    return StepKind::lessEqual;
  case arith::CmpIPredicate::sgt:
    return StepKind::greater;
  case arith::CmpIPredicate::sge:
    return StepKind::greaterEqual;
  case arith::CmpIPredicate::ult:
    return StepKind::lessUnsigned;
  case arith::CmpIPredicate::ule:
    return StepKind::lessEqualUnsigned;
  case arith::CmpIPredicate::ugt:
    return StepKind::greaterUnsigned;
  case arith::CmpIPredicate::uge:
    return StepKind::greaterEqualUnsigned;
  }
  llvm_unreachable("predicate");
}

class Compiler {
public:
  Compiler(aicore::PhaseOp phase, const Machine &machine, ArrayRef<int64_t> dims)
      : phase_(phase), kernel_(cast<aicore::KernelOp>(phase->getParentOp())), machine_(machine),
        dims_(dims) {}

  llvm::Expected<Program> run();

private:
  llvm::Error block(Block &block);
  llvm::Error statement(Operation &op);
  llvm::Error arithmetic(Operation &op);
  llvm::Error loop(scf::ForOp op);
  llvm::Error branch(scf::IfOp op);
  llvm::Error vectorCores(aicore::VectorCoresOp op);
  llvm::Error instruction(aicore::Instruction op);
  llvm::Error product(aicore::MmadOp op);

  /// Between on-chip memory and a tensor: rows as they lie in memory, not as the buffer has them.
  llvm::Error strided(aicore::Instruction op, Work work, StringRef link, Value tensor,
                      ArrayRef<int64_t> along, Value rows, Value columns);
  /// Rows of a buffer, rounded up to what moves at once.
  llvm::Error plain(aicore::Instruction op, Work work, StringRef link, Traffic traffic,
                    Value buffer, Value rows, Value columns, int64_t rowStep, int64_t columnStep);
  llvm::Error useLink(aicore::Instruction op, StringRef link, Traffic traffic, Instruction &it);

  int32_t place(int64_t initial = 0) {
    program_.values.push_back(initial);
    return program_.values.size() - 1;
  }
  int32_t placeOf(Value value) {
    auto [entry, isNew] = places_.try_emplace(value, 0);
    if (isNew)
      entry->second = place();
    return entry->second;
  }
  int32_t constant(int64_t value) {
    auto [entry, isNew] = constants_.try_emplace(value, 0);
    if (isNew)
      entry->second = place(value);
    return entry->second;
  }
  size_t emit(Operation *op, Step step) {
    program_.steps.push_back(step);
    program_.origins.push_back(op);
    return program_.steps.size() - 1;
  }
  void emit(aicore::Instruction op, StepKind kind, const Instruction &it) {
    program_.instructions.push_back(it);
    emit(op.getOperation(), {.kind = kind,
                             .pipe = static_cast<Pipe>(op.getPipe()),
                             .target = static_cast<int32_t>(program_.instructions.size() - 1)});
  }
  void compute(Operation *op, StepKind kind, int32_t target, int32_t a, int32_t b = 0,
               int32_t c = 0) {
    emit(op, {.kind = kind, .target = target, .a = a, .b = b, .c = c});
  }
  /// All at once: sources may be among the targets.
  void copyAll(Operation *op, ValueRange from, ValueRange to);
  void jumpHere(size_t step) { program_.steps[step].target = program_.steps.size(); }
  /// Place of the extent of a tensor in global memory along its dimension `dim`.
  int32_t extentOf(Value tensor, unsigned dim);

  aicore::PhaseOp phase_;
  aicore::KernelOp kernel_;
  const Machine &machine_;
  ArrayRef<int64_t> dims_;
  Program program_;
  DenseMap<Value, int32_t> places_;
  DenseMap<int64_t, int32_t> constants_;
};

// What the whole kernel computes beforehand is little, so each phase does it again.
llvm::Expected<Program> Compiler::run() {
  for (auto [argument, value] : llvm::zip(kernel_.getBody().getArguments(), dims_))
    program_.values[placeOf(argument)] = value;
  for (Operation &op : kernel_.getBody().front()) {
    if (&op == phase_)
      break;
    if (!isa<aicore::PhaseOp>(op))
      if (llvm::Error error = statement(op))
        return std::move(error);
  }
  program_.block = placeOf(phase_.getBody().getArgument(0));
  if (llvm::Error error = block(phase_.getBody().front()))
    return std::move(error);
  return std::move(program_);
}

llvm::Error Compiler::block(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>())
      if (llvm::Error error = statement(op))
        return error;
  return llvm::Error::success();
}

//===--- arithmetic and control flow
//------------------------------------------------------------===//

llvm::Error Compiler::statement(Operation &op) {
  auto flag = [&](StepKind kind, auto it) {
    emit(&op, {.kind = kind,
               .pipe = static_cast<Pipe>(it.getFrom()),
               .to = static_cast<Pipe>(it.getTo()),
               .target = static_cast<int32_t>(it.getEvent()),
               .a = placeOf(it.getSlot())});
    return llvm::Error::success();
  };
  auto cross = [&](StepKind kind, auto it) {
    emit(&op, {.kind = kind,
               .pipe = static_cast<Pipe>(it.getPipe()),
               .target = static_cast<int32_t>(it.getFlag()),
               .a = placeOf(it.getSlot())});
    return llvm::Error::success();
  };
  return llvm::TypeSwitch<Operation *, llvm::Error>(&op)
      .Case([&](scf::ForOp it) { return loop(it); })
      .Case([&](scf::IfOp it) { return branch(it); })
      .Case([&](aicore::VectorCoresOp it) { return vectorCores(it); })
      .Case([&](aicore::Instruction it) { return instruction(it); })
      .Case([&](aicore::SetFlagOp it) { return flag(StepKind::setFlag, it); })
      .Case([&](aicore::WaitFlagOp it) { return flag(StepKind::waitFlag, it); })
      .Case([&](aicore::SetCrossOp it) { return cross(StepKind::setCross, it); })
      .Case([&](aicore::WaitCrossOp it) { return cross(StepKind::waitCross, it); })
      .Case([&](aicore::BarrierOp it) {
        emit(&op, {.kind = StepKind::barrier, .pipe = static_cast<Pipe>(it.getPipe())});
        return llvm::Error::success();
      })
      .Case([&](aicore::SlotOp it) -> llvm::Error {
        auto buffer = it.getBuffer().getDefiningOp<aicore::AllocOp>();
        if (!buffer)
          return fault(&op, "expected a buffer made by aicore.alloc");
        compute(&op, StepKind::remainder, placeOf(it.getResult()), placeOf(it.getIndex()),
                constant(buffer.getCopies()));
        return llvm::Error::success();
      })
      .Case<aicore::AllocOp, aicore::WorkspaceOp>([](auto) { return llvm::Error::success(); })
      .Default([&](Operation *) { return arithmetic(op); });
}

llvm::Error Compiler::arithmetic(Operation &op) {
  // Floats are data; they decide nothing here.
  if (isMemoryEffectFree(&op) && op.getNumRegions() == 0 &&
      llvm::all_of(op.getResultTypes(), [](Type type) { return isa<FloatType>(type); }))
    return llvm::Error::success();

  auto countable = [](Type type) {
    return type.isIndex() || type.isInteger(64) || type.isInteger(1);
  };
  const bool understood = op.getNumResults() == 1 && llvm::all_of(op.getResultTypes(), countable) &&
                          llvm::all_of(op.getOperandTypes(), countable);
  if (!understood)
    return fault(&op, "'" + op.getName().getStringRef() + "' cannot be counted: expected " +
                          "arithmetic on index, i64 and i1");
  const int32_t target = placeOf(op.getResult(0));
  auto operand = [&](unsigned i) { return placeOf(op.getOperand(i)); };
  if (auto it = dyn_cast<arith::ConstantOp>(op)) {
    const APInt value = cast<IntegerAttr>(it.getValue()).getValue();
    program_.values[target] =
        it.getType().isInteger(1) ? value.getZExtValue() : value.getSExtValue();
  } else if (auto kind = binaryKind(&op)) {
    compute(&op, *kind, target, operand(0), operand(1));
    // i1 is 0 or 1 here, and its sums wrap.
    if (op.getResult(0).getType().isInteger(1))
      compute(&op, StepKind::bitAnd, target, target, constant(1));
  } else if (auto it = dyn_cast<arith::CmpIOp>(op)) {
    compute(&op, compareKind(it.getPredicate()), target, operand(0), operand(1));
  } else if (isa<arith::SelectOp>(op)) {
    compute(&op, StepKind::select, target, operand(0), operand(1), operand(2));
  } else if (isa<arith::ExtUIOp, arith::ExtSIOp, arith::IndexCastOp, arith::IndexCastUIOp,
                 arith::TruncIOp>(op)) {
    const bool fromBit = op.getOperand(0).getType().isInteger(1);
    const bool toBit = op.getResult(0).getType().isInteger(1);
    if (toBit)
      compute(&op, StepKind::bitAnd, target, operand(0), constant(1));
    else
      compute(&op,
              fromBit && isa<arith::ExtSIOp, arith::IndexCastOp>(op) ? StepKind::negate
                                                                     : StepKind::copy,
              target, operand(0));
  } else {
    return fault(&op, "'" + op.getName().getStringRef() + "' cannot be counted");
  }
  return llvm::Error::success();
}

void Compiler::copyAll(Operation *op, ValueRange from, ValueRange to) {
  SmallVector<int32_t> held;
  auto isCounted = [](Value value) { return value.getType().isIntOrIndex(); };
  for (Value value : from)
    if (isCounted(value)) {
      held.push_back(place());
      compute(op, StepKind::copy, held.back(), placeOf(value));
    }
  const int32_t *next = held.begin();
  for (Value value : to)
    if (isCounted(value))
      compute(op, StepKind::copy, placeOf(value), *next++);
}

llvm::Error Compiler::loop(scf::ForOp op) {
  const int32_t number = placeOf(op.getInductionVar()), upper = placeOf(op.getUpperBound());
  copyAll(op, op.getInitArgs(), op.getRegionIterArgs());
  const size_t enter =
      emit(op, {.kind = StepKind::loop, .a = number, .b = placeOf(op.getLowerBound()), .c = upper});
  if (llvm::Error error = block(*op.getBody()))
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

llvm::Error Compiler::branch(scf::IfOp op) {
  const size_t unless = emit(op, {.kind = StepKind::jumpUnless, .a = placeOf(op.getCondition())});
  auto side = [&](Block *body) -> llvm::Error {
    if (llvm::Error error = block(*body))
      return error;
    copyAll(op, body->getTerminator()->getOperands(), op.getResults());
    return llvm::Error::success();
  };
  if (llvm::Error error = side(op.thenBlock()))
    return error;
  if (!op.elseBlock()) {
    jumpHere(unless);
    return llvm::Error::success();
  }
  const size_t over = emit(op, {.kind = StepKind::jump});
  jumpHere(unless);
  if (llvm::Error error = side(op.elseBlock()))
    return error;
  jumpHere(over);
  return llvm::Error::success();
}

llvm::Error Compiler::vectorCores(aicore::VectorCoresOp op) {
  if (machine_.topology != Topology::split ||
      static_cast<int64_t>(op.getCount()) != machine_.vectorCoresPerCube)
    return fault(op, "runs on " + Twine(op.getCount()) + " vector cores, but a block of " +
                         machine_.name + " has " +
                         (machine_.topology == Topology::split ? Twine(machine_.vectorCoresPerCube)
                                                               : Twine("none of its own")));
  const int32_t number = placeOf(op.getBody().getArgument(0));
  const size_t enter = emit(op, {.kind = StepKind::enterCores, .a = number});
  if (llvm::Error error = block(op.getBody().front()))
    return error;
  emit(op, {.kind = StepKind::nextCore,
            .target = static_cast<int32_t>(enter + 1),
            .a = number,
            .b = static_cast<int32_t>(op.getCount())});
  return llvm::Error::success();
}

//===--- instructions
//---------------------------------------------------------------------------===//

llvm::Error Compiler::instruction(aicore::Instruction op) {
  auto intoUb = [](Value target) { return aicore::spaceOf(target) == aicore::Space::ub; };
  return llvm::TypeSwitch<Operation *, llvm::Error>(op.getOperation())
      .Case([&](aicore::LoadOp it) {
        return strided(op, Work::load, intoUb(it.getTarget()) ? "gm_ub" : "gm_l1", it.getSource(),
                       it.getAlong(), it.getRows(), it.getColumns());
      })
      .Case([&](aicore::StoreOp it) {
        return strided(op, Work::store, "ub_gm", it.getTarget(), it.getAlong(), it.getRows(),
                       it.getColumns());
      })
      .Case([&](aicore::FixpipeOp it) {
        return strided(op, Work::fixpipe, "l0c_gm", it.getTarget(), it.getAlong(), it.getRows(),
                       it.getColumns());
      })
      .Case([&](aicore::StageOp it) {
        // A fractal is 16 rows of 32 bytes, and the 32 bytes run along k.
        const bool isA = aicore::spaceOf(it.getTarget()) == aicore::Space::l0a;
        const int64_t depth = 32 / aicore::elementBytes(it.getTarget().getType());
        const bool depthInRows = isA == it.getTransposed();
        return plain(op, Work::stage, isA ? "l1_l0a" : "l1_l0b", Traffic::onChip, it.getTarget(),
                     it.getRows(), it.getColumns(), depthInRows ? depth : 16,
                     depthInRows ? 16 : depth);
      })
      .Case([&](aicore::SpillOp it) {
        return plain(op, Work::spill, "l0c_gm", Traffic::workspace, it.getTarget(), it.getRows(),
                     it.getColumns(), 1, 1);
      })
      .Case([&](aicore::FetchOp it) {
        return plain(op, Work::fetch, "gm_ub", Traffic::workspace, it.getTarget(), it.getRows(),
                     it.getColumns(), 1, 1);
      })
      .Case([&](aicore::DrainOp it) {
        return plain(op, Work::drain, "l0c_ub", Traffic::onChip, it.getTarget(), it.getRows(),
                     it.getColumns(), 1, 1);
      })
      .Case([&](aicore::MmadOp it) { return product(it); })
      .Case([&](aicore::VectorOp it) {
        Instruction vector;
        vector.work = Work::vector;
        vector.rows = placeOf(it.getRows());
        vector.columns = placeOf(it.getColumns());
        vector.firstCost = program_.vectorCosts.size();
        for (const std::string &name : vectorInstructions(it))
          program_.vectorCosts.push_back(vectorCost(machine_, name));
        vector.costs = program_.vectorCosts.size() - vector.firstCost;
        emit(op, StepKind::vector, vector);
        return llvm::Error::success();
      })
      .Default([&](Operation *it) {
        return fault(it, "'" + it->getName().getStringRef() + "' cannot be counted");
      });
}

llvm::Error Compiler::useLink(aicore::Instruction op, StringRef link, Traffic traffic,
                              Instruction &it) {
  auto found = machine_.links.find(link.str());
  if (found == machine_.links.end())
    return fault(op, "takes the link " + link + ", which " + machine_.name + " has not");
  it.link = &found->second;
  it.traffic = traffic;
  it.onVectorCore = aicore::unitOf(op) == aicore::Unit::vector_core;
  return llvm::Error::success();
}

llvm::Error Compiler::strided(aicore::Instruction op, Work work, StringRef link, Value tensor,
                              ArrayRef<int64_t> along, Value rows, Value columns) {
  Instruction it;
  it.work = work;
  it.bytes = aicore::elementBytes(tensor.getType());
  const int64_t rank = cast<MemRefType>(tensor.getType()).getRank(), last = rank - 1;
  it.rows = placeOf(rows);
  it.columns = placeOf(columns);
  it.pitch = rank > 0 ? extentOf(tensor, last) : constant(1);
  int64_t outer = along[0];
  if (along[1] != last) {
    // The buffer's columns jump in memory. Its rows may not; else each element is a piece.
    if (along[0] == last) {
      std::swap(it.rows, it.columns);
      outer = along[1];
    } else {
      const int32_t elements = place();
      compute(op, StepKind::mul, elements, it.rows, it.columns);
      it.rows = elements;
      it.columns = constant(1);
      outer = along[1] == -1 ? along[0] : along[1];
    }
  }
  it.dense = outer == -1 || outer == last - 1;
  if (llvm::Error error = useLink(op, link, Traffic::tensor, it))
    return error;
  emit(op, StepKind::transferStrided, it);
  return llvm::Error::success();
}

llvm::Error Compiler::plain(aicore::Instruction op, Work work, StringRef link, Traffic traffic,
                            Value buffer, Value rows, Value columns, int64_t rowStep,
                            int64_t columnStep) {
  Instruction it;
  it.work = work;
  it.bytes = aicore::elementBytes(buffer.getType());
  it.rows = placeOf(rows);
  it.columns = placeOf(columns);
  it.rowStep = rowStep;
  it.columnStep = columnStep;
  if (llvm::Error error = useLink(op, link, traffic, it))
    return error;
  if (traffic == Traffic::workspace) {
    it.pitch = constant(cast<MemRefType>(buffer.getType()).getShape().back());
    it.dense = true;
    emit(op, StepKind::transferStrided, it);
  } else {
    emit(op, StepKind::transferPlain, it);
  }
  return llvm::Error::success();
}

llvm::Error Compiler::product(aicore::MmadOp op) {
  const Type element = cast<MemRefType>(op.getA().getType()).getElementType();
  const std::optional<ElementType> type = elementTypeOf(element);
  auto figure = [&](const std::map<ElementType, int64_t> &figures) {
    auto found = type ? figures.find(*type) : figures.end();
    return found == figures.end() ? 0 : found->second;
  };
  Instruction it;
  it.work = Work::mmad;
  it.rows = placeOf(op.getM());
  it.columns = placeOf(op.getN());
  it.depth = placeOf(op.getK());
  it.rowStep = machine_.cube.m;
  it.columnStep = machine_.cube.n;
  it.depthStep = figure(machine_.cube.depth);
  if (it.depthStep == 0 || figure(machine_.cube.macsPerCycle) == 0) {
    std::string name;
    llvm::raw_string_ostream(name) << element;
    return fault(op, "the cube of " + machine_.name + " does not multiply " + name);
  }
  it.cost = productCost(machine_, *type);
  emit(op, StepKind::product, it);
  return llvm::Error::success();
}

int32_t Compiler::extentOf(Value tensor, unsigned dim) {
  if (auto workspace = tensor.getDefiningOp<aicore::WorkspaceOp>())
    return placeOf(workspace.getExtents()[dim]);
  auto type = cast<MemRefType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  // A parameter or a result: its extent is the dimension that it names, or a number.
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || argument.getOwner() != &kernel_.getBody().front())
    return constant(-1);
  unsigned number = argument.getArgNumber() - kernel_.getDims().size();
  ArrayAttr named = kernel_.getArgs();
  if (number >= named.size()) {
    number -= named.size();
    named = kernel_.getResults();
  }
  StringRef name = cast<StringAttr>(cast<ir::NamedAttr>(named[number]).getDims()[dim]).getValue();
  int64_t literal = 0;
  if (!name.getAsInteger(10, literal))
    return constant(literal);
  for (auto [i, known] : llvm::enumerate(kernel_.getDims().getAsValueRange<StringAttr>()))
    if (known == name)
      return placeOf(kernel_.getBody().getArgument(i));
  return constant(-1);
}

} // namespace

void Program::setMemory(const GlobalMemory &memory) {
  for (Instruction &it : instructions)
    if (it.link)
      it.cost = memory.transfer(*it.link, it.traffic, it.onVectorCore);
}

llvm::Expected<Program> compile(aicore::PhaseOp phase, const Machine &machine,
                                ArrayRef<int64_t> dims) {
  return Compiler(phase, machine, dims).run();
}

llvm::Error fault(Operation *op, const Twine &message) {
  std::string text;
  llvm::raw_string_ostream(text) << op->getLoc() << ": '" << op->getName() << "' " << message;
  return llvm::createStringError(text);
}

} // namespace mmk::count
