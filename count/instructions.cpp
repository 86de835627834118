// The data for the cost of each aicore instruction.
#include "count/program_builder.h"
#include "ir/element_type.h"
#include "ir/merged_dims.h"

#include "llvm/ADT/TypeSwitch.h"

#include <functional>

using namespace mlir;

namespace mmk::count {
namespace {

std::string nameOf(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

/// The largest extent of the buffer of a transfer: no row or column of it is longer.
int64_t largestExtent(Operation *op) {
  int64_t largest = 0;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType()); type && type.hasStaticShape())
      for (int64_t extent : type.getShape())
        largest = std::max(largest, extent);
  return largest;
}

int64_t rankOf(Value tensor) { return cast<MemRefType>(tensor.getType()).getRank(); }

/// The last dimensions that pieces run along as one, of which none is that of the rows.
template <typename Op> int64_t columnDims(Op op, Value tensor, int64_t ofRows) {
  const int64_t last = rankOf(tensor) - 1;
  auto kernel = op->template getParentOfType<aicore::KernelOp>();
  const int64_t number = aicore::numberOfTensor(kernel, tensor);
  for (const aicore::MergedDims &dims : aicore::mergedDims(kernel))
    if (dims.tensor == number && dims.last == last && dims.first > ofRows)
      return std::max(op.columnDims(), last - dims.first + 1);
  return op.columnDims();
}

} // namespace

void ProgramBuilder::emit(aicore::Instruction op, StepKind kind, const Instruction &it) {
  program_.instructions.push_back(it);
  emit(op.getOperation(), {.kind = kind,
                           .pipe = aicore::machinePipe(op.getPipe()),
                           .target = static_cast<int32_t>(program_.instructions.size() - 1)});
}

llvm::Error ProgramBuilder::instruction(aicore::Instruction op) {
  return llvm::TypeSwitch<Operation *, llvm::Error>(op.getOperation())
      .Case([&](aicore::LoadOp it) {
        const bool intoUb = aicore::spaceOf(it.getTarget()) == aicore::Space::ub;
        return transfer(it, Work::load, intoUb ? "gm_ub" : "gm_l1", it.getSource());
      })
      .Case([&](aicore::StoreOp it) { return transfer(it, Work::store, "ub_gm", it.getTarget()); })
      .Case([&](aicore::FixpipeOp it) {
        return transfer(it, Work::fixpipe, "l0c_gm", it.getTarget());
      })
      .Case([&](aicore::SpillOp it) {
        if (aicore::spaceOf(it.getTarget()) == aicore::Space::l1)
          return intoL1(it);
        const bool fromUb = aicore::spaceOf(it.getSource()) == aicore::Space::ub;
        return exchange(op, Work::spill, fromUb ? "ub_gm" : "l0c_gm", it.getTarget(), it.getRows(),
                        it.getColumns());
      })
      .Case([&](aicore::FetchOp it) {
        const bool intoUb = aicore::spaceOf(it.getTarget()) == aicore::Space::ub;
        return exchange(op, Work::fetch, intoUb ? "gm_ub" : "gm_l1", it.getSource(), it.getRows(),
                        it.getColumns());
      })
      .Case([&](aicore::LoadL0Op it) { return loadL0(it); })
      .Case([&](aicore::Load3dOp it) { return windows(it); })
      .Case([&](aicore::DrainOp it) { return drain(it); })
      .Case([&](aicore::MmadOp it) { return product(it); })
      .Case([&](aicore::VectorOp it) { return vector(it); })
      .Case([&](aicore::ReduceOp it) { return reduce(it); })
      .Case([&](aicore::ScanOp it) { return scan(it); })
      .Case([&](aicore::WindowOp it) { return window(it); })
      .Case([&](aicore::PositionsOp it) { return positions(it); })
      .Case([&](aicore::RandomOp it) { return random(it); })
      .Case([&](aicore::ScalarRangeOp it) { return scalarRange(it); })
      .Default([&](Operation *it) { return fault(it, "cannot be counted"); });
}

llvm::Expected<const Link *> ProgramBuilder::linkOf(Operation *op, StringRef name) {
  auto found = machine_.links.find(name.str());
  if (found == machine_.links.end())
    return fault(op, "takes the link " + name + ", which " + machine_.name + " has not");
  return &found->second;
}

