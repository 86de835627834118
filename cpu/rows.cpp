#include "cpu/rows.h"

#include "cpu/frame.h"
#include "cpu/row_code.h"
#include "cpu/tile_code.h"
#include "cpu/tile_memory.h"
#include "jit/lazy.h"

using namespace llvm;

namespace mmk {
namespace {

class RowsTile {
public:
  RowsTile(Emitter &e, cpu::RowsOp op, ProgramValues &values)
      : e(e), b(e.b), op(op), values(values), facts(op) {}

  void emit();

private:
  /// Whether all tensors that run along the columns are dense there.
  Value *isDense(const SpacePlaces &places);
  Value *fitsStreams(const SpacePlaces &places);
  /// Whether a result has an element for each one that is reduced.
  bool hasLargeResults();
  /// Makes one loop of two where memory does.
  void merge(SpacePlaces &places, int64_t outer, int64_t inner);
  /// Code for the tiles of which a condition holds.
  struct Variant {
    Value *condition;
    RowAccess form;
    EmitTile *emit;
  };
  void add(SmallVectorImpl<Variant> &variants, Value *condition, const SpacePlaces &places,
           RowAccess form);
  SmallVector<Variant> variantsFor(const SpacePlaces &places);
  void call(const SpacePlaces &places, Value *frame, const Variant &variant);

