// The watch of one block in one phase: turns each op that its program executes into the accesses
// and flags that it means.
#pragma once

#include "watch/watch.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <map>

namespace mmk {

/// A buffer as memory planning has placed it.
struct WatchedBuffer {
  std::string name;       ///< "a in l1"
  WatchedMemory memory;   ///< of the cube core, or of the first vector core
  std::string memoryName; ///< "l1", "gm"
  bool isFloat = true;
  int64_t offset = 0, stride = 0, copies = 1; ///< bytes from slot to slot
  int64_t emulatedBytes = 1;                  ///< for each byte of it, where it is emulated
  int64_t rows = 0, columns = 0, elementBytes = 1;
  int64_t partWidth = 0; ///< columns of a part of an accumulator
};

/// A tensor in global memory.
struct WatchedTensor {
  enum class Kind { argument, result, workspace } kind = Kind::argument;
  unsigned number = 0;
  std::string name;
  bool isFloat = true;
  int64_t elementBytes = 1;
  llvm::SmallVector<int64_t> extents; ///< of a workspace empty: the program computes them
  llvm::SmallVector<std::pair<int64_t, int64_t>> merged; ///< first and last of dimensions as one

  int64_t bytes() const;
  /// How far an access at these offsets may go along a dimension, or along as many `joined` ones as
  /// if they were one, of which it is the last.
  int64_t extentOf(int64_t dim, llvm::ArrayRef<int64_t> offsets, int64_t joined) const;
  /// "c[0, 16] to c[3, 31]"
  std::string elements(int64_t begin, int64_t end) const;
};

/// What is known of a kernel before it runs. Read by all blocks at once.
class WatchedKernel {
public:
  WatchedKernel(aicore::KernelOp kernel, const Machine &machine, llvm::ArrayRef<int64_t> dims);

  aicore::KernelOp op;
  const Machine &machine;
  std::vector<mlir::Operation *> ops; ///< by number
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
  llvm::DenseMap<mlir::Value, WatchedBuffer> buffers;
  llvm::DenseMap<mlir::Value, unsigned> tensorNumbers;
  std::vector<WatchedTensor> tensors; ///< arguments, results, workspaces

  /// "the stage (mte1)"; `pipe` as in a Hazard.
  std::string instructionName(int64_t op, unsigned pipe, bool withUnit) const;
  /// Words for a hazard; `holder` and `place` as in a WatchFault.
  WatchFault describe(const Hazard &hazard, const std::string &holder,
                      const std::string &place) const;
};

/// "cube core", "vector core 1"; `pipe` as in a Hazard.
std::string unitName(unsigned pipe);

/// Adds a fault, or counts it with one between the same instructions that is there already.
void addFault(std::vector<WatchFault> &faults, const WatchFault &fault);

/// A byte of which no kernel computes values: it makes NaNs of every float type, or 0x7f..7f.
constexpr int poisonByte(bool isFloat) { return isFloat ? 0xff : 0x7f; }

class BlockWatch {
public:
  BlockWatch(const WatchedKernel &kernel, int64_t phase, int64_t block);

  /// Poisons these memories before the first instruction; a block without work leaves them alone.
  void poisonWhenBusy(const CoreMemories &memories) { toPoison_ = memories; }
  /// As WatchFunction (runtime/abi.h) says.
  bool step(int64_t op, unsigned unit, const int64_t *operands);
  /// After the last op: all flags are to be down.
  void finish();

  HazardWatch &hazards() { return hazards_; }
  const WatchReport &report() const { return report_; }
  const std::vector<WatchedTensor> &tensors() const { return tensors_; }

private:
  /// Rows x columns of a buffer from (row, column) on.
  struct Rectangle {
    int64_t rows = 0, columns = 0, row = 0, column = 0;
  };
  /// A dimension of a view of a tensor: the tensor's dimension that it runs along (-1: none), with
  /// those before it that are joined to it.
  struct ViewDim {
    int64_t along = -1, size = 1, step = 1, joined = 1;
  };
  using View = std::array<ViewDim, 2>; ///< rows and columns
  /// How an instruction uses what it touches.
  enum class Use { reads, writes, updates };

  int64_t at(mlir::OpOperand &operand) const { return operands_[operand.getOperandNumber()]; }
  Rectangle rectangle(mlir::OpOperand &rows, mlir::OpOperand &columns) const {
    return {at(rows), at(columns)};
  }
  /// The column at which a part of an accumulator begins.
  int64_t columnOf(mlir::Value buffer, std::optional<int64_t> part) const {
    return part.value_or(0) * kernel_.buffers.find(buffer)->second.partWidth;
  }
  void instruction(aicore::Instruction op);
  void vectorInstruction(aicore::Instruction op);
  void vector(aicore::VectorOp op);
  void window(aicore::WindowOp op);
  void windows(aicore::Load3dOp op);
  void drain(aicore::DrainOp op);
  void tiles(aicore::TileInstruction op);
  void poison(const CoreMemories &memories);
  void flag(mlir::Operation *op);
  /// `core`: the unit in whose UB a buffer is; without, that which executes the instruction.
  void touch(mlir::Value value, int64_t slot, Rectangle part, Use use,
             std::optional<unsigned> core = std::nullopt);
  llvm::SmallVector<int64_t> offsetsOf(mlir::MutableOperandRange operands) const;
  template <typename Op> int64_t outerCount(Op op) const;
  template <typename Op> int64_t transfer(Op op, mlir::Value tensor, Use use);
  void transfer(mlir::Value tensor, llvm::ArrayRef<int64_t> offsets, const View &view, Use use);
  void touchTensor(const WatchedTensor &tensor, int64_t offset, WatchedBytes rows,
                   int64_t columnStride, int64_t columns, Use use);
  /// The op cannot be done: it "takes slot 2 of a in l1, which has 2 copies".
  void refuse(Hazard::What what, const std::string &does, const std::string &holder,
              const std::string &place, const std::string &memory);
  /// Hazards of the access, or of the flag, that was watched last.
  void takeHazards(const std::string &holder,
                   llvm::function_ref<std::string(const Hazard &)> placeOf);

  const WatchedKernel &kernel_;
  int64_t phase_, block_;
  std::optional<CoreMemories> toPoison_;
  HazardWatch hazards_;
  std::vector<WatchedTensor> tensors_; ///< with the extents of workspaces
  WatchReport report_;

  // The op that is executed.
  int64_t op_ = 0;
  unsigned unit_ = 0;
  Pipe pipe_ = Pipe::scalar;
  const int64_t *operands_ = nullptr;
  bool isLegal_ = true;
};

} // namespace mmk
