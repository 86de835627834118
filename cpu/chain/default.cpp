#include "cpu/chain/default.h"

#include "cpu/tuning.h"
#include "passes/variant.h"
#include "place/chain_rows.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace mmk::cpu {

// What cannot be computed in one pass is two groups then, and so needs no message.
bool hasChain(ir::KernelOp kernel) {
  const ScopedDiagnosticHandler ignored(kernel.getContext(),
                                        [](Diagnostic &) { return success(); });
  bool isAny = false;
  for (auto group : kernel.getBody().getOps<ir::FusionGroupOp>()) {
    std::optional<Chain> chain = Chain::of(group, group.getBody().front());
    if (!chain)
      continue;
    const auto isOfFloats = [](linalg::ContractOp product) {
      return isa<FloatType>(operandType(product));
    };
    const bool areFew = chain->firsts.size() + chain->seconds.size() <= CpuTuning::chainProducts;
    const bool areOfFloats = llvm::all_of(chain->firsts, isOfFloats) &&
                             llvm::all_of(chain->seconds, [&](const Chain::Second &second) {
                               return isOfFloats(second.product);
                             });
    if (!areFew || !areOfFloats || failed(chainRows(kernel, group, *chain)))
      return false;
    isAny = true;
  }
  return isAny;
}

} // namespace mmk::cpu
