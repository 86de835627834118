// A tile of a chain of two products. Blocks of rows pass over parts of the columns of the first
// product. The operands of a part are packed once for all rows of a block; then groups of rows, one
// after the other, compute their scores, make weights of them, and multiply these, while all that
// is in L1.
#include "cpu/chain/code.h"

#include "codegen/pack.h"
#include "codegen/region.h"
#include "cpu/chain/in_place.h"
#include "cpu/chain/products.h"
#include "cpu/chain/rows.h"
#include "cpu/denormal.h"
#include "cpu/product.h"
#include "cpu/tile_code.h"
#include "jit/lazy.h"

using namespace llvm;

namespace mmk {
namespace {

constexpr int64_t panelColumns(const CodeTarget &target) {
  return CodeTarget::vectors * target.lanes;
}

/// What a tile reads and writes, to be passed from function to function.
struct ChainPlaces {
  Plane a, b, v;
  Value *m = nullptr, *n = nullptr, *k = nullptr, *columns = nullptr;
  Value *allRows = nullptr; ///< of the tensor, of which a tile has m
  Value *context = nullptr; ///< of the epilogue
  SpacePlaces rows;         ///< the first input is the scores, which have no place

  SmallVector<Value **> fields() {
    SmallVector<Value **> all = {&m, &n, &k, &columns, &allRows, &context};
    for (Plane *plane : {&a, &b, &v})
      all.append({&plane->pointer, &plane->row, &plane->column});
    all.append(rows.fields());
    return all;
  }
  ChainPlaces in(Emitter &e, Value *frame) const {
    ChainPlaces inside = *this;
    for (auto [i, field] : enumerate(inside.fields()))
      *field = e.b.CreateAlignedLoad((*field)->getType(), e.offset(frame, 8 * i), Align(8));
    return inside;
  }
};

/// How the products of a tile are computed.
struct Products {
  Multiply first, second;
  bool inPlace = false; ///< B and V are not packed
};

/// The code of tiles with products of one kind each.
class ChainTile {
public:
  ChainTile(Emitter &e, cpu::ChainOp op, Products products, const std::string &name,
            const ChainPlaces &outside, Epilogue &epilogue)
      : e(e), b(e.b), op(op), first(products.first), second(products.second),
        inPlace(products.inPlace), name(name), outside(outside), epilogue(epilogue),
        facts(op, second) {}

  /// void(ptr frame)
  Function *tile();
  bool complete = true;

private:
  /// Sizes of the parts that are computed at a time, and where they are in the scratch.
  struct Layout {
    Value *depth = nullptr;                       ///< of A and B at a time
    Value *width = nullptr;                       ///< columns of V at a time
    Value *part = nullptr, *rows = nullptr;       ///< of a part and of a block
    Value *aRow = nullptr, *sumRow = nullptr;     ///< bytes of rows
    Value *bColumn = nullptr, *vColumn = nullptr; ///< bytes of packed columns
    Value *bPanels = nullptr, *vPanels = nullptr, *a = nullptr, *sums = nullptr, *states = nullptr;
    Value *ranges = nullptr;                      ///< of groups
    Value *scores = nullptr, *partials = nullptr; ///< of one group
  };
  /// Rows of the tile for some columns of the result.
  struct Block {
    Value *row = nullptr, *rows = nullptr, *column = nullptr, *columns = nullptr;
    Value *groups = nullptr;
  };
  struct Range {
    Value *first = nullptr, *end = nullptr;
  };

