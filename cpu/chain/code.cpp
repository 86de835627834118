// A tile of a chain of products. Blocks of rows pass over parts of the columns of the first
// products. The operands of a part are packed once for all rows of a block; then groups of rows,
// one after the other, compute their scores, make weights of them, and multiply these, while all
// that is in L1.
#include "cpu/chain/code.h"

#include "codegen/pack.h"
#include "codegen/region.h"
#include "cpu/chain/in_place.h"
#include "cpu/chain/places.h"
#include "cpu/chain/products.h"
#include "cpu/chain/rows.h"
#include "cpu/denormal.h"
#include "cpu/frame.h"
#include "cpu/product.h"
#include "cpu/tile_code.h"
#include "jit/lazy.h"

using namespace llvm;

namespace mmk {
namespace {

/// How the products of a tile are computed.
enum class ChainForm {
  native, ///< as the target multiplies their types
  wide,   ///< as f32
  inPlace ///< as f32, of B and V that are not packed
};

Type *elementOf(Emitter &e, mlir::Value tensor) {
  return e.elementType(cast<mlir::MemRefType>(tensor.getType()).getElementType());
}

/// The code of tiles of one form.
class ChainTile {
public:
  ChainTile(Emitter &e, cpu::ChainOp op, ChainForm form, const std::string &name,
            const ChainPlaces &outside, MutableArrayRef<Epilogue> epilogues)
      : e(e), b(e.b), op(op), form(form), name(name), outside(outside), epilogues(epilogues),
        facts(op, multipliesOf(op.getV())), first(multipliesOf(op.getA())),
        second(multipliesOf(op.getV())) {}

  /// void(ptr frame)
  Function *tile();
  bool complete = true;

private:
  SmallVector<Multiply> multipliesOf(mlir::OperandRange tensors) {
    return map_to_vector(tensors, [&](mlir::Value tensor) {
      return form == ChainForm::native ? multiplyOf(e.target, elementOf(e, tensor)) : Multiply::f32;
    });
  }
  /// Sizes of the parts that are computed at a time, and where they are in the scratch.
  struct Layout {
    struct First {
      Value *depth = nullptr;                    ///< of A and B at a time
      Value *aRow = nullptr, *bColumn = nullptr; ///< bytes of a row, and of a packed column
      Value *panels = nullptr, *a = nullptr;
    };
    struct Second {
      Value *sumRow = nullptr, *vColumn = nullptr;
      Value *panels = nullptr, *sums = nullptr;
    };
    SmallVector<First> firsts;
    SmallVector<Second> seconds;
    Value *width = nullptr;                       ///< columns of V at a time
    Value *part = nullptr, *rows = nullptr;       ///< of a part and of a block
    Value *states = nullptr, *ranges = nullptr;   ///< of groups
    Value *scores = nullptr, *partials = nullptr; ///< of one group
  };
  /// Rows of the tile for some columns of the results.
  struct Block {
    Value *row = nullptr, *rows = nullptr, *column = nullptr, *groups = nullptr;
    SmallVector<Value *> columns; ///< of each result
  };
  /// A part of the columns of the first products.
  struct Part {
    Value *column = nullptr, *count = nullptr;
    Value *next = nullptr;          ///< the first column of the part that is packed next
    SmallVector<Value *> nonFinite; ///< i1, of each V: some element is infinite or NaN
  };
  struct Range {
    Value *first = nullptr, *end = nullptr;
  };
  /// A group of rows, and what they need of a part.
  struct Group {
    Value *number = nullptr;
    Range columns;             ///< in the part; the first is one of a vector
    Value *isNeeded = nullptr; ///< i1: there are some
    Value *isFull = nullptr;   ///< i1: the guard holds for all of them
    Value *scores = nullptr;   ///< of the first
  };

