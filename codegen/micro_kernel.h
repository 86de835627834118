// The product of one register tile: accumulators in registers, A row by row, a streamed panel of B.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

/// How operands are multiplied. Each step along k takes four bytes of a row of A, and four bytes
/// of each column of B: one f32, one i32, two bf16, or four i8.
enum class Multiply {
  f32,
  i32,
  bf16Dot2, ///< two bf16 of B by two of A; denormals are read and written as zero
  int8Dot4, ///< four i8 of B, offset by 128 to be unsigned, by four of A
  amxBf16,  ///< bf16 in tile registers, with the same denormals
  amxInt8,  ///< i8 in tile registers, both signed
};

/// By instructions that multiply tile registers (cpu/tiles.h).
constexpr bool usesAmx(Multiply multiply) {
  return multiply == Multiply::amxBf16 || multiply == Multiply::amxInt8;
}

constexpr bool isBf16(Multiply multiply) {
  return multiply == Multiply::bf16Dot2 || multiply == Multiply::amxBf16;
}

/// Elements along k of one step.
constexpr int64_t elementsOfStep(Multiply multiply) {
  const bool isInt8 = multiply == Multiply::int8Dot4 || multiply == Multiply::amxInt8;
  return isInt8 ? 4 : isBf16(multiply) ? 2 : 1;
}

/// Steps along k in a row of a tile of A; a tile of B has as many rows.
constexpr int64_t stepsOfTile = 16;

/// Elements along k that are multiplied at once: packed operands are padded to a multiple.
constexpr int64_t elementsAtOnce(Multiply multiply) {
  return elementsOfStep(multiply) * (usesAmx(multiply) ? stepsOfTile : 1);
}

constexpr bool sumsAreFloats(Multiply multiply) {
  return multiply == Multiply::f32 || isBf16(multiply);
}

struct MicroKernel {
  Multiply multiply = Multiply::f32;
  int64_t vectors = 0; ///< of B, and so of each row of accumulators
  int64_t rows = 0;    ///< of A; 0: the target's
  /// Elements of B as they are stored, widened in registers; null: as they are multiplied.
  llvm::Type *stored = nullptr;
  bool flips = false; ///< bytes of B are signed, and offset by 128 in registers
  /// Bytes from step to step of A, where it is packed step by step; null: four, of dense rows.
  llvm::Value *stepOfA = nullptr;

  llvm::Type *sumType(Emitter &e) const {
    return e.vectorOf(sumsAreFloats(multiply) ? e.f32() : e.b.getInt32Ty(), e.target.lanes);
  }
};

/// Initial accumulators of a register tile: row by row at `pointer`, or zero.
struct Sums {
  llvm::Value *pointer = nullptr, *rowBytes = nullptr;
  llvm::Value *fromZero = nullptr; ///< i1
  llvm::Value *offsets = nullptr;  ///< of int8: zero-point compensation, an i32 for each row
};

/// The rest of rows of A along k after whole steps, padded with zeros to one more step for each
/// row.
struct LastSteps {
  llvm::Value *pointer = nullptr; ///< to four bytes for each row; null: whole steps only
  llvm::Value *count = nullptr;   ///< i64: 1, or 0 where the rows have whole steps only
};

/// The tail of the `rows` rows of a register tile, which have `bytes` bytes of whole steps and then
/// `rest`, 0 to 3; each row has at least four bytes.
LastSteps emitLastSteps(Emitter &e, llvm::Value *a, llvm::Value *rowBytes, llvm::Value *bytes,
                        llvm::Value *rest, int64_t rows);

/// void(ptr a, ptr offsets, i64 rowBytes, i64 k): the zero-point compensation of the rows of A in a
/// register tile. The offset of B adds 128 times the row's own sum over k, an i32.
llvm::Function *zeroPointCompensation(Emitter &e);

/// A part of B that is prefetched while another is multiplied: the lines at `pointer` in the first
/// step along k, `step` bytes further in each next one.
struct PanelAhead {
  llvm::Value *pointer = nullptr, *step = nullptr;
};

/// The accumulators of a register tile of `vectors` vectors, row by row, over `bytes` bytes of k.
/// `rowBytes`: stride of rows of A; `stride`: of steps of B. `nextRows`: the rows of A of the next
/// register tile, which are prefetched.
llvm::SmallVector<llvm::Value *>
emitSums(Emitter &e, const MicroKernel &kernel, llvm::Value *a, llvm::Value *rowBytes,
         llvm::Value *panel, llvm::Value *stride, llvm::Value *bytes, const Sums &initial,
         const LastSteps &last = {}, llvm::Value *nextRows = nullptr, const PanelAhead &ahead = {});

/// sum + a * b, of vectors of sums; of int8, a is unsigned.
llvm::Value *emitMultiply(Emitter &e, Multiply multiply, llvm::Value *a, llvm::Value *b,
                          llvm::Value *sum);

/// Adjacent panels of the same width.
struct PanelRun {
  llvm::Value *vectors = nullptr;                ///< of each panel
  llvm::Value *column = nullptr, *end = nullptr; ///< up to whole vectors
};

/// Calls `body` for each run of panels of `columns` columns. All but the last two panels have the
/// full width of the target; the last two share the rest, so that none is too narrow to keep the
/// multiplier busy. `alone`: a ragged last panel is a run of its own (i1).
void forEachRun(Emitter &e, llvm::Value *columns, llvm::Value *alone,
                llvm::function_ref<void(const PanelRun &)> body);

/// Calls `body(vectors, first column)` for each panel of `columns` columns, each of one vector up
/// to the target's width; the panels are those of forEachRun.
void forEachPanel(Emitter &e, llvm::Value *columns,
                  llvm::function_ref<void(llvm::Value *vectors, llvm::Value *column)> body);

/// The function for panels of `vectors`, of those for each number of vectors.
llvm::Value *ofWidth(Emitter &e, llvm::Value *vectors,
                     llvm::function_ref<llvm::Function *(int64_t vectors)> function);

/// void(ptr a, ptr b, ptr acc, i64 m, i64 n, i64 k, i1 first): acc (+)= a * b in the emulated L0:
/// A is rows of `tileK`, B panels of `tileK` rows, the accumulator rows of `tileN`, all elements
/// four bytes wide. Reads A and B up to whole register tiles. `isPadded`: the accumulator has room
/// for whole register tiles, and they are written; otherwise, m x n is.
llvm::Function *mmadFunction(Emitter &e, Multiply multiply, int64_t tileN, int64_t tileK,
                             bool isPadded);

} // namespace mmk
