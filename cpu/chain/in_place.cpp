#include "cpu/chain/in_place.h"

#include "codegen/element_pairs.h"
#include "codegen/lane_loop.h"
#include "codegen/micro_kernel.h"
#include "cpu/tuning.h"
#include "jit/lazy.h"

using namespace llvm;

namespace mmk {
namespace {

/// Columns of B whose sums are computed side by side.
constexpr int64_t columnsTogether = 4;
/// Rows of V that are in L1 for all rows of weights.
constexpr int64_t rowsOfV = 32;

/// One lane of the result for each vector, its sum: halves of pairs are exchanged and added until
/// one vector is left, and then the parts of that.
Value *sumsOfVectors(Emitter &e, SmallVector<Value *> vectors) {
  IRBuilder<> &b = e.b;
  const int lanes = static_cast<int>(e.target.lanes), count = static_cast<int>(vectors.size());
  for (int distance = count / 2; distance > 0; distance /= 2)
    for (int v = 0; v < distance; ++v) {
      const auto [x, y] = exchanged(e, vectors[v], vectors[v + distance], distance);
      vectors[v] = b.CreateFAdd(x, y);
    }
  for (int distance = count; distance < lanes; distance *= 2) {
    SmallVector<int> order;
    for (int lane = 0; lane < lanes; ++lane)
      order.push_back(lane ^ distance);
    vectors[0] = b.CreateFAdd(vectors[0], b.CreateShuffleVector(vectors[0], order));
  }
  return vectors[0];
}

class InPlace {
public:
  InPlace(Emitter &e, Type *element) : e(e), b(e.b), element(element) {}

  /// Some rows of A with some columns of B.
  void emitScores(Function *f, Value *row, Value *column, int64_t rows, Value *ahead);
  /// Some vectors of some rows of sums, of which the last one has `count` lanes (null: all).
  void emitSums(Function *f, Value *row, Value *column, Value *first, Value *end, int64_t rows,
                int64_t vectors, Value *count, Value *ahead, bool excludes);
  int64_t rowsTogether() const {
    return std::min<int64_t>(e.target.registers >= 32 ? 4 : 2, e.target.lanes / columnsTogether);
  }
  int64_t vectorsTogether() const { return e.target.registers >= 32 ? 4 : 2; }

  /// From a row of so many elements to one that is read a little later: the hardware does not
  /// follow parts of B and of V in turns.
  Value *bytesAhead(Value *elements, Value *rowBytes) {
    Value *rows = b.CreateUDiv(e.number(CpuTuning().chainPrefetchBytes),
                               b.CreateMul(elements, e.number(e.bytesOf(element))));
    return b.CreateMul(b.CreateAdd(rows, e.number(1)), rowBytes);
  }

private:
  Value *moved(Value *pointer, Value *elements, Type *type) {
    return e.offset(pointer, b.CreateMul(elements, e.number(e.bytesOf(type))));
  }
  Value *load(Value *pointer, Value *count) {
    Type *vector = e.vectorOf(element, e.target.lanes);
    return e.convert(count ? e.loadSome(vector, pointer, count) : e.load(vector, pointer), e.f32());
  }
  Value *multiplied(Value *x, Value *y, Value *sum) {
    return emitMultiply(e, Multiply::f32, x, y, sum);
  }

