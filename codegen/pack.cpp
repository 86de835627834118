#include "codegen/pack.h"

using namespace llvm;

namespace mmk {
namespace {

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

/// Rows packed at a time into a block of panels, a multiple of the squares that are transposed, and
/// of the rows of a tile register. It is also the prefetch distance: the next rows to be packed.
constexpr int64_t rowsAhead = 16;

/// The three functions behind moveElements, with the same parameters.
struct Move {
  Emitter &e;
  Type *from, *to;
  uint64_t flips = 0;                  ///< bits of an integer that are inverted
  int64_t alignment = e.bytesOf(from); ///< of the source

  Value *converted(Value *value) const {
    if (flips)
      value = e.b.CreateXor(value, ConstantInt::get(value->getType(), flips));
    return e.convert(value, to);
  }
  Value *loaded(Type *type, Value *pointer) const {
    return e.b.CreateAlignedLoad(type, pointer, Align(alignment));
  }
  Value *at(Value *base, Value *row, Value *rowBytes, Value *column, Value *columnBytes) const {
    return e.offset(
        base, e.b.CreateAdd(e.b.CreateMul(row, rowBytes), e.b.CreateMul(column, columnBytes)));
  }

  void alongRows(Function *f) const {
    // Bytes that stay bytes fill a register, if the tail of a row is masked.
    const bool bytes = e.bytesOf(from) == 1 && e.bytesOf(to) == 1 && e.target.masks();
    const unsigned lanes = e.target.lanes * (bytes ? 4 : 1);
    Value *target = f->getArg(0), *source = f->getArg(1), *columns = f->getArg(6);
    Value *fromBytes = e.number(e.bytesOf(from)), *toBytes = e.number(e.bytesOf(to));
    Type *vector = e.vectorOf(from, lanes);
    e.loop(e.number(0), f->getArg(5), e.number(1), [&](Value *row) {
      auto read = [&](Value *column) { return at(source, row, f->getArg(3), column, fromBytes); };
      auto written = [&](Value *column) { return at(target, row, f->getArg(2), column, toBytes); };
      auto move = [&](Value *column) {
        e.store(converted(e.load(vector, read(column))), written(column));
        // Rows are short pieces of longer ones: too short for the hardware prefetcher.
        e.prefetch(e.offset(read(column), e.b.CreateMul(f->getArg(3), e.number(rowsAhead))));
      };
      Value *pairs = e.roundDown(columns, 2 * lanes);
      e.loop(e.number(0), pairs, e.number(2 * lanes), [&](Value *column) {
        move(column);
        move(e.b.CreateAdd(column, e.number(lanes)));
      });
      e.loop(pairs, columns, e.number(lanes), [&](Value *column) {
        Value *left = e.b.CreateSub(columns, column);
        e.storeSome(converted(e.loadSome(vector, read(column), left)), written(column), left);
      });
    });
  }

  // Squares of 4 x 4, transposed in registers, which is as fast as larger ones: vectors of four are
  // shuffled by more units. The edges element by element.
  void alongColumns(Function *f, Function *single) const {
    constexpr unsigned side = 4;
    Value *target = f->getArg(0), *source = f->getArg(1), *toRow = f->getArg(2),
          *fromRow = f->getArg(3), *fromColumn = f->getArg(4), *rows = f->getArg(5),
          *columns = f->getArg(6);
    Value *toColumn = e.number(e.bytesOf(to));
    Value *wholeRows = e.roundDown(rows, side), *wholeColumns = e.roundDown(columns, side);
    e.loop(e.number(0), wholeRows, e.number(side), [&](Value *row) {
      e.loop(e.number(0), wholeColumns, e.number(side), [&](Value *column) {
        SmallVector<Value *> square;
        Value *read = at(source, row, fromRow, column, fromColumn);
        for (unsigned i = 0; i < side; ++i, read = e.offset(read, fromColumn))
          square.push_back(converted(loaded(e.vectorOf(from, side), read)));
        transposeSquare(e, square);
        Value *written = at(target, row, toRow, column, toColumn);
        for (unsigned i = 0; i < side; ++i, written = e.offset(written, toRow))
          e.store(square[i], written);
      });
    });
    auto rest = [&](Value *row, Value *column, Value *rows, Value *columns) {
      e.b.CreateCall(single, {at(target, row, toRow, column, toColumn),
                              at(source, row, fromRow, column, fromColumn), toRow, fromRow,
                              fromColumn, rows, columns});
    };
    rest(e.number(0), wholeColumns, wholeRows, e.b.CreateSub(columns, wholeColumns));
    rest(wholeRows, e.number(0), e.b.CreateSub(rows, wholeRows), columns);
  }

