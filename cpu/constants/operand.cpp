#include "cpu/constants/operand.h"

#include "cpu/passes.h"
#include "ir/merged_dims.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;

namespace mmk {

#define GEN_PASS_DEF_CPUPACKCONSTANTS
#include "cpu/Passes.h.inc"

namespace {

bool isZero(mlir::Value value) {
  auto constant = value.getDefiningOp<mlir::arith::ConstantIndexOp>();
  return constant && constant.value() == 0;
}

/// Whether it is known that `unit` divides a value.
bool isMultipleOf(mlir::Value value, int64_t unit) {
  namespace arith = mlir::arith;
  mlir::Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<arith::ConstantIndexOp>(op))
    return constant.value() % unit == 0;
  const auto divides = [&](mlir::Value operand) { return isMultipleOf(operand, unit); };
  if (isa_and_nonnull<arith::MulIOp>(op))
    return llvm::any_of(op->getOperands(), divides);
  if (isa_and_nonnull<arith::SelectOp>(op))
    return llvm::all_of(op->getOperands().drop_front(), divides);
  return isa_and_nonnull<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp>(op) &&
         llvm::all_of(op->getOperands(), divides);
}

/// An operand of a product: its tensor, and the dimensions along k and across.
struct Side {
  mlir::Value tensor;
  mlir::OperandRange offsets;
  int64_t alongK, across;
};

bool goAlike(const Side &one, const Side &other) {
  return one.alongK == other.alongK && one.across == other.across;
}

Side sideOf(cpu::ProductOp product, unsigned side) {
  if (side == 0)
    return {product.getA(), product.getAOffsets(), product.getAAlong()[1], product.getAAlong()[0]};
  return {product.getB(), product.getBOffsets(), product.getBAlong()[0], product.getBAlong()[1]};
}

/// Whether a product can read an operand from panels: all of its depth, in passes of whole steps,
/// and its columns (of A: rows) from whole vectors on.
bool canReadPanels(cpu::ProductOp product, unsigned side) {
  constexpr int64_t wholeSteps = 16, widestVector = 16;
  if (side == 0 ? product.isWindowOfA() : product.isWindowOfB())
    return false;
  const Side operand = sideOf(product, side);
  return isZero(operand.offsets[operand.alongK]) &&
         isMultipleOf(operand.offsets[operand.across], widestVector) &&
         product.getStep() % wholeSteps == 0;
}

/// The products that use a parameter, if all of its uses are their left or all their right operand,
/// with the same dimensions along k and across: where several are one, all go along them.
SmallVector<cpu::ProductOp> productsOf(mlir::BlockArgument parameter, unsigned side) {
  SmallVector<cpu::ProductOp> products;
  for (mlir::OpOperand &use : parameter.getUses()) {
    auto product = dyn_cast<cpu::ProductOp>(use.getOwner());
    if (!product || &use != (side == 0 ? &product.getAMutable() : &product.getBMutable()) ||
        !canReadPanels(product, side) ||
        (!products.empty() && (!goAlike(sideOf(products[0], side), sideOf(product, side)) ||
                               products[0].getK() != product.getK())))
      return {};
    products.push_back(product);
  }
  return products;
}

/// The dimensions that the program goes along as the last of them.
PackedDims dimsUpTo(aicore::KernelOp kernel, size_t parameter, int64_t last) {
  PackedDims all{static_cast<size_t>(last), static_cast<size_t>(last)};
  for (const aicore::MergedDims &dims : aicore::mergedDims(kernel))
    if (dims.tensor == static_cast<int64_t>(parameter) && dims.last == last)
      all.first = dims.first;
  return all;
}

/// Whether the columns of the right operand are pixels: those of a window, or several dimensions.
/// There are many of them, or few where an image is small. Of a matrix there may be one, for which
/// rows of A are read as fast as memory gives them.
bool multipliesPixels(cpu::ProductOp product) {
  if (product.isWindowOfB())
    return true;
  auto kernel = product->getParentOfType<aicore::KernelOp>();
  const int64_t tensor = aicore::numberOfTensor(kernel, product.getB()),
                across = product.getBAlong()[1];
  return llvm::any_of(aicore::mergedDims(kernel), [&](const aicore::MergedDims &dims) {
    return dims.tensor == tensor && dims.last == across && dims.first < dims.last;
  });
}

struct CpuPackConstantsPass : impl::CpuPackConstantsBase<CpuPackConstantsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<aicore::KernelOp>())
      for (auto [i, named] : llvm::enumerate(kernel.getArgs().getAsRange<ir::NamedAttr>()))
        if (named.getConstant()) {
          const mlir::BlockArgument argument =
              kernel.getBody().getArgument(kernel.getDims().size() + i);
          for (cpu::ProductOp product : productsOf(argument, 1))
            product.setPacked(true);
          const SmallVector<cpu::ProductOp> products = productsOf(argument, 0);
          if (llvm::all_of(products, multipliesPixels))
            for (cpu::ProductOp product : products)
              product.setPackedLeft(true);
        }
  }
};

} // namespace