  Emitter &e;
  IRBuilder<> &b;
  Type *element;
};

// Columns behind the last one are that one again.
void InPlace::emitScores(Function *f, Value *row, Value *column, int64_t rows, Value *ahead) {
  Value *aRow = f->getArg(3), *bColumn = f->getArg(4), *columns = f->getArg(7),
        *depth = f->getArg(8);
  const int64_t lanes = e.target.lanes;
  SmallVector<Value *> as, bs;
  for (int64_t r = 0; r < rows; ++r)
    as.push_back(e.offset(f->getArg(0), b.CreateMul(b.CreateAdd(row, e.number(r)), aRow)));
  Value *last = b.CreateSub(columns, e.number(1));
  for (int64_t c = 0; c < columnsTogether; ++c)
    bs.push_back(e.offset(f->getArg(1),
                          b.CreateMul(e.min(b.CreateAdd(column, e.number(c)), last), bColumn)));
  auto step = [&](const LaneStep &vector, ArrayRef<Value *> sums) {
    Value *at = vector.at;
    SmallVector<Value *> ofB, next;
    for (Value *from : bs) {
      Value *place = moved(from, at, element);
      ofB.push_back(load(place, vector.count));
      e.prefetch(e.offset(place, ahead), /*level=*/2);
    }
    for (int64_t r = 0; r < rows; ++r) {
      Value *x = e.load(e.vectorOf(e.f32(), lanes), moved(as[r], at, e.f32()));
      for (int64_t c = 0; c < columnsTogether; ++c)
        next.push_back(multiplied(x, ofB[c], sums[r * columnsTogether + c]));
    }
    return next;
  };
  const Carried zeros(rows * columnsTogether, Constant::getNullValue(e.vectorOf(e.f32(), lanes)));
  Value *all = sumsOfVectors(e, emitLoop(e, {e.number(0), depth, {1}}, zeros, step));
  for (int64_t r = 0; r < rows; ++r) {
    SmallVector<int> own;
    for (int64_t c = 0; c < columnsTogether; ++c)
      own.push_back(static_cast<int>(r * columnsTogether + c));
    Value *to = e.offset(f->getArg(2), b.CreateMul(b.CreateAdd(row, e.number(r)), f->getArg(5)));
    e.store(b.CreateShuffleVector(all, own), moved(to, column, e.f32()));
  }
}

void InPlace::emitSums(Function *f, Value *row, Value *column, Value *first, Value *end,
                       int64_t rows, int64_t vectors, Value *count, Value *ahead, bool excludes) {
  const int64_t lanes = e.target.lanes;
  Type *vector = e.vectorOf(e.f32(), lanes);
  SmallVector<Value *> weights, places, sums;
  for (int64_t r = 0; r < rows; ++r) {
    Value *at = b.CreateAdd(row, e.number(r));
    weights.push_back(e.offset(f->getArg(0), b.CreateMul(at, f->getArg(3))));
    places.push_back(moved(e.offset(f->getArg(2), b.CreateMul(at, f->getArg(5))), column, e.f32()));
    for (int64_t v = 0; v < vectors; ++v)
      sums.push_back(e.load(vector, e.offset(places[r], v * lanes * 4)));
  }
  Value *from = moved(f->getArg(1), column, element);
  sums = e.loop(first, end, e.number(1), sums, [&](Value *j, ArrayRef<Value *> before) {
    Value *ofRow = e.offset(from, b.CreateMul(j, f->getArg(4)));
    SmallVector<Value *> ofV, next;
    for (int64_t v = 0; v < vectors; ++v) {
      Value *place = e.offset(ofRow, v * lanes * e.bytesOf(element));
      ofV.push_back(load(place, count));
      e.prefetch(e.offset(place, ahead), /*level=*/2);
    }
    for (int64_t r = 0; r < rows; ++r) {
      Value *own = e.load(e.f32(), moved(weights[r], j, e.f32()));
      Value *weight = e.splat(own, lanes), *isExcluded = nullptr;
      if (excludes)
        isExcluded =
            b.CreateICmpEQ(b.CreateBitCast(own, b.getInt32Ty()), b.getInt(APInt::getSignMask(32)));
      for (int64_t v = 0; v < vectors; ++v) {
        Value *sum = before[r * vectors + v], *more = multiplied(weight, ofV[v], sum);
        next.push_back(excludes ? b.CreateSelect(isExcluded, sum, more) : more);
      }
    }
    return next;
  });
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      e.store(sums[r * vectors + v], e.offset(places[r], v * lanes * 4));
}

} // namespace

Function *scoresInPlace(Emitter &e, Type *element) {
  return e.helper("chain_scores_" + Emitter::nameOf(element), 3, 6, {}, [&](Function *f) {
    markLazy(*f);
    InPlace code(e, element);
    Value *rows = f->getArg(6);
    Value *ahead = code.bytesAhead(f->getArg(8), f->getArg(4));
    const int64_t together = code.rowsTogether();
    e.loop(e.number(0), f->getArg(7), e.number(columnsTogether), [&](Value *column) {
      // A single row is not worth the code of several, which are zeros behind the last one.
      Value *many = e.b.CreateSelect(e.b.CreateICmpSGT(rows, e.number(1)), rows, e.number(0));
      e.loop(e.number(0), many, e.number(together),
             [&](Value *row) { code.emitScores(f, row, column, together, ahead); });
      e.when(e.b.CreateICmpEQ(rows, e.number(1)),
             [&] { code.emitScores(f, e.number(0), column, 1, ahead); });
    });
  });
}

Function *addInPlace(Emitter &e, Type *element, bool excludes) {
  const std::string name =
      std::string(excludes ? "chain_add_some_" : "chain_add_") + Emitter::nameOf(element);
  return e.helper(name, 3, 6, {}, [&](Function *f) {
    markLazy(*f);
    IRBuilder<> &b = e.b;
    InPlace code(e, element);
    const int64_t lanes = e.target.lanes, together = code.rowsTogether(),
                  vectors = code.vectorsTogether();
    Value *rows = f->getArg(6), *depth = f->getArg(7), *columns = f->getArg(8);
    Value *ahead = code.bytesAhead(columns, f->getArg(4));
    Value *whole =
        e.b.CreateMul(b.CreateUDiv(columns, e.number(vectors * lanes)), e.number(vectors * lanes));
    e.loop(e.number(0), depth, e.number(rowsOfV), [&](Value *first) {
      Value *end = e.min(b.CreateAdd(first, e.number(rowsOfV)), depth);
      auto ofRows = [&](Value *row, int64_t count) {
        e.loop(e.number(0), whole, e.number(vectors * lanes), [&](Value *column) {
          code.emitSums(f, row, column, first, end, count, vectors, nullptr, ahead, excludes);
        });
        e.loop(whole, columns, e.number(lanes), [&](Value *column) {
          Value *left = e.min(b.CreateSub(columns, column), e.number(lanes));
          code.emitSums(f, row, column, first, end, count, 1, left, ahead, excludes);
        });
      };
      Value *many = e.roundDown(rows, together);
      e.loop(e.number(0), many, e.number(together), [&](Value *row) { ofRows(row, together); });
      e.loop(many, rows, e.number(1), [&](Value *row) { ofRows(row, 1); });
    });
  });
}

} // namespace mmk
