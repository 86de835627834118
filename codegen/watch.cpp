#include "codegen/watch.h"

#include "codegen/count_program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mmk {
namespace {

constexpr size_t mostFaults = 16;

/// Rows x columns of a buffer from (row, column) on.
struct Rectangle {
  int64_t rows = 0, columns = 0, row = 0, column = 0;
};

int64_t columnOf(Value buffer, std::optional<int64_t> part) {
  auto alloc = buffer.getDefiningOp<aicore::AllocOp>();
  return alloc ? part.value_or(0) * alloc.getPartWidth() : 0;
}

class Watcher {
public:
  Watcher(aicore::KernelOp kernel, const Machine &machine, ArrayRef<int64_t> dims,
          WatchReport &report)
      : kernel(kernel), machine(machine), report(report), placement(aicore::machineOf(kernel)) {
    for (auto [argument, value] : llvm::zip(kernel.getBody().getArguments(), dims))
      values[argument] = value;
  }

  llvm::Error run(aicore::PhaseOp phase, int64_t number);

private:
  llvm::Error sequence(Block &block);
  llvm::Error statement(Operation &op);
  llvm::Error arithmetic(Operation &op);
  llvm::Error loop(scf::ForOp op);
  llvm::Error branch(scf::IfOp op);
  llvm::Error instruction(aicore::Instruction op);
  void vector(aicore::VectorOp op);

  void touch(Operation *op, Value buffer, Value slot, Rectangle part, bool reads, bool writes);
  void transfer(Operation *op, Value tensor, OperandRange offsets, ArrayRef<int64_t> along,
                int64_t rows, int64_t columns);
  int64_t extentOf(Value tensor, int64_t dim);
  int64_t value(Value of) const { return values.lookup(of); }
  void carry(ValueRange from, ValueRange to) {
    SmallVector<int64_t> held;
    for (Value one : from)
      held.push_back(value(one));
    for (auto [one, copy] : llvm::zip(to, held))
      values[one] = copy;
  }
  void describeHazards();
  void fault(WatchFault found) {
    if (report.faults.size() < mostFaults)
      report.faults.push_back(std::move(found));
  }

  aicore::KernelOp kernel;
  const Machine &machine;
  WatchReport &report;
  aicore::MachineAttr placement;
  DenseMap<Value, int64_t> values;
  std::vector<Operation *> executed; ///< by tag
  HazardWatch *watch = nullptr;
  int64_t block = 0;
  unsigned unit = 0;
};

//===--- control flow ---------------------------------------------------------------------===//

llvm::Error Watcher::run(aicore::PhaseOp phase, int64_t number) {
  HazardWatch own(machine);
  watch = &own;
  block = number;
  executed.clear();
  values[phase.getBody().getArgument(0)] = number;
  for (Operation &op : kernel.getBody().front()) {
    if (&op == phase)
      break;
    if (!isa<aicore::PhaseOp>(op))
      if (llvm::Error error = statement(op))
        return error;
  }
  if (llvm::Error error = sequence(phase.getBody().front()))
    return error;
  own.finish();
  describeHazards();
  return llvm::Error::success();
}

llvm::Error Watcher::sequence(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>())
      if (llvm::Error error = statement(op))
        return error;
  return llvm::Error::success();
}