  void oneByOne(Function *f) const {
    e.loop(e.number(0), f->getArg(5), e.number(1), [&](Value *row) {
      e.loop(e.number(0), f->getArg(6), e.number(1), [&](Value *column) {
        Value *value = loaded(from, at(f->getArg(1), row, f->getArg(3), column, f->getArg(4)));
        e.store(converted(value),
                at(f->getArg(0), row, f->getArg(2), column, e.number(e.bytesOf(to))));
      });
    });
  }
};

Value *joinedOf(Emitter &e, Value *x, Value *y) {
  SmallVector<int> all;
  for (unsigned i = 0; i < 2 * cast<FixedVectorType>(x->getType())->getNumElements(); ++i)
    all.push_back(static_cast<int>(i));
  return e.b.CreateShuffleVector(x, y, all);
}

/// Packs groups of four bytes that are dense along columns, with the parameters of moveElements.
Function *transposed(Emitter &e, uint64_t flips) {
  const std::string name = flips ? "transpose_flipped" : "transpose";
  const Move move{e, e.b.getInt32Ty(), e.b.getInt32Ty(), flips, 1};
  Function *single = e.helper(name + "_single", 2, 5, {}, [&](Function *f) { move.oneByOne(f); });
  return e.helper(name, 2, 5, {}, [&](Function *f) { move.alongColumns(f, single); });
}

/// Interleaves rows of elements of two bytes or one into rows of four-byte groups, a vector of
/// columns at a time: the same parameters as moveElements, for the rows packed at a time, and the
/// columns of one panel.
struct Groups {
  Emitter &e;
  Type *element;
  bool isOffset; ///< by 128: the first bit of each byte is inverted
  IRBuilder<> &b = e.b;
  const int64_t size = e.bytesOf(element), group = 4 / size;

