#include "ascendc/instructions.h"

#include "ascendc/element_names.h"
#include "ascendc/kernel_text.h"
#include "ascendc/unwritten.h"
#include "ir/element_type.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

namespace mmk::ascendc {

using aicore::Space;
using mlir::cast;
using mlir::failure;

namespace {

mlir::Type elementOf(mlir::Value buffer) {
  return cast<mlir::MemRefType>(buffer.getType()).getElementType();
}

/// The position of a memory as the interface names it; null for one that is not written.
const char *positionOf(Space space) {
  switch (space) {
  case Space::l1:
    return "A1";
  case Space::l0a:
    return "A2";
  case Space::l0b:
    return "B2";
  case Space::l0c:
    return "CO1";
  case Space::ub:
    return "VECCALC";
  default:
    return nullptr;
  }
}

const char *nameOf(aicore::Pipe pipe) {
  switch (pipe) {
  case aicore::Pipe::scalar:
    return "S";
  case aicore::Pipe::mte1:
    return "MTE1";
  case aicore::Pipe::mte2:
    return "MTE2";
  case aicore::Pipe::mte3:
    return "MTE3";
  case aicore::Pipe::cube:
    return "M";
  case aicore::Pipe::fixpipe:
    return "FIX";
  case aicore::Pipe::vector:
    return "V";
  }
  return "";
}

/// What Fixpipe does with sums of f32.
const char *roundingTo(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return "F322F16";
  case ElementType::bf16:
    return "F322BF16";
  default:
    return "NoQuant";
  }
}

} // namespace

llvm::ArrayRef<int64_t> shapeOf(mlir::Value buffer) {
  return cast<mlir::MemRefType>(buffer.getType()).getShape();
}

int64_t copyBytesOf(aicore::AllocOp buffer) {
  return llvm::alignTo(buffer.getBytes(), aicore::machineOf(buffer).alignment(buffer.getSpace()));
}

Statement Instructions::declaration(aicore::AllocOp buffer) {
  const Space space = buffer.getSpace();
  const std::string name = names_.of(buffer.getResult());
  const ElementNames *element = namesOf(elementOf(buffer.getResult()));
  if (!element)
    return reportUnwritten(buffer, "a buffer of another type than f32, f16 and bf16");
  if (space == Space::gm) {
    const std::string core =
        names_.of(buffer->getParentOfType<aicore::PhaseOp>().getBody().getArgument(0));
    return fmt::format("const auto {} = TensorAt<{}>(workspace_gm + {});", name, element->device,
                       expressions_.sum(fmt::format("{} * {}", core, workspaceBytes(kernel_)),
                                        std::to_string(buffer.getOffset().value_or(0))));
  }
  const char *position = positionOf(space);
  if (!position)
    return reportUnwritten(buffer, "a buffer in " + aicore::stringifySpace(space));
  const llvm::ArrayRef<int64_t> shape = shapeOf(buffer.getResult());
  return fmt::format("using {} = Buffer<{}, TPosition::{}, {}, {}>; // {}: {} of {} x {}", name,
                     element->device, position, buffer.getOffset().value_or(0), copyBytesOf(buffer),
                     aicore::stringifySpace(space).str(),
                     buffer.getCopies() == 1 ? "1 copy"
                                             : fmt::format("{} copies", buffer.getCopies()),
                     shape[0], shape[1]);
}

// "acc_gm[slot * elements + row * columns]"
std::string Instructions::meetingPlace(mlir::Value buffer, mlir::Value slot, mlir::Value row,
                                       mlir::Value column) {
  const int64_t elements =
      copyBytesOf(buffer.getDefiningOp<aicore::AllocOp>()) / aicore::elementBytes(buffer.getType());
  auto times = [&](mlir::Value value, int64_t factor) {
    const std::string text = value ? expressions_.of(value, Expressions::multiplicative) : "0";
    return text == "0" || factor == 1 ? text : fmt::format("{} * {}", text, factor);
  };
  return fmt::format(
      "{}[{}]", names_.of(buffer),
      expressions_.sum(expressions_.sum(times(slot, elements), times(row, shapeOf(buffer)[1])),
                       times(column, 1)));
}

