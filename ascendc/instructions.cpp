#include "ascendc/instructions.h"

#include "ascendc/element_names.h"
#include "ascendc/unwritten.h"
#include "ascendc/vector_statements.h"
#include "ascendc/workspace_text.h"
#include "ir/element_type.h"
#include "ir/merged_dims.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace mmk::ascendc {

using aicore::Space;
using mlir::cast;
using mlir::failure;

namespace {

/// The position of a memory as the interface names it; null for one that is not written.
const char *positionOf(Space space) {
  static constexpr std::pair<Space, const char *> positions[] = {
      {Space::l1, "A1"},   {Space::l0a, "A2"},     {Space::l0b, "B2"},
      {Space::l0c, "CO1"}, {Space::ub, "VECCALC"}, {Space::bt, "C2"},
  };
  const auto *found = llvm::find_if(positions, [&](const auto &it) { return it.first == space; });
  return found == std::end(positions) ? nullptr : found->second;
}

const char *nameOf(aicore::Pipe pipe) {
  using aicore::Pipe;
  static constexpr std::pair<Pipe, const char *> names[] = {
      {Pipe::scalar, "S"}, {Pipe::mte1, "MTE1"},   {Pipe::mte2, "MTE2"}, {Pipe::mte3, "MTE3"},
      {Pipe::cube, "M"},   {Pipe::fixpipe, "FIX"}, {Pipe::vector, "V"},
  };
  return llvm::find_if(names, [&](const auto &it) { return it.first == pipe; })->second;
}

} // namespace

mlir::Type elementOf(mlir::Value value) {
  if (auto tile = dyn_cast<aicore::TileType>(value.getType()))
    return tile.getElement();
  auto buffer = dyn_cast<mlir::MemRefType>(value.getType());
  return buffer ? buffer.getElementType() : value.getType();
}

llvm::ArrayRef<int64_t> shapeOf(mlir::Value buffer) {
  return cast<mlir::MemRefType>(buffer.getType()).getShape();
}

int64_t copyBytesOf(aicore::AllocOp buffer) {
  return llvm::alignTo(buffer.getBytes(), aicore::machineOf(buffer).alignment(buffer.getSpace()));
}

int64_t endOf(aicore::KernelOp kernel, Space space) {
  int64_t end = 0;
  kernel.walk([&](aicore::AllocOp buffer) {
    if (buffer.getSpace() == space)
      end = std::max<int64_t>(end, buffer.getOffset().value_or(0) +
                                       buffer.getCopies() * copyBytesOf(buffer));
  });
  return end;
}

std::string typeText(mlir::Type element) {
  const std::optional<ElementType> type = elementTypeOf(element);
  return type ? std::string(spelling(*type)) : "another type";
}

Statement Instructions::declaration(aicore::AllocOp buffer) {
  const Space space = buffer.getSpace();
  const std::string name = names_.of(buffer.getResult());
  const ElementNames *element = namesOf(elementOf(buffer.getResult()));
  if (!element)
    return reportUnwritten(buffer, "a buffer of " + typeText(elementOf(buffer.getResult())));
  if (space == Space::gm) {
    const std::string core =
        names_.of(buffer->getParentOfType<aicore::PhaseOp>().getBody().getArgument(0));
    return fmt::format("const auto {} = TensorAt<{}>(workspace_gm + {});", name, element->device,
                       expressions_.sum(fmt::format("{} * {}", core, meetingBytesOfBlock(kernel_)),
                                        std::to_string(buffer.getOffset().value_or(0))));
  }
  const char *position = positionOf(space);
  if (!position)
    return reportUnwritten(buffer, "a buffer in " + aicore::stringifySpace(space));
  if (!hasRoom(buffer))
    return reportUnwritten(buffer,
                           "fractals and squares that a tile does not fill, for whose rest " +
                               aicore::stringifySpace(space).upper() + " has no room");
  const llvm::ArrayRef<int64_t> shape = shapeOf(buffer.getResult());
  return fmt::format(
      "using {} = Buffer<{}, TPosition::{}, {}, {}>; // {}: {} of {} x {}", name, element->device,
      position, startOf(buffer), pitchOf(buffer), aicore::stringifySpace(space).str(),
      buffer.getCopies() == 1 ? "1 copy" : fmt::format("{} copies", buffer.getCopies()), shape[0],
      shape[1]);
}

