#include "cpu/tiles.h"

#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

namespace mmk {
namespace {

/// The shape of every tile: rows, and bytes of a row, which are one step of 16 columns of B, or
/// steps of a row of A.
constexpr int16_t tileRows = 16, tileRowBytes = 4 * stepsOfTile;

/// sum + a * b, of tiles.
Value *emitTileMultiply(Emitter &e, Multiply multiply, Value *a, Value *b, Value *sum) {
  return e.b.CreateIntrinsic(
      multiply == Multiply::amxInt8 ? Intrinsic::x86_tdpbssd_internal
                                    : Intrinsic::x86_tdpbf16ps_internal,
      {},
      {e.b.getInt16(tileRows), e.b.getInt16(tileRowBytes), e.b.getInt16(tileRowBytes), sum, a, b});
}

} // namespace

void emitTileSums(Emitter &e, const MicroKernel &kernel, Value *a, Value *rowBytes, Value *panel,
                  Value *stride, Value *bytes, const Sums &initial) {
  IRBuilder<> &b = e.b;
  Value *height = b.getInt16(tileRows), *width = b.getInt16(tileRowBytes);
  constexpr int64_t tall = rowsInTiles / tileRows;
  const int64_t vectors = kernel.vectors;
  auto load = [&](Value *from, Value *row) -> Value * {
    return b.CreateIntrinsic(Intrinsic::x86_tileloadd64_internal, {}, {height, width, from, row});
  };
  auto sumsAt = [&](int64_t i, int64_t v) {
    Value *down = b.CreateMul(initial.rowBytes, e.number(i * tileRows));
    return e.offset(e.offset(initial.pointer, down), v * tileRowBytes);
  };
  SmallVector<Value *> carried = e.eitherOf(
      initial.fromZero,
      [&] {
        // Each tile is zeroed separately: one zero tile for two would be copied through memory.
        SmallVector<Value *> zeros;
        for (int64_t i = 0; i < tall * vectors; ++i)
          zeros.push_back(b.CreateIntrinsic(Intrinsic::x86_tilezero_internal, {}, {height, width}));
        return zeros;
      },
      [&] {
        SmallVector<Value *> loaded;
        for (int64_t i = 0; i < tall; ++i)
          for (int64_t v = 0; v < vectors; ++v)
            loaded.push_back(load(sumsAt(i, v), initial.rowBytes));
        return loaded;
      });
  Value *tileBytes = b.CreateMul(stride, e.number(stepsOfTile));
  carried.append({a, panel});
  SmallVector<Value *> sums = e.loop(
      e.number(0), bytes, e.number(tileRowBytes), carried, [&](Value *, ArrayRef<Value *> values) {
        SmallVector<Value *> next(values);
        Value *&rows = next[tall * vectors], *&steps = next[tall * vectors + 1];
        Value *ofA = nullptr;
        for (int64_t v = 0; v < vectors; ++v) {
          Value *ofB = load(e.offset(steps, v * tileRowBytes), stride);
          // In alternating order, so that one tile of A is still loaded from the vector before.
          for (int64_t i = 0; i < tall; ++i) {
            const int64_t at = v % 2 ? tall - 1 - i : i;
            if (v == 0 || i > 0)
              ofA = load(e.offset(rows, b.CreateMul(rowBytes, e.number(at * tileRows))), rowBytes);
            Value *&sum = next[at * vectors + v];
            sum = emitTileMultiply(e, kernel.multiply, ofA, ofB, sum);
          }
        }
        rows = e.offset(rows, tileRowBytes);
        steps = e.offset(steps, tileBytes);
        return next;
      });
  for (int64_t i = 0; i < tall; ++i)
    for (int64_t v = 0; v < vectors; ++v)
      b.CreateIntrinsic(Intrinsic::x86_tilestored64_internal, {},
                        {height, width, sumsAt(i, v), initial.rowBytes, sums[i * vectors + v]});
}

} // namespace mmk