  Emitter &e;
  IRBuilder<> &b;
  cpu::RowsOp op;
  ProgramValues &values;
  const RowFacts facts;
};

Value *RowsTile::isDense(const SpacePlaces &places) {
  Value *dense = b.getTrue();
  auto check = [&](const SpacePlaces::Place &place, mlir::Value tensor, int64_t along) {
    if (along >= 0)
      dense = b.CreateAnd(dense, b.CreateICmpEQ(place.strides[facts.columns()],
                                                e.number(e.bytesOf(values.elementOf(tensor)))));
  };
  for (auto [i, place] : enumerate(places.inputs))
    check(place, op.getInputs()[i], facts.inputAlong(i, facts.columns()));
  for (auto [i, place] : enumerate(places.outputs))
    check(place, op.getOutputs()[i], facts.outputAlong(i, facts.columns()));
  return dense;
}

void RowsTile::merge(SpacePlaces &places, int64_t outer, int64_t inner) {
  for (auto position : op.getBody().getOps<cpu::PositionOp>())
    if (const int64_t size = position.getSizeAttr().getInt(); size == outer || size == inner)
      return;
  Value *follows = b.getTrue();
  auto check = [&](const SpacePlaces::Place &place, int64_t alongOuter, int64_t alongInner) {
    if (alongOuter >= 0 || alongInner >= 0)
      follows = b.CreateAnd(follows,
                            b.CreateICmpEQ(place.strides[outer],
                                           b.CreateMul(place.strides[inner], places.sizes[inner])));
  };
  for (auto [i, place] : enumerate(places.inputs))
    check(place, facts.inputAlong(i, outer), facts.inputAlong(i, inner));
  for (auto [i, place] : enumerate(places.outputs))
    check(place, facts.outputAlong(i, outer), facts.outputAlong(i, inner));
  Value *both = b.CreateMul(places.sizes[outer], places.sizes[inner]);
  places.sizes[inner] = b.CreateSelect(follows, both, places.sizes[inner]);
  places.sizes[outer] = b.CreateSelect(follows, e.number(1), places.sizes[outer]);
}

// Whether the results, or the inputs of small results, are more than stays in the caches, and every
// vector of the results can be stored aligned.
Value *RowsTile::fitsStreams(const SpacePlaces &places) {
  Value *total = e.number(0), *all = e.number(0);
  for (auto [i, output] : enumerate(op.getOutputs())) {
    if (!facts.outputVaries(i))
      continue;
    total = b.CreateAdd(total, bytesOf(e, values, output));
    all = b.CreateOr(all, b.CreatePtrToInt(places.outputs[i].pointer, e.i64()));
    for (int64_t dim = 0; dim < facts.columns(); ++dim)
      all = b.CreateOr(all, places.outputs[i].strides[dim]);
  }
  if (!hasLargeResults())
    for (mlir::Value input : op.getInputs())
      total = b.CreateAdd(total, bytesOf(e, values, input));
  const CpuTuning tuning(e.target);
  return b.CreateAnd(
      b.CreateICmpSGE(total, e.number(tuning.streamedBytes)),
      b.CreateICmpEQ(b.CreateAnd(all, e.number(e.target.lanes * 4 - 1)), e.number(0)));
}

bool RowsTile::hasLargeResults() {
  return llvm::any_of(llvm::seq(op.getOutputs().size()),
                      [&](size_t i) { return facts.outputVaries(i); });
}

void RowsTile::add(SmallVectorImpl<Variant> &variants, Value *condition, const SpacePlaces &places,
                   RowAccess form) {
  if (Value *isShort = areShort(e, facts, op.getBody().front(), places, form))
    variants.push_back({b.CreateAnd(condition, isShort), form, emitShortRows});
  if (Value *are = areWindows(e, facts, op.getBody().front(), places))
    variants.push_back({b.CreateAnd(condition, are), form, emitWindowColumns});
  if (!facts.waiting.empty() && facts.reducesColumns() && form != RowAccess::strided)
    variants.push_back(
        {b.CreateAnd(condition, waitingFits(e, facts, places)), form, emitWaitingColumns});
  variants.push_back(
      {condition, form, facts.reducesColumns() ? emitReducedColumns : emitKeptColumns});
}

// The first one whose condition holds.
SmallVector<RowsTile::Variant> RowsTile::variantsFor(const SpacePlaces &places) {
  SmallVector<Variant> variants;
  Value *dense = isDense(places);
  // Rows that are only read are a stream that the hardware follows.
  if (hasLargeResults() || !facts.reducesColumns())
    add(variants, b.CreateAnd(dense, fitsStreams(places)), places, RowAccess::streamed);
  add(variants, dense, places, RowAccess::dense);
  add(variants, b.getTrue(), places, RowAccess::strided);
  return variants;
}

void RowsTile::call(const SpacePlaces &outside, Value *frame, const Variant &variant) {
  bool complete = true;
  const std::string name = "rows_" + std::to_string(e.module.size());
  Function *function = e.helper(name, 1, 0, {}, [&](Function *f) {
    markLazy(*f);
    SpacePlaces places = outside;
    Frame(e, f->getArg(0)).load(places.fields());
    complete = variant.emit(e, facts, op.getBody().front(), places, variant.form);
    if (variant.form == RowAccess::streamed)
      fenceStreamed(e);
  });
  b.CreateCall(function, {frame});
  if (!complete)
    values.fail(op);
}

// The driver calls one function, from which the variants are called: those are compiled when they
// are needed.
void RowsTile::emit() {
  SpacePlaces places = placesOf(e, op, values);
  places.scalars = scalarsFor(op.getBody().front(), values);
  const int64_t inner = facts.reducesColumns() ? facts.columns() : facts.rows;
  for (int64_t outer : reverse(facts.outerReduced))
    merge(places, outer, inner);
  const Frame frame(e, places.fields());
  const SmallVector<Variant> variants = variantsFor(places);
  Value *chosen = e.number(0);
  for (size_t i = variants.size(); i-- > 0;)
    chosen = b.CreateSelect(variants[i].condition, e.number(i), chosen);
  Function *tile = e.helper("tile_" + std::to_string(e.module.size()), 1, 1, {}, [&](Function *f) {
    for (auto [i, variant] : enumerate(variants))
      e.when(b.CreateICmpEQ(f->getArg(1), e.number(i)),
             [&] { call(places, f->getArg(0), variant); });
  });
  b.CreateCall(tile, {frame.address(), chosen});
}

} // namespace

void emitRowsTile(Emitter &e, cpu::RowsOp op, ProgramValues &values) {
  RowsTile(e, op, values).emit();
}

} // namespace mmk
