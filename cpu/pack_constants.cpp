// cpu-pack-constants: the products that read a constant operand from panels.
#include "cpu/passes.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_CPUPACKCONSTANTS
#include "cpu/Passes.h.inc"

namespace {

bool isZero(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantIndexOp>();
  return constant && constant.value() == 0;
}

/// Whether a product can read B from panels: all of its depth, in passes of whole steps, and its
/// columns from whole vectors on.
bool canReadPanels(cpu::ProductOp product) {
  constexpr int64_t wholeSteps = 16;
  return isZero(product.getBOffsets()[product.getBAlong()[0]]) &&
         product.getStep() % wholeSteps == 0;
}

/// The products that use a parameter, if all of its uses are their right operand, with the same
/// dimensions along k and n.
SmallVector<cpu::ProductOp> productsOf(BlockArgument parameter) {
  SmallVector<cpu::ProductOp> products;
  for (OpOperand &use : parameter.getUses()) {
    auto product = dyn_cast<cpu::ProductOp>(use.getOwner());
    if (!product || &use != &product.getBMutable() || !canReadPanels(product) ||
        (!products.empty() && products[0].getBAlong() != product.getBAlong()))
      return {};
    products.push_back(product);
  }
  return products;
}

struct CpuPackConstantsPass : impl::CpuPackConstantsBase<CpuPackConstantsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<aicore::KernelOp>())
      for (auto [i, named] : llvm::enumerate(kernel.getArgs().getAsRange<ir::NamedAttr>()))
        if (named.getConstant())
          for (cpu::ProductOp product :
               productsOf(kernel.getBody().getArgument(kernel.getDims().size() + i)))
            product.setPacked(true);
  }
};

} // namespace
} // namespace mmk