llvm::Error Watcher::statement(Operation &op) {
  auto done = llvm::Error::success;
  auto tag = [&] {
    executed.push_back(&op);
    return static_cast<int64_t>(executed.size() - 1);
  };
  auto pipe = [](aicore::Pipe pipe) { return static_cast<Pipe>(pipe); };
  return llvm::TypeSwitch<Operation *, llvm::Error>(&op)
      .Case([&](scf::ForOp it) { return loop(it); })
      .Case([&](scf::IfOp it) { return branch(it); })
      .Case([&](aicore::VectorCoresOp it) -> llvm::Error {
        for (int64_t core = 0; core < static_cast<int64_t>(it.getCount()); ++core) {
          values[it.getBody().getArgument(0)] = core;
          unit = core + 1;
          if (llvm::Error error = sequence(it.getBody().front()))
            return error;
        }
        unit = 0;
        return llvm::Error::success();
      })
      .Case([&](aicore::SlotOp it) -> llvm::Error {
        auto alloc = it.getBuffer().getDefiningOp<aicore::AllocOp>();
        if (!alloc)
          return count::fault(it, "expected a buffer made by aicore.alloc");
        values[it.getResult()] = value(it.getIndex()) % static_cast<int64_t>(alloc.getCopies());
        return llvm::Error::success();
      })
      .Case([&](aicore::Instruction it) { return instruction(it); })
      .Case([&](aicore::SetFlagOp it) {
        watch->setFlag(unit, pipe(it.getFrom()), pipe(it.getTo()),
                       it.getEvent() + value(it.getSlot()), tag());
        return done();
      })
      .Case([&](aicore::WaitFlagOp it) {
        watch->waitFlag(unit, pipe(it.getFrom()), pipe(it.getTo()),
                        it.getEvent() + value(it.getSlot()), tag());
        return done();
      })
      .Case([&](aicore::SetCrossOp it) {
        watch->setCross(unit, pipe(it.getPipe()), it.getFlag() + value(it.getSlot()), tag());
        return done();
      })
      .Case([&](aicore::WaitCrossOp it) {
        watch->waitCross(unit, pipe(it.getPipe()), it.getFlag() + value(it.getSlot()), tag());
        return done();
      })
      .Case<aicore::AllocOp, aicore::WorkspaceOp, aicore::BarrierOp>([&](auto) { return done(); })
      .Default([&](Operation *it) { return arithmetic(*it); });
}

llvm::Error Watcher::loop(scf::ForOp op) {
  const int64_t step = value(op.getStep()), end = value(op.getUpperBound());
  if (step <= 0)
    return count::fault(op, "has a step that is not positive");
  carry(op.getInitArgs(), op.getRegionIterArgs());
  for (int64_t at = value(op.getLowerBound()); at < end; at += step) {
    values[op.getInductionVar()] = at;
    if (llvm::Error error = sequence(*op.getBody()))
      return error;
    carry(op.getBody()->getTerminator()->getOperands(), op.getRegionIterArgs());
  }
  carry(op.getRegionIterArgs(), op.getResults());
  return llvm::Error::success();
}

llvm::Error Watcher::branch(scf::IfOp op) {
  Block *taken = value(op.getCondition()) ? op.thenBlock() : op.elseBlock();
  if (!taken)
    return llvm::Error::success();
  if (llvm::Error error = sequence(*taken))
    return error;
  carry(taken->getTerminator()->getOperands(), op.getResults());
  return llvm::Error::success();
}

llvm::Error Watcher::arithmetic(Operation &op) {
  auto x = [&] { return value(op.getOperand(0)); };
  auto y = [&] { return value(op.getOperand(1)); };
  auto quotient = [&](bool up) -> std::optional<int64_t> {
    if (y() == 0)
      return std::nullopt;
    return x() / y() + (up && x() % y() != 0 && (x() < 0) == (y() < 0));
  };
  using Result = std::optional<int64_t>;
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isIntOrIndex())
    return isMemoryEffectFree(&op) ? llvm::Error::success()
                                   : count::fault(&op, "cannot be watched");
  Result result =
      llvm::TypeSwitch<Operation *, Result>(&op)
          .Case([&](arith::ConstantOp it) -> Result {
            const APInt number = cast<IntegerAttr>(it.getValue()).getValue();
            return number.getBitWidth() == 1 ? number.getZExtValue() : number.getSExtValue();
          })
          .Case([&](arith::AddIOp) { return x() + y(); })
          .Case([&](arith::SubIOp) { return x() - y(); })
          .Case([&](arith::MulIOp) { return x() * y(); })
          .Case([&](arith::MinSIOp) { return std::min(x(), y()); })
          .Case([&](arith::MaxSIOp) { return std::max(x(), y()); })
          .Case([&](arith::DivSIOp) { return quotient(/*up=*/false); })
          .Case([&](arith::CeilDivSIOp) { return quotient(/*up=*/true); })
          .Case([&](arith::RemSIOp) { return y() ? Result(x() % y()) : std::nullopt; })
          .Case([&](arith::AndIOp) { return x() & y(); })
          .Case([&](arith::OrIOp) { return x() | y(); })
          .Case([&](arith::XOrIOp) { return x() ^ y(); })
          .Case([&](arith::SelectOp it) { return value(it->getOperand(x() ? 1 : 2)); })
          .Case([&](arith::CmpIOp it) -> Result {
            return arith::applyCmpPredicate(it.getPredicate(), APInt(64, x(), true),
                                            APInt(64, y(), true));
          })
          .Default([](Operation *) { return std::nullopt; });
  if (!result)
    return count::fault(&op, "cannot be watched");
  values[op.getResult(0)] = *result;
  return llvm::Error::success();
}

