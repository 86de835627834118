#include "count/sync_cost.h"

#include "count/count.h"
#include "sync/needless_sync.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace mmk {
namespace {

/// The cycles of the kernel without the redundant flags; nothing when there are too few events for
/// their replacement.
llvm::Expected<std::optional<int64_t>> cyclesWithout(const sync::NeedlessSync &needless,
                                                     aicore::KernelOp kernel,
                                                     const Machine &machine,
                                                     ArrayRef<int64_t> dims) {
  IRMapping copy;
  OwningOpRef<aicore::KernelOp> leaner = cast<aicore::KernelOp>(kernel->clone(copy));
  OpBuilder(kernel).insert(leaner.get()); // in a module with the machine attribute
  if (!needless.apply(copy, aicore::machineOf(kernel)))
    return std::nullopt;
  llvm::Expected<ClockReport> report = countKernel(leaner.get(), machine, dims);
  if (!report)
    return report.takeError();
  return report->cycles;
}

struct SyncCostPass : PassWrapper<SyncCostPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SyncCostPass)
  SyncCostPass() = default;
  SyncCostPass(const SyncCostPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "aicore-sync-cost"; }
  StringRef getDescription() const override {
    return "remark redundant flags and coarse barriers with the cycles that they cost";
  }

  void runOnOperation() override {
    llvm::Expected<Machine> loaded = loadMachine(machine);
    if (!loaded) {
      getOperation().emitError(llvm::toString(loaded.takeError()));
      return signalPassFailure();
    }
    for (auto kernel : getOperation().getOps<aicore::KernelOp>())
      if (llvm::Error error = remark(kernel, *loaded)) {
        getOperation().emitError(llvm::toString(std::move(error)));
        return signalPassFailure();
      }
    markAllAnalysesPreserved();
  }

  llvm::Error remark(aicore::KernelOp kernel, const Machine &onMachine) {
    const SmallVector<int64_t> at(dims.begin(), dims.end());
    llvm::Expected<ClockReport> whole = countKernel(kernel, onMachine, at);
    if (!whole)
      return whole.takeError();
    auto costs = syncCosts(kernel, onMachine, at);
    if (!costs)
      return costs.takeError();
    for (const SyncCost &cost : *costs)
      for (Operation *op : cost.at) {
        InFlightDiagnostic remark = mlir::emitRemark(op->getLoc()) << cost.text;
        if (cost.cycles)
          remark << "; it costs " << *cost.cycles << " of " << whole->cycles << " cycles";
      }
    return llvm::Error::success();
  }

  Option<std::string> machine{*this, "machine", llvm::cl::init("ascend910b3"),
                              llvm::cl::desc("machine description, by name or file")};
  ListOption<int64_t> dims{
      *this, "dims", llvm::cl::desc("the value of each of the kernel's dimensions, in order")};
};

} // namespace

llvm::Expected<std::vector<SyncCost>> syncCosts(aicore::KernelOp kernel, const Machine &machine,
                                                ArrayRef<int64_t> dims) {
  std::vector<SyncCost> costs;
  std::optional<int64_t> whole;
  for (auto phase : kernel.getBody().getOps<aicore::PhaseOp>())
    for (const sync::NeedlessSync &needless : sync::needlessSync(phase)) {
      if (!whole) {
        llvm::Expected<ClockReport> report = countKernel(kernel, machine, dims);
        if (!report)
          return report.takeError();
        whole = report->cycles;
      }
      auto without = cyclesWithout(needless, kernel, machine, dims);
      if (!without)
        return without.takeError();
      SyncCost &cost = costs.emplace_back(SyncCost{needless.at, needless.text(), std::nullopt});
      if (*without)
        cost.cycles = *whole - **without;
    }
  return costs;
}

void registerSyncCostPass() { PassRegistration<SyncCostPass>(); }

} // namespace mmk