  Layout layoutOf(const ChainPlaces &p);
  void emitBlock(const ChainPlaces &p, const Layout &at, const Block &block);
  void packA(const ChainPlaces &p, const Layout &at, const Block &block, Value *from, Value *depth);
  void packB(const ChainPlaces &p, const Layout &at, Value *column, Value *count, Value *from,
             Value *depth);
  Range findRanges(const ChainPlaces &p, const Layout &at, const Block &block);
  void emitPart(const ChainPlaces &p, const Layout &at, const Block &block, Value *column);
  void emitGroup(const ChainPlaces &p, const Layout &at, const Block &block, Value *group,
                 Value *column, Value *packed, Value *nonFinite);
  void emitScores(const ChainPlaces &p, const Layout &at, const Block &block, Value *group,
                  Value *column, Value *packed, Value *count);
  /// A function on the rows of a group.
  enum class Stage { start, bounds, part, fullPart, finish };
  Function *ofGroup(Stage stage, RowAccess form);
  void callGroup(Stage stage, const Layout &at, const Block &block, Value *group,
                 ArrayRef<Value *> more);
  Value *isDense(const ChainPlaces &p);
  Value *isMany(const ChainPlaces &p) { // parts along the depth
    return b.CreateICmpSGT(p.k, e.number(CpuTuning::chainDepth));
  }
  Type *elementOf(mlir::Value tensor) {
    return e.elementType(cast<mlir::MemRefType>(tensor.getType()).getElementType());
  }
  Value *groupPlace(Value *base, Value *group, int64_t bytes) {
    return e.offset(base, b.CreateMul(group, e.number(bytes)));
  }
  Value *rowPlace(Value *base, Value *group, Value *rowBytes) {
    return e.offset(base, b.CreateMul(b.CreateMul(group, e.number(e.target.lanes)), rowBytes));
  }
  int64_t stateBytes() const { return (facts.stateCount() + 1) * e.target.lanes * 8; }
  static constexpr int64_t rangeBytes = 4 * 8;
  /// Bytes of `count` elements along the depth of a packed operand.
  Value *packedBytes(Multiply multiply, Value *count) {
    const int64_t unit = elementsOfStep(multiply);
    return b.CreateMul(e.roundUp(count, unit), e.number(4 / unit));
  }