//===--- global memory --------------------------------------------------------------------===//

template <typename Op>
llvm::Error ProgramBuilder::transfer(Op op, Work work, StringRef link, Value tensor) {
  llvm::Expected<const Link *> way = linkOf(op, link);
  if (!way)
    return way.takeError();
  const ArrayRef<int64_t> along = op.getAlong();
  const size_t rank = along.size();
  Instruction it;
  it.work = work;
  it.link = *way;
  it.tensor = tensors_.lookup(tensor);
  it.bytes = aicore::elementBytes(tensor.getType());

  // Pieces of memory run along the tensor's last dimension, which may be that of the buffer's
  // columns, or another of the view, or none of it: then each element is a piece.
  const int64_t last = rankOf(tensor) - 1;
  std::optional<size_t> inPiece;
  for (size_t dim = 0; dim < rank; ++dim)
    if (along[dim] == last && op.stepOf(dim) == 1)
      inPiece = dim;
  it.rows = -1;
  for (size_t dim = 0; dim < rank; ++dim)
    if (dim != inPiece)
      it.rows = it.rows < 0 ? placeOf(op.getSizes()[dim])
                            : multiply(op, it.rows, placeOf(op.getSizes()[dim]));
  it.columns = inPiece ? placeOf(op.getSizes()[*inPiece]) : constant(1);
  // Of two dimensions, the one that the pieces follow each other along.
  const size_t outer = inPiece == rank - 1 || along[rank - 1] == -1 ? rank - 2 : rank - 1;
  const TensorShape &shape = program_.tensors[it.tensor];
  it.pitch = shape.extents.empty() ? constant(1) : shape.extents.back();
  const int64_t joined = columnDims(op, tensor, along[outer]),
                behind = along[outer] == -1 ? last - joined : along[outer];
  for (int64_t dim = last - 1; dim > behind; --dim)
    it.pitch = multiply(op, it.pitch, shape.extents[dim]);
  if (op.stepOf(outer) > 1)
    it.pitch = multiply(op, it.pitch, constant(op.stepOf(outer)));
  it.dense =
      rank == 2 && op.stepOf(outer) == 1 && (along[outer] == -1 || along[outer] == last - joined);
  it.mostColumns = largestExtent(op);
  it.start = elementNumber(op, shape, op.getOffsets());
  emit(op, StepKind::transfer, it);
  return llvm::Error::success();
}

int32_t ProgramBuilder::multiply(Operation *op, int32_t a, int32_t b) {
  const int32_t result = place();
  compute(op, StepKind::multiply, result, a, b);
  return result;
}

int32_t ProgramBuilder::elementNumber(Operation *op, const TensorShape &shape, ValueRange offsets) {
  // The start of a transfer may be data; its time then depends on its extents only.
  if (offsets.empty() || llvm::any_of(offsets, [&](Value it) { return unknown_.contains(it); }))
    return constant(0);
  return numberOf(op, shape,
                  llvm::map_to_vector(offsets, [&](Value offset) { return placeOf(offset); }));
}

int32_t ProgramBuilder::numberOf(Operation *op, const TensorShape &shape,
                                 ArrayRef<int32_t> places) {
  int32_t number = places.front();
  for (auto [extent, offset] : llvm::drop_begin(llvm::zip(shape.extents, places))) {
    const int32_t next = place();
    compute(op, StepKind::multiply, next, number, extent);
    compute(op, StepKind::add, next, next, offset);
    number = next;
  }
  return number;
}

// The block's own piece of global memory has the pitch of its buffer, and never leaves L2.
llvm::Error ProgramBuilder::exchange(aicore::Instruction op, Work work, StringRef link,
                                     Value buffer, Value rows, Value columns) {
  llvm::Expected<const Link *> way = linkOf(op, link);
  if (!way)
    return way.takeError();
  Instruction it;
  it.work = work;
  it.link = *way;
  it.bytes = aicore::elementBytes(buffer.getType());
  it.rows = placeOf(rows);
  it.columns = placeOf(columns);
  it.pitch = constant(cast<MemRefType>(buffer.getType()).getShape().back());
  it.start = constant(0);
  it.dense = true;
  it.mostColumns = largestExtent(op);
  emit(op, StepKind::transfer, it);
  return llvm::Error::success();
}

