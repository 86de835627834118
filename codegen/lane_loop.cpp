#include "codegen/lane_loop.h"

using namespace llvm;

namespace mmk {

Carried emitLoop(Emitter &e, const LaneLoop &loop, ArrayRef<Value *> start,
                 function_ref<Carried(ArrayRef<Value *>, int64_t)> join, LaneBody body) {
  IRBuilder<> &b = e.b;
  const int64_t lanes = e.target.lanes;
  Carried carried(start);
  Value *from = loop.first;
  for (int64_t together : loop.steps) {
    Carried all = carried;
    for (int64_t v = 1; v < together; ++v)
      all.append(start.begin(), start.end());
    Value *whole =
        b.CreateAdd(loop.first, e.roundDown(b.CreateSub(loop.end, loop.first), together * lanes));
    all = e.loop(from, whole, e.number(together * lanes), all,
                 [&](Value *at, ArrayRef<Value *> values) {
                   Carried next;
                   for (int64_t v = 0; v < together; ++v) {
                     Value *own = together > 1 ? b.CreateAdd(at, e.number(v * lanes)) : at;
                     next.append(body({own, nullptr, v, together},
                                      values.slice(v * start.size(), start.size())));
                   }
                   return next;
                 });
    carried = together > 1 ? join(all, together) : all;
    from = whole;
  }
  return e.loop(from, loop.end, e.number(lanes), carried, [&](Value *at, ArrayRef<Value *> values) {
    return body({at, b.CreateSub(loop.end, at), 0, 1}, values);
  });
}

Carried emitLoop(Emitter &e, const LaneLoop &loop, ArrayRef<Value *> start, LaneBody body) {
  return emitLoop(
      e, loop, start, [](ArrayRef<Value *> all, int64_t) { return Carried(all); }, body);
}

void emitLoop(Emitter &e, const LaneLoop &loop, function_ref<void(const LaneStep &)> body) {
  emitLoop(e, loop, {}, [&](const LaneStep &step, ArrayRef<Value *>) {
    body(step);
    return Carried();
  });
}

} // namespace mmk
