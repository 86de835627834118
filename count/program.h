// A phase of an aicore kernel as a compact array program. Counting runs it once for each block of
// each of thousands of variants, so the IR is read once: SSA values become numbered places, regions
// become jumps, and costs of instructions are looked up beforehand.
#pragma once

#include "count/call.h"
#include "ir/aicore.h"
#include "machines/machine.h"
#include "runtime/clock.h"
#include "runtime/cost.h"
#include "runtime/global_memory.h"
#include "runtime/packets.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace mmk::count {

enum class StepKind : uint8_t {
  // value[target] = value[a] op value[b], as arith has it on 64 bits
  copy,
  negate,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  ceilDivide,
  floorDivide,
  minimum,
  maximum,
  minimumUnsigned,
  maximumUnsigned,
  bitAnd,
  bitOr,
  bitXor,
  shiftLeft,
  shiftRight,
  equal,
  notEqual,
  less,
  lessEqual,
  lessUnsigned,
  lessEqualUnsigned,
  select, ///< value[target] = value[a] ? value[b] : value[c]; the last of the arithmetic
  // control flow
  jump,       ///< to `target`
  jumpUnless, ///< to `target` when value[a] is 0
  loop,       ///< value[a] = value[b]; to `target` unless that is below value[c]
  next,       ///< value[a] += value[b]; to `target` while that is below value[c]
  least,      ///< value[target]: of the elements that instruction `c` reads
  greatest,   ///< the same
  enterCores, ///< value[a] = 0; the next steps run on that vector core
  nextCore,   ///< value[a] += 1; to `target` while that is below b; then back to the cube core
  // instructions; number `target` of the program's
  transfer, ///< of rows of a tensor
  move,     ///< between on-chip memories
  windows,  ///< the same, of windows of an image
  product,
  vector,
  reduce,
  scalars, ///< of the scalar unit, from global memory
  // flag `target` + value[a]
  setFlag,
  waitFlag,
  setCross,
  waitCross,
  barrier, ///< of `pipe`
  barrierOfAll
};

struct Step {
  StepKind kind = StepKind::jump;
  Pipe pipe = Pipe::scalar; ///< that executes an instruction, or that sets a flag
  Pipe to = Pipe::scalar;   ///< that waits for a flag
  int32_t target = 0, a = 0, b = 0, c = 0;
};

/// Elements of four bytes in a register of the vector unit.
constexpr int64_t registerElements = 64;

/// How a reduction combines the elements of a row, or the rows of a tile.
enum class Tree : uint8_t {
  blocks,    ///< each step turns a block of eight into one
  halves,    ///< each step combines one half with the other
  groups,    ///< a step turns 64 into one with its position; halves follow
  registers, ///< registers of elements are combined; in a row, then those of the last one
  scan ///< sums up to each element: of rows one after the other, else in steps of 1, 2, 4, ...
};

/// The data for the cost of an instruction: the places of its extents, and figures.
struct Instruction {
  Work work = Work::load;
  Cost cost;
  int32_t rows = 0, columns = 0, depth = 0; ///< of a product m, n and k
  /// The multiples to which the cube and its memories round extents up.
  int64_t rowStep = 1, columnStep = 1, depthStep = 1;

  /// Of a transfer: `rows` pieces of `columns` elements that are contiguous in global memory. When
  /// rows are adjacent (`dense`) and each has the whole extent of the tensor's last dimension (at
  /// place `pitch`), they are one piece.
  int64_t bytes = 0; ///< of an element
  int32_t pitch = 0;
  int32_t start = 0; ///< place of the number of the first element in the tensor
  mutable RowCharge charge;
  bool dense = false;
  int64_t mostColumns = 0; ///< columns of the buffer's shape; also its rows
  const Link *link = nullptr;
  /// Of windows: cycles of a fractal, and of the end of a line in it. `start` is the place of the
  /// first pixel, and `pitch` that of the pixels of a line of the result.
  double fractalCycles = 0, lineCycles = 0;
  int32_t tensor = -1; ///< number of the tensor; -1 for the block's own piece of global memory

  /// Of an aicore.vector: from here on, `costs` of CountProgram::vectorCosts.
  int32_t firstCost = 0, costs = 0;
  /// Of an aicore.reduce: its tree. Of its costs the first is of the first step of `groups`, and
  /// all others are of each half.
  Tree tree = Tree::halves;
  bool byRows = false;

  /// Of an aicore.scalar_range: its elements, from `start` on at the distance of `pitch` each, are
  /// among these; null where they are not known.
  const int32_t *elements = nullptr;
  std::array<int64_t, 2> absent = {}; ///< the least and the greatest of none
  int64_t lineBytes = 1;              ///< of the data cache

  bool loadsTensor() const { return work == Work::load; }
  bool storesTensor() const { return work == Work::store || work == Work::fixpipe; }
};

/// A tensor in global memory: a parameter, a result or a workspace.
struct TensorShape {
  std::vector<int32_t> extents;      ///< places
  const int32_t *elements = nullptr; ///< of a parameter of i32, where they are known
  int64_t elementBytes = 1;
  bool workspace = false;
};

/// A value from outside of a loop on which its work depends: in whole, or only its remainder.
struct Influence {
  int32_t place = 0;
  int64_t modulus = 0; ///< 0: the whole value
};

/// A loop of the program, from its step `enter` to its step `next`, both included.
struct Loop {
  size_t enter = 0, next = 0;
  bool innermost = true;
  bool staysOnItsCore = true; ///< has neither work for other cores of the block nor flags to them
  /// No value that it computes is read after it or in its next iteration, so it need not run if its
  /// effect on the clock is known.
  bool closed = true;
  /// The values on which the work of a closed loop depends: if they are equal, so are its
  /// instructions and costs. The addresses of its transfers do not count, except their offset in a
  /// packet.
  std::vector<Influence> influences;
};

struct CountProgram {
  std::vector<Step> steps;
  std::vector<Loop> loops;                ///< by `enter`
  std::vector<int32_t> loopsAt;           ///< number of the loop that a step enters, or -1
  std::vector<mlir::Operation *> origins; ///< of each step, for messages
  std::vector<Instruction> instructions;
  std::vector<Cost> vectorCosts;
  std::vector<TensorShape> tensors;            ///< all of the kernel's, in order
  std::vector<int64_t> values;                 ///< before the first step
  llvm::DenseMap<mlir::Value, int32_t> places; ///< of the values of the IR
  int32_t block = 0;                           ///< place of the number of the block
  int64_t packet = 1;                          ///< bytes of a packet of global memory
  bool assumesScalars = false;                 ///< bounds that the call does not say
  /// Places of the sums of aicore.tally, by aicore::Covered; -1: there is none.
  std::array<int32_t, 3> tallies = {-1, -1, -1};

  /// Sets the costs of transfers of tensors.
  void setMemory(const GlobalMemory &memory);
};

/// Everything that takes time; only the transfers between tensors and cores, which is a short
/// program; or only what conditions cover.
enum class Scope { all, tensors, conditions };

/// Reads a phase, and the scalar code before it in its kernel, as it is called. The program refers
/// to `machine`.
llvm::Expected<CountProgram> compile(aicore::PhaseOp phase, const Machine &machine,
                                     const Call &call, Scope scope);

/// Fills in `loops` and `loopsAt`, when all steps are there.
void findLoops(CountProgram &program);

/// The error of a program, with its op: "<place>: <op> <message>".
llvm::Error fault(mlir::Operation *op, const llvm::Twine &message);

} // namespace mmk::count