  void emit(Function *f);

private:
  /// void(ptr to, ptr from, i64 fromRow, i64 rows, i64 vectors): whole vectors of dense elements
  /// and whole groups.
  Function *panel();
  Value *grouped(ArrayRef<Value *> rows);
  Value *offset(Value *elements) {
    return isOffset ? b.CreateXor(elements, ConstantInt::get(elements->getType(), 0x80)) : elements;
  }
};

Value *Groups::grouped(ArrayRef<Value *> rows) {
  const unsigned lanes = e.target.lanes, count = group;
  if (count == 2) {
    SmallVector<int> inTurns;
    for (unsigned i = 0; i < 2 * lanes; ++i)
      inTurns.push_back(static_cast<int>(i % 2 * lanes + i / 2));
    return b.CreateShuffleVector(rows[0], rows[1], inTurns);
  }
  // Interleaves four rows by column, then transposes each 16 bytes, which are 4 x 4: two
  // instructions, as no byte crosses a 128-bit lane.
  SmallVector<int> byFours, byBytes;
  for (unsigned i = 0; i < lanes; ++i)
    byFours.push_back(static_cast<int>(i % 4 * (lanes / 4) + i / 4));
  for (unsigned i = 0; i < 4 * lanes; ++i)
    byBytes.push_back(static_cast<int>(i / 16 * 16 + i % 4 * 4 + i / 4 % 4));
  Type *fours = e.vectorOf(b.getInt32Ty(), lanes), *bytes = e.vectorOf(element, 4 * lanes);
  Value *joined = joinedOf(e, joinedOf(e, rows[0], rows[1]), joinedOf(e, rows[2], rows[3]));
  return b.CreateShuffleVector(
      b.CreateBitCast(b.CreateShuffleVector(b.CreateBitCast(joined, fours), byFours), bytes),
      byBytes);
}

void Groups::emit(Function *f) {
  Value *target = f->getArg(0), *source = f->getArg(1), *toRow = f->getArg(2),
        *fromRow = f->getArg(3), *fromColumn = f->getArg(4), *rows = f->getArg(5),
        *columns = f->getArg(6);
  auto groups = [&](Value *rows) { return b.CreateAShr(rows, e.number(Log2_64(group))); };
  // Dense along k, a group is one element of four bytes in memory.
  Value *isGrouped = b.CreateICmpEQ(fromRow, e.number(size));
  Value *transposedRows = b.CreateSelect(isGrouped, e.roundDown(rows, group), e.number(0));
  Value *left = b.CreateSub(rows, transposedRows);
  e.when(isGrouped, [&] {
    b.CreateCall(transposed(e, isOffset ? 0x80808080 : 0),
                 {target, source, toRow, e.number(4), fromColumn, groups(transposedRows), columns});
  });
  e.when(b.CreateICmpNE(left, e.number(0)), [&] {
    Value *isWhole = b.CreateAnd({b.CreateICmpEQ(fromColumn, e.number(size)),
                                  b.CreateICmpEQ(b.CreateMul(columns, e.number(4)), toRow),
                                  b.CreateICmpEQ(e.roundDown(left, group), left)});
    // Ragged ones are copied to a buffer of whole groups and vectors.
    SmallVector<Value *> from = e.eitherOf(
        isWhole, [&] { return SmallVector<Value *>{source, fromRow}; },
        [&] {
          Type *row = e.vectorOf(element, CodeTarget::vectors * e.target.lanes);
          Value *copy = e.local(ArrayType::get(row, rowsAhead));
          Value *rowBytes = e.number(CodeTarget::vectors * e.target.lanes * size);
          b.CreateMemSet(copy, b.getInt8(isOffset ? 0x80 : 0),
                         b.CreateMul(rowBytes, e.number(rowsAhead)), MaybeAlign());
          Value *rest = e.offset(source, b.CreateMul(transposedRows, fromRow));
          b.CreateCall(moveElements(e, element, element),
                       {copy, rest, rowBytes, fromRow, fromColumn, left, columns});
          return SmallVector<Value *>{copy, rowBytes};
        });
    b.CreateCall(panel(),
                 {e.offset(target, b.CreateMul(groups(transposedRows), toRow)), from[0], from[1],
                  left, b.CreateUDiv(toRow, e.number(int64_t(e.target.lanes) * 4))});
  });
}

Function *Groups::panel() {
  std::string name = "groups_of_panel_" + Emitter::nameOf(element);
  return e.helper(isOffset ? name + "_offset" : name, 2, 3, {}, [&](Function *f) {
    Value *fromRow = f->getArg(2), *ahead = b.CreateMul(fromRow, e.number(rowsAhead));
    const int64_t lanes = e.target.lanes;
    Type *vector = e.vectorOf(element, lanes);
    Value *rowsBytes = b.CreateMul(fromRow, e.number(group));
    e.loop(e.number(0), f->getArg(3), e.number(group), {f->getArg(0), f->getArg(1)},
           [&](Value *, ArrayRef<Value *> rows) {
             Value *to =
                 e.loop(e.number(0), f->getArg(4), e.number(1), {rows[0], rows[1]},
                        [&](Value *, ArrayRef<Value *> at) {
                          SmallVector<Value *> part;
                          Value *from = at[1];
                          for (int64_t i = 0; i < group; ++i, from = e.offset(from, fromRow)) {
                            part.push_back(offset(e.load(vector, from)));
                            e.prefetch(e.offset(from, ahead));
                          }
                          e.store(grouped(part), at[0]);
                          return SmallVector<Value *>{e.offset(at[0], lanes * 4),
                                                      e.offset(at[1], lanes * size)};
                        })[0];
             return SmallVector<Value *>{to, e.offset(rows[1], rowsBytes)};
           });
  });
}

/// void(ptr to, ptr from, i64 fromRow, i64 rows): rows of a whole panel, dense in both.
Function *packRowsOfPanel(Emitter &e, Type *from, Type *to, int64_t vectors) {
  std::string name = "pack_" + Emitter::nameOf(from) + "_" + std::to_string(vectors);
  return e.helper(name, 2, 2, {}, [&](Function *f) {
    Value *fromRow = f->getArg(2), *ahead = e.b.CreateMul(fromRow, e.number(rowsAhead));
    const int64_t lanes = e.target.lanes, size = e.bytesOf(from);
    e.loop(e.number(0), f->getArg(3), e.number(1), {f->getArg(0), f->getArg(1)},
           [&](Value *, ArrayRef<Value *> at) {
             for (int64_t v = 0; v < vectors; ++v) {
               Value *source = e.offset(at[1], v * lanes * size);
               Value *value = e.convert(e.load(e.vectorOf(from, lanes), source), to);
               e.store(value, e.offset(at[0], v * lanes * 4));
             }
             // Rows are short pieces of longer ones: too short for the hardware prefetcher.
             for (int64_t byte = 0; byte < vectors * lanes * size; byte += 64)
               e.prefetch(e.offset(e.offset(at[1], ahead), byte));
             return SmallVector<Value *>{e.offset(at[0], vectors * lanes * 4),
                                         e.offset(at[1], fromRow)};
           });
  });
}

} // namespace

Function *moveElements(Emitter &e, Type *from, Type *to) {
  std::string name = "move_" + Emitter::nameOf(from) + "_" + Emitter::nameOf(to);
  Move move{e, from, to};
  Function *single = e.helper(name + "_single", 2, 5, {}, [&](Function *f) { move.oneByOne(f); });
  return e.helper(name, 2, 5, {}, [&](Function *f) {
    Value *size = e.number(e.bytesOf(from));
    Value *alongRows = e.b.CreateICmpEQ(f->getArg(4), size);
    e.when(alongRows, [&] { move.alongRows(f); });
    e.when(e.b.CreateNot(alongRows), [&] {
      Value *alongColumns = e.b.CreateICmpEQ(f->getArg(3), size);
      e.when(alongColumns, [&] { move.alongColumns(f, single); });
      e.when(e.b.CreateNot(alongColumns), [&] {
        e.b.CreateCall(single, SmallVector<Value *>(llvm::make_pointer_range(f->args())));
      });
    });
  });
}

Function *packPanels(Emitter &e, Multiply multiply, Type *element) {
  Type *wide = multiply == Multiply::f32 ? e.f32() : e.b.getInt32Ty();
  const int64_t lanes = e.target.lanes, group = elementsOfStep(multiply);
  const bool isOffset = multiply == Multiply::int8Dot4;
  std::string name = "pack_" + Emitter::nameOf(element) + "_" +
                     (usesAmx(multiply) ? "tiles"
                      : group > 1       ? "groups"
                                        : Emitter::nameOf(wide) + "_panels");
  return e.helper(name, 2, 5, {}, [&](Function *f) {
    e.finishCold(f);
    IRBuilder<> &b = e.b;
    Value *target = f->getArg(0), *source = f->getArg(1), *fromK = f->getArg(2),
          *fromN = f->getArg(3), *columnBytes = f->getArg(4), *k = f->getArg(5), *n = f->getArg(6);
    Function *move =
        group > 1
            ? e.helper((isOffset ? "group_offset_" : "group_") + Emitter::nameOf(element), 2, 5, {},
                       [&](Function *groups) { Groups{e, element, isOffset}.emit(groups); })
            : moveElements(e, element, wide);
    auto panelAt = [&](Value *column) {
      return e.offset(target, b.CreateMul(column, columnBytes));
    };
    // Places without an element are zeroed: columns of the last panel, bytes of the last group,
    // groups of the last tile.
    forEachPanel(e, n, [&](Value *vectors, Value *column) {
      Value *width = b.CreateMul(vectors, e.number(lanes)), *panel = panelAt(column);
      Value *stepBytes = b.CreateMul(width, e.number(4));
      auto stepsOf = [&](Value *depth) { return b.CreateAShr(depth, e.number(Log2_64(group))); };
      Value *steps = stepsOf(e.roundUp(k, elementsAtOnce(multiply)));
      if (group > 1) {
        Value *whole = stepsOf(k);
        b.CreateMemSet(e.offset(panel, b.CreateMul(whole, stepBytes)), b.getInt8(0),
                       b.CreateMul(b.CreateSub(steps, whole), stepBytes), MaybeAlign());
      }
      e.when(b.CreateICmpSGT(b.CreateAdd(column, width), n), [&] {
        b.CreateMemSet(panel, b.getInt8(0), b.CreateMul(steps, stepBytes), MaybeAlign());
      });
    });
    // As many rows at a time as one square has, each read from end to end.
    e.loop(e.number(0), k, e.number(rowsAhead), [&](Value *row) {
      Value *count = e.min(e.number(rowsAhead), b.CreateSub(k, row));
      forEachPanel(e, n, [&](Value *vectors, Value *column) {
        Value *width = b.CreateMul(vectors, e.number(lanes));
        Value *stepBytes = b.CreateMul(width, e.number(4));
        Value *from =
            e.offset(source, b.CreateAdd(b.CreateMul(row, fromK), b.CreateMul(column, fromN)));
        Value *steps = b.CreateAShr(row, e.number(Log2_64(group)));
        Value *to = e.offset(panelAt(column), b.CreateMul(steps, stepBytes));
        auto any = [&] {
          b.CreateCall(move, {to, from, stepBytes, fromK, fromN, count,
                              e.min(width, b.CreateSub(n, column))});
        };
        if (group > 1)
          return any();
        Value *isWhole = b.CreateAnd(b.CreateICmpSLE(b.CreateAdd(column, width), n),
                                     b.CreateICmpEQ(fromN, e.number(e.bytesOf(element))));
        e.when(isWhole, [&] {
          auto rows = [&](int64_t width) { return packRowsOfPanel(e, element, wide, width); };
          b.CreateCall(rows(1)->getFunctionType(), ofWidth(e, vectors, rows),
                       {to, from, fromK, count});
        });
        e.when(b.CreateNot(isWhole), any);
      });
    });
  });
}

} // namespace mmk