PanelLayout panelLayoutOf(const CodeTarget &target, mlir::Type element) {
  PanelLayout layout;
  layout.lanes = target.lanes;
  layout.vectors = CodeTarget::vectors;
  layout.elementBytes = element.getIntOrFloatBitWidth() / 8;
  const bool isInt8 = element.isInteger(8);
  if (element.isBF16() && target.usesBf16Dot)
    layout.group = elementsOfStep(Multiply::bf16Dot2);
  else if (isInt8 && target.hasVnni)
    layout.group = elementsOfStep(Multiply::int8Dot4);
  // A tile register holds whole tiles, of signed bytes.
  const bool usesTiles = target.hasAmx && layout.group > 1;
  layout.unit = layout.group * (usesTiles ? stepsOfTile : 1);
  layout.isOffset = isInt8 && layout.group > 1 && !usesTiles;
  return layout;
}

// A step of a left operand is broadcast as it is, to signed or plain elements of four bytes; tile
// registers take rows.
std::optional<unsigned> packedSideOf(cpu::ProductOp product, const CodeTarget &target) {
  if (product.getPacked())
    return 1;
  if (!product.getPackedLeft())
    return std::nullopt;
  const mlir::Type element = cast<mlir::MemRefType>(product.getA().getType()).getElementType();
  const PanelLayout layout = panelLayoutOf(target, element);
  const bool isOfSteps = isa<mlir::FloatType>(element) && layout.group * layout.elementBytes == 4;
  return isOfSteps && layout.unit == layout.group ? std::optional<unsigned>(0) : std::nullopt;
}

PackedOperand packedOperandOf(cpu::ProductOp product, const CodeTarget &target) {
  auto kernel = product->getParentOfType<aicore::KernelOp>();
  const Side side = sideOf(product, *packedSideOf(product, target));
  const auto parameter = static_cast<size_t>(aicore::numberOfTensor(kernel, side.tensor));
  const mlir::Type element = cast<mlir::MemRefType>(side.tensor.getType()).getElementType();
  return {parameter, dimsUpTo(kernel, parameter, side.alongK),
          dimsUpTo(kernel, parameter, side.across), panelLayoutOf(target, element)};
}

std::vector<PackedOperand> packedOperandsOf(aicore::KernelOp kernel, const CodeTarget &target) {
  std::vector<PackedOperand> all;
  const unsigned dims = kernel.getDims().size();
  for (size_t i = 0; i < kernel.getArgs().size(); ++i) {
    mlir::BlockArgument argument = kernel.getBody().getArgument(dims + i);
    for (mlir::Operation *user : argument.getUsers()) {
      auto product = dyn_cast<cpu::ProductOp>(user);
      const auto side = product ? packedSideOf(product, target) : std::nullopt;
      if (!side || sideOf(product, *side).tensor != argument)
        continue;
      all.push_back(packedOperandOf(product, target));
      break; // the others are the same
    }
  }
  return all;
}

MicroKernel kernelOfPanels(const PanelLayout &layout, Multiply multiply, Type *element) {
  MicroKernel kernel;
  kernel.multiply = multiply;
  if (layout.group == 1 && layout.elementBytes < 4)
    kernel.stored = element;
  kernel.flips = multiply == Multiply::int8Dot4 && !layout.isOffset;
  return kernel;
}