//===--- instructions ---------------------------------------------------------------------===//

llvm::Error Watcher::instruction(aicore::Instruction op) {
  ++report.instructions;
  executed.push_back(op);
  auto rectangle = [&](Value rows, Value columns) {
    return Rectangle{value(rows), value(columns)};
  };
  auto reads = [&](Value buffer, Value slot, Rectangle part) {
    touch(op, buffer, slot, part, true, false);
  };
  auto writes = [&](Value buffer, Value slot, Rectangle part) {
    touch(op, buffer, slot, part, false, true);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](aicore::LoadOp it) {
        const Rectangle part = rectangle(it.getRows(), it.getColumns());
        auto padded = [pad = static_cast<int64_t>(it.getPad())](int64_t extent) {
          return (extent + pad - 1) / pad * pad;
        };
        transfer(it, it.getSource(), it.getOffsets(), it.getAlong(), part.rows, part.columns);
        writes(it.getTarget(), it.getSlot(), {padded(part.rows), padded(part.columns)});
      })
      .Case([&](aicore::StoreOp it) {
        const Rectangle part = rectangle(it.getRows(), it.getColumns());
        reads(it.getSource(), it.getSlot(), part);
        transfer(it, it.getTarget(), it.getOffsets(), it.getAlong(), part.rows, part.columns);
      })
      .Case([&](aicore::FixpipeOp it) {
        Rectangle part = rectangle(it.getRows(), it.getColumns());
        part.column = columnOf(it.getSource(), it.getPart());
        reads(it.getSource(), it.getSlot(), part);
        transfer(it, it.getTarget(), it.getOffsets(), it.getAlong(), part.rows, part.columns);
      })
      .Case([&](aicore::StageOp it) {
        Rectangle part = rectangle(it.getRows(), it.getColumns());
        writes(it.getTarget(), it.getTargetSlot(),
               it.getTransposed() ? Rectangle{part.columns, part.rows} : part);
        part.row = value(it.getRow());
        part.column = value(it.getColumn());
        reads(it.getSource(), it.getSlot(), part);
      })
      .Case([&](aicore::MmadOp it) {
        reads(it.getA(), it.getASlot(), rectangle(it.getM(), it.getK()));
        reads(it.getB(), it.getBSlot(), rectangle(it.getK(), it.getN()));
        Rectangle sum = rectangle(it.getM(), it.getN());
        sum.column = columnOf(it.getAcc(), it.getPart());
        touch(it, it.getAcc(), it.getAccSlot(), sum, !value(it.getFirst()), true);
      })
      .Case([&](aicore::SpillOp it) {
        Rectangle part = rectangle(it.getRows(), it.getColumns());
        writes(it.getTarget(), it.getTargetSlot(), part);
        part.column = columnOf(it.getSource(), it.getPart());
        reads(it.getSource(), it.getSlot(), part);
      })
      .Case([&](aicore::FetchOp it) {
        Rectangle part = rectangle(it.getRows(), it.getColumns());
        writes(it.getTarget(), it.getTargetSlot(), part);
        part.row = value(it.getRow());
        reads(it.getSource(), it.getSlot(), part);
      })
      .Case([&](aicore::DrainOp it) {
        Rectangle part = rectangle(it.getRows(), it.getColumns());
        writes(it.getTarget(), it.getTargetSlot(), part);
        part.row = value(it.getRow());
        part.column = columnOf(it.getSource(), it.getPart());
        reads(it.getSource(), it.getSlot(), part);
      })
      .Case([&](aicore::VectorOp it) { vector(it); });
  return llvm::Error::success();
}

