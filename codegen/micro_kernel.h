// The product of one register tile: sums in registers, A row by row, a panel of B streaming by.
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

/// Steps along k of one tile of A, which is a row of it; a tile of B has as many rows.
constexpr int64_t stepsOfTile = 16;

/// Elements along k that are multiplied at once: packed operands are filled up to so many.
constexpr int64_t elementsAtOnce(Multiply multiply) {
  return elementsOfStep(multiply) * (usesAmx(multiply) ? stepsOfTile : 1);
}

constexpr bool sumsAreFloats(Multiply multiply) {
  return multiply == Multiply::f32 || isBf16(multiply);
}

struct MicroKernel {
  Multiply multiply = Multiply::f32;
  int64_t vectors = 0; ///< of B, and so of each row of sums; the rows are the target's

  llvm::Type *sumType(Emitter &e) const {
    return e.vectorOf(sumsAreFloats(multiply) ? e.f32() : e.b.getInt32Ty(), e.target.lanes);
  }
};

/// Sums that a register tile goes on from: row by row at `pointer`, or from zero.
struct Sums {
  llvm::Value *pointer = nullptr, *rowBytes = nullptr;
  llvm::Value *fromZero = nullptr; ///< i1
  llvm::Value *offsets = nullptr;  ///< of int8: zero-point compensation, an i32 for each row
};

/// What rows of A have along k after whole steps: padded with zeros to one more of each row.
struct LastSteps {
  llvm::Value *pointer = nullptr; ///< to four bytes a row; none: there are no such rows
  llvm::Value *count = nullptr;   ///< i64: 1, or 0 where the rows have whole steps alone
};

/// Of as many rows as the target has, which have `bytes` bytes of whole steps and then `rest`,
/// fewer than four or none; at least four bytes of each row end there.
LastSteps emitLastSteps(Emitter &e, llvm::Value *a, llvm::Value *rowBytes, llvm::Value *bytes,
                        llvm::Value *rest);

/// void(ptr a, ptr offsets, i64 rowBytes, i64 k): the zero-point compensation of as many rows of A
/// as the target has. The offset of B adds 128 times the row's own sum over k, an i32.
llvm::Function *zeroPointCompensation(Emitter &e);

/// The sums of as many rows as the target has x `vectors` vectors, row by row, over `bytes` bytes
/// of k. From row to row of A there are `rowBytes` bytes, from one step to the next of B `stride`.
/// `nextRows`: as many rows of A that come after these, which are prefetched.
llvm::SmallVector<llvm::Value *> emitSums(Emitter &e, const MicroKernel &kernel, llvm::Value *a,
                                          llvm::Value *rowBytes, llvm::Value *panel,
                                          llvm::Value *stride, llvm::Value *bytes,
                                          const Sums &initial, const LastSteps &last = {},
                                          llvm::Value *nextRows = nullptr);

/// sum + a * b, of vectors of sums; of int8, a is unsigned.
llvm::Value *emitMultiply(Emitter &e, Multiply multiply, llvm::Value *a, llvm::Value *b,
                          llvm::Value *sum);

/// Panels of the same width, one beside the other.
struct PanelRun {
  llvm::Value *vectors = nullptr;                ///< of each panel
  llvm::Value *column = nullptr, *end = nullptr; ///< up to whole vectors
};

/// Calls `body` for each run of panels of `columns` columns. All but the last two panels are the
/// widest, of the target's vectors; those share what is left, so that none is too narrow to keep
/// the multiplier busy. `alone`: a last panel that is ragged is a run of its own (i1).
void forEachRun(Emitter &e, llvm::Value *columns, llvm::Value *alone,
                llvm::function_ref<void(const PanelRun &)> body);

/// Calls `body(vectors, first column)` for each panel of `columns` columns, of one vector to the
/// target's. All but the last two panels are the widest; those share what is left, so that none is
/// too narrow to keep the multiplier busy.
void forEachPanel(Emitter &e, llvm::Value *columns,
                  llvm::function_ref<void(llvm::Value *vectors, llvm::Value *column)> body);

/// Of functions for each number of vectors, the one for panels of `vectors`.
llvm::Value *ofWidth(Emitter &e, llvm::Value *vectors,
                     llvm::function_ref<llvm::Function *(int64_t vectors)> function);

/// void(ptr a, ptr b, ptr acc, i64 m, i64 n, i64 k, i1 first): acc (+)= a * b in the emulated L0:
/// A is rows of `tileK`, B panels of `tileK` rows, the accumulator rows of `tileN`, all elements
/// four bytes wide. Reads A and B up to whole register tiles. `isPadded`: the accumulator has room
/// for whole register tiles, and they are written; otherwise, m x n is.
llvm::Function *mmadFunction(Emitter &e, Multiply multiply, int64_t tileN, int64_t tileK,
                             bool isPadded);

} // namespace mmk