// "acc_gm[slot * elements + row * columns]"
std::string Instructions::meetingPlace(mlir::Value buffer, mlir::Value slot, mlir::Value row,
                                       mlir::Value column) {
  const int64_t elements =
      copyBytesOf(buffer.getDefiningOp<aicore::AllocOp>()) / aicore::elementBytes(buffer.getType());
  auto at = [&](mlir::Value value, int64_t factor) {
    return value ? times(value, std::to_string(factor)) : "0";
  };
  return fmt::format(
      "{}[{}]", names_.of(buffer),
      expressions_.sum(expressions_.sum(at(slot, elements), at(row, shapeOf(buffer)[1])),
                       at(column, 1)));
}

std::string Instructions::copyOf(mlir::Value buffer, mlir::Value slot) {
  return fmt::format("{}::Copy({})", names_.of(buffer), expressions_.of(slot));
}

// A part begins at the same place in each tile, however many rows that has: the next tile fills its
// first part while the last part of this one is stored.
std::string Instructions::sumsOf(mlir::Value buffer, mlir::Value slot,
                                 std::optional<int64_t> part) {
  if (part.value_or(0) == 0)
    return copyOf(buffer, slot);
  return fmt::format("{}::Copy({}, {})", names_.of(buffer), expressions_.of(slot),
                     *part * buffer.getDefiningOp<aicore::AllocOp>().getPartWidth() *
                         shapeOf(buffer)[0] * aicore::elementBytes(buffer.getType()));
}

std::string Instructions::extentOf(mlir::Value tensor, int64_t dim) {
  if (auto workspace = tensor.getDefiningOp<aicore::WorkspaceOp>())
    return expressions_.of(workspace.getExtents()[dim], Expressions::multiplicative + 1);
  const ir::NamedAttr named = namedOf(kernel_, tensor);
  const auto *found = llvm::find(kernel_.getDims(), named.getDims()[dim]);
  return found == kernel_.getDims().end() // a number
             ? named.getDims()[dim].str()
             : names_.of(kernel_.getBody().getArgument(found - kernel_.getDims().begin()));
}

// Tensors are dense.
std::string Instructions::strideOf(mlir::Value tensor, int64_t dim, int64_t step) {
  std::string stride = step == 1 ? "" : std::to_string(step);
  for (int64_t inner = dim + 1; inner < static_cast<int64_t>(shapeOf(tensor).size()); ++inner)
    if (const std::string extent = extentOf(tensor, inner); extent != "1")
      stride += (stride.empty() ? "" : " * ") + extent;
  return stride.empty() ? "1" : stride;
}

/// "2 * W * C": elements from one index of a dimension of the view to the next.
template <typename Op>
std::string Instructions::strideIn(Op op, mlir::Value tensor, size_t viewDim) {
  return strideOf(tensor, op.getAlong()[viewDim], op.stepOf(viewDim));
}

std::string Instructions::times(mlir::Value value, const std::string &factor) {
  const std::string text = expressions_.of(value, Expressions::multiplicative);
  return text == "0" || factor == "1" ? text
         : text == "1"                ? factor
                                      : fmt::format("{} * {}", text, factor);
}

/// "a[mStart * K + kStart]": the first element of a view.
template <typename Op> std::string Instructions::firstOf(Op op, mlir::Value tensor) {
  std::string place = "0";
  for (auto [dim, offset] : llvm::enumerate(op.getOffsets()))
    place = expressions_.sum(place, times(offset, strideOf(tensor, dim)));
  return place;
}

