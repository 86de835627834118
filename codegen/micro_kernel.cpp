#include "codegen/micro_kernel.h"

using namespace llvm;

namespace mmk {

int64_t MicroKernel::panel(const CodeTarget &target) const {
  int64_t two = 2 * target.lanes;
  return tileN % two == 0 && partN % two == 0 ? two : target.lanes;
}

// Accumulators: half of the registers (8 x 2 of 32, 4 x 2 of 16). Both divide the cube's 16 rows,
// and both are as many independent chains as two multiply-add units of latency 4 need.
int64_t MicroKernel::rows(const CodeTarget &target) const { return target.registers >= 32 ? 8 : 4; }

namespace {

/// One register tile: rows x vectors accumulators over all of k.
class RegisterTile {
public:
  RegisterTile(Emitter &e, const MicroKernel &kernel)
      : e(e), b(e.b), kernel(kernel), rows(kernel.rows(e.target)),
        vectors(kernel.panel(e.target) / e.target.lanes),
        vector(e.vectorOf(kernel.integer ? b.getInt32Ty() : e.f32(), e.target.lanes)) {}

  void emit(Value *a, Value *panel, Value *acc, Value *k, Value *first) {
    SmallVector<Value *> sums = start(acc, first);
    // Four steps of k an iteration: the loop's own instructions are then lost among them.
    Value *main = e.roundDown(k, unroll);
    sums =
        e.loop(e.number(0), main, e.number(unroll), sums, [&](Value *i, ArrayRef<Value *> carried) {
          SmallVector<Value *> next(carried);
          Value *aAt = e.offset(a, b.CreateMul(i, e.number(stepOfA())));
          Value *bAt = e.offset(panel, b.CreateMul(i, e.number(stepOfB())));
          for (int64_t step = 0; step < unroll; ++step)
            multiply(next, aAt, bAt, step);
          return next;
        });
    sums = e.loop(main, k, e.number(1), sums, [&](Value *i, ArrayRef<Value *> carried) {
      SmallVector<Value *> next(carried);
      multiply(next, e.offset(a, b.CreateMul(i, e.number(stepOfA()))),
               e.offset(panel, b.CreateMul(i, e.number(stepOfB()))), 0);
      return next;
    });
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        e.store(sums[r * vectors + v], accumulator(acc, r, v));
  }

private:
  static constexpr int64_t unroll = 4;

  int64_t stepOfA() const { return kernel.aTransposed ? kernel.tileM * 4 : 4; }
  int64_t rowOfA() const { return kernel.aTransposed ? 4 : kernel.tileK * 4; }
  int64_t stepOfB() const { return kernel.panel(e.target) * 4; }

  Value *accumulator(Value *acc, int64_t row, int64_t v) {
    return e.offset(acc, (row * kernel.tileN + v * e.target.lanes) * 4);
  }

  SmallVector<Value *> start(Value *acc, Value *first) {
    BasicBlock *before = b.GetInsertBlock();
    SmallVector<Value *> loaded;
    BasicBlock *from = nullptr;
    e.when(b.CreateNot(first), [&] {
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t v = 0; v < vectors; ++v)
          loaded.push_back(e.load(vector, accumulator(acc, r, v)));
      from = b.GetInsertBlock();
    });
    SmallVector<Value *> sums;
    for (Value *value : loaded) {
      PHINode *phi = b.CreatePHI(vector, 2);
      phi->addIncoming(Constant::getNullValue(vector), before);
      phi->addIncoming(value, from);
      sums.push_back(phi);
    }
    return sums;
  }

  void multiply(SmallVectorImpl<Value *> &sums, Value *a, Value *panel, int64_t step) {
    SmallVector<Value *> columns;
    for (int64_t v = 0; v < vectors; ++v)
      columns.push_back(e.load(vector, e.offset(panel, step * stepOfB() + v * e.target.lanes * 4)));
    for (int64_t r = 0; r < rows; ++r) {
      Value *element =
          e.load(vector->getScalarType(), e.offset(a, step * stepOfA() + r * rowOfA()));
      Value *row = e.splat(element, e.target.lanes);
      for (int64_t v = 0; v < vectors; ++v) {
        Value *&sum = sums[r * vectors + v];
        if (kernel.integer)
          sum = b.CreateAdd(sum, b.CreateMul(row, columns[v]));
        else if (e.target.fusedMultiplyAdd)
          sum = b.CreateIntrinsic(Intrinsic::fma, {vector}, {row, columns[v], sum});
        else
          sum = b.CreateFAdd(sum, b.CreateFMul(row, columns[v]));
      }
    }
  }

  Emitter &e;
  IRBuilder<> &b;
  const MicroKernel &kernel;
  int64_t rows, vectors;
  Type *vector;
};

} // namespace

Function *microKernel(Emitter &e, const MicroKernel &kernel) {
  std::string name = "mmad_" + std::string(kernel.integer ? "i32" : "f32") + "_" +
                     std::to_string(kernel.tileM) + "x" + std::to_string(kernel.tileN) + "x" +
                     std::to_string(kernel.tileK) + "_" + std::to_string(kernel.panel(e.target)) +
                     (kernel.aTransposed ? "_t" : "");
  return e.helper(name, 3, 3, {e.b.getInt1Ty()}, [&](Function *f) {
    const int64_t panel = kernel.panel(e.target), rows = kernel.rows(e.target);
    Value *a = f->getArg(0), *b = f->getArg(1), *acc = f->getArg(2);
    Value *m = f->getArg(3), *n = f->getArg(4), *k = f->getArg(5), *first = f->getArg(6);
    // One panel of B stays in the first-level cache while all rows of A pass by.
    e.loop(e.number(0), n, e.number(panel), [&](Value *column) {
      Value *bPanel = e.offset(b, e.b.CreateMul(column, e.number(kernel.tileK * 4)));
      e.loop(e.number(0), m, e.number(rows), [&](Value *row) {
        Value *aRows =
            e.offset(a, e.b.CreateMul(row, e.number(kernel.aTransposed ? 4 : kernel.tileK * 4)));
        Value *at = e.b.CreateAdd(e.b.CreateMul(row, e.number(kernel.tileN)), column);
        RegisterTile(e, kernel).emit(aRows, bPanel, e.offset(acc, e.b.CreateMul(at, e.number(4))),
                                     k, first);
      });
    });
  });
}

} // namespace mmk