void forEachConstantRun(Emitter &e, const ProductOperands &operands, const PanelLayout &layout,
                        Value *column, Value *end, Value *k,
                        function_ref<void(const ConstantRun &)> body) {
  IRBuilder<> &b = e.b;
  const int64_t widest = layout.vectors;
  auto vectorsOf = [&](Value *columns) { return b.CreateUDiv(columns, e.number(layout.lanes)); };
  Value *first = vectorsOf(b.CreateAdd(operands.constant.column, column));
  Value *all = vectorsOf(e.roundUp(b.CreateSub(end, column), layout.lanes));
  Value *ofOperand = vectorsOf(e.roundUp(operands.constant.columns, layout.lanes));
  Value *steps = b.CreateUDiv(e.roundUp(operands.k, layout.unit), e.number(layout.group));
  Value *vectorBytes = b.CreateMul(steps, e.number(layout.stepBytes()));
  Value *stepsBefore = b.CreateUDiv(k, e.number(layout.group));
  e.loopWhile(e.number(0), all, [&](Value *done) {
    Value *at = b.CreateAdd(first, done), *left = b.CreateSub(all, done);
    Value *inPanel = b.CreateURem(at, e.number(widest)), *panel = b.CreateSub(at, inPanel);
    Value *width = e.min(e.number(widest), b.CreateSub(ofOperand, panel));
    // Whole panels are a run; a part of one is a run of its own.
    Value *wholes = b.CreateMul(b.CreateUDiv(left, e.number(widest)), e.number(widest));
    Value *isWhole =
        b.CreateAnd(b.CreateICmpEQ(inPanel, e.number(0)), b.CreateICmpSGT(wholes, e.number(0)));
    Value *part = e.min(b.CreateSub(width, inPanel), left);
    Value *taken = b.CreateSelect(isWhole, wholes, part);
    Value *step = b.CreateMul(width, e.number(layout.stepBytes()));
    Value *start = e.offset(operands.constant.panels, b.CreateMul(panel, vectorBytes));
    start = e.offset(start, b.CreateMul(inPanel, e.number(layout.stepBytes())));
    start = e.offset(start, b.CreateMul(stepsBefore, step));
    auto columnAt = [&](Value *vector) {
      return b.CreateAdd(column, b.CreateMul(vector, e.number(layout.lanes)));
    };
    Value *next = b.CreateAdd(done, taken);
    body({{b.CreateSelect(isWhole, e.number(widest), part), columnAt(done), columnAt(next)},
          start,
          step,
          vectorBytes});
    return next;
  });
}

Function *widenPanels(Emitter &e) {
  return e.helper("widen_panels", 2, 6, {}, [&](Function *f) {
    e.finishCold(f);
    IRBuilder<> &b = e.b;
    Value *to = f->getArg(0), *from = f->getArg(1), *step = f->getArg(2), *vector = f->getArg(3),
          *columnBytes = f->getArg(4), *vectors = f->getArg(5), *panels = f->getArg(6),
          *k = f->getArg(7);
    const int64_t lanes = e.target.lanes, bytes = lanes * 4;
    Type *pairs = e.vectorOf(b.getInt32Ty(), lanes);
    Value *rowBytes = b.CreateMul(vectors, e.number(bytes));
    e.loop(e.number(0), panels, e.number(1), [&](Value *panel) {
      Value *before = b.CreateMul(panel, vectors);
      Value *source = e.offset(from, b.CreateMul(before, vector));
      Value *target = e.offset(to, b.CreateMul(b.CreateMul(before, e.number(lanes)), columnBytes));
      e.loop(e.number(0), k, e.number(2), [&](Value *row) {
        Value *ofStep = e.offset(source, b.CreateMul(b.CreateLShr(row, 1), step));
        Value *ofRow = e.offset(target, b.CreateMul(row, rowBytes));
        e.loop(e.number(0), vectors, e.number(1), [&](Value *v) {
          Value *at = b.CreateMul(v, e.number(bytes));
          Value *pair = e.load(pairs, e.offset(ofStep, at));
          e.store(b.CreateShl(pair, 16), e.offset(ofRow, at));
          e.when(b.CreateICmpSLT(b.CreateAdd(row, e.number(1)), k), [&] {
            e.store(b.CreateAnd(pair, ConstantInt::get(pairs, 0xFFFF0000)),
                    e.offset(e.offset(ofRow, rowBytes), at));
          });
        });
      });
    });
  });
}

} // namespace mmk