void Watcher::vector(aicore::VectorOp op) {
  const int64_t rows = value(op.getRows()), columns = value(op.getColumns());
  for (auto [input, slot, spread] : llvm::zip(op.getInputs(), op.getInputSlots(),
                                              op.getSpreads().getAsRange<aicore::SpreadAttr>())) {
    // A column is held as a row.
    Rectangle part{rows, columns};
    switch (spread.getValue()) {
    case aicore::Spread::full:
      break;
    case aicore::Spread::row:
      part = {1, columns};
      break;
    case aicore::Spread::column:
      part = {1, rows};
      break;
    case aicore::Spread::single:
      part = {1, 1};
      break;
    }
    touch(op, input, slot, part, true, false);
  }
  for (auto [output, slot] : llvm::zip(op.getOutputs(), op.getOutputSlots()))
    touch(op, output, slot, {rows, columns}, false, true);
  if (Value scratch = op.getScratch()) {
    ArrayRef<int64_t> shape = cast<MemRefType>(scratch.getType()).getShape();
    touch(op, scratch, Value(), {shape[0], shape[1]}, false, true);
  }
}

std::string slotName(aicore::AllocOp alloc, int64_t slot) {
  return ("slot " + Twine(slot) + " of " + alloc.getName() + " in " +
          aicore::stringifySpace(alloc.getSpace()))
      .str();
}

std::string nounOf(Operation *op) {
  return isa<aicore::VectorOp>(op) ? "vector instruction" : op->getName().stripDialect().str();
}

void Watcher::touch(Operation *op, Value buffer, Value slotValue, Rectangle part, bool reads,
                    bool writes) {
  auto alloc = buffer.getDefiningOp<aicore::AllocOp>();
  if (!alloc)
    return;
  const int64_t slot = slotValue ? value(slotValue) : 0;
  ArrayRef<int64_t> shape = cast<MemRefType>(buffer.getType()).getShape();
  if (part.rows <= 0 || part.columns <= 0)
    return;
  if (slot < 0 || slot >= static_cast<int64_t>(alloc.getCopies()) || part.row < 0 ||
      part.column < 0 || part.row + part.rows > shape[0] || part.column + part.columns > shape[1]) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "the " << nounOf(op) << " takes rows " << part.row << " to " << part.row + part.rows - 1
        << " and columns " << part.column << " to " << part.column + part.columns - 1 << " of "
        << slotName(alloc, slot) << ", which has " << shape[0] << " x " << shape[1]
        << " elements in " << alloc.getCopies() << " copies";
    return fault({std::nullopt, block, op, nullptr, text});
  }
  const aicore::Space space = alloc.getSpace();
  static constexpr Memory memories[] = {Memory::l1,  Memory::l1, Memory::l0a, Memory::l0b,
                                        Memory::l0c, Memory::bt, Memory::ub};
  WatchedMemory memory{space == aicore::Space::gm ? WatchedMemory::global : unit,
                       memories[static_cast<unsigned>(space)]};
  const int64_t element = aicore::elementBytes(buffer.getType()), pitch = shape[1] * element;
  const int64_t stride = llvm::alignTo(alloc.getBytes(), placement.alignment(space));
  const int64_t offset = static_cast<int64_t>(alloc.getOffset().value_or(0)) + slot * stride +
                         part.row * pitch + part.column * element;
  watch->access(unit, static_cast<Pipe>(cast<aicore::Instruction>(op).getPipe()),
                executed.size() - 1, memory, {offset, part.rows, pitch, part.columns * element},
                reads, writes);
}

int64_t Watcher::extentOf(Value tensor, int64_t dim) {
  if (auto workspace = tensor.getDefiningOp<aicore::WorkspaceOp>())
    return value(workspace.getExtents()[dim]);
  const unsigned number = cast<BlockArgument>(tensor).getArgNumber() - kernel.getDims().size();
  const unsigned parameters = kernel.getArgs().size();
  auto named = cast<ir::NamedAttr>(number < parameters ? kernel.getArgs()[number]
                                                       : kernel.getResults()[number - parameters]);
  StringAttr name = named.getDims()[dim];
  int64_t literal = 0;
  if (!name.getValue().getAsInteger(10, literal))
    return literal;
  const auto *found = llvm::find(kernel.getDims(), Attribute(name));
  return value(kernel.getBody().getArgument(found - kernel.getDims().begin()));
}