template <typename Op> std::string Instructions::rowStride(Op op, mlir::Value tensor) {
  const size_t rows = op.getAlong().size() - 2;
  return op.getAlong()[rows] < 0 ? expressions_.of(op.getColumns()) : strideIn(op, tensor, rows);
}

// The dimensions in front of the rows become loops around the transfer, but those of one index.
template <typename Op>
Statement Instructions::overRows(Op op, mlir::Value tensor, TransferText transfer) {
  const size_t columns = op.getAlong().size() - 1;
  const int64_t along = op.getAlong()[columns];
  if (along >= 0 && op.columnDims() == 1 && strideIn(op, tensor, columns) != "1")
    return reportUnwritten(op, "a tile whose columns do not follow each other in memory");
  std::string place = firstOf(op, tensor), index = "0", open, close;
  Loops loops;
  for (auto [dim, extent] : llvm::enumerate(op.getOuter())) {
    const std::string count = expressions_.of(extent, Expressions::multiplicative);
    if (count == "1")
      continue;
    const std::string name = names_.fresh(
        VariableNames::dimensionOf(kernel_, tensor, op.getAlong()[dim]).lower(), "outer");
    const std::string indent(2 * loops.size(), ' ');
    open += fmt::format("{0}for (int64_t {1} = 0; {1} < {2}; ++{1}) {{\n", indent, name,
                        expressions_.of(extent));
    close = indent + "}\n" + close;
    const std::string stride = strideIn(op, tensor, dim);
    place = expressions_.sum(place, stride == "1" ? name : name + " * " + stride);
    index = index == "0" ? name : fmt::format("({} * {} + {})", index, count, name);
    loops.emplace_back(dim, name);
  }
  return open + std::string(2 * loops.size(), ' ') +
         transfer(fmt::format("{}[{}]", names_.of(tensor), place), index, loops) +
         (close.empty() ? "" : "\n" + close.substr(0, close.size() - 1));
}

/// The tile from the rows of an index of the outer dimensions on.
std::string Instructions::fromRow(const std::string &tile, const std::string &index,
                                  const std::string &rows, int64_t elements) {
  return index == "0" ? tile : fmt::format("{}[{} * {} * {}]", tile, index, rows, elements);
}

/// The load that makes windows of an image in L1; null if none does.
static aicore::Load3dOp windowsOf(mlir::Value buffer) {
  for (mlir::Operation *user : buffer.getUsers())
    if (auto windows = mlir::dyn_cast<aicore::Load3dOp>(user))
      return windows;
  return nullptr;
}

/// Whether the scalar unit has to move the elements of a tile.
bool Instructions::movesElements(aicore::LoadOp op) {
  return aicore::spaceOf(op.getTarget()) == Space::ub && op.getOuter().empty() &&
         op.columnDims() == 1 && op.getAlong().back() >= 0 &&
         strideIn(op, op.getSource(), op.getAlong().size() - 1) != "1";
}

mlir::Value Instructions::readByScalars(aicore::PhaseOp pass) {
  mlir::Value found;
  auto search = [&](mlir::Value source) {
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(source);
    if (!argument || argument.getArgNumber() >= kernel_.getDims().size() + kernel_.getArgs().size())
      found = source;
  };
  pass.walk([&](mlir::Operation *op) {
    llvm::TypeSwitch<mlir::Operation *>(op)
        .Case<aicore::WindowOp, aicore::ScalarRangeOp>([&](auto read) { search(read.getSource()); })
        .Case([&](aicore::LoadOp load) {
          if (movesElements(load))
            search(load.getSource());
        });
  });
  return found;
}

