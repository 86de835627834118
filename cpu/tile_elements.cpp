#include "cpu/tile_elements.h"

#include "codegen/random.h"
#include "codegen/scalar_ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;

namespace mmk {

void addPositions(Emitter &e, mlir::Block &region, ArrayRef<Value *> indices,
                  DenseMap<mlir::Value, Value *> &known) {
  const unsigned lanes = e.target.lanes;
  IRBuilder<> &b = e.b;
  for (auto position : region.getOps<cpu::PositionOp>()) {
    const int64_t size = position.getSizeAttr().getInt();
    Value *first = known.lookup(position.getFirst());
    if (!first)
      first = e.splat(
          emitConstant(e, position.getFirst().getDefiningOp<mlir::arith::ConstantOp>().getValue()),
          lanes);
    Value *at = b.CreateTrunc(b.CreateAdd(first, e.splat(indices[size], lanes)),
                              e.vectorOf(b.getInt32Ty(), lanes));
    if (size + 1 == static_cast<int64_t>(indices.size())) {
      SmallVector<Constant *> numbers;
      for (unsigned lane = 0; lane < lanes; ++lane)
        numbers.push_back(b.getInt32(lane));
      at = b.CreateAdd(at, ConstantVector::get(numbers));
    }
    known[position.getResult()] = at;
  }
}

// A stride of 1 is known when the kernel is called, and is the same for all of it.
static Value *emitGatherRun(Emitter &e, Type *element, ArrayRef<Value *> operands) {
  IRBuilder<> &b = e.b;
  auto [base, at, stride, inside] = std::tuple(operands[0], operands[1], operands[2], operands[3]);
  Type *vector = e.vectorOf(element, e.target.lanes);
  Value *zero = Constant::getNullValue(vector);
  const Align alignment(e.bytesOf(element));
  Value *isRun = b.CreateICmpEQ(b.CreateExtractElement(stride, uint64_t(0)), e.number(1));
  return e.either(
      isRun,
      [&] {
        Value *first = b.CreateGEP(element, base, b.CreateExtractElement(at, uint64_t(0)));
        return b.CreateMaskedLoad(vector, first, alignment, inside, zero);
      },
      [&] {
        return b.CreateMaskedGather(vector, b.CreateGEP(element, base, at), alignment, inside,
                                    zero);
      });
}

Value *emitTileElement(Emitter &e, mlir::Operation *op, ArrayRef<Value *> operands) {
  IRBuilder<> &b = e.b;
  if (auto random = dyn_cast<cpu::RandomOp>(op)) {
    Value *seed = b.CreateExtractElement(operands[0], uint64_t(0));
    if (!random.getContiguous())
      return emitRandom(e, seed, operands[1]);
    auto all = op->getBlock()->getOps<cpu::RandomOp>();
    const auto number = std::distance(all.begin(), find(all, random));
    return emitRandomRun(e, seed, b.CreateExtractElement(operands[1], uint64_t(0)), e.target.lanes,
                         static_cast<unsigned>(number));
  }
  if (isa<cpu::GatherRunOp>(op))
    return emitGatherRun(e, e.elementType(op->getResult(0).getType()), operands);
  if (!isa<cpu::GatherOp>(op))
    return nullptr;
  Type *element = e.elementType(op->getResult(0).getType());
  Value *places = b.CreateGEP(element, operands[0], operands[1]);
  return b.CreateMaskedGather(e.vectorOf(element, e.target.lanes), places,
                              Align(e.bytesOf(element)));
}

bool isSource(mlir::Value argument) {
  return !argument.use_empty() && all_of(argument.getUsers(), [](mlir::Operation *user) {
    return isa<cpu::GatherOp, cpu::GatherRunOp>(user);
  });
}

} // namespace mmk