std::string Instructions::copyOf(mlir::Value buffer, mlir::Value slot,
                                 std::optional<int64_t> part) {
  std::string byte;
  // The columns of a part follow those of the part before it, in whole fractals.
  if (part.value_or(0) > 0)
    byte = fmt::format(", {}", *part * buffer.getDefiningOp<aicore::AllocOp>().getPartWidth() *
                                   shapeOf(buffer)[0] * aicore::elementBytes(buffer.getType()));
  return fmt::format("{}::Copy({}{})", names_.of(buffer), expressions_.of(slot), byte);
}

std::string Instructions::extentOf(mlir::Value tensor, int64_t dim) {
  const ir::NamedAttr named = namedOf(kernel_, tensor);
  const auto *found = llvm::find(kernel_.getDims(), named.getDims()[dim]);
  return found == kernel_.getDims().end() // a number
             ? named.getDims()[dim].str()
             : names_.of(kernel_.getBody().getArgument(found - kernel_.getDims().begin()));
}

// Tensors are dense.
std::string Instructions::strideOf(mlir::Value tensor, int64_t dim) {
  std::string stride;
  for (int64_t inner = dim + 1; inner < static_cast<int64_t>(shapeOf(tensor).size()); ++inner)
    stride += (stride.empty() ? "" : " * ") + extentOf(tensor, inner);
  return stride;
}

/// "a[mStart * K + kStart]": the first element of a tile of rows that are dense.
template <typename Op> Statement Instructions::elementAt(Op op, mlir::Value tensor) {
  const int64_t rank = shapeOf(tensor).size();
  if (!op.getOuter().empty() || op.getStep() || op.columnDims() != 1 ||
      op.getAlong()[1] != rank - 1)
    return reportUnwritten(op, "a tile of more than two dimensions, or whose columns are not those "
                               "of the tensor");
  std::string place = "0";
  for (auto [dim, offset] : llvm::enumerate(op.getOffsets())) {
    std::string text = expressions_.of(offset, Expressions::multiplicative);
    if (const std::string stride = strideOf(tensor, dim); !stride.empty() && text != "0")
      text += " * " + stride;
    place = expressions_.sum(place, text);
  }
  return fmt::format("{}[{}]", names_.of(tensor), place);
}

template <typename Op> std::string Instructions::rowStride(Op op, mlir::Value tensor) {
  return op.getAlong()[0] < 0 ? expressions_.of(op.getColumns())
                              : strideOf(tensor, op.getAlong()[0]);
}

Statement Instructions::load(aicore::LoadOp op) {
  const Statement element = elementAt(op, op.getSource());
  if (mlir::failed(element))
    return failure();
  const bool isUb = aicore::spaceOf(op.getTarget()) == Space::ub;
  return fmt::format("{}({}, {}, {}, {}, {}, {});", isUb ? "LoadRows" : "LoadTile",
                     copyOf(op.getTarget(), op.getSlot()), *element, expressions_.of(op.getRows()),
                     expressions_.of(op.getColumns()), rowStride(op, op.getSource()),
                     shapeOf(op.getTarget())[isUb ? 1 : 0]);
}

Statement Instructions::fetch(aicore::FetchOp op) {
  if (aicore::spaceOf(op.getTarget()) != Space::ub)
    return reportUnwritten(op);
  return fmt::format(
      "LoadRows({}, {}, {}, {}, {}, {});", copyOf(op.getTarget(), op.getTargetSlot()),
      meetingPlace(op.getSource(), op.getSlot(), op.getRow(), {}), expressions_.of(op.getRows()),
      expressions_.of(op.getColumns()), shapeOf(op.getSource())[1], shapeOf(op.getTarget())[1]);
}