Statement Instructions::load(aicore::LoadOp op) {
  if (movesElements(op))
    return fmt::format(
        "LoadElements({}, {}[{}], {}, {}, {}, {}, {});", copyOf(op.getTarget(), op.getSlot()),
        names_.of(op.getSource()), firstOf(op, op.getSource()), expressions_.of(op.getRows()),
        expressions_.of(op.getColumns()), rowStride(op, op.getSource()),
        strideIn(op, op.getSource(), op.getAlong().size() - 1), shapeOf(op.getTarget())[1]);
  mlir::Value source = op.getSource(), target = op.getTarget();
  const bool isUb = aicore::spaceOf(target) == Space::ub;
  if (!isUb && !hasRoom(target.getDefiningOp<aicore::AllocOp>()))
    return reportUnwritten(op,
                           "columns that fill no block of 32 bytes, for whose rest L1 has no room");
  // From a row of the tile to the next.
  const int64_t elements = isUb ? shapeOf(target)[1] : 32 / aicore::elementBytes(target.getType());
  std::string rows = expressions_.of(op.getRows(), Expressions::multiplicative),
              pitch = std::to_string(shapeOf(target)[isUb ? 1 : 0]);
  // An image stands in L1 without gaps, as wide as its windows reach.
  if (aicore::Load3dOp windows = windowsOf(target)) {
    rows = pitch = imageWidth(windows);
    for (mlir::Value extent : op.getOuter())
      pitch = times(extent, pitch);
  }
  return overRows(op, source,
                  [&](const std::string &element, const std::string &index, const Loops &loops) {
                    const std::string inside = op.getClipped() ? ", " + rowsInside(op, loops) : "";
                    return fmt::format("{}({}, {}{}, {}, {}, {}, {});",
                                       isUb              ? "LoadRows"
                                       : op.getClipped() ? "LoadClipped"
                                                         : "LoadTile",
                                       fromRow(copyOf(target, op.getSlot()), index, rows, elements),
                                       element, inside, rows, expressions_.of(op.getColumns()),
                                       rowStride(op, source), pitch);
                  });
}

/// How many rows of a clipped view there are before the end of the tensor; may be negative.
std::string Instructions::rowsInside(aicore::LoadOp op, const Loops &loops) {
  const int64_t along = op.getAlong()[op.getOuter().size()];
  std::string first = times(op.getOffsets()[along], "1");
  for (const auto &[dim, name] : loops)
    if (op.getAlong()[dim] == along)
      first = expressions_.sum(
          first, op.stepOf(dim) == 1 ? name : fmt::format("{} * {}", name, op.stepOf(dim)));
  std::string extent;
  for (int64_t dim : aicore::boundingDims(op, along))
    extent += (extent.empty() ? "" : " * ") + extentOf(op.getSource(), dim);
  return first == "0" ? extent : fmt::format("{} - ({})", extent, first);
}

Statement Instructions::fetch(aicore::FetchOp op) {
  const bool isUb = aicore::spaceOf(op.getTarget()) == Space::ub;
  return fmt::format("{}({}, {}, {}, {}, {}, {});", isUb ? "LoadRows" : "LoadTile",
                     copyOf(op.getTarget(), op.getTargetSlot()),
                     meetingPlace(op.getSource(), op.getSlot(), op.getRow(), {}),
                     expressions_.of(op.getRows()), expressions_.of(op.getColumns()),
                     shapeOf(op.getSource())[1], shapeOf(op.getTarget())[isUb ? 1 : 0]);
}

Statement Instructions::store(aicore::StoreOp op) {
  mlir::Value source = op.getSource(), target = op.getTarget();
  return overRows(
      op, target, [&](const std::string &element, const std::string &index, const Loops &) {
        return fmt::format("StoreRows({}, {}, {}, {}, {}, {});", element,
                           fromRow(copyOf(source, op.getSlot()), index,
                                   expressions_.of(op.getRows(), Expressions::multiplicative),
                                   shapeOf(source)[1]),
                           expressions_.of(op.getRows()), expressions_.of(op.getColumns()),
                           rowStride(op, target), shapeOf(source)[1]);
      });
}

Statement Instructions::storeSums(aicore::FixpipeOp op) {
  return overRows(
      op, op.getTarget(), [&](const std::string &element, const std::string &, const Loops &) {
        return storeTile(op, element, rowStride(op, op.getTarget()), op.getRelu(), op.getSlope());
      });
}

