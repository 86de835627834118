#include "ascendc/instructions.h"

#include "ascendc/element_names.h"
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

llvm::ArrayRef<int64_t> shapeOf(mlir::Value buffer) {
  return cast<mlir::MemRefType>(buffer.getType()).getShape();
}
mlir::Type elementOf(mlir::Value buffer) {
  return cast<mlir::MemRefType>(buffer.getType()).getElementType();
}

/// The position of a memory as the interface names it; null for memories of the vector cores.
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

mlir::FailureOr<std::string> Instructions::declaration(aicore::AllocOp buffer) {
  const Space space = buffer.getSpace();
  const char *position = positionOf(space);
  if (!position)
    return reportUnwritten(buffer, ("a buffer in " + aicore::stringifySpace(space)).str());
  const llvm::ArrayRef<int64_t> shape = shapeOf(buffer.getResult());
  const int64_t alignment = aicore::machineOf(buffer).alignment(space);
  return fmt::format(
      "using {} = Buffer<{}, TPosition::{}, {}, {}>; // {}: {} of {} x {}",
      names_.of(buffer.getResult()), namesOf(elementOf(buffer.getResult()))->device, position,
      buffer.getOffset().value_or(0), llvm::alignTo(buffer.getBytes(), alignment),
      aicore::stringifySpace(space).str(),
      buffer.getCopies() == 1 ? "1 copy" : fmt::format("{} copies", buffer.getCopies()), shape[0],
      shape[1]);
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
  const unsigned i = cast<mlir::BlockArgument>(tensor).getArgNumber() - kernel_.getDims().size(),
                 args = kernel_.getArgs().size();
  const auto named =
      cast<ir::NamedAttr>(i < args ? kernel_.getArgs()[i] : kernel_.getResults()[i - args]);
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
template <typename Op>
mlir::FailureOr<std::string> Instructions::elementAt(Op op, mlir::Value tensor) {
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

Instructions::Statement Instructions::load(aicore::LoadOp op) {
  const mlir::FailureOr<std::string> element = elementAt(op, op.getSource());
  if (mlir::failed(element))
    return failure();
  return fmt::format("LoadTile({}, {}, {}, {}, {}, {});", copyOf(op.getTarget(), op.getSlot()),
                     *element, expressions_.of(op.getRows()), expressions_.of(op.getColumns()),
                     rowStride(op, op.getSource()), shapeOf(op.getTarget())[0]);
}

// L0A holds rows of fractals, each with its rows; L0B rows of fractals, each with its columns. L1
// holds columns of fractals with their rows: what is not turned by the order of the fractals is by
// LoadData.
Instructions::Statement Instructions::loadL0(aicore::LoadL0Op op) {
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

Instructions::Statement Instructions::multiply(aicore::MmadOp op) {
  return fmt::format("Multiply({}, {}, {}, {}, {}, {}, {});",
                     copyOf(op.getAcc(), op.getAccSlot(), op.getPart()),
                     copyOf(op.getA(), op.getASlot()), copyOf(op.getB(), op.getBSlot()),
                     expressions_.of(op.getM()), expressions_.of(op.getN()),
                     expressions_.of(op.getK()), expressions_.of(op.getFirst()));
}

Instructions::Statement Instructions::store(aicore::FixpipeOp op) {
  const mlir::FailureOr<std::string> element = elementAt(op, op.getTarget());
  if (mlir::failed(element))
    return failure();
  return fmt::format("StoreTile<QuantMode_t::{}>({}, {}, {}, {}, {});",
                     roundingTo(*elementTypeOf(elementOf(op.getTarget()))), *element,
                     copyOf(op.getSource(), op.getSlot(), op.getPart()),
                     expressions_.of(op.getRows()), expressions_.of(op.getColumns()),
                     rowStride(op, op.getTarget()));
}

template <typename Op> Instructions::Statement Instructions::flag(Op op, const char *function) {
  const std::string event = std::to_string(op.getEvent());
  return fmt::format("{}<HardEvent::{}_{}>({});", function, nameOf(op.getFrom()),
                     nameOf(op.getTo()),
                     expressions_.sum(event, expressions_.of(op.getSlot(), Expressions::additive)));
}

mlir::FailureOr<std::string> Instructions::statement(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, Statement>(op)
      .Case([&](aicore::LoadOp load) { return this->load(load); })
      .Case([&](aicore::LoadL0Op load) { return loadL0(load); })
      .Case([&](aicore::MmadOp mmad) { return multiply(mmad); })
      .Case([&](aicore::FixpipeOp fixpipe) { return store(fixpipe); })
      .Case([&](aicore::SetFlagOp set) { return flag(set, "SetFlag"); })
      .Case([&](aicore::WaitFlagOp wait) { return flag(wait, "WaitFlag"); })
      .Case([&](aicore::BarrierOp barrier) -> Statement {
        return fmt::format("PipeBarrier<PIPE_{}>();",
                           barrier.getPipe() ? nameOf(*barrier.getPipe()) : "ALL");
      })
      .Default([](mlir::Operation *other) -> Statement { return reportUnwritten(other); });
}

} // namespace mmk::ascendc
