// Instruction selection for the vector cores: the region of an aicore.vector, which computes one
// element, becomes a list of vector instructions, each on whole tiles. The emulator, the clock and
// the printers read these instructions.
#include "passes/fixpipe_form.h"
#include "place/passes.h"
#include "place/vector_functions.h"
#include "place/vector_tiles.h"
#include "support/diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_SELECTVECTOR
#include "place/Passes.h.inc"

namespace {

//===--- patterns of several operations ---------------------------------------------------===//

/// The instruction takes one slope for all elements.
std::optional<SelectedInstruction> leakyRelu(Operation &op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  const auto found = select ? leakyReluOf(select) : std::nullopt;
  if (!found || !isScalar(found->slope, op.getBlock()))
    return std::nullopt;
  return SelectedInstruction{"leaky_relu", {}, {found->x, found->slope}, select, op.getLoc()};
}

/// max(x, 0)
std::optional<SelectedInstruction> relu(Operation &op) {
  auto max = dyn_cast<arith::MaximumFOp>(op);
  if (!max)
    return std::nullopt;
  for (auto [x, zero] : {std::pair(max.getLhs(), max.getRhs()), {max.getRhs(), max.getLhs()}})
    if (matchPattern(zero, m_PosZeroFloat()))
      return SelectedInstruction{"relu", {}, {x}, max, op.getLoc()};
  return std::nullopt;
}

//===--- one operation --------------------------------------------------------------------===//

std::string predicateOf(Operation &op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return stringifyEnum(compare.getPredicate()).str();
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return stringifyEnum(compare.getPredicate()).str();
  return "";
}

FailureOr<SelectedInstruction> single(Operation &op) {
  const StringRef name = op.getName().getStringRef();
  const VectorInstruction *row = vectorInstructionOf({name.data(), name.size()});
  if (!row)
    return op.emitOpError("has no vector instruction; legal: ") << listOf(selectableOperations());
  SelectedInstruction it{row->name, predicateOf(op), llvm::to_vector(op.getOperands()),
                         op.getResult(0), op.getLoc()};
  if (row->commutes && isScalar(it.inputs[0], op.getBlock()))
    std::swap(it.inputs[0], it.inputs[1]);
  return it;
}

//===--- a region -------------------------------------------------------------------------===//

/// The scalar unit computes values that depend on scalars only, before the instructions.
void moveScalarsOut(aicore::VectorOp vector, Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    if (llvm::all_of(op.getOperands(), [&](Value input) { return isScalar(input, &body); }))
      op.moveBefore(vector);
}

/// The instructions of a region, in its order. An operation covered by one of them gets no
/// instruction of its own, unless it has another use.
FailureOr<SmallVector<SelectedInstruction>> select(Block &body) {
  SmallVector<SelectedInstruction> instructions;
  llvm::DenseSet<Value> wanted;
  for (Value value : body.getTerminator()->getOperands())
    wanted.insert(value);
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (op.getNumResults() != 1)
      return op.emitOpError("has no vector instruction; legal: ") << listOf(selectableOperations());
    if (!wanted.contains(op.getResult(0)))
      continue;
    std::optional<SelectedInstruction> found = leakyRelu(op);
    if (!found)
      found = relu(op);
    if (!found) {
      FailureOr<SelectedInstruction> one = single(op);
      if (failed(one))
        return failure();
      found = *one;
    }
    wanted.insert(found->inputs.begin(), found->inputs.end());
    instructions.push_back(std::move(*found));
  }
  std::reverse(instructions.begin(), instructions.end());
  return instructions;
}

/// Registers of the vector unit beside those of the operands and results.
int64_t freeRegisters(aicore::VectorOp vector) {
  aicore::MachineAttr machine = aicore::machineOf(vector);
  const auto taken = static_cast<int64_t>(vector.getInputs().size() + vector.getOutputs().size());
  return machine ? std::max<int64_t>(0, machine.getRegisters() - taken) : 0;
}

LogicalResult selectIn(aicore::VectorOp vector, ScratchBuffers &buffers) {
  Block &body = vector.getBody().front();
  chooseFunctionForms(body, vector->getParentOfType<aicore::KernelOp>()->hasAttr("fast_math"));
  selectNumbers(body);
  moveScalarsOut(vector, body);
  simplifyConversions(body);
  FailureOr<SmallVector<SelectedInstruction>> instructions = select(body);
  if (failed(instructions))
    return failure();
  const TileAssignment tiles(vector, *instructions);

  OpBuilder b(vector);
  // What has no room in registers is in UB.
  const auto between = static_cast<int64_t>(tiles.scratch().size());
  const int64_t registers = std::min(between, freeRegisters(vector));
  SmallVector<Value> scratch;
  SmallVector<int64_t> copies;
  for (const ScratchTile &tile : tiles.scratch().drop_back(registers)) {
    scratch.push_back(buffers.of(tile, vector));
    copies.push_back(tile.copy);
  }
  auto selected =
      aicore::VectorOp::create(b, vector.getLoc(), vector.getInputs(), vector.getInputSlots(),
                               vector.getBroadcasts(), vector.getOutputs(), vector.getOutputSlots(),
                               scratch, copies, vector.getRows(), vector.getColumns(), registers);
  Block *block = b.createBlock(&selected.getBody());
  for (Type element : tiles.elements())
    block->addArgument(aicore::TileType::get(b.getContext(), element), vector.getLoc());
  for (auto [number, it] : llvm::enumerate(*instructions)) {
    SmallVector<Value> inputs;
    for (Value input : it.inputs)
      inputs.push_back(isScalar(input, &body) ? input : block->getArgument(tiles.tileOf(input)));
    aicore::VecOp::create(b, it.location, b.getStringAttr(it.name),
                          it.predicate.empty() ? StringAttr() : b.getStringAttr(it.predicate),
                          inputs, block->getArgument(tiles.targetOf(number)));
  }
  aicore::YieldOp::create(b, vector.getLoc(), ValueRange());
  vector.erase();
  return success();
}

struct SelectVectorPass : impl::SelectVectorBase<SelectVectorPass> {
  void runOnOperation() override {
    bool failedAny = false;
    getOperation().walk([&](aicore::PhaseOp phase) {
      ScratchBuffers buffers(phase);
      SmallVector<aicore::VectorOp> vectors;
      phase.walk([&](aicore::VectorOp vector) {
        if (!vector.isSelected())
          vectors.push_back(vector);
      });
      for (aicore::VectorOp vector : vectors)
        failedAny |= failed(selectIn(vector, buffers));
    });
    if (failedAny)
      signalPassFailure();
  }
};

} // namespace
} // namespace mmk