void CountProgram::setMemory(const GlobalMemory &memory) {
  for (Instruction &it : instructions)
    if (it.link)
      it.cost = it.loadsTensor()    ? memory.load(*it.link, it.tensor)
                : it.storesTensor() ? memory.store(*it.link, it.tensor)
                                    : memory.port(*it.link);
}

//===--- on the chip ----------------------------------------------------------------------===//

// Between memories of the chip.
llvm::Expected<Instruction> ProgramBuilder::move(aicore::Instruction op, Work work, StringRef link,
                                                 Value target, Value rows, Value columns) {
  llvm::Expected<const Link *> way = linkOf(op, link);
  if (!way)
    return way.takeError();
  Instruction it;
  it.work = work;
  it.cost = Cost((*way)->startupCycles, (*way)->rowCycles, 1 / (*way)->bytesPerCycle);
  it.rows = placeOf(rows);
  it.columns = placeOf(columns);
  it.bytes = aicore::elementBytes(target.getType());
  return it;
}

// Whole fractals move: multiples of the rows or columns, and of the depth along k, of a cube
// instruction. The bias table receives a row in pieces of its alignment.
llvm::Error ProgramBuilder::loadL0(aicore::LoadL0Op op) {
  if (aicore::spaceOf(op.getTarget()) == aicore::Space::bt) {
    llvm::Expected<Instruction> row =
        move(op, Work::loadL0, "l1_bt", op.getTarget(), op.getRows(), op.getColumns());
    if (!row)
      return row.takeError();
    row->columnStep = std::max<int64_t>(1, machine_.memory(Memory::bt).alignment / row->bytes);
    emit(op, StepKind::move, *row);
    return llvm::Error::success();
  }
  const bool intoA = aicore::spaceOf(op.getTarget()) == aicore::Space::l0a;
  llvm::Expected<Instruction> it = move(op, Work::loadL0, intoA ? "l1_l0a" : "l1_l0b",
                                        op.getTarget(), op.getRows(), op.getColumns());
  if (!it)
    return it.takeError();
  const auto type = elementTypeOf(cast<MemRefType>(op.getTarget().getType()).getElementType());
  const auto depth = type ? machine_.cube.depth.find(*type) : machine_.cube.depth.end();
  it->rowStep = intoA ? machine_.cube.m : machine_.cube.n;
  it->columnStep = depth == machine_.cube.depth.end() ? 1 : depth->second;
  const bool depthInColumns = intoA != op.getTransposed();
  if (!depthInColumns)
    std::swap(it->rowStep, it->columnStep);
  emit(op, StepKind::move, *it);
  return llvm::Error::success();
}

// Fractals of 16 pixels, one block of channels deep. Their cycles count as rows of the transfer.
llvm::Error ProgramBuilder::windows(aicore::Load3dOp op) {
  Instruction it;
  it.work = Work::loadL0;
  it.cost = Cost(machine_.load3d.startupCycles, 1, 0);
  it.rows = placeOf(op.getPixels());
  it.columns = placeOf(op.getDepth());
  it.rowStep = machine_.cube.m;
  it.columnStep = static_cast<int64_t>(op.getBlock());
  it.bytes = aicore::elementBytes(op.getTarget().getType());
  it.start = placeOf(op.getFirst());
  it.pitch = placeOf(op.getOutWidth());
  it.fractalCycles = machine_.load3d.fractal(op.getStride()[1]);
  it.lineCycles = op.getStride()[1] == 1 ? machine_.load3d.lineCycles : 0;
  emit(op, StepKind::windows, it);
  return llvm::Error::success();
}

llvm::Error ProgramBuilder::drain(aicore::DrainOp op) {
  llvm::Expected<Instruction> it =
      move(op, Work::drain, "l0c_ub", op.getTarget(), op.getRows(), op.getColumns());
  if (!it)
    return it.takeError();
  // The cube core writes to all its vector cores at once.
  if (machine_.topology == Topology::split) {
    const int32_t share = place();
    compute(op, StepKind::ceilDivide, share, it->rows, constant(machine_.vectorCoresPerCube));
    it->rows = share;
  }
  emit(op, StepKind::move, *it);
  return llvm::Error::success();
}

