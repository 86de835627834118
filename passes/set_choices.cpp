// Makes choices in a schedule, from which all passes read them.
#include "passes/passes.h"
#include "passes/variant.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_SETCHOICES
#include "passes/Passes.h.inc"

void setChoice(ir::KernelOp kernel, StringRef key, StringRef word) {
  OpBuilder b(kernel.getContext());
  int64_t number;
  const Attribute value = word.getAsInteger(10, number) ? Attribute(b.getStringAttr(word))
                                                        : Attribute(b.getI64IntegerAttr(number));
  if (ir::ChoiceOp choice = kernel.choice(key)) {
    choice.setAlternativesAttr(b.getArrayAttr({value}));
    return;
  }
  if (kernel.getSchedule().empty())
    b.createBlock(&kernel.getSchedule());
  b.setInsertionPointToEnd(&kernel.getSchedule().front());
  ir::ChoiceOp::create(b, kernel.getLoc(), key, b.getArrayAttr({value}));
}

void setChoices(ModuleOp module, const Choices &choices) {
  for (ir::KernelOp kernel : module.getOps<ir::KernelOp>())
    for (const auto &[key, word] : choices)
      setChoice(kernel, key, word);
}

namespace {

struct SetChoicesPass : impl::SetChoicesBase<SetChoicesPass> {
  using SetChoicesBase::SetChoicesBase;

  void runOnOperation() override {
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>()) {
      Choices choices;
      std::string message;
      if (!parseVariant(variant, tileDims(kernel), choices, message)) {
        kernel.emitError(message);
        return signalPassFailure();
      }
      for (const auto &[key, word] : choices)
        setChoice(kernel, key, word);
    }
  }
};

} // namespace
} // namespace mmk