  Layout layoutOf(const ChainPlaces &p);
  void place(Layout &at, Value *scratch);
  void emitBlock(const ChainPlaces &p, const Layout &at, const Block &block);
  void packA(const ChainPlaces &p, const Layout &at, const Block &block, size_t i, Value *from,
             Value *depth);
  void packB(const ChainPlaces &p, const Layout &at, const Part &part, size_t i, Value *from,
             Value *depth);
  void packV(const ChainPlaces &p, const Layout &at, const Block &block, Part &part, size_t i);
  void prefetchNext(const ChainPlaces &p, const Layout &at, const Block &block, const Part &part,
                    Value *group);
  Range findRanges(const ChainPlaces &p, const Layout &at, const Block &block);
  void emitPart(const ChainPlaces &p, const Layout &at, const Block &block, Value *column,
                Value *next);
  void emitGroup(const ChainPlaces &p, const Layout &at, const Block &block, const Part &part,
                 Value *number);
  Group groupOf(const Layout &at, const Part &part, Value *number);
  void emitScores(const ChainPlaces &p, const Layout &at, const Block &block, const Part &part,
                  const Group &group, size_t i);
  /// The product of weights with a V.
  void addProduct(const ChainPlaces &p, const Layout &at, const Block &block, const Part &part,
                  const Group &group, size_t i);
  /// A function on the rows of a group.
  enum class Stage { start, bounds, part, fullPart, finish };
  Function *ofGroup(Stage stage, RowAccess form);
  /// Columns of a part for a group: where their scores are, and the columns.
  struct Columns {
    Value *scores = nullptr, *first = nullptr, *count = nullptr;
  };
  void callGroup(Stage stage, const Layout &at, const Block &block, Value *group,
                 const Columns &columns);
  Columns noColumns(const Layout &at) { return {at.scores, e.number(0), e.number(0)}; }
  Value *columnsOf(const Group &group) {
    return b.CreateSub(group.columns.end, group.columns.first);
  }
  Columns partOf(const Part &part, const Group &group) {
    return {group.scores, b.CreateAdd(part.column, group.columns.first), columnsOf(group)};
  }
  void finish(const ChainPlaces &p, const Layout &at, const Block &block, Value *group);
  Value *isDense(const ChainPlaces &p);
  int64_t depthAtATime() const { return CpuTuning::chainDepth(first.size() + second.size()); }
  /// Whether some A and B are multiplied in parts along the depth.
  Value *areDeep(const ChainPlaces &p);
  Value *rowsOfGroup(const Block &block, Value *group) {
    Value *row = e.plus(block.row, group, e.target.lanes);
    return e.min(e.number(e.target.lanes), b.CreateSub(b.CreateAdd(block.row, block.rows), row));
  }
  Value *groupPlace(Value *base, Value *group, int64_t bytes) {
    return e.offset(base, b.CreateMul(group, e.number(bytes)));
  }
  Value *rowPlace(Value *base, Value *group, Value *rowBytes) {
    return e.offset(base, b.CreateMul(b.CreateMul(group, e.number(e.target.lanes)), rowBytes));
  }
  Value *placeOfV(const ChainPlaces &p, const Block &block, size_t i, Value *row) {
    const Plane &v = p.seconds[i].v;
    return e.offset(v.pointer,
                    b.CreateAdd(b.CreateMul(row, v.row), b.CreateMul(block.column, v.column)));
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
  const ChainForm form;
  const std::string name;
  const ChainPlaces &outside;
  MutableArrayRef<Epilogue> epilogues;
  const ChainFacts facts;
  const SmallVector<Multiply> first, second;
  Value *frame = nullptr, *denseRows = nullptr; ///< in the tile
};

//===--- layout ----------------------------------------------------------------------------===//

Value *ChainTile::areDeep(const ChainPlaces &p) {
  Value *some = b.getFalse();
  for (const ChainPlaces::First &each : p.firsts)
    some = b.CreateOr(some, b.CreateICmpSGT(each.k, e.number(depthAtATime())));
  return some;
}

ChainTile::Layout ChainTile::layoutOf(const ChainPlaces &p) {
  const int64_t lanes = e.target.lanes, padding = CpuTuning().rowPadding,
                panel = CodeTarget::vectors * lanes;
  Layout at;
  at.width = e.number(0);
  Value *deepest = e.number(depthAtATime()), *columnBytes = e.number(0),
        *rowBytes = e.number(stateBytes());
  for (auto [i, of] : enumerate(p.firsts)) {
    Layout::First &own = at.firsts.emplace_back();
    own.depth = e.min(of.k, deepest);
    own.bColumn = packedBytes(first[i], own.depth);
    own.aRow = b.CreateAdd(own.bColumn, e.number(padding));
    columnBytes = b.CreateAdd(columnBytes, own.bColumn);
    rowBytes = b.CreateAdd(rowBytes, own.aRow);
  }
  for (const ChainPlaces::Second &of : p.seconds) {
    Value *width = e.min(of.columns, deepest), *wide = e.roundUp(width, lanes);
    at.width = b.CreateBinaryIntrinsic(Intrinsic::smax, at.width, width);
    at.seconds.emplace_back().sumRow = e.plus(e.number(padding), wide, 4);
    columnBytes = e.plus(columnBytes, wide, 4);
    rowBytes = b.CreateAdd(rowBytes, at.seconds.back().sumRow);
  }
  Value *room = b.CreateUDiv(e.number(4 * CpuTuning::chainPackedElements), columnBytes);
  room = b.CreateMul(b.CreateUDiv(room, e.number(panel)), e.number(panel));
  at.part = e.min(room, e.number(CpuTuning::chainPart / panel * panel));
  for (auto [own, multiply] : zip(at.seconds, second))
    own.vColumn = packedBytes(multiply, at.part);
  Value *fitting = b.CreateUDiv(e.number(4 * CpuTuning::chainRowElements), rowBytes);
  Value *most = e.min(e.roundDown(fitting, lanes), e.number(CpuTuning::chainRows));
  at.rows = e.roundUp(e.ceilDiv(p.m, e.ceilDiv(p.m, most)), lanes); // equal shares
  at.rows = b.CreateSelect(areDeep(p), e.number(lanes), at.rows);
  place(at, p.rows.scratch);
  return at;
}

void ChainTile::place(Layout &at, Value *scratch) {
  const int64_t lanes = e.target.lanes;
  Value *panels = scratch, *rows = e.offset(scratch, 4 * CpuTuning::chainPackedElements);
  auto take = [&](Value *&from, Value *bytes) {
    Value *taken = from;
    from = e.offset(from, bytes);
    return taken;
  };
  at.scores = e.offset(rows, 4 * CpuTuning::chainRowElements);
  for (Layout::First &own : at.firsts) {
    own.panels = take(panels, b.CreateMul(at.part, own.bColumn));
    own.a = take(rows, b.CreateMul(at.rows, own.aRow));
  }
  for (Layout::Second &own : at.seconds) {
    Value *wide = b.CreateSub(own.sumRow, e.number(CpuTuning().rowPadding));
    own.panels = take(panels, b.CreateMul(b.CreateLShr(wide, 2), own.vColumn));
    own.sums = take(rows, b.CreateMul(at.rows, own.sumRow));
  }
  at.states = rows;
  const auto matrices = static_cast<int64_t>(std::max(first.size(), facts.weights.size()));
  at.ranges = e.offset(at.scores, matrices * scoreBytes(lanes));
  at.partials = e.offset(at.ranges, CpuTuning::chainRows / lanes * rangeBytes);
}

Value *ChainTile::isDense(const ChainPlaces &p) {
  Value *dense = b.getTrue();
  for (auto [i, input] : enumerate(op.getInputs()))
    if (op.getInputAlong()[2 * i + 1] >= 0)
      dense = b.CreateAnd(dense, b.CreateICmpEQ(p.rows.inputs[i + first.size()].strides[1],
                                                e.number(e.bytesOf(elementOf(e, input)))));
  return dense;
}

//===--- rows ------------------------------------------------------------------------------===//

// void(ptr frame, ptr scores, ptr states, ptr partials, ptr range, ptr sums.., i64 row, i64 rows,
// i64 column, i64 count, (i64 sumRow, i64 sumBytes)..): the sums of each product.
Function *ChainTile::ofGroup(Stage stage, RowAccess access) {
  const char *names[] = {"start", "bounds", "part", "full", "finish"};
  const std::string function =
      name + "_" + names[static_cast<int>(stage)] + (access == RowAccess::dense ? "" : "_strided");
  const auto products = static_cast<unsigned>(second.size());
  return e.helper(function, 5 + products, 4 + 2 * products, {}, [&](Function *f) {
    if (stage == Stage::part || access == RowAccess::strided)
      markLazy(*f);
    const ChainPlaces p = outside.in(e, f->getArg(0));
    ChainRows rows(e, facts, p.rows, access, stage == Stage::fullPart);
    const unsigned numbers = 5 + products;
    Value *column = f->getArg(numbers + 2), *count = f->getArg(numbers + 3);
    ChainRows::Group group{f->getArg(numbers), f->getArg(numbers + 1), f->getArg(2), {}};
    for (unsigned i = 0; i < products; ++i)
      group.sums.push_back(
          {f->getArg(5 + i), f->getArg(numbers + 4 + 2 * i), f->getArg(numbers + 5 + 2 * i)});
    if (stage == Stage::start)
      rows.start(group);
    else if (stage == Stage::finish)
      rows.finish(group);
    else if (stage != Stage::bounds)
      rows.addPart(group, f->getArg(1), f->getArg(3), column, count);
    if (stage == Stage::bounds) {
      const RowGuard::Bounds bounds = rows.bounds(group, count);
      int64_t place = 0;
      for (Value *value : {bounds.some.first, bounds.some.end, bounds.all.first, bounds.all.end})
        e.store(value, e.offset(f->getArg(4), 8 * place++));
    }
    complete &= rows.complete;
  });
}

void ChainTile::callGroup(Stage stage, const Layout &at, const Block &block, Value *group,
                          const Columns &columns) {
  SmallVector<Value *> arguments = {frame, columns.scores,
                                    groupPlace(at.states, group, stateBytes()), at.partials,
                                    groupPlace(at.ranges, group, rangeBytes)};
  for (const Layout::Second &own : at.seconds)
    arguments.push_back(rowPlace(own.sums, group, own.sumRow));
  arguments.append({e.plus(block.row, group, e.target.lanes), b.CreateAdd(block.row, block.rows),
                    columns.first, columns.count});
  for (auto [own, width] : zip(at.seconds, block.columns))
    arguments.append({own.sumRow, b.CreateMul(e.roundUp(width, e.target.lanes), e.number(4))});
  b.CreateCall(ofGroup(stage, RowAccess::dense)->getFunctionType(),
               b.CreateSelect(denseRows, ofGroup(stage, RowAccess::dense),
                              ofGroup(stage, RowAccess::strided)),
               arguments);
}

// The columns that some row of the block has.
ChainTile::Range ChainTile::findRanges(const ChainPlaces &p, const Layout &at, const Block &block) {
  Value *zero = e.number(0);
  if (!facts.guard)
    return {zero, p.n};
  const SmallVector<Value *> all = e.loop(
      zero, block.groups, e.number(1), {p.n, zero}, [&](Value *group, ArrayRef<Value *> before) {
        callGroup(Stage::bounds, at, block, group, {at.scores, zero, p.n});
        Value *range = groupPlace(at.ranges, group, rangeBytes);
        Value *from = e.load(e.i64(), range), *end = e.load(e.i64(), e.offset(range, 8));
        return SmallVector<Value *>{e.min(before[0], from),
                                    b.CreateBinaryIntrinsic(Intrinsic::smax, before[1], end)};
      });
  return facts.skips ? Range{all[0], all[1]} : Range{zero, p.n};
}

//===--- products --------------------------------------------------------------------------===//

void ChainTile::packA(const ChainPlaces &p, const Layout &at, const Block &block, size_t i,
                      Value *from, Value *depth) {
  const Plane &a = p.firsts[i].a;
  const Layout::First &own = at.firsts[i];
  Type *element = elementOf(e, op.getA()[i]);
  Value *rows = b.CreateMul(block.groups, e.number(e.target.lanes));
  b.CreateMemSet(own.a, b.getInt8(0), b.CreateMul(rows, own.aRow), MaybeAlign());
  Value *source =
      e.offset(a.pointer, b.CreateAdd(b.CreateMul(block.row, a.row), b.CreateMul(from, a.column)));
  b.CreateCall(moveElements(e, element, isBf16(first[i]) ? element : e.f32()),
               {own.a, source, own.aRow, a.row, a.column, block.rows, depth});
}

void ChainTile::packB(const ChainPlaces &p, const Layout &at, const Part &part, size_t i,
                      Value *from, Value *depth) {
  const Plane &right = p.firsts[i].b;
  const Layout::First &own = at.firsts[i];
  Value *source = e.offset(right.pointer, b.CreateAdd(b.CreateMul(from, right.row),
                                                      b.CreateMul(part.column, right.column)));
  b.CreateCall(packPanels(e, first[i], elementOf(e, op.getB()[i])),
               {own.panels, source, right.row, right.column, own.bColumn, depth, part.count});
}

void ChainTile::packV(const ChainPlaces &p, const Layout &at, const Block &block, Part &part,
                      size_t i) {
  const Plane &v = p.seconds[i].v;
  const Layout::Second &own = at.seconds[i];
  b.CreateCall(packPanels(e, second[i], elementOf(e, op.getV()[i])),
               {own.panels, placeOfV(p, block, i, part.column), v.row, v.column, own.vColumn,
                part.count, block.columns[i]});
  part.nonFinite.push_back(b.getFalse());
  if (!facts.weights[facts.weightsOf[i]].excludes)
    return;
  Value *is = e.local(b.getInt8Ty());
  Value *bytes = b.CreateMul(e.roundUp(block.columns[i], e.target.lanes), own.vColumn);
  b.CreateCall(findNonFinite(e, second[i]), {is, own.panels, bytes});
  part.nonFinite.back() = b.CreateICmpNE(e.load(b.getInt8Ty(), is), b.getInt8(0));
}

// Packing would wait for memory otherwise. Each group of the block prefetches its share.
void ChainTile::prefetchNext(const ChainPlaces &p, const Layout &at, const Block &block,
                             const Part &part, Value *group) {
  auto prefetch = [&](const Plane &plane, mlir::Value tensor, Value *first, Value *rows,
                      Value *columns) {
    Value *size = e.number(e.bytesOf(elementOf(e, tensor)));
    Value *alongColumns = b.CreateICmpEQ(plane.column, size);
    auto choose = [&](Value *x, Value *y) { return b.CreateSelect(alongColumns, x, y); };
    Value *lines = choose(rows, columns);
    auto share = [&](Value *number) {
      return b.CreateUDiv(b.CreateMul(number, lines), block.groups);
    };
    b.CreateCall(prefetchLines(e),
                 {first, choose(plane.row, plane.column), b.CreateMul(choose(columns, rows), size),
                  share(group), share(b.CreateAdd(group, e.number(1)))});
  };
  for (auto [i, of] : enumerate(p.firsts))
    prefetch(of.b, op.getB()[i], e.offset(of.b.pointer, b.CreateMul(part.next, of.b.column)), of.k,
             at.part);
  for (auto [i, of] : enumerate(p.seconds))
    prefetch(of.v, op.getV()[i], placeOfV(p, block, i, part.next), at.part, block.columns[i]);
}

void ChainTile::emitScores(const ChainPlaces &p, const Layout &at, const Block &block,
                           const Part &part, const Group &group, size_t i) {
  const ChainPlaces::First &of = p.firsts[i];
  const Layout::First &own = at.firsts[i];
  const int64_t matrix = static_cast<int64_t>(i) * scoreBytes(e.target.lanes);
  Value *scoreRow = e.number(CpuTuning::chainScoreRowBytes);
  if (form == ChainForm::inPlace) {
    Value *column = b.CreateAdd(part.column, group.columns.first);
    b.CreateCall(scoresInPlace(e, elementOf(e, op.getB()[i])),
                 {own.a, e.offset(of.b.pointer, b.CreateMul(column, of.b.column)),
                  e.offset(group.scores, matrix), own.aRow, of.b.column, scoreRow, block.rows,
                  columnsOf(group), of.k});
    return;
  }
  GroupProduct product;
  product.aRow = own.aRow;
  product.panels = own.panels;
  product.columnBytes = own.bColumn;
  product.packed = part.count;
  product.from = group.columns.first;
  product.columns = group.columns.end;
  product.skipped = e.number(0);
  product.sums = e.offset(at.scores, matrix);
  product.sumRow = scoreRow;
  e.loop(e.number(0), of.k, own.depth, [&](Value *from) {
    Value *depth = e.min(own.depth, b.CreateSub(of.k, from));
    e.when(areDeep(p), [&] {
      packA(p, at, block, i, from, depth);
      packB(p, at, part, i, from, depth);
    });
    product.a = rowPlace(own.a, group.number, own.aRow);
    product.bytes = packedBytes(first[i], depth);
    product.first = b.CreateICmpEQ(from, e.number(0));
    emitGroupProduct(e, first[i], product);
  });
}

void ChainTile::addProduct(const ChainPlaces &p, const Layout &at, const Block &block,
                           const Part &part, const Group &group, size_t i) {
  const Layout::Second &own = at.seconds[i];
  const Plane &v = p.seconds[i].v;
  const unsigned number = facts.weightsOf[i];
  const ChainWeights &weights = facts.weights[number];
  Value *excludesSome = !weights.excludes          ? b.getFalse()
                        : facts.isOfGuard(weights) ? b.CreateNot(group.isFull)
                                                   : b.getTrue();
  Value *goesBehind = b.getFalse();
  if (isBf16(second[i])) // a pair of columns whose second one lies behind the end
    goesBehind = b.CreateAnd(b.CreateTrunc(group.columns.end, b.getInt1Ty()),
                             b.CreateICmpSLT(group.columns.end, part.count));
  Value *sums = rowPlace(own.sums, group.number, own.sumRow), *count = columnsOf(group);
  Value *source = placeOfV(p, block, i, b.CreateAdd(part.column, group.columns.first));
  Value *weight = e.offset(group.scores, number * scoreBytes(e.target.lanes));
  Value *weightRow = e.number(CpuTuning::chainScoreRowBytes);
  Type *element = elementOf(e, op.getV()[i]);
  if (form == ChainForm::inPlace) {
    auto add = [&](bool excludes) {
      b.CreateCall(addInPlace(e, element, excludes),
                   {weight, source, sums, weightRow, v.row, own.sumRow, block.rows, count,
                    block.columns[i]});
    };
    e.when(b.CreateNot(excludesSome), [&] { add(/*excludes=*/false); });
    if (weights.excludes)
      e.when(excludesSome, [&] { add(/*excludes=*/true); });
    return;
  }
  auto multiply = [&] {
    GroupProduct product;
    product.a = weight;
    product.aRow = weightRow;
    product.bytes = packedBytes(second[i], count);
    product.panels = own.panels;
    product.columnBytes = own.vColumn;
    product.from = e.number(0);
    product.packed = product.columns = block.columns[i];
    product.skipped = packedBytes(second[i], group.columns.first);
    product.sums = sums;
    product.sumRow = own.sumRow;
    product.first = b.getFalse();
    emitGroupProduct(e, second[i], product);
  };
  if (!weights.excludes)
    return multiply();
  Value *isExact = b.CreateAnd(part.nonFinite[i], b.CreateOr(excludesSome, goesBehind));
  e.when(b.CreateNot(isExact), multiply);
  e.when(isExact, [&] {
    b.CreateCall(addWithoutExcluded(e, isBf16(second[i]) ? element : e.f32(), element),
                 {weight, source, sums, weightRow, v.row, v.column, own.sumRow,
                  rowsOfGroup(block, group.number), count, block.columns[i], excludesSome});
  });
}

//===--- tile ------------------------------------------------------------------------------===//

ChainTile::Group ChainTile::groupOf(const Layout &at, const Part &part, Value *number) {
  Group group = {number, {e.number(0), part.count}, b.getTrue(), b.getFalse(), at.scores};
  if (!facts.guard)
    return group;
  Value *range = groupPlace(at.ranges, number, rangeBytes);
  auto load = [&](int64_t i) { return e.load(e.i64(), e.offset(range, 8 * i)); };
  if (facts.skips) {
    Value *before = b.CreateSub(load(0), part.column);
    Value *first =
        e.roundDown(b.CreateBinaryIntrinsic(Intrinsic::smax, before, e.number(0)), e.target.lanes);
    group.columns = {first, e.min(part.count, b.CreateSub(load(1), part.column))};
    group.isNeeded = b.CreateICmpSLT(first, group.columns.end);
    group.scores = e.offset(at.scores, b.CreateMul(first, e.number(4)));
  }
  group.isFull =
      b.CreateAnd(b.CreateICmpSLE(load(2), b.CreateAdd(part.column, group.columns.first)),
                  b.CreateICmpSGE(load(3), b.CreateAdd(part.column, group.columns.end)));
  return group;
}

void ChainTile::emitGroup(const ChainPlaces &p, const Layout &at, const Block &block,
                          const Part &part, Value *number) {
  const Group group = groupOf(at, part, number);
  e.when(group.isNeeded, [&] {
    for (size_t i = 0; i < first.size(); ++i)
      emitScores(p, at, block, part, group, i);
    if (facts.guard)
      e.when(group.isFull,
             [&] { callGroup(Stage::fullPart, at, block, number, partOf(part, group)); });
    e.when(b.CreateNot(group.isFull),
           [&] { callGroup(Stage::part, at, block, number, partOf(part, group)); });
    for (size_t i = 0; i < second.size(); ++i)
      addProduct(p, at, block, part, group, i);
  });
}

void ChainTile::emitPart(const ChainPlaces &p, const Layout &at, const Block &block, Value *column,
                         Value *next) {
  Part part{column, e.min(at.part, b.CreateSub(p.n, column)), next, {}};
  if (form == ChainForm::inPlace)
    return emitGroup(p, at, block, part, e.number(0));
  e.when(b.CreateNot(areDeep(p)), [&] {
    for (size_t i = 0; i < first.size(); ++i)
      packB(p, at, part, i, e.number(0), p.firsts[i].k);
  });
  for (size_t i = 0; i < second.size(); ++i)
    packV(p, at, block, part, i);
  e.loop(e.number(0), block.groups, e.number(1), [&](Value *group) {
    prefetchNext(p, at, block, part, group);
    emitGroup(p, at, block, part, group);
  });
}

void ChainTile::finish(const ChainPlaces &p, const Layout &at, const Block &block, Value *group) {
  callGroup(Stage::finish, at, block, group, noColumns(at));
  for (auto [i, own] : enumerate(at.seconds)) {
    Function *store = epilogues[i].finish(name + "_epilogue_" + std::to_string(i));
    b.CreateCall(store, {rowPlace(own.sums, group, own.sumRow), p.seconds[i].context, own.sumRow,
                         e.plus(block.row, group, e.target.lanes), block.column,
                         rowsOfGroup(block, group), block.columns[i]});
  }
}

void ChainTile::emitBlock(const ChainPlaces &p, const Layout &at, const Block &block) {
  Value *zero = e.number(0);
  Value *height = b.CreateMul(block.groups, e.number(e.target.lanes));
  e.when(b.CreateNot(areDeep(p)), [&] {
    for (size_t i = 0; i < first.size(); ++i)
      packA(p, at, block, i, zero, p.firsts[i].k);
  });
  for (const Layout::Second &own : at.seconds)
    b.CreateMemSet(own.sums, b.getInt8(0), b.CreateMul(height, own.sumRow), MaybeAlign());
  e.loop(zero, block.groups, e.number(1),
         [&](Value *group) { callGroup(Stage::start, at, block, group, noColumns(at)); });
  const Range range = findRanges(p, at, block);
  Value *from = b.CreateMul(b.CreateUDiv(range.first, at.part), at.part);
  // Behind the last part of a block comes the first one of the next tile: where operands are dense,
  // its columns are those behind the last one here.
  Value *ofNextTile = b.CreateAdd(p.n, from);
  e.loop(from, range.end, at.part, [&](Value *column) {
    Value *next = b.CreateAdd(column, at.part);
    emitPart(p, at, block, column,
             b.CreateSelect(b.CreateICmpSLT(next, range.end), next, ofNextTile));
  });
  e.loop(zero, block.groups, e.number(1), [&](Value *group) { finish(p, at, block, group); });
}

Function *ChainTile::tile() {
  return e.helper(name, 1, 0, {}, [&](Function *f) {
    e.finishCold(f);
    markLazy(*f);
    frame = f->getArg(0);
    const ChainPlaces p = outside.in(e, frame);
    denseRows = isDense(p);
    const Layout at = layoutOf(p);
    Value *columns = e.number(0);
    for (const ChainPlaces::Second &each : p.seconds)
      columns = b.CreateBinaryIntrinsic(Intrinsic::smax, columns, each.columns);
    e.loop(e.number(0), columns, at.width, [&](Value *column) {
      e.loop(e.number(0), p.m, at.rows, [&](Value *row) {
        Block block;
        block.row = row;
        block.rows = e.min(at.rows, b.CreateSub(p.m, row));
        block.column = column;
        for (const ChainPlaces::Second &each : p.seconds) {
          Value *left = b.CreateSub(each.columns, column);
          block.columns.push_back(
              e.min(at.width, b.CreateBinaryIntrinsic(Intrinsic::smax, left, e.number(0))));
        }
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
  IRBuilder<> &b = e.b;
  auto bytesOf = [&](mlir::Value tensor) { return e.number(e.bytesOf(elementOf(e, tensor))); };
  Value *are = b.CreateICmpSLE(p.allRows, e.number(CpuTuning::chainRowsInPlace));
  Value *deepest = e.number(CpuTuning::chainDepth(p.firsts.size() + p.seconds.size()));
  for (auto [of, right] : zip(p.firsts, op.getB()))
    are = b.CreateAnd(
        {are, b.CreateICmpEQ(of.b.row, bytesOf(right)), b.CreateICmpSLE(of.k, deepest)});
  for (auto [of, v] : zip(p.seconds, op.getV()))
    are = b.CreateAnd(are, b.CreateICmpEQ(of.v.column, bytesOf(v)));
  return are;
}

bool isOfDots(Emitter &e, mlir::Value tensor) {
  return isBf16(multiplyOf(e.target, elementOf(e, tensor)));
}

/// Whether dot products of bf16, which take denormals for zeros, may compute those that are of it.
Value *areDenormalFree(Emitter &e, cpu::ChainOp op, const ChainPlaces &p) {
  Value *are = e.b.getTrue();
  for (auto [of, a] : zip(p.firsts, op.getA())) {
    if (!isOfDots(e, a))
      continue;
    ProductOperands scores;
    scores.a = of.a;
    scores.b = of.b;
    scores.m = p.m, scores.n = p.n, scores.k = of.k;
    are = e.b.CreateAnd(are, isDenormalFree(e, scores));
  }
  for (auto [of, v] : zip(p.seconds, op.getV()))
    if (isOfDots(e, v))
      are = e.b.CreateAnd(are, isFarFromDenormal(e, of.v, p.n, of.columns));
  return are;
}

} // namespace

void emitChainTile(Emitter &e, cpu::ChainOp op, ProgramValues &values) {
  SmallVector<Epilogue> epilogues;
  ChainPlaces places = placesOf(e, op, values, epilogues);
  const Frame frame(e, places.fields());
  const std::string name = "chain_" + std::to_string(e.module.size());
  bool complete = true;
  Function *function = e.helper(name, 1, 0, {}, [&](Function *f) {
    Value *inside = f->getArg(0);
    const ChainPlaces p = places.in(e, inside);
    auto call = [&](ChainForm form, const char *kind) {
      ChainTile tile(e, op, form, name + kind, places, epilogues);
      e.b.CreateCall(tile.tile(), {inside});
      complete &= tile.complete;
    };
    Value *inPlace = areInPlace(e, op, p);
    e.when(inPlace, [&] { call(ChainForm::inPlace, "_in_place"); });
    e.when(e.b.CreateNot(inPlace), [&] {
      auto isDot = [&](mlir::Value tensor) { return isOfDots(e, tensor); };
      if (none_of(op.getA(), isDot) && none_of(op.getV(), isDot))
        return call(ChainForm::native, "_tile");
      Value *normal = areDenormalFree(e, op, p);
      e.when(normal, [&] { call(ChainForm::native, "_tile"); });
      e.when(e.b.CreateNot(normal), [&] { call(ChainForm::wide, "_wide"); });
    });
  });
  e.b.CreateCall(function, {frame.address()});
  for (Epilogue &epilogue : epilogues)
    complete &= epilogue.complete;
  if (!complete)
    values.fail(op);
}

} // namespace mmk