llvm::Error ProgramBuilder::intoL1(aicore::SpillOp op) {
  llvm::Expected<Instruction> it =
      move(op, Work::spill, "ub_l1", op.getTarget(), op.getRows(), op.getColumns());
  if (!it)
    return it.takeError();
  emit(op, StepKind::move, *it);
  return llvm::Error::success();
}

llvm::Error ProgramBuilder::product(aicore::MmadOp op) {
  const Type element = cast<MemRefType>(op.getA().getType()).getElementType();
  const std::optional<ElementType> type = elementTypeOf(element);
  auto figure = [&](const std::map<ElementType, int64_t> &figures) -> int64_t {
    auto found = type ? figures.find(*type) : figures.end();
    return found == figures.end() ? 0 : found->second;
  };
  if (figure(machine_.cube.depth) == 0 || figure(machine_.cube.macsPerCycle) == 0)
    return fault(op, "multiplies " + nameOf(element) + ", which the cube of " + machine_.name +
                         " does not");
  Instruction it;
  it.work = Work::mmad;
  it.cost = productCost(machine_, *type);
  it.rows = placeOf(op.getM());
  it.columns = placeOf(op.getN());
  it.depth = placeOf(op.getK());
  it.rowStep = machine_.cube.m;
  it.columnStep = machine_.cube.n;
  it.depthStep = figure(machine_.cube.depth);
  emit(op, StepKind::product, it);
  return llvm::Error::success();
}

llvm::Error ProgramBuilder::vector(aicore::VectorOp op) {
  if (!op.isSelected())
    return fault(op, "has no instructions yet; run aicore-select-vector first");
  Instruction it;
  it.work = Work::vector;
  it.rows = placeOf(op.getRows());
  it.columns = placeOf(op.getColumns());
  it.firstCost = program_.vectorCosts.size();
  double perElement = 0;
  for (aicore::VecOp vec : op.getOps<aicore::VecOp>()) {
    const std::string figure(vec.getCost());
    perElement += machine_.vector.at(figure).perElement;
    if (!machine_.hasVectorRegisters())
      program_.vectorCosts.push_back(vectorCost(machine_, figure));
  }
  // On registers, all of them are one loop.
  if (machine_.hasVectorRegisters()) {
    const int64_t loaded =
        llvm::count_if(op.getBroadcasts().getAsRange<aicore::BroadcastAttr>(),
                       [](auto it) { return it.getValue() == aicore::Broadcast::full; });
    program_.vectorCosts.push_back(loopCost(op, perElement, loaded, op.getOutputs().size()));
  }
  it.costs = program_.vectorCosts.size() - it.firstCost;
  emit(op, StepKind::vector, it);
  return llvm::Error::success();
}

// What follows each other without a flag between is one function, of several loops. A loop reads
// what those before have stored, so it waits until they are drained.
Cost ProgramBuilder::loopCost(Operation *op, double perElement, int64_t loaded,
                              int64_t stored) const {
  VectorCost cost = machine_.functionCost(perElement, loaded, stored);
  Operation *before = op->getPrevNode();
  while (before && isMemoryEffectFree(before))
    before = before->getPrevNode();
  if (isa_and_nonnull<aicore::VectorOp, aicore::ReduceOp>(before))
    cost.fixed -= machine_.function.startupCycles;
  return Cost(cost.fixed, 0, cost.perElement);
}

/// A reduction or a scan, by its tree and the figures of its steps.
template <typename Op>
llvm::Error ProgramBuilder::tree(Op op, Tree tree, ArrayRef<std::string> figures) {
  Instruction it;
  it.work = Work::vector;
  it.rows = placeOf(op.getRows());
  it.columns = placeOf(op.getColumns());
  it.byRows = op.getByRows();
  it.tree = tree;
  it.firstCost = program_.vectorCosts.size();
  it.costs = figures.size();
  for (const std::string &figure : figures)
    program_.vectorCosts.push_back(vectorCost(machine_, figure));
  emit(op, StepKind::reduce, it);
  return llvm::Error::success();
}

