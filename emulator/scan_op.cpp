#include "emulator/scan_op.h"

using namespace llvm;

namespace mmk {
namespace {

constexpr unsigned lanesOfScan = 16;

class Scan {
public:
  /// void(source, carry, target, i64 rows, i64 columns, i64 bytes of a row of the source, of the
  /// target)
  Scan(Emitter &e, Function *f, Type *element, bool byRows)
      : e(e), b(e.b), f(f), element(element), byRows(byRows) {}

  void emit() {
    if (byRows)
      e.loop(e.number(0), columns(), e.number(lanesOfScan), [&](Value *column) { down(column); });
    else
      e.loop(e.number(0), rows(), e.number(1), [&](Value *row) { along(row); });
  }

private:
  Value *rows() { return f->getArg(3); }
  Value *columns() { return f->getArg(4); }
  Type *vector() { return FixedVectorType::get(element, lanesOfScan); }
  Value *bytes(Value *elements) { return b.CreateMul(elements, e.number(e.bytesOf(element))); }
  Value *source(Value *row, Value *column) {
    return e.offset(f->getArg(0), b.CreateAdd(b.CreateMul(row, f->getArg(5)), bytes(column)));
  }
  Value *target(Value *row, Value *column) {
    return e.offset(f->getArg(2), b.CreateAdd(b.CreateMul(row, f->getArg(6)), bytes(column)));
  }
  Value *add(Value *x, Value *y) {
    return element->isFloatingPointTy() ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
  }

  /// Of sixteen columns, row by row.
  void down(Value *column) {
    Value *carry = e.offset(f->getArg(1), bytes(column));
    Value *count = b.CreateSub(columns(), column);
    const SmallVector<Value *> last =
        e.loop(e.number(0), rows(), e.number(1), {e.loadSome(vector(), carry, count)},
               [&](Value *row, ArrayRef<Value *> before) -> SmallVector<Value *> {
                 Value *sum = add(before[0], e.loadSome(vector(), source(row, column), count));
                 e.storeSome(sum, target(row, column), count);
                 return {sum};
               });
    e.storeSome(last[0], carry, count);
  }

  /// Of a row, sixteen columns after the others. Lanes beyond the row are zero, so that the last
  /// one has the sum of all.
  void along(Value *row) {
    Value *carry = e.offset(f->getArg(1), bytes(row));
    const SmallVector<Value *> last =
        e.loop(e.number(0), columns(), e.number(lanesOfScan), {e.load(element, carry)},
               [&](Value *column, ArrayRef<Value *> before) -> SmallVector<Value *> {
                 Value *count = b.CreateSub(columns(), column);
                 Value *sums = ofVector(e.loadSome(vector(), source(row, column), count));
                 sums = add(b.CreateVectorSplat(lanesOfScan, before[0]), sums);
                 e.storeSome(sums, target(row, column), count);
                 return {b.CreateExtractElement(sums, uint64_t(lanesOfScan - 1))};
               });
    e.store(last[0], carry);
  }

  Value *ofVector(Value *x) {
    Value *zero = Constant::getNullValue(vector());
    for (unsigned shift = 1; shift < lanesOfScan; shift *= 2) {
      SmallVector<int> lanes;
      for (unsigned i = 0; i < lanesOfScan; ++i)
        lanes.push_back(i < shift ? static_cast<int>(lanesOfScan) : static_cast<int>(i - shift));
      x = add(x, b.CreateShuffleVector(x, zero, lanes));
    }
    return x;
  }

  Emitter &e;
  IRBuilder<> &b;
  Function *f;
  Type *element;
  bool byRows;
};

} // namespace

void emitScan(aicore::ScanOp op, Emitter &e, ProgramValues &values) {
  Type *element = values.elementOf(op.getSource());
  const std::string name =
      (op.getByRows() ? "scan_rows_" : "scan_columns_") + Emitter::nameOf(element);
  Function *function =
      e.helper(name, 3, 4, {}, [&](Function *f) { Scan(e, f, element, op.getByRows()).emit(); });
  e.b.CreateCall(function,
                 {values.buffer(op.getSource(), op.getSlot()),
                  values.buffer(op.getCarry(), op.getCarrySlot()),
                  values.buffer(op.getTarget(), op.getTargetSlot()), values.value(op.getRows()),
                  values.value(op.getColumns()), e.number(values.rowBytes(op.getSource())),
                  e.number(values.rowBytes(op.getTarget()))});
}

} // namespace mmk
