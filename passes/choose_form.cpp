// One of the two ways in which a result is computed, before anything else reads the other.
#include "ir/diagnostic_code.h"
#include "passes/dead_code.h"
#include "passes/passes.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_CHOOSEFORM
#include "passes/Passes.h.inc"

namespace {

struct ChooseFormPass : impl::ChooseFormBase<ChooseFormPass> {
  void refuse(ir::KernelOp kernel) {
    ir::ChoiceOp choice = kernel.choice("fuse");
    (void)nearestLegal((choice ? choice.emitError() : kernel.emitError())
                       << "fuse = windows computes a product once for each tap of a pooling behind "
                          "it, of at most 9 taps that do not overlap and are within the product, "
                          "and this kernel has no such pooling; nearest legal: fuse = all");
    signalPassFailure();
  }

  void runOnOperation() override {
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>()) {
      const StringRef word = kernel.chosenWord("fuse", "all");
      bool isChanged = false;
      for (auto op : llvm::make_early_inc_range(kernel.getBody().getOps<ir::AlternativeOp>())) {
        op.replaceAllUsesWith(op.getWord() == word ? op.getOther() : op.getUsual());
        op.erase();
        isChanged = true;
      }
      if (!isChanged && word == "windows")
        return refuse(kernel);
      if (isChanged)
        eraseDeadOperations(kernel);
    }
  }
};

} // namespace
} // namespace mmk