llvm::Error ProgramBuilder::scan(aicore::ScanOp op) {
  return tree(op, Tree::scan, {"add", "copy"});
}

// The pieces of a row, or each of its elements, as a transfer of a view has them.
llvm::Error ProgramBuilder::window(aicore::WindowOp op) {
  llvm::Expected<const Link *> way = linkOf(op, "gm_ub");
  if (!way)
    return way.takeError();
  Instruction it;
  it.work = Work::load;
  it.link = *way;
  it.tensor = tensors_.lookup(op.getSource());
  it.bytes = aicore::elementBytes(op.getSource().getType());
  const bool inPieces = op.isContiguous();
  it.rows = inPieces ? placeOf(op.getRows())
                     : multiply(op, placeOf(op.getRows()), placeOf(op.getColumns()));
  it.columns = inPieces ? placeOf(op.getColumns()) : constant(1);
  const TensorShape &shape = program_.tensors[it.tensor];
  it.pitch = shape.extents.empty() ? constant(1) : shape.extents.back();
  it.dense = false;
  it.mostColumns = largestExtent(op);
  it.start = firstOfWindow(op, shape);
  emit(op, StepKind::transfer, it);
  return llvm::Error::success();
}

/// The number of the first element of a window; of one inside, if that is in front of the tensor.
int32_t ProgramBuilder::firstOfWindow(aicore::WindowOp op, const TensorShape &shape) {
  const AffineMap map = op.getMap();
  const std::function<int32_t(AffineExpr)> placeOfExpr = [&](AffineExpr expr) -> int32_t {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return unknown_.contains(op.getSymbols()[symbol.getPosition()])
                 ? constant(0)
                 : placeOf(op.getSymbols()[symbol.getPosition()]);
    if (auto number = dyn_cast<AffineConstantExpr>(expr))
      return constant(std::max<int64_t>(0, number.getValue()));
    auto both = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!both || (expr.getKind() != AffineExprKind::Add && expr.getKind() != AffineExprKind::Mul))
      return constant(0); // a dimension of the buffer, which begins at 0
    const int32_t left = placeOfExpr(both.getLHS()), right = placeOfExpr(both.getRHS()),
                  result = place();
    compute(op, expr.getKind() == AffineExprKind::Add ? StepKind::add : StepKind::multiply, result,
            left, right);
    return result;
  };
  return map.getNumResults() == 0
             ? constant(0)
             : numberOf(op, shape, llvm::map_to_vector(map.getResults(), placeOfExpr));
}

/// A vector instruction, `count` times over the elements.
llvm::Error ProgramBuilder::repeated(aicore::Instruction op, int32_t rows, Value columns,
                                     const std::string &figure, int32_t count) {
  Instruction it;
  it.work = Work::vector;
  it.rows = rows;
  it.columns = placeOf(columns);
  it.firstCost = program_.vectorCosts.size();
  it.costs = count;
  program_.vectorCosts.insert(program_.vectorCosts.end(), count, vectorCost(machine_, figure));
  emit(op, StepKind::vector, it);
  return llvm::Error::success();
}

llvm::Error ProgramBuilder::positions(aicore::PositionsOp op) {
  return repeated(op, constant(1), op.getColumns(), "add_scalar", 1);
}

// Vector cores have no wide product and no exclusive or of 32 bits. The two products of a round are
// 15 instructions each, in halves of 16 bits; its four exclusive ors are 3 each: 42, in ten rounds
// for four numbers. Conversion is 3 more.
llvm::Error ProgramBuilder::random(aicore::RandomOp op) {
  return repeated(op, placeOf(op.getRows()), op.getColumns(), "add", 10 * 42 / 4 + 3);
}

