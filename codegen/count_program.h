// A phase of an aicore kernel as a compact array program. Counting runs it once for each block of
// each of thousands of variants, so the IR is read once: SSA values become numbered places, regions
// become jumps, and what an instruction costs is looked up beforehand.
#pragma once

#include "ir/aicore.h"
#include "machines/machine.h"
#include "runtime/clock.h"
#include "runtime/cost.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace mmk::count {

/// What the interpreter does; named after the ops of arith and scf that they stand for.
enum class StepKind : uint8_t {
  // value[target] = value[a] op value[b]
  copy,
  add,
  sub,
  mul,
  divide,
  remainder,
  ceilDivide,
  floorDivide,
  min,
  max,
  minUnsigned,
  maxUnsigned,
  bitAnd,
  bitOr,
  bitXor,
  shiftLeft,
  shiftRight,
  negate,
  equal,
  notEqual,
  less,
  lessEqual,
  greater,
  greaterEqual,
  lessUnsigned,
  lessEqualUnsigned,
  greaterUnsigned,
  greaterEqualUnsigned,
  /// value[target] = value[a] ? value[b] : value[c]
  select,
  // control flow
  jump,       ///< to `target`
  jumpUnless, ///< to `target` when value[a] is 0
  loop,       ///< value[a] = value[b]; to `target` unless below value[c]
  next,       ///< value[a] += value[b]; to `target` while below value[c]
  enterCores, ///< the first vector core: value[a] = 0
  nextCore,   ///< value[a] += 1; to `target` while below b, then back to the cube core
  // instructions
  transferStrided,
  transferFractal,
  transferPlain,
  product,
  vector,
  setFlag,
  waitFlag,
  setCross,
  waitCross,
  barrier
};

struct Step {
  StepKind kind = StepKind::jump;
  Pipe pipe = Pipe::scalar; ///< of an instruction; of a flag the one that sets it
  Pipe to = Pipe::scalar;   ///< of a flag the one that waits
  int32_t target = 0, a = 0, b = 0, c = 0;
};

/// The places of an instruction's extents and the figures of its cost.
struct Instruction {
  Work work = Work::load;
  Cost cost;
  int32_t rows = 0, columns = 0, depth = 0;
  /// Strided: extent of the memory's last dimension, in which a row is contiguous; and whether
  /// consecutive rows are neighbours in memory when they have the whole extent.
  int32_t pitch = 0;
  bool dense = false;
  int64_t bytes = 0; ///< of one element
  /// Granularity: of the rows and columns of a fractal, or of m, n and depth of a product.
  int64_t rowStep = 1, columnStep = 1, depthStep = 1;
  /// Of a transfer, which costs what its link and the state of global memory make it.
  const Link *link = nullptr;
  Traffic traffic = Traffic::onChip;
  bool onVectorCore = false;
  /// Of a vector instruction: `count` costs in Program::vectorCosts.
  int32_t firstCost = 0, costs = 0;
};

struct Program {
  std::vector<Step> steps;
  std::vector<mlir::Operation *> origins; ///< of each step, for messages
  std::vector<Instruction> instructions;  ///< of a transfer, product or vector: number `target`
  std::vector<Cost> vectorCosts;
  std::vector<int64_t> values; ///< as they stand before the first step
  int32_t block = 0;           ///< place of the number of the block

  /// Sets what transfers cost.
  void setMemory(const GlobalMemory &memory);
};

/// Reads a phase, and what stands before it in its kernel, with the kernel's dimensions set to
/// `dims`. `machine` is kept by reference.
llvm::Expected<Program> compile(aicore::PhaseOp phase, const Machine &machine,
                                llvm::ArrayRef<int64_t> dims);

/// The vector instructions that the region of an aicore.vector stands for, by their name in
/// `Machine::vector`.
std::vector<std::string> vectorInstructions(aicore::VectorOp vector);

/// What is wrong with a program, and at which op: "<place>: <op> <message>".
llvm::Error fault(mlir::Operation *op, const llvm::Twine &message);

} // namespace mmk::count