Statement Instructions::spill(aicore::SpillOp op) {
  if (aicore::spaceOf(op.getSource()) != Space::l0c)
    return reportUnwritten(op);
  return fmt::format("StoreTile<QuantMode_t::{}>({}, {}, {}, {}, {});",
                     roundingTo(*elementTypeOf(elementOf(op.getTarget()))),
                     meetingPlace(op.getTarget(), op.getTargetSlot(), op.getRow(), op.getColumn()),
                     copyOf(op.getSource(), op.getSlot(), op.getPart()),
                     expressions_.of(op.getRows()), expressions_.of(op.getColumns()),
                     shapeOf(op.getTarget())[1]);
}

Statement Instructions::store(aicore::StoreOp op) {
  const Statement element = elementAt(op, op.getTarget());
  if (mlir::failed(element))
    return failure();
  return fmt::format("StoreRows({}, {}, {}, {}, {}, {});", *element,
                     copyOf(op.getSource(), op.getSlot()), expressions_.of(op.getRows()),
                     expressions_.of(op.getColumns()), rowStride(op, op.getTarget()),
                     shapeOf(op.getSource())[1]);
}

// L0A holds rows of fractals, each with its rows; L0B rows of fractals, each with its columns. L1
// holds columns of fractals with their rows: what is not turned by the order of the fractals is by
// LoadData.
Statement Instructions::loadL0(aicore::LoadL0Op op) {
  const bool isB = aicore::spaceOf(op.getTarget()) == Space::l0b;
  if (aicore::elementBytes(op.getSource().getType()) != 2)
    return reportUnwritten(op, "a product of another type than f16 and bf16");
  return fmt::format("{}<{}>({}, {}, {}, {}, {}, {}, {});",
                     op.getTransposed() ? "LoadByColumns" : "LoadByRows", op.getTransposed() != isB,
                     copyOf(op.getTarget(), op.getTargetSlot()),
                     copyOf(op.getSource(), op.getSlot()), expressions_.of(op.getRow()),
                     expressions_.of(op.getColumn()), expressions_.of(op.getRows()),
                     expressions_.of(op.getColumns()), shapeOf(op.getSource())[0]);
}

Statement Instructions::multiply(aicore::MmadOp op) {
  return fmt::format("Multiply({}, {}, {}, {}, {}, {}, {});",
                     copyOf(op.getAcc(), op.getAccSlot(), op.getPart()),
                     copyOf(op.getA(), op.getASlot()), copyOf(op.getB(), op.getBSlot()),
                     expressions_.of(op.getM()), expressions_.of(op.getN()),
                     expressions_.of(op.getK()), expressions_.of(op.getFirst()));
}

Statement Instructions::storeSums(aicore::FixpipeOp op) {
  const Statement element = elementAt(op, op.getTarget());
  if (mlir::failed(element))
    return failure();
  return fmt::format("StoreTile<QuantMode_t::{}>({}, {}, {}, {}, {});",
                     roundingTo(*elementTypeOf(elementOf(op.getTarget()))), *element,
                     copyOf(op.getSource(), op.getSlot(), op.getPart()),
                     expressions_.of(op.getRows()), expressions_.of(op.getColumns()),
                     rowStride(op, op.getTarget()));
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

Statement Instructions::statement(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, Statement>(op)
      .Case([&](aicore::LoadOp load) { return this->load(load); })
      .Case([&](aicore::LoadL0Op load) { return loadL0(load); })
      .Case([&](aicore::MmadOp mmad) { return multiply(mmad); })
      .Case([&](aicore::FixpipeOp fixpipe) { return storeSums(fixpipe); })
      .Case([&](aicore::SpillOp op) { return spill(op); })
      .Case([&](aicore::FetchOp op) { return fetch(op); })
      .Case([&](aicore::StoreOp op) { return store(op); })
      .Case([&](aicore::VectorOp op) { return vector(op); })
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
