// Watches a run: checks every access and every flag that a kernel's program executes against the
// bounds of buffers, against the bytes already written, and against the order that the flags give.
// aicore-verify-sync proves the flags for all dimensions; a watch shows a fault at given
// dimensions, with its bytes.
#pragma once

#include "count/call.h"
#include "ir/aicore.h"
#include "machines/machine.h"
#include "runtime/core.h"
#include "runtime/hazards.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mmk {

/// "race", "unwritten", "out_of_bounds", ..., as reports for programs name it.
std::string_view spelling(Hazard::What what);

/// A fault of this order, or of another order that the flags allow.
struct WatchFault {
  Hazard::What what = Hazard::What::race;
  int64_t phase = 0, block = 0;                    ///< where it occurred first
  mlir::Operation *op = nullptr, *other = nullptr; ///< either may be null
  std::string pipe, otherPipe;                     ///< that execute them: "mte1"
  std::string unit, otherUnit;                     ///< of the pipes: "cube core", "vector core 1"
  std::string message;        ///< "the stage (mte1) may read slot 1 of a in l1, ... before ..."
  std::string missing;        ///< "no flag from mte2 to mte1 stands between the two"; may be empty
  std::string holder;         ///< the buffer or tensor: "a in l1", "c"; empty for a flag
  std::string place;          ///< in it: "slot 1 of a in l1", "c[0, 0] to c[15, 31]"
  std::string memory;         ///< "l1"; "gm" for tensors
  int64_t begin = 0, end = 0; ///< the bytes of that memory, or of the tensor
  int64_t times = 1;          ///< the same two instructions were seen in it
};

struct WatchReport {
  /// By phase and block, in program order; one for each pair of instructions and place.
  std::vector<WatchFault> faults;
  int64_t instructions = 0, flags = 0; ///< executed, in all blocks
  int64_t accesses = 0;                ///< of an instruction to a buffer or tensor
};

class WatchedKernel;
class BlockWatch;

/// The watch of a kernel at given dimensions. The kernel outlives it.
class KernelWatch : public RunWatch {
public:
  /// The error is a kernel that cannot be watched: an instruction that it does not know.
  static llvm::Expected<std::unique_ptr<KernelWatch>>
  create(aicore::KernelOp kernel, const Machine &machine, llvm::ArrayRef<int64_t> dims);
  ~KernelWatch() override;

  /// Fills workspaces with poison: NaNs, or 0x7f..7f for integers.
  void beginRun(const KernelArguments &arguments,
                const std::vector<int64_t> &workspaceBytes) override;
  void beginPhase() override;
  /// The on-chip buffers of the block are filled in the same way, when it has work.
  void beginBlock(CoreMemories &memories) override;
  void endPhase() override;
  void endRun() override;

  /// The report of the last run.
  const WatchReport &report() const { return report_; }

  const WatchedKernel &kernel() const { return *kernel_; }
  BlockWatch &block(int64_t number) { return *blocks_[number]; }

private:
  explicit KernelWatch(std::unique_ptr<WatchedKernel> kernel);
  void add(const WatchFault &fault);

  /// Bytes of a tensor that a block wrote, or read without having written them.
  struct Piece {
    int64_t begin = 0, end = 0, block = 0, op = 0;
  };
  void raceBetweenBlocks(unsigned tensor, const Piece &piece, const Piece &other, bool writes);
  void endPhaseOf(unsigned tensor);

  std::unique_ptr<WatchedKernel> kernel_;
  int64_t phase_ = -1;
  std::vector<std::unique_ptr<BlockWatch>> blocks_; ///< of the phase that runs
  /// By tensor, the disjoint ranges that earlier phases wrote, in order.
  std::vector<std::vector<std::pair<int64_t, int64_t>>> written_;
  WatchReport report_;
};

/// The same without a run: interprets the program of every block, with no data but what the call
/// says. The error is a program that cannot be interpreted.
llvm::Expected<WatchReport> watchCall(aicore::KernelOp kernel, const Machine &machine,
                                      const Call &call);
inline llvm::Expected<WatchReport> watchKernel(aicore::KernelOp kernel, const Machine &machine,
                                               llvm::ArrayRef<int64_t> dims) {
  return watchCall(kernel, machine, Call{dims, {}});
}

} // namespace mmk
