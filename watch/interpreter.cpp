// Watching without a run: the control flow of a block depends on its dimensions and its number, and
// on data only where an aicore.scalar_range says what it is without, so interpreting the aicore IR
// is fast enough. Tests watch thousands of mutated kernels in this way.
#include "count/program.h"
#include "watch/block.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mmk {
namespace {

class Interpreter {
public:
  Interpreter(const WatchedKernel &kernel, const Call &call)
      : kernel(kernel), kernelOp(kernel.op), call(call) {
    for (auto [argument, value] : llvm::zip(kernelOp.getBody().getArguments(), call.dims))
      values[argument] = value;
  }

  llvm::Error run(aicore::PhaseOp phase, int64_t number, BlockWatch &watch);

private:
  llvm::Error sequence(Block &block);
  llvm::Error statement(Operation &op);
  llvm::Error arithmetic(Operation &op);
  llvm::Error loop(scf::ForOp op);
  llvm::Error branch(scf::IfOp op);
  llvm::Error step(Operation &op);
  void read(aicore::ScalarRangeOp op);
  /// What the call says of a parameter.
  KnownParameter known(Value parameter) {
    const unsigned number =
        cast<BlockArgument>(parameter).getArgNumber() - kernelOp.getDims().size();
    return number < call.parameters.size() ? call.parameters[number] : KnownParameter();
  }

  int64_t value(Value of) const { return values.lookup(of); }
  void carry(ValueRange from, ValueRange to) {
    SmallVector<int64_t> held;
    for (Value one : from)
      held.push_back(value(one));
    for (auto [one, copy] : llvm::zip(to, held))
      values[one] = copy;
  }

  /// Floats are data, and so are values computed from them: no address depends on them.
  bool isData(Operation &op) const {
    return op.getNumResults() > 0 && op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
           (llvm::none_of(op.getResultTypes(), [](Type type) { return type.isIntOrIndex(); }) ||
            llvm::any_of(op.getOperands(),
                         [&](Value operand) { return !values.contains(operand); }));
  }

  const WatchedKernel &kernel;
  aicore::KernelOp kernelOp;
  const Call &call;
  DenseMap<Value, int64_t> values;
  BlockWatch *watch = nullptr;
  unsigned unit = 0;
};

llvm::Error Interpreter::run(aicore::PhaseOp phase, int64_t number, BlockWatch &blockWatch) {
  watch = &blockWatch;
  values[phase.getBody().getArgument(0)] = number;
  for (Operation &op : kernelOp.getBody().front())
    if (!isa<aicore::PhaseOp>(op))
      if (llvm::Error error = statement(op))
        return error;
  return sequence(phase.getBody().front());
}

llvm::Error Interpreter::step(Operation &op) {
  SmallVector<int64_t> operands;
  for (Value operand : op.getOperands())
    operands.push_back(value(operand));
  watch->step(kernel.numbers.lookup(&op), unit, operands.data());
  if (auto range = dyn_cast<aicore::ScalarRangeOp>(op))
    read(range);
  return llvm::Error::success();
}

void Interpreter::read(aicore::ScalarRangeOp op) {
  const ArrayRef<int64_t> extents =
      kernel.tensors[kernel.tensorNumbers.lookup(op.getSource())].extents;
  int64_t start = 0, pitch = 1;
  for (auto [dim, offset] : llvm::enumerate(op.getOffsets())) {
    start = start * extents[dim] + value(offset);
    if (static_cast<int64_t>(dim) > static_cast<int64_t>(op.getAlong()))
      pitch *= extents[dim];
  }
  const auto [least, greatest] =
      extremesOf(known(op.getSource()).elements, start, pitch, value(op.getSize()),
                 {op.getAbsent()[0], op.getAbsent()[1]});
  values[op.getLeast()] = least;
  values[op.getGreatest()] = greatest;
}

llvm::Error Interpreter::sequence(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>())
      if (llvm::Error error = statement(op))
        return error;
  return llvm::Error::success();
}

llvm::Error Interpreter::statement(Operation &op) {
  if (kernel.numbers.contains(&op))
    return step(op);
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
      .Case([&](aicore::ScalarBoundOp it) {
        values[it.getResult()] =
            known(it.getScalar()).scalar.value_or(static_cast<int32_t>(it.getAbsent()));
        return llvm::Error::success();
      })
      .Case([&](aicore::CallConstant it) {
        values[it->getResult(0)] = it.getLargest();
        return llvm::Error::success();
      })
      // A barrier of one pipe, which is in order anyway.
      .Case<aicore::AllocOp, aicore::BarrierOp, aicore::TallyOp>(
          [](auto) { return llvm::Error::success(); })
      .Default([&](Operation *it) { return arithmetic(*it); });
}

llvm::Error Interpreter::loop(scf::ForOp op) {
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

llvm::Error Interpreter::branch(scf::IfOp op) {
  if (!values.contains(op.getCondition()))
    return count::fault(op, "has a condition that depends on data");
  Block *taken = value(op.getCondition()) ? op.thenBlock() : op.elseBlock();
  if (!taken)
    return llvm::Error::success();
  if (llvm::Error error = sequence(*taken))
    return error;
  carry(taken->getTerminator()->getOperands(), op.getResults());
  return llvm::Error::success();
}

llvm::Error Interpreter::arithmetic(Operation &op) {
  auto x = [&] { return value(op.getOperand(0)); };
  auto y = [&] { return value(op.getOperand(1)); };
  auto quotient = [&](bool up) -> std::optional<int64_t> {
    if (y() == 0)
      return std::nullopt;
    return x() / y() + (up && x() % y() != 0 && (x() < 0) == (y() < 0));
  };
  using Result = std::optional<int64_t>;
  if (isData(op))
    return llvm::Error::success();
  if (op.getNumResults() != 1)
    return count::fault(&op, "cannot be watched");
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
          // What a condition says of dimensions, in the 32 bits of the vector unit.
          .Case([&](arith::IndexCastOp it) -> Result {
            return it.getType().isInteger(32) ? static_cast<int32_t>(x()) : x();
          })
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

} // namespace

llvm::Expected<WatchReport> watchCall(aicore::KernelOp kernel, const Machine &machine,
                                      const Call &call) {
  auto watch = KernelWatch::create(kernel, machine, call.dims);
  if (!watch)
    return watch.takeError();
  Interpreter interpreter((*watch)->kernel(), call);
  for (auto phase : kernel.getBody().getOps<aicore::PhaseOp>()) {
    (*watch)->beginPhase();
    for (int64_t block = 0; block < static_cast<int64_t>(kernel.getCores()); ++block)
      if (llvm::Error error = interpreter.run(phase, block, (*watch)->block(block)))
        return std::move(error);
    (*watch)->endPhase();
  }
  (*watch)->endRun();
  return (*watch)->report();
}

} // namespace mmk