  Emitter &e;
  IRBuilder<> &b;
  cpu::ChainOp op;
  const Multiply first, second;
  const bool inPlace;
  const std::string name;
  const ChainPlaces &outside;
  Epilogue &epilogue;
  const ChainFacts facts;
  Value *frame = nullptr, *denseRows = nullptr; ///< in the tile
};

ChainTile::Layout ChainTile::layoutOf(const ChainPlaces &p) {
  const int64_t lanes = e.target.lanes, padding = CpuTuning().rowPadding;
  Layout at;
  at.depth = e.min(p.k, e.number(CpuTuning::chainDepth));
  at.width = e.min(p.columns, e.number(CpuTuning::chainDepth));
  at.bColumn = packedBytes(first, at.depth);
  Value *wide = e.roundUp(at.width, lanes);
  Value *room = b.CreateUDiv(e.number(4 * CpuTuning::chainPackedElements),
                             b.CreateAdd(at.bColumn, b.CreateMul(wide, e.number(4))));
  const int64_t panel = panelColumns(e.target);
  room = b.CreateMul(b.CreateUDiv(room, e.number(panel)), e.number(panel));
  at.part = e.min(room, e.number(CpuTuning::chainPart / panel * panel));
  at.vColumn = packedBytes(second, at.part);
  at.aRow = b.CreateAdd(at.bColumn, e.number(padding));
  at.sumRow = e.plus(e.number(padding), wide, 4);
  Value *rowBytes = b.CreateAdd(b.CreateAdd(at.aRow, at.sumRow), e.number(stateBytes()));
  Value *most = b.CreateUDiv(e.number(4 * CpuTuning::chainRowElements), rowBytes);
  at.rows = e.min(e.roundDown(most, lanes), e.number(CpuTuning::chainRows));
  at.rows = b.CreateSelect(isMany(p), e.number(lanes), at.rows);
  Value *scratch = p.rows.scratch;
  at.bPanels = scratch;
  at.vPanels = e.offset(scratch, b.CreateMul(at.part, at.bColumn));
  at.a = e.offset(scratch, 4 * CpuTuning::chainPackedElements);
  at.sums = e.offset(at.a, b.CreateMul(at.rows, at.aRow));
  at.states = e.offset(at.sums, b.CreateMul(at.rows, at.sumRow));
  at.scores = e.offset(at.a, 4 * CpuTuning::chainRowElements);
  at.ranges = e.offset(at.scores, lanes * scoreRowBytes);
  at.partials = e.offset(at.ranges, CpuTuning::chainRows * rangeBytes);
  return at;
}

Value *ChainTile::isDense(const ChainPlaces &p) {
  Value *dense = b.getTrue();
  for (auto [i, input] : enumerate(op.getInputs()))
    if (op.getInputAlong()[2 * i + 1] >= 0)
      dense = b.CreateAnd(dense, b.CreateICmpEQ(p.rows.inputs[i + 1].strides[1],
                                                e.number(e.bytesOf(elementOf(input)))));
  return dense;
}

// void(ptr frame, ptr scores, ptr states, ptr sums, ptr partials, ptr range, i64 row, i64 rows,
// i64 column, i64 count, i64 sumRow, i64 sumBytes)
Function *ChainTile::ofGroup(Stage stage, RowAccess form) {
  const char *names[] = {"start", "bounds", "part", "full", "finish"};
  const std::string function =
      name + "_" + names[static_cast<int>(stage)] + (form == RowAccess::dense ? "" : "_strided");
  return e.helper(function, 6, 6, {}, [&](Function *f) {
    if (stage == Stage::part || form == RowAccess::strided)
      markLazy(*f);
    const ChainPlaces p = outside.in(e, f->getArg(0));
    ChainRows rows(e, facts, p.rows, form, stage == Stage::fullPart);
    const ChainRows::Group group{f->getArg(6), f->getArg(7),  f->getArg(2),
                                 f->getArg(3), f->getArg(10), f->getArg(11)};
    if (stage == Stage::start)
      rows.start(group);
    else if (stage == Stage::finish)
      rows.finish(group);
    else if (stage != Stage::bounds)
      rows.addPart(group, f->getArg(1), f->getArg(4), f->getArg(8), f->getArg(9));
    if (stage == Stage::bounds) {
      const RowGuard::Bounds bounds = rows.bounds(group, f->getArg(9));
      int64_t place = 0;
      for (Value *value : {bounds.some.first, bounds.some.end, bounds.all.first, bounds.all.end})
        e.store(value, e.offset(f->getArg(5), 8 * place++));
    }
    complete &= rows.complete;
  });
}

void ChainTile::callGroup(Stage stage, const Layout &at, const Block &block, Value *group,
                          ArrayRef<Value *> more) {
  Value *row = e.plus(block.row, group, e.target.lanes);
  SmallVector<Value *> arguments = {frame,
                                    at.scores,
                                    groupPlace(at.states, group, stateBytes()),
                                    rowPlace(at.sums, group, at.sumRow),
                                    at.partials,
                                    groupPlace(at.ranges, group, rangeBytes),
                                    row,
                                    b.CreateAdd(block.row, block.rows)};
  arguments.append(more.begin(), more.end());
  arguments.append({at.sumRow, b.CreateMul(e.roundUp(block.columns, e.target.lanes), e.number(4))});
  b.CreateCall(ofGroup(stage, RowAccess::dense)->getFunctionType(),
               b.CreateSelect(denseRows, ofGroup(stage, RowAccess::dense),
                              ofGroup(stage, RowAccess::strided)),
               arguments);
}

void ChainTile::packA(const ChainPlaces &p, const Layout &at, const Block &block, Value *from,
                      Value *depth) {
  Type *element = elementOf(op.getA());
  Value *rows = b.CreateMul(block.groups, e.number(e.target.lanes));
  b.CreateMemSet(at.a, b.getInt8(0), b.CreateMul(rows, at.aRow), MaybeAlign());
  Value *source = e.offset(
      p.a.pointer, b.CreateAdd(b.CreateMul(block.row, p.a.row), b.CreateMul(from, p.a.column)));
  b.CreateCall(moveElements(e, element, isBf16(first) ? element : e.f32()),
               {at.a, source, at.aRow, p.a.row, p.a.column, block.rows, depth});
}

void ChainTile::packB(const ChainPlaces &p, const Layout &at, Value *column, Value *count,
                      Value *from, Value *depth) {
  Value *source = e.offset(
      p.b.pointer, b.CreateAdd(b.CreateMul(from, p.b.row), b.CreateMul(column, p.b.column)));
  b.CreateCall(packPanels(e, first, elementOf(op.getB())),
               {at.bPanels, source, p.b.row, p.b.column, at.bColumn, depth, count});
}

// The columns that some row of the block has.
ChainTile::Range ChainTile::findRanges(const ChainPlaces &p, const Layout &at, const Block &block) {
  Value *zero = e.number(0);
  if (!facts.guard)
    return {zero, p.n};
  const SmallVector<Value *> all = e.loop(
      zero, block.groups, e.number(1), {p.n, zero}, [&](Value *group, ArrayRef<Value *> before) {
        callGroup(Stage::bounds, at, block, group, {zero, p.n});
        Value *range = groupPlace(at.ranges, group, rangeBytes);
        Value *from = e.load(e.i64(), range), *end = e.load(e.i64(), e.offset(range, 8));
        return SmallVector<Value *>{e.min(before[0], from),
                                    b.CreateBinaryIntrinsic(Intrinsic::smax, before[1], end)};
      });
  return facts.skips ? Range{all[0], all[1]} : Range{zero, p.n};
}

void ChainTile::emitScores(const ChainPlaces &p, const Layout &at, const Block &block, Value *group,
                           Value *column, Value *packed, Value *count) {
  if (inPlace) {
    b.CreateCall(scoresInPlace(e, elementOf(op.getB())),
                 {at.a, e.offset(p.b.pointer, b.CreateMul(column, p.b.column)), at.scores, at.aRow,
                  p.b.column, e.number(scoreRowBytes), block.rows, count, p.k});
    return;
  }
  GroupProduct product;
  product.aRow = at.aRow;
  product.panels = at.bPanels;
  product.columnBytes = at.bColumn;
  product.packed = packed;
  product.columns = count;
  product.sums = at.scores;
  product.sumRow = e.number(scoreRowBytes);
  e.loop(e.number(0), p.k, at.depth, [&](Value *from) {
    Value *depth = e.min(at.depth, b.CreateSub(p.k, from));
    e.when(isMany(p), [&] {
      packA(p, at, block, from, depth);
      packB(p, at, column, packed, from, depth);
    });
    product.a = rowPlace(at.a, group, at.aRow);
    product.bytes = packedBytes(first, depth);
    product.first = b.CreateICmpEQ(from, e.number(0));
    emitGroupProduct(e, first, product);
  });
}

void ChainTile::emitGroup(const ChainPlaces &p, const Layout &at, const Block &block, Value *group,
                          Value *column, Value *packed, Value *nonFinite) {
  Value *count = packed, *isNeeded = b.getTrue(), *isFull = b.getInt1(!facts.excludes);
  if (facts.guard) {
    Value *range = groupPlace(at.ranges, group, rangeBytes);
    auto load = [&](int64_t i) { return e.load(e.i64(), e.offset(range, 8 * i)); };
    if (facts.skips) {
      count = e.min(count, b.CreateSub(load(1), column));
      isNeeded = b.CreateAnd(b.CreateICmpSGT(count, e.number(0)),
                             b.CreateICmpSLT(load(0), b.CreateAdd(column, count)));
    }
    isFull = b.CreateAnd(b.CreateICmpSLE(load(2), column),
                         b.CreateICmpSGE(load(3), b.CreateAdd(column, count)));
  }
  e.when(isNeeded, [&] {
    emitScores(p, at, block, group, column, packed, count);
    if (facts.guard) {
      e.when(isFull, [&] { callGroup(Stage::fullPart, at, block, group, {column, count}); });
      e.when(b.CreateNot(isFull),
             [&] { callGroup(Stage::part, at, block, group, {column, count}); });
    } else {
      callGroup(Stage::part, at, block, group, {column, count});
    }
    Value *sums = rowPlace(at.sums, group, at.sumRow);
    Value *source = e.offset(p.v.pointer, b.CreateAdd(b.CreateMul(column, p.v.row),
                                                      b.CreateMul(block.column, p.v.column)));
    Type *element = elementOf(op.getV());
    if (inPlace) {
      auto add = [&](bool excludes) {
        b.CreateCall(addInPlace(e, element, excludes),
                     {at.scores, source, sums, e.number(scoreRowBytes), p.v.row, at.sumRow,
                      block.rows, count, block.columns});
      };
      e.when(isFull, [&] { add(/*excludes=*/false); });
      if (facts.excludes)
        e.when(b.CreateNot(isFull), [&] { add(/*excludes=*/true); });
      return;
    }
    auto multiply = [&] {
      GroupProduct product;
      product.a = at.scores;
      product.aRow = e.number(scoreRowBytes);
      product.bytes = packedBytes(second, count);
      product.panels = at.vPanels;
      product.columnBytes = at.vColumn;
      product.packed = product.columns = block.columns;
      product.sums = sums;
      product.sumRow = at.sumRow;
      product.first = b.getFalse();
      emitGroupProduct(e, second, product);
    };
    if (!facts.excludes)
      return multiply();
    Value *isExact = b.CreateAnd(nonFinite, b.CreateNot(isFull));
    e.when(b.CreateNot(isExact), multiply);
    e.when(isExact, [&] {
      Value *row = e.plus(block.row, group, e.target.lanes);
      Value *rows =
          e.min(e.number(e.target.lanes), b.CreateSub(b.CreateAdd(block.row, block.rows), row));
      b.CreateCall(addWithoutExcluded(e, isBf16(second) ? element : e.f32(), element),
                   {at.scores, source, sums, e.number(scoreRowBytes), p.v.row, p.v.column,
                    at.sumRow, rows, count, block.columns});
    });
  });
}

void ChainTile::emitPart(const ChainPlaces &p, const Layout &at, const Block &block,
                         Value *column) {
  Value *count = e.min(at.part, b.CreateSub(p.n, column));
  if (inPlace)
    return emitGroup(p, at, block, e.number(0), column, count, /*nonFinite=*/nullptr);
  e.when(b.CreateNot(isMany(p)), [&] { packB(p, at, column, count, e.number(0), p.k); });
  Value *source = e.offset(p.v.pointer, b.CreateAdd(b.CreateMul(column, p.v.row),
                                                    b.CreateMul(block.column, p.v.column)));
  b.CreateCall(packPanels(e, second, elementOf(op.getV())),
               {at.vPanels, source, p.v.row, p.v.column, at.vColumn, count, block.columns});
  Value *nonFinite = b.getFalse();
  if (facts.excludes) {
    Value *is = e.local(b.getInt8Ty());
    Value *bytes = b.CreateMul(e.roundUp(block.columns, e.target.lanes), at.vColumn);
    b.CreateCall(findNonFinite(e, second), {is, at.vPanels, bytes});
    nonFinite = b.CreateICmpNE(e.load(b.getInt8Ty(), is), b.getInt8(0));
  }
  e.loop(e.number(0), block.groups, e.number(1),
         [&](Value *group) { emitGroup(p, at, block, group, column, count, nonFinite); });
}

void ChainTile::emitBlock(const ChainPlaces &p, const Layout &at, const Block &block) {
  Value *zero = e.number(0);
  Value *height = b.CreateMul(block.groups, e.number(e.target.lanes));
  e.when(b.CreateNot(isMany(p)), [&] { packA(p, at, block, zero, p.k); });
  b.CreateMemSet(at.sums, b.getInt8(0), b.CreateMul(height, at.sumRow), MaybeAlign());
  e.loop(zero, block.groups, e.number(1),
         [&](Value *group) { callGroup(Stage::start, at, block, group, {zero, zero}); });
  const Range range = findRanges(p, at, block);
  Value *from = b.CreateMul(b.CreateUDiv(range.first, at.part), at.part);
  e.loop(from, range.end, at.part, [&](Value *column) { emitPart(p, at, block, column); });
  Function *finish = epilogue.finish(name + "_epilogue");
  e.loop(zero, block.groups, e.number(1), [&](Value *group) {
    callGroup(Stage::finish, at, block, group, {zero, zero});
    Value *row = e.plus(block.row, group, e.target.lanes);
    Value *rows =
        e.min(e.number(e.target.lanes), b.CreateSub(b.CreateAdd(block.row, block.rows), row));
    b.CreateCall(finish, {rowPlace(at.sums, group, at.sumRow), p.context, at.sumRow, row,
                          block.column, rows, block.columns});
  });
}

Function *ChainTile::tile() {
  return e.helper(name, 1, 0, {}, [&](Function *f) {
    e.finishCold(f);
    markLazy(*f);
    frame = f->getArg(0);
    const ChainPlaces p = outside.in(e, frame);
    denseRows = isDense(p);
    const Layout at = layoutOf(p);
    e.loop(e.number(0), p.columns, at.width, [&](Value *column) {
      e.loop(e.number(0), p.m, at.rows, [&](Value *row) {
        Block block;
        block.row = row;
        block.rows = e.min(at.rows, b.CreateSub(p.m, row));
        block.column = column;
        block.columns = e.min(at.width, b.CreateSub(p.columns, column));
        block.groups = e.ceilDiv(block.rows, e.number(e.target.lanes));
        emitBlock(p, at, block);
      });
    });
  });
}

/// Whether the products are computed in place: of few rows, with operands whose elements that are
/// multiplied side by side are next to each other. All tiles are computed alike, so that results do
/// not depend on the number of threads.
Value *areInPlace(Emitter &e, cpu::ChainOp op, const ChainPlaces &p) {
  auto bytesOf = [&](mlir::Value tensor) {
    return e.number(
        e.bytesOf(e.elementType(cast<mlir::MemRefType>(tensor.getType()).getElementType())));
  };
  Value *isDense = e.b.CreateAnd(e.b.CreateICmpEQ(p.b.row, bytesOf(op.getB())),
                                 e.b.CreateICmpEQ(p.v.column, bytesOf(op.getV())));
  Value *isFew = e.b.CreateAnd(e.b.CreateICmpSLE(p.allRows, e.number(CpuTuning::chainRowsInPlace)),
                               e.b.CreateICmpSLE(p.k, e.number(CpuTuning::chainDepth)));
  return e.b.CreateAnd(isDense, isFew);
}

/// Whether dot products of bf16, which take denormals for zeros, may compute both products.
Value *areDenormalFree(Emitter &e, const ChainPlaces &p) {
  ProductOperands scores;
  scores.a = p.a;
  scores.b = p.b;
  scores.m = p.m, scores.n = p.n, scores.k = p.k;
  return e.b.CreateAnd(isDenormalFree(e, scores), isFarFromDenormal(e, p.v, p.n, p.columns));
}

} // namespace

void emitChainTile(Emitter &e, cpu::ChainOp op, ProgramValues &values) {
  ChainPlaces places;
  places.a = planeOf(e, values, op.getA(), op.getAOffsets(), op.getAAlong());
  places.b = planeOf(e, values, op.getB(), op.getBOffsets(), op.getBAlong());
  places.v = planeOf(e, values, op.getV(), op.getVOffsets(), op.getVAlong());
  places.m = values.value(op.getM());
  places.allRows = values.global(op.getA()).extents[op.getAAlong()[0]];
  places.n = values.value(op.getN());
  places.k = values.value(op.getK());
  places.columns = values.value(op.getColumns());
  mlir::Block &region = op.getBody().front(), &behind = op.getEpilogue().front();
  Epilogue epilogue(e, behind, e.f32(), op.getBehind(), op.getBehindAlong(), op.getProducts());
  places.context = epilogue.context(
      planesOf(e, values, op.getBehind(), op.getBehindOffsets(), op.getBehindAlong()),
      planesOf(e, values, op.getProducts(), op.getProductOffsets(), op.getProductAlong()),
      scalarsFor(behind, values));
  places.rows.inputs =
      placesOf(e, values, op.getInputs(), op.getInputOffsets(), op.getInputAlong(), /*dims=*/2);
  places.rows.inputs.insert(places.rows.inputs.begin(),
                            {places.a.pointer, {e.number(0), e.number(4)}});
  places.rows.outputs =
      placesOf(e, values, op.getOutputs(), op.getOutputOffsets(), op.getOutputAlong(), /*dims=*/2);
  places.rows.scalars = scalarsFor(region, values);
  places.rows.scratch = values.buffer(op.getScratch(), {});

  const SmallVector<Value **> fields = places.fields();
  Value *frame = e.local(ArrayType::get(e.i64(), fields.size()));
  for (auto [i, value] : enumerate(fields))
    e.b.CreateAlignedStore(*value, e.offset(frame, 8 * i), Align(8));
  const std::string name = "chain_" + std::to_string(e.module.size());
  auto multiplyFor = [&](mlir::Value tensor) {
    return multiplyOf(e.target,
                      e.elementType(cast<mlir::MemRefType>(tensor.getType()).getElementType()));
  };
  const Multiply first = multiplyFor(op.getA()), second = multiplyFor(op.getV());
  bool complete = true;
  Function *function = e.helper(name, 1, 0, {}, [&](Function *f) {
    Value *inside = f->getArg(0);
    const ChainPlaces p = places.in(e, inside);
    auto call = [&](Products products, const char *kind) {
      ChainTile tile(e, op, products, name + kind, places, epilogue);
      e.b.CreateCall(tile.tile(), {inside});
      complete &= tile.complete;
    };
    Value *inPlace = areInPlace(e, op, p);
    e.when(inPlace, [&] { call({Multiply::f32, Multiply::f32, /*inPlace=*/true}, "_in_place"); });
    e.when(e.b.CreateNot(inPlace), [&] {
      if (!isBf16(first) && !isBf16(second))
        return call({first, second}, "_tile");
      Value *normal = areDenormalFree(e, p);
      e.when(normal, [&] { call({first, second}, "_tile"); });
      e.when(e.b.CreateNot(normal), [&] { call({Multiply::f32, Multiply::f32}, "_wide"); });
    });
  });
  e.b.CreateCall(function, {frame});
  if (!complete || !epilogue.complete)
    values.fail(op);
}

} // namespace mmk