void Watcher::transfer(Operation *op, Value tensor, OperandRange offsets, ArrayRef<int64_t> along,
                       int64_t rows, int64_t columns) {
  if (rows <= 0 || columns <= 0)
    return;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    const int64_t at = static_cast<int64_t>(dim);
    const int64_t length = at == along[0] ? rows : at == along[1] ? columns : 1;
    const int64_t first = value(offset), extent = extentOf(tensor, at);
    if (first >= 0 && first + length <= extent)
      continue;
    std::string text;
    llvm::raw_string_ostream(text)
        << "the " << nounOf(op) << " takes elements " << first << " to " << first + length - 1
        << " along dimension " << at << " of a tensor that has " << extent;
    fault({std::nullopt, block, op, nullptr, text});
  }
}

//===--- what was found -------------------------------------------------------------------===//

std::string pipeName(unsigned pipe, bool withUnit) {
  const unsigned unit = pipe / allPipes.size();
  std::string name(spelling(allPipes[pipe % allPipes.size()]));
  if (withUnit)
    name += unit == 0 ? " of the cube core" : " of vector core " + std::to_string(unit - 1);
  return name;
}

std::string memoryName(const WatchedMemory &memory) {
  return memory.unit == WatchedMemory::global ? "the block's global memory"
                                              : std::string(spelling(memory.memory));
}

std::string messageOf(const Hazard &hazard, Operation *op, Operation *other) {
  const bool apart = hazard.pipe / allPipes.size() != hazard.otherPipe / allPipes.size();
  const std::string pipe = pipeName(hazard.pipe, apart),
                    otherPipe = pipeName(hazard.otherPipe, apart),
                    flag = "the flag " + std::to_string(hazard.flag);
  const std::string missing = "nothing makes " + pipe + " wait for " + otherPipe + " here";
  const std::string place =
      "byte " + std::to_string(hazard.offset) + " of " + memoryName(hazard.memory);
  switch (hazard.what) {
  case Hazard::What::race:
    return "the " + nounOf(op) + " may " + (hazard.writes ? "write " : "read ") + place +
           " before the " + nounOf(other) + " that " +
           (hazard.wrote ? "writes it" : "still reads it") + " has ended: " + missing;
  case Hazard::What::unwritten:
    return "the " + nounOf(op) + " reads " + place + ", which nothing has written";
  case Hazard::What::endlessWait:
    return "deadlock: " + pipe + " waits for " + flag + ", which nothing sets";
  case Hazard::What::setTwice:
    return flag + " is set again before it was waited for";
  case Hazard::What::setEarly:
    return flag + " may be set again before " + otherPipe + " has waited for it: " + missing;
  case Hazard::What::unordered:
    return flag + " is taken by " + pipe + " and by " + otherPipe + " in no order";
  case Hazard::What::leftSet:
    return flag + " is still set when the phase ends";
  case Hazard::What::noFlag:
    return flag + " does not exist on this machine";
  }
  return "";
}

void Watcher::describeHazards() {
  for (const Hazard &hazard : watch->hazards()) {
    const bool hasOther =
        hazard.what == Hazard::What::race || hazard.what == Hazard::What::setTwice ||
        hazard.what == Hazard::What::setEarly || hazard.what == Hazard::What::unordered;
    Operation *op = executed[hazard.tag], *other = hasOther ? executed[hazard.other] : nullptr;
    fault({hazard.what, block, op, other, messageOf(hazard, op, other)});
  }
}

} // namespace

llvm::Expected<WatchReport> watchKernel(aicore::KernelOp kernel, const Machine &machine,
                                        ArrayRef<int64_t> dims) {
  if (dims.size() != kernel.getDims().size())
    return count::fault(kernel, "has " + Twine(kernel.getDims().size()) + " dimensions, but " +
                                    Twine(dims.size()) + " values were given");
  WatchReport report;
  Watcher watcher(kernel, machine, dims, report);
  for (auto phase : kernel.getBody().getOps<aicore::PhaseOp>())
    for (int64_t block = 0; block < static_cast<int64_t>(kernel.getCores()); ++block)
      if (llvm::Error error = watcher.run(phase, block))
        return std::move(error);
  return report;
}

} // namespace mmk
