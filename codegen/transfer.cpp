#include "codegen/transfer.h"

#include <numeric>

using namespace llvm;

namespace mmk {
namespace {

void copyRow(Emitter &e, Type *from, Type *to, Value *target, Value *source, Value *columns) {
  if (from == to) {
    Value *bytes = e.b.CreateMul(columns, e.number(e.bytesOf(from)));
    e.b.CreateMemCpy(target, MaybeAlign(), source, MaybeAlign(), bytes);
    return;
  }
  auto convertAt = [&](Value *column, unsigned lanes) {
    Type *type = lanes > 1 ? e.vectorOf(from, lanes) : from;
    Value *value = e.load(type, e.offset(source, e.b.CreateMul(column, e.number(e.bytesOf(from)))));
    e.store(e.convert(value, to), e.offset(target, e.b.CreateMul(column, e.number(e.bytesOf(to)))));
  };
  Value *main = e.roundDown(columns, e.target.lanes);
  e.loop(e.number(0), main, e.number(e.target.lanes),
         [&](Value *column) { convertAt(column, e.target.lanes); });
  e.loop(main, columns, e.number(1), [&](Value *column) { convertAt(column, 1); });
}

// Rows i and j = i + step swap their off-diagonal blocks of step x step; after all powers of two
// the square is transposed.
void transposeSquare(Emitter &e, SmallVectorImpl<Value *> &rows) {
  const unsigned size = rows.size();
  for (unsigned step = size / 2; step > 0; step /= 2)
    for (unsigned i = 0; i < size; ++i) {
      if (i & step)
        continue;
      SmallVector<int> low(size), high(size);
      for (unsigned lane = 0; lane < size; ++lane) {
        low[lane] = lane & step ? size + lane - step : lane;
        high[lane] = lane & step ? size + lane : lane + step;
      }
      Value *x = rows[i], *y = rows[i + step];
      rows[i] = e.b.CreateShuffleVector(x, y, low);
      rows[i + step] = e.b.CreateShuffleVector(x, y, high);
    }
}

} // namespace

Function *copyRows(Emitter &e, Type *from, Type *to) {
  std::string name = "copy_" + Emitter::nameOf(from) + "_" + Emitter::nameOf(to);
  return e.helper(name, 2, 4, {}, [&](Function *f) {
    Value *target = f->getArg(0), *source = f->getArg(1);
    e.loop(e.number(0), f->getArg(4), e.number(1), [&](Value *row) {
      copyRow(e, from, to, e.offset(target, e.b.CreateMul(row, f->getArg(2))),
              e.offset(source, e.b.CreateMul(row, f->getArg(3))), f->getArg(5));
    });
  });
}

Function *loadPadded(Emitter &e, Type *element) {
  return e.helper("load_" + Emitter::nameOf(element), 2, 7, {}, [&](Function *f) {
    Value *target = f->getArg(0), *source = f->getArg(1), *toRow = f->getArg(2),
          *fromRow = f->getArg(3), *fromColumn = f->getArg(4), *rows = f->getArg(5),
          *columns = f->getArg(6), *paddedRows = f->getArg(7), *paddedColumns = f->getArg(8);
    const int64_t size = e.bytesOf(element);
    Value *dense = e.b.CreateICmpEQ(fromColumn, e.number(size));
    auto clear = [&](Value *at, Value *elements) {
      e.b.CreateMemSet(at, e.b.getInt8(0), e.b.CreateMul(elements, e.number(size)), MaybeAlign());
    };
    e.loop(e.number(0), rows, e.number(1), [&](Value *row) {
      Value *to = e.offset(target, e.b.CreateMul(row, toRow));
      Value *from = e.offset(source, e.b.CreateMul(row, fromRow));
      e.when(dense, [&] { copyRow(e, element, element, to, from, columns); });
      e.when(e.b.CreateNot(dense), [&] {
        e.loop(e.number(0), columns, e.number(1), [&](Value *column) {
          Value *value = e.load(element, e.offset(from, e.b.CreateMul(column, fromColumn)));
          e.store(value, e.offset(to, e.b.CreateMul(column, e.number(size))));
        });
      });
      e.when(e.b.CreateICmpSLT(columns, paddedColumns), [&] {
        clear(e.offset(to, e.b.CreateMul(columns, e.number(size))),
              e.b.CreateSub(paddedColumns, columns));
      });
    });
    e.loop(rows, paddedRows, e.number(1),
           [&](Value *row) { clear(e.offset(target, e.b.CreateMul(row, toRow)), paddedColumns); });
  });
}

Function *packPanels(Emitter &e, Type *from, Type *wide, int64_t panel, int64_t tileK) {
  std::string name =
      "pack_" + Emitter::nameOf(from) + "_" + std::to_string(panel) + "x" + std::to_string(tileK);
  return e.helper(name, 2, 3, {}, [&](Function *f) {
    Value *target = f->getArg(0), *source = f->getArg(1), *fromRow = f->getArg(2),
          *k = f->getArg(3), *n = f->getArg(4);
    const unsigned lanes = e.target.lanes;
    // Row by row: each is read once from end to end, its pieces go to all panels.
    e.loop(e.number(0), k, e.number(1), [&](Value *row) {
      Value *read = e.offset(source, e.b.CreateMul(row, fromRow));
      Value *written = e.offset(target, e.b.CreateMul(row, e.number(panel * 4)));
      e.loop(e.number(0), n, e.number(panel), [&](Value *column) {
        Value *at = e.offset(read, e.b.CreateMul(column, e.number(e.bytesOf(from))));
        Value *to = e.offset(written, e.b.CreateMul(column, e.number(tileK * 4)));
        for (int64_t v = 0; v < panel; v += lanes) {
          Value *value = e.load(e.vectorOf(from, lanes), e.offset(at, v * e.bytesOf(from)));
          e.store(e.convert(value, wide), e.offset(to, v * 4));
        }
      });
    });
  });
}

Function *packPanelsTransposed(Emitter &e, Type *from, Type *wide, int64_t panel, int64_t tileK) {
  std::string name =
      "pack_t_" + Emitter::nameOf(from) + "_" + std::to_string(panel) + "x" + std::to_string(tileK);
  return e.helper(name, 2, 3, {}, [&](Function *f) {
    Value *target = f->getArg(0), *source = f->getArg(1), *fromRow = f->getArg(2),
          *k = f->getArg(3), *n = f->getArg(4);
    // Squares as wide as a vector, but no wider than divides the panel's depth: the last one may
    // reach beyond k, never beyond the panel.
    const int64_t side = std::gcd<int64_t>(e.target.lanes, tileK);
    e.loop(e.number(0), n, e.number(panel), [&](Value *column) {
      Value *panelAt = e.offset(target, e.b.CreateMul(column, e.number(tileK * 4)));
      e.loop(e.number(0), k, e.number(side), [&](Value *depth) {
        for (int64_t v = 0; v < panel; v += side) {
          SmallVector<Value *> square;
          for (int64_t i = 0; i < side; ++i) {
            Value *row =
                e.offset(source, e.b.CreateMul(e.b.CreateAdd(column, e.number(v + i)), fromRow));
            Value *at = e.offset(row, e.b.CreateMul(depth, e.number(e.bytesOf(from))));
            square.push_back(e.convert(e.load(e.vectorOf(from, side), at), wide));
          }
          transposeSquare(e, square);
          for (int64_t i = 0; i < side; ++i) {
            Value *row = e.b.CreateMul(e.b.CreateAdd(depth, e.number(i)), e.number(panel * 4));
            e.store(square[i], e.offset(panelAt, e.b.CreateAdd(row, e.number(v * 4))));
          }
        }
      });
    });
  });
}

} // namespace mmk