// A load, a minimum and a maximum for each element; a line that is not in the data cache takes
// long.
llvm::Error ProgramBuilder::scalarRange(aicore::ScalarRangeOp op) {
  const TensorShape &shape = program_.tensors[tensors_.lookup(op.getSource())];
  Instruction it;
  it.work = Work::scalar;
  it.cost = Cost(0, machine_.scalarLoadCycles, 0, 3 * machine_.issueCycles);
  it.rows = placeOf(op.getSize());
  it.pitch = constant(1);
  for (size_t dim = op.getAlong() + 1; dim < shape.extents.size(); ++dim)
    it.pitch = multiply(op, it.pitch, shape.extents[dim]);
  it.start = elementNumber(op, shape, op.getOffsets());
  it.elements = shape.elements;
  it.absent = {op.getAbsent()[0], op.getAbsent()[1]};
  it.bytes = shape.elementBytes;
  it.lineBytes = machine_.scalarLineBytes;
  program_.instructions.push_back(it);
  const auto number = static_cast<int32_t>(program_.instructions.size() - 1);
  for (auto [kind, result] :
       {std::pair(StepKind::least, op.getLeast()), {StepKind::greatest, op.getGreatest()}})
    emit(op, {.kind = kind, .target = placeOf(result), .c = number});
  if (scope_ != Scope::all)
    return llvm::Error::success();
  const Step read = {.kind = StepKind::scalars, .pipe = Pipe::scalar, .target = number};
  emit(op, read);
  // A loop of the block is that of all of its cores, each of which reads its bounds.
  aicore::VectorCoresOp others;
  if (aicore::unitOf(op) == aicore::Unit::cube_core)
    phase_.walk([&](aicore::VectorCoresOp it) { others = it; });
  if (others) {
    const int32_t core = place();
    const size_t enter = emit(op, {.kind = StepKind::enterCores, .a = core});
    emit(op, read);
    emit(op, {.kind = StepKind::nextCore,
              .target = static_cast<int32_t>(enter + 1),
              .a = core,
              .b = static_cast<int32_t>(others.getCount())});
  }
  return llvm::Error::success();
}

/// What combines two elements, and two positions.
static std::vector<std::string> stepsOfHalf(aicore::ReduceKind kind) {
  switch (kind) {
  case aicore::ReduceKind::add:
    return {"add"};
  case aicore::ReduceKind::mul:
    return {"mul"};
  case aicore::ReduceKind::max:
    return {"max"};
  case aicore::ReduceKind::min:
    return {"min"};
  case aicore::ReduceKind::argmax:
  case aicore::ReduceKind::argmin:
    return {"compare", "select", "select"};
  }
  return {};
}

// Rows are combined in halves. Within a row, blocks of eight are the shortest way for sums and
// extremes; products have no such instruction. The instruction that also gives a position combines
// 64 elements.
llvm::Error ProgramBuilder::reduce(aicore::ReduceOp op) {
  std::vector<std::string> figures = stepsOfHalf(op.getKind());
  if (machine_.hasVectorRegisters())
    return reduceInRegisters(op, figures);
  if (!op.getByRows() && op.givesPosition()) {
    figures.insert(figures.begin(), "reduce_max");
    return tree(op, Tree::groups, figures);
  }
  if (!op.getByRows() && op.getKind() != aicore::ReduceKind::mul)
    return tree(op, Tree::blocks, {"block_reduce"});
  return tree(op, Tree::halves, figures);
}

// Registers are combined with each other. Of the last one of a row its elements are, too.
llvm::Error ProgramBuilder::reduceInRegisters(aicore::ReduceOp op,
                                              const std::vector<std::string> &figures) {
  Instruction it;
  it.work = Work::vector;
  it.rows = placeOf(op.getRows());
  it.columns = placeOf(op.getColumns());
  it.byRows = op.getByRows();
  it.tree = Tree::registers;
  it.firstCost = program_.vectorCosts.size();
  it.costs = 2;
  double perElement = 0;
  for (const std::string &figure : figures)
    perElement += machine_.vector.at(figure).perElement;
  const bool isSum = op.getKind() == aicore::ReduceKind::add;
  const double ofRegister = machine_.vector.at(isSum ? "reduce_sum" : "reduce_max").perElement *
                            registerElements / machine_.function.issued;
  program_.vectorCosts.push_back(loopCost(op, perElement, /*loaded=*/1, /*stored=*/0));
  program_.vectorCosts.push_back(Cost(0, 0, ofRegister * static_cast<double>(figures.size())));
  emit(op, StepKind::reduce, it);
  return llvm::Error::success();
}

} // namespace mmk::count