std::string Instructions::eventOf(int64_t first, mlir::Value slot) {
  return expressions_.sum(std::to_string(first), expressions_.of(slot, Expressions::additive));
}

template <typename Op> Statement Instructions::flag(Op op, const char *function) {
  return fmt::format("{}<HardEvent::{}_{}>({});", function, nameOf(op.getFrom()),
                     nameOf(op.getTo()), eventOf(op.getEvent(), op.getSlot()));
}

template <typename Op> Statement Instructions::crossFlag(Op op, const char *function) {
  return fmt::format("{}<2, PIPE_{}>({});", function, nameOf(op.getPipe()),
                     eventOf(op.getFlag(), op.getSlot()));
}

Statement Instructions::rangeOf(aicore::ScalarRangeOp op) {
  const std::string least = names_.of(op.getLeast()), greatest = names_.of(op.getGreatest());
  const auto along = static_cast<int64_t>(op.getAlong());
  return fmt::format(
      "int64_t {0} = {2}, {1} = {3};\nFindRange({4}[{5}], {6}, {7}, {0}, {1});", least, greatest,
      op.getAbsent()[0], op.getAbsent()[1], names_.of(op.getSource()), firstOf(op, op.getSource()),
      expressions_.of(op.getSize()), along < 0 ? "1" : strideOf(op.getSource(), along));
}

std::string Instructions::tileOf(const aicore::VectorTile &tile) {
  return tile.slot ? copyOf(tile.buffer, tile.slot)
                   : fmt::format("{}::Copy({})", names_.of(tile.buffer), tile.copy);
}

Statement Instructions::statement(mlir::Operation *op) {
  const NameTile nameTile = [&](const aicore::VectorTile &tile) { return tileOf(tile); };
  return llvm::TypeSwitch<mlir::Operation *, Statement>(op)
      .Case([&](aicore::LoadOp load) { return this->load(load); })
      .Case([&](aicore::LoadL0Op load) { return loadL0(load); })
      .Case([&](aicore::Load3dOp load) { return loadWindows(load); })
      .Case([&](aicore::MmadOp mmad) { return multiply(mmad); })
      .Case([&](aicore::FixpipeOp fixpipe) { return storeSums(fixpipe); })
      .Case([&](aicore::DrainOp op) { return drain(op); })
      .Case([&](aicore::SpillOp op) { return spill(op); })
      .Case([&](aicore::FetchOp op) { return fetch(op); })
      .Case([&](aicore::StoreOp op) { return store(op); })
      .Case([&](aicore::WindowOp op) { return window(op); })
      .Case([&](aicore::VectorOp op) { return vectorStatement(op, expressions_, nameTile); })
      .Case([&](aicore::ReduceOp op) { return reduceStatement(op, expressions_, nameTile); })
      .Case([&](aicore::ScanOp op) { return scanStatement(op, expressions_, nameTile); })
      .Case([&](aicore::PositionsOp op) { return positionsStatement(op, expressions_, nameTile); })
      .Case([&](aicore::RandomOp op) { return randomStatement(op, expressions_, nameTile); })
      .Case([&](aicore::SetCrossOp set) { return crossFlag(set, "CrossCoreSetFlag"); })
      .Case([&](aicore::WaitCrossOp wait) { return crossFlag(wait, "CrossCoreWaitFlag"); })
      .Case([&](aicore::SetFlagOp set) { return flag(set, "SetFlag"); })
      .Case([&](aicore::WaitFlagOp wait) { return flag(wait, "WaitFlag"); })
      .Case([&](aicore::BarrierOp barrier) -> Statement {
        return fmt::format("PipeBarrier<PIPE_{}>();",
                           barrier.getPipe() ? nameOf(*barrier.getPipe()) : "ALL");
      })
      .Default([](mlir::Operation *other) -> Statement { return reportUnwritten(other); });
}

} // namespace mmk::ascendc
