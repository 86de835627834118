#include "place/vector_tiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace mmk {

namespace {

Type bufferElement(Value buffer) { return cast<MemRefType>(buffer.getType()).getElementType(); }

} // namespace

TileAssignment::TileAssignment(aicore::VectorOp vector,
                               SmallVectorImpl<SelectedInstruction> &instructions)
    : vector_(vector) {
  Block &body = vector.getBody().front();
  for (auto [element, input] : llvm::zip(body.getArguments(), vector.getInputs())) {
    tiles_[element] = elements_.size();
    elements_.push_back(bufferElement(input));
  }
  for (Value output : vector.getOutputs())
    elements_.push_back(bufferElement(output));
  findLives(instructions);
  chooseOutputs(instructions);
  for (auto [number, it] : llvm::enumerate(instructions)) {
    if (it.result)
      targets_.push_back(tiles_[it.result] = place(number, it.result));
  }
  // Emits the copies, each to an output that nothing else writes.
  for (auto [number, output] : llvm::enumerate(outputs_))
    if (output.written >= targets_.size())
      targets_.push_back(vector.getInputs().size() + number);
}

void TileAssignment::findLives(ArrayRef<SelectedInstruction> instructions) {
  for (auto [number, it] : llvm::enumerate(instructions))
    for (Value input : it.inputs)
      lastUse_[input] = number;
  // An output may be an input too, which must be read before it is written.
  for (auto [output, slot] : llvm::zip(vector_.getOutputs(), vector_.getOutputSlots())) {
    Output &it = outputs_.emplace_back();
    for (auto [input, inputSlot, element] : llvm::zip(vector_.getInputs(), vector_.getInputSlots(),
                                                      vector_.getBody().front().getArguments()))
      if (input == output && inputSlot == slot)
        it.freeFrom = std::max(it.freeFrom, lastUse_.lookup(element));
  }
}

// The instruction of a yielded value writes its first output. The other outputs are copied at the
// end.
void TileAssignment::chooseOutputs(SmallVectorImpl<SelectedInstruction> &instructions) {
  DenseMap<Value, size_t> writtenBy;
  for (auto [number, it] : llvm::enumerate(instructions))
    writtenBy[it.result] = number;
  OperandRange yielded = vector_.getBody().front().getTerminator()->getOperands();
  SmallVector<unsigned> copied;
  for (auto [number, value] : llvm::enumerate(yielded)) {
    auto by = writtenBy.find(value);
    if (by == writtenBy.end() || outputOf_.contains(value) ||
        by->second < outputs_[number].freeFrom) {
      copied.push_back(number);
      continue;
    }
    outputOf_[value] = number;
    outputs_[number].written = by->second;
  }
  for (unsigned number : copied) {
    Value value = yielded[number];
    outputs_[number].written = instructions.size();
    lastUse_[value] = instructions.size();
    instructions.push_back({"copy", {}, {value}, Value(), vector_.getLoc()});
  }
}

unsigned TileAssignment::place(size_t number, Value result) {
  const unsigned inputs = vector_.getInputs().size();
  if (auto own = outputOf_.find(result); own != outputOf_.end())
    return inputs + own->second;
  const size_t last = lastUse_.lookup(result);
  for (auto [i, output] : llvm::enumerate(outputs_))
    if (elements_[inputs + i] == result.getType() && output.freeFrom <= number &&
        output.busyUntil <= number && last <= output.written) {
      output.busyUntil = last;
      return inputs + i;
    }
  return scratchTile(number, last, result.getType());
}

// Tiles of one size share copies of one buffer, whatever their elements are.
unsigned TileAssignment::scratchTile(size_t number, size_t last, Type element) {
  const unsigned bits = element.getIntOrFloatBitWidth();
  SmallVector<size_t> &copies = busyUntil_[bits];
  const size_t copy =
      llvm::find_if(copies, [&](size_t until) { return until <= number; }) - copies.begin();
  if (copy == copies.size())
    copies.push_back(last);
  copies[copy] = last;
  const unsigned before = vector_.getInputs().size() + vector_.getOutputs().size();
  for (auto [i, tile] : llvm::enumerate(scratch_))
    if (tile.bits == bits && tile.copy == static_cast<int64_t>(copy) && tile.element == element)
      return before + i;
  scratch_.push_back({bits, static_cast<int64_t>(copy), element});
  elements_.push_back(element);
  return before + scratch_.size() - 1;
}

Value ScratchBuffers::of(const ScratchTile &tile, aicore::VectorOp vector) {
  // As large as the smallest of the tiles that cover it: rows of small elements have more padding.
  int64_t rows = INT64_MAX, columns = INT64_MAX;
  auto cover = [&](Value buffer) {
    ArrayRef<int64_t> shape = cast<MemRefType>(buffer.getType()).getShape();
    rows = std::min(rows, shape[0]);
    columns = std::min(columns, shape[1]);
  };
  llvm::for_each(vector.getOutputs(), cover);
  for (auto [input, broadcast] :
       llvm::zip(vector.getInputs(), vector.getBroadcasts().getAsRange<aicore::BroadcastAttr>()))
    if (broadcast.getValue() == aicore::Broadcast::full)
      cover(input);
  MLIRContext *context = vector.getContext();
  const bool isMask = tile.bits == 1;
  Type element = isMask || tile.bits == 8 ? Type(IntegerType::get(context, 8))
                 : tile.bits == 32        ? Type(Float32Type::get(context))
                                          : tile.element;
  if (isMask)
    columns = llvm::divideCeil(columns, 8);
  const auto type = MemRefType::get({rows, columns}, element, MemRefLayoutAttrInterface(),
                                    aicore::SpaceAttr::get(context, aicore::Space::ub));
  for (auto [bits, buffer] : buffers_)
    if (bits == tile.bits && buffer.getResult().getType() == type) {
      buffer.setCopies(std::max<int64_t>(buffer.getCopies(), tile.copy + 1));
      return buffer;
    }
  OpBuilder b = OpBuilder::atBlockBegin(&phase_.getBody().front());
  Location loc = vector.getLoc();
  if (auto output = vector.getOutputs().back().getDefiningOp<aicore::AllocOp>()) {
    b.setInsertionPointAfter(output);
    loc = output.getLoc();
  }
  auto buffer = aicore::AllocOp::create(b, loc, type, isMask ? "mask" : "scratch", "scratch",
                                        tile.copy + 1, /*parts=*/1, IntegerAttr());
  buffers_.emplace_back(tile.bits, buffer);
  return buffer;
}

} // namespace mmk
