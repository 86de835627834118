#include "cpu/batch_prefetcher.h"

#include "cpu/tuning.h"

using namespace llvm;

namespace mmk {
namespace {

/// An operand as dense pieces of memory.
enum OperandField : int64_t {
  nextPiece, ///< the first that is not prefetched yet
  nextStep,  ///< bytes from one to the next
  nextBytes, ///< of each
  nextCount, ///< of them for each register tile
  nextLeft,  ///< of them
  operandFields
};

enum Field : int64_t { fieldActive, fieldA, fieldB = fieldA + int64_t(operandFields) };
static_assert(int64_t(fieldB) + int64_t(operandFields) == BatchPrefetcher::fields);

// void(ptr operand): prefetches the lines of some pieces into L2.
Function *prefetchSegments(Emitter &e) {
  return e.helper("prefetch_segments", 1, 0, {}, [&](Function *f) {
    IRBuilder<> &b = e.b;
    const Frame operand(e, f->getArg(0));
    Value *left = operand.number(nextLeft), *step = operand.number(nextStep),
          *bytes = operand.number(nextBytes), *count = e.min(operand.number(nextCount), left);
    Value *next = e.loop(e.number(0), count, e.number(1), {operand.pointer(nextPiece)},
                         [&](Value *, ArrayRef<Value *> piece) {
                           e.loop(e.number(0), bytes, e.number(Emitter::lineBytes),
                                  [&](Value *byte) { e.prefetch(e.offset(piece[0], byte), 2); });
                           return SmallVector<Value *>{e.offset(piece[0], step)};
                         })[0];
    operand.set(nextLeft, b.CreateSub(left, count));
    operand.set(nextPiece, next);
  });
}

} // namespace

bool isOfBatch(cpu::ProductOp op) {
  return llvm::any_of(ArrayRef<mlir::Value>{op.getA(), op.getB()}, [](mlir::Value operand) {
    return cast<mlir::MemRefType>(operand.getType()).getRank() > 2;
  });
}

void BatchPrefetcher::set(const ProductOperands &operands, Type *element, int64_t height) {
  Value *m = operands.m, *n = operands.n, *k = operands.k;
  const int64_t size = e.bytesOf(element);
  Value *isAnother = differs(operands);
  Value *bytes = b.CreateMul(b.CreateMul(b.CreateAdd(m, n), k), e.number(size));
  Value *isSmall = b.CreateICmpSLE(bytes, e.number(CpuTuning(e.target).prefetchedBytes()));
  Value *isAsked = b.CreateAnd(isAnother, isSmall);
  frame.set(fieldActive, isAsked);
  e.when(isAsked, [&] {
    Value *width = e.number(CodeTarget::vectors * int64_t(e.target.lanes));
    Value *tiles = b.CreateMul(e.ceilDiv(m, e.number(height)), e.ceilDiv(n, width));
    setOperand(fieldA, operands.a, operands.aAhead, m, k, tiles, size);
    setOperand(fieldB, operands.b, operands.bAhead, k, n, tiles, size);
  });
}

Value *BatchPrefetcher::differs(const ProductOperands &operands) {
  return b.CreateICmpNE(b.CreateOr(operands.aAhead, operands.bAhead), e.number(0));
}

void BatchPrefetcher::setOperand(int64_t first, const Plane &plane, Value *ahead, Value *rows,
                                 Value *columns, Value *tiles, int64_t size) {
  Value *alongColumns = b.CreateICmpEQ(plane.column, e.number(size));
  Value *alongRows = b.CreateICmpEQ(plane.row, e.number(size));
  Value *isAsked =
      b.CreateAnd(b.CreateICmpNE(ahead, e.number(0)), b.CreateOr(alongColumns, alongRows));
  auto choose = [&](Value *x, Value *y) { return b.CreateSelect(alongColumns, x, y); };
  Value *pieces = b.CreateSelect(isAsked, choose(rows, columns), e.number(0));
  frame.set(first + nextPiece, e.offset(plane.pointer, ahead));
  frame.set(first + nextStep, choose(plane.row, plane.column));
  frame.set(first + nextBytes, b.CreateMul(choose(columns, rows), e.number(size)));
  frame.set(first + nextCount, e.ceilDiv(pieces, tiles));
  frame.set(first + nextLeft, pieces);
}

Value *BatchPrefetcher::isActive() { return frame.isSet(fieldActive); }

void BatchPrefetcher::prefetchStep() {
  for (int64_t operand : {fieldA, fieldB})
    b.CreateCall(prefetchSegments(e), {frame.at(operand)});
}

} // namespace mmk
