#include "codegen/scalar_range.h"

using namespace llvm;

namespace mmk {

void emitScalarRange(aicore::ScalarRangeOp op, Emitter &e, ProgramValues &values) {
  const GlobalTensor &tensor = values.global(op.getSource());
  Type *element = values.elementOf(op.getSource());
  const auto along = static_cast<int64_t>(op.getAlong());
  Value *first = values.address(tensor, op.getOffsets(), element);
  Value *step = e.number(4), *count = values.value(op.getSize());
  if (along >= 0)
    step = e.b.CreateMul(tensor.strides[along], step);
  const ArrayRef<int64_t> absent = op.getAbsent();
  const SmallVector<Value *> found = e.eitherOf(
      e.b.CreateICmpSGT(count, e.number(0)),
      [&] {
        auto elementAt = [&](Value *i) {
          Value *it = e.load(element, e.offset(first, e.b.CreateMul(i, step)));
          return e.b.CreateSExt(it, e.i64());
        };
        Value *start = elementAt(e.number(0));
        return e.loop(e.number(1), count, e.number(1), {start, start},
                      [&](Value *i, ArrayRef<Value *> so) -> SmallVector<Value *> {
                        Value *it = elementAt(i);
                        return {e.b.CreateBinaryIntrinsic(Intrinsic::smin, so[0], it),
                                e.b.CreateBinaryIntrinsic(Intrinsic::smax, so[1], it)};
                      });
      },
      [&] { return SmallVector<Value *>{e.number(absent[0]), e.number(absent[1])}; });
  values.bind(op.getLeast(), found[0]);
  values.bind(op.getGreatest(), found[1]);
}

} // namespace mmk
