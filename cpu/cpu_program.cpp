#include "cpu/cpu_program.h"

#include "codegen/scalar_range.h"
#include "cpu/batch_prefetcher.h"
#include "cpu/chain/code.h"
#include "cpu/constants/operand.h"
#include "cpu/cumulation/code.h"
#include "cpu/rows.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace mmk {

bool CpuProgram::emitInstruction(mlir::Operation &op) {
  return TypeSwitch<mlir::Operation *, bool>(&op)
      .Case([&](cpu::ThreadsOp op) {
        values.bind(op.getResult(), threads);
        return true;
      })
      .Case([&](cpu::StrideOp stride) {
        values.bind(stride.getResult(),
                    values.global(stride.getTensor()).strides[stride.getDimAttr().getInt()]);
        return true;
      })
      .Case([&](aicore::ScalarRangeOp range) {
        emitScalarRange(range, e, values);
        return true;
      })
      .Case([&](cpu::ProductOp product) {
        emitProductTile(e, product, values, next);
        return true;
      })
      .Case([&](cpu::ElementwiseOp part) {
        emitElementwiseTile(e, part, values);
        return true;
      })
      .Case([&](cpu::CumulateOp sums) {
        emitCumulationTile(e, sums, values);
        return true;
      })
      .Case([&](cpu::ChainOp chain) {
        emitChainTile(e, chain, values);
        return true;
      })
      .Case([&](cpu::RowsOp rows) {
        emitRowsTile(e, rows, values);
        return true;
      })
      .Default(false);
}

// The operands of the next iteration, which this one prefetches; the last iteration passes its own.
void CpuProgram::beginIteration(mlir::scf::ForOp op, Value *i) {
  next = {};
  auto products = op.getBody()->getOps<cpu::ProductOp>();
  if (!llvm::hasSingleElement(products) || !isOfBatch(*products.begin()) ||
      packedSideOf(*products.begin(), e.target) || (*products.begin()).getWindow())
    return;
  Value *following = b.CreateAdd(i, values.value(op.getStep()));
  Value *isLast = b.CreateICmpSGE(following, values.value(op.getUpperBound()));
  values.bind(op.getInductionVar(), b.CreateSelect(isLast, i, following));
  for (mlir::Operation &inner : *op.getBody())
    if (inner.getNumRegions() == 0 &&
        (mlir::isMemoryEffectFree(&inner) || isa<aicore::ScalarRangeOp>(inner)))
      emitOp(inner);
  next = placesOf(e, *products.begin(), values);
}

} // namespace mmk
