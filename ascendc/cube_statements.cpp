// The instructions of the cube: into L0A, L0B and the bias table, products, and their sums.
#include "ascendc/architecture.h"
#include "ascendc/instructions.h"
#include "ascendc/unwritten.h"
#include "ir/element_type.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"

#include <fmt/format.h>

namespace mmk::ascendc {

using aicore::Space;

namespace {

// Of rows that the interface transposes at once, by the bytes of an element.
constexpr int64_t wordSquare = 16, byteSquare = 32;

constexpr int64_t fractalBytes = 512;
constexpr int64_t biasAlignment = 128; // bytes, of a row that Mmad reads

int64_t alignedTo(int64_t number, int64_t unit) { return (number + unit - 1) / unit * unit; }

bool isIntoB(mlir::Value buffer) { return aicore::spaceOf(buffer) == Space::l0b; }

int64_t bytesOf(mlir::Value buffer) { return aicore::elementBytes(buffer.getType()); }

/// L1 holds columns of fractals with their rows, L0A rows of fractals with their rows, L0B rows of
/// fractals with their columns: what is not turned by the order of the fractals has to be within
/// each.
bool transposesFractals(aicore::LoadL0Op op) {
  return op.getTransposed() != isIntoB(op.getTarget());
}

/// Whether the load in front of a product fills its operand with transposed fractals of so many
/// bytes an element. Several products share a buffer, and each has its own loads in front of it.
bool hasSquares(aicore::MmadOp product, mlir::Value buffer, int64_t bytes) {
  if (bytesOf(buffer) != bytes)
    return false;
  aicore::LoadL0Op last;
  product->getParentOfType<aicore::KernelOp>().walk([&](mlir::Operation *op) {
    if (op == product)
      return mlir::WalkResult::interrupt();
    auto load = mlir::dyn_cast<aicore::LoadL0Op>(op);
    if (load && load.getTarget() == buffer)
      last = load;
    return mlir::WalkResult::advance();
  });
  return last && transposesFractals(last);
}

/// Rows of sums between the columns of an accumulator with parts; 0: without parts, those of each
/// tile. So a part is at the same place in all tiles.
int64_t rowsOfParts(mlir::Value buffer) {
  return buffer.getDefiningOp<aicore::AllocOp>().getParts() > 1 ? shapeOf(buffer)[0] : 0;
}

/// Rows of a left operand that its products compute with, where these are not those that are
/// loaded; else 0. Nothing where they differ.
std::optional<int64_t> rowsOfProducts(mlir::Value l0a) {
  std::optional<int64_t> found;
  for (mlir::Operation *user : l0a.getUsers())
    if (auto product = mlir::dyn_cast<aicore::MmadOp>(user)) {
      const int64_t rows = rowsOfParts(product.getAcc());
      if (rows != found.value_or(rows))
        return std::nullopt;
      found = rows;
    }
  return found.value_or(0);
}

/// The last product in front of an operation that fills an accumulator; null if there is none.
aicore::MmadOp productBefore(mlir::Operation *drain, mlir::Value acc) {
  aicore::MmadOp last;
  drain->getParentOfType<aicore::KernelOp>().walk([&](mlir::Operation *op) {
    if (op == drain)
      return mlir::WalkResult::interrupt();
    auto product = mlir::dyn_cast<aicore::MmadOp>(op);
    if (product && product.getAcc() == acc)
      last = product;
    return mlir::WalkResult::advance();
  });
  return last;
}

} // namespace

int64_t pitchOf(aicore::AllocOp buffer) {
  mlir::Value value = buffer.getResult();
  const int64_t bytes = bytesOf(value), planned = copyBytesOf(buffer);
  // In L1 columns of fractals are whole.
  if (buffer.getSpace() == Space::l1 && shapeOf(value)[0] > 1)
    return std::max(planned, shapeOf(value)[0] * alignedTo(shapeOf(value)[1] * bytes, 32));
  const bool isB = isIntoB(value), isSquare = llvm::any_of(value.getUsers(), [](auto *user) {
                                     auto load = mlir::dyn_cast<aicore::LoadL0Op>(user);
                                     return load && transposesFractals(load);
                                   });
  if (!isSquare || bytes == 2)
    return planned;
  const int64_t depth = shapeOf(value)[isB ? 0 : 1], width = shapeOf(value)[isB ? 1 : 0];
  if (bytes == 4)
    return std::max(planned, alignedTo(depth, wordSquare) * width * bytes);
  // Of an odd number of fractals the last square has another one behind it: in L0A of dav-2201 of
  // each depth.
  const bool isLast = isB || architectureOf(buffer) == Architecture::dav3510;
  const int64_t fractals = width % byteSquare == 0 ? 0 : isLast ? 1 : depth / byteSquare;
  return planned + fractals * fractalBytes;
}

int64_t startOf(aicore::AllocOp buffer) {
  const int64_t planned = buffer.getOffset().value_or(0);
  int64_t start = planned;
  buffer->getParentOfType<aicore::PhaseOp>().walk([&](aicore::AllocOp other) {
    const int64_t copies = other.getCopies(), otherStart = other.getOffset().value_or(0);
    if (other.getSpace() == buffer.getSpace() &&
        otherStart + copies * copyBytesOf(other) <= planned)
      start += copies * (pitchOf(other) - copyBytesOf(other));
  });
  return start;
}

bool hasRoom(aicore::AllocOp buffer) {
  return startOf(buffer) + static_cast<int64_t>(buffer.getCopies()) * pitchOf(buffer) <=
         aicore::machineOf(buffer).capacity(buffer.getSpace());
}

Statement Instructions::loadL0(aicore::LoadL0Op op) {
  mlir::Value source = op.getSource(), target = op.getTarget();
  const std::string to = copyOf(target, op.getTargetSlot()), from = copyOf(source, op.getSlot());
  if (aicore::spaceOf(target) == Space::bt) {
    const std::string column = expressions_.of(op.getColumn());
    return fmt::format("LoadBias({}, {}{}, {});", to, from,
                       column == "0" ? "" : fmt::format("[{}]", column),
                       expressions_.of(op.getColumns()));
  }
  const bool isB = isIntoB(target), transposes = transposesFractals(op);
  const std::string rows = expressions_.of(op.getRows()),
                    columns = expressions_.of(op.getColumns());
  const std::string part =
      fmt::format("{}, {}, {}, {}, {}, {}, {}", to, from, expressions_.of(op.getRow()),
                  expressions_.of(op.getColumn()), rows, columns, shapeOf(source)[0]);
  if (architectureOf(op) == Architecture::dav3510) {
    const mlir::FailureOr<std::string> l0Rows = rowsInL0(op, transposes ? columns : rows);
    if (mlir::failed(l0Rows))
      return mlir::failure();
    if (transposes && bytesOf(source) == 4)
      return fmt::format("LoadSquares({}, {}, {});", part, shapeOf(source)[1], *l0Rows);
    return fmt::format("{}({}, {});",
                       !transposes            ? "LoadFractals"
                       : bytesOf(source) == 1 ? "LoadByteSquares"
                                              : "LoadFractals<true>",
                       part, *l0Rows);
  }
  if (!transposes || bytesOf(source) == 2)
    return fmt::format("{}<{}>({});", op.getTransposed() ? "LoadByColumns" : "LoadByRows",
                       transposes, part);
  if (bytesOf(source) == 4)
    return fmt::format("LoadSquares({}, {});", part, shapeOf(source)[1]);
  return fmt::format("LoadByteSquares<{}>({});", isB, part);
}

/// Rows of an operand in L0A or L0B of dav-3510, which has columns of fractals: those of the
/// product.
template <typename Op>
mlir::FailureOr<std::string> Instructions::rowsInL0(Op load, const std::string &loaded) {
  if (isIntoB(load.getTarget()))
    return loaded;
  const std::optional<int64_t> rows = rowsOfProducts(load.getTarget());
  if (!rows)
    return reportUnwritten(load);
  return *rows > 0 ? std::to_string(*rows) : loaded;
}

/// The least padding in front of columns, of all windows that are loaded out of the same lines.
static int64_t leastLeft(aicore::Load3dOp op) {
  auto least = static_cast<int64_t>(op.getLeft());
  for (mlir::Operation *user : op.getSource().getUsers())
    if (auto other = mlir::dyn_cast<aicore::Load3dOp>(user))
      least = std::min(least, static_cast<int64_t>(other.getLeft()));
  return least;
}

/// Columns of the image that its windows reach. LoadData would make more windows of more. Those of
/// the taps of a pooling differ by less than a stride, and the lines are as long for all of them.
std::string Instructions::imageWidth(aicore::Load3dOp op) {
  const int64_t stride = op.getStride()[1], dilation = op.getDilation()[1];
  int64_t number = 1 - stride - dilation - leastLeft(op);
  std::string reach = "0";
  for (auto [value, factor] :
       {std::pair(op.getOutWidth(), stride), std::pair(op.getTapColumns(), dilation)})
    if (const std::optional<int64_t> known = mlir::getConstantIntValue(value))
      number += *known * factor;
    else
      reach = expressions_.sum(reach, times(value, std::to_string(factor)));
  const std::string width = expressions_.of(op.getWidth());
  if (reach == width && number >= 0)
    return width;
  if (number != 0 || reach == "0")
    reach += fmt::format(" {} {}", number < 0 ? "-" : "+", std::abs(number));
  return fmt::format("LesserOf({}, {})", width, reach);
}

/// Whether windows that begin at other lines are loaded out of the same lines of an image.
static bool sharesLines(aicore::Load3dOp op) {
  return llvm::any_of(op.getSource().getUsers(), [&](mlir::Operation *user) {
    auto other = mlir::dyn_cast<aicore::Load3dOp>(user);
    return other && other.getSlot() == op.getSlot() && other.getTop() != op.getTop();
  });
}

Statement Instructions::loadWindows(aicore::Load3dOp op) {
  // Lines are skipped as taps, which lie apart by the dilation.
  if (op.getDilation()[0] > 1 && sharesLines(op))
    return reportUnwritten(op, "fuse = windows of a convolution with a dilation of lines");
  std::string sizes = fmt::format("{}, {}, ", expressions_.of(op.getLines()), imageWidth(op));
  for (mlir::Value value : {op.getTapRows(), op.getTapColumns(), op.getTop(), op.getOutWidth(),
                            op.getFirst(), op.getFrom(), op.getPixels(), op.getDepth()})
    sizes += expressions_.of(value) + ", ";
  std::string l0Rows;
  if (architectureOf(op) == Architecture::dav3510) {
    const mlir::FailureOr<std::string> rows = rowsInL0(op, expressions_.of(op.getPixels()));
    if (mlir::failed(rows))
      return mlir::failure();
    l0Rows = ", " + *rows;
  }
  return fmt::format("LoadWindows<{}, {}, {}, {}, {}>({}, {}, {}{}{});", op.getStride()[0],
                     op.getStride()[1], op.getDilation()[0], op.getDilation()[1],
                     static_cast<int64_t>(op.getLeft()), copyOf(op.getTarget(), op.getTargetSlot()),
                     copyOf(op.getSource(), op.getSlot()), sizes, shapeOf(op.getSource())[1],
                     l0Rows);
}

Statement Instructions::multiply(aicore::MmadOp op) {
  auto acc = op.getAcc().getDefiningOp<aicore::AllocOp>();
  // A square begins at a multiple of its columns.
  if (hasSquares(op, op.getB(), 1) && op.getPart() && acc.getPartWidth() % byteSquare != 0)
    return reportUnwritten(
        op, fmt::format("store = overlapped with {} columns of i8 in a part, which "
                        "LoadDataWithTranspose transposes in squares of 32: a multiple of 32 is",
                        acc.getPartWidth()));
  const std::string columns = expressions_.of(op.getN());
  const int64_t rows = rowsOfParts(op.getAcc());
  // Where L0A has rows of fractals, those of whole squares are a part of each row.
  const bool inSquares =
      architectureOf(op) == Architecture::dav2201 && hasSquares(op, op.getA(), 4);
  const std::string squares = inSquares ? "<true>" : "";
  std::string bias;
  if (op.getBias()) {
    auto table = op.getBias().getDefiningOp<aicore::AllocOp>();
    const int64_t part = op.getPart().value_or(0) * acc.getPartWidth() * bytesOf(op.getBias());
    if (copyBytesOf(table) % biasAlignment != 0 || part % biasAlignment != 0)
      return reportUnwritten(op, "a row of the bias table at no multiple of 128 bytes");
    bias =
        fmt::format("{}::Copy({}{}), ", names_.of(op.getBias()), expressions_.of(op.getBiasSlot()),
                    part == 0 ? "" : fmt::format(", {}", part));
  }
  return fmt::format("{}{}({}{}, {}, {}, {}, {}, {}, {});",
                     op.getBias() ? "MultiplyFrom" : "Multiply", squares, bias,
                     sumsOf(op.getAcc(), op.getAccSlot(), op.getPart()),
                     copyOf(op.getA(), op.getASlot()), copyOf(op.getB(), op.getBSlot()),
                     rows > 0 ? std::to_string(rows) : expressions_.of(op.getM()), columns,
                     expressions_.of(op.getK()), expressions_.of(op.getFirst()));
}

/// What Fixpipe does with sums on the way to elements of this type.
static const char *roundingTo(mlir::Type element) {
  return element.isF16() ? "F322F16" : element.isBF16() ? "F322BF16" : "NoQuant";
}

/// With a slope, those of a leaky ReLU.
template <typename Op>
std::string Instructions::storeTile(Op op, const std::string &element, const std::string &rowStride,
                                    bool relu, mlir::Value slope) {
  const int64_t rows = rowsOfParts(op.getSource());
  const std::string function =
      slope ? "StoreLeakyRelu"
            : fmt::format("StoreTile<QuantMode_t::{}{}>", roundingTo(elementOf(op.getTarget())),
                          relu ? ", true" : "");
  return fmt::format("{}({}, {}, {}{}, {}, {}{});", function, element,
                     sumsOf(op.getSource(), op.getSlot(), op.getPart()),
                     slope ? expressions_.of(slope) + ", " : "", expressions_.of(op.getRows()),
                     expressions_.of(op.getColumns()), rowStride,
                     rows > 0 ? fmt::format(", {}", rows) : "");
}
template std::string Instructions::storeTile(aicore::FixpipeOp op, const std::string &element,
                                             const std::string &rowStride, bool relu,
                                             mlir::Value slope);

Statement Instructions::drain(aicore::DrainOp op) {
  const int64_t columns = shapeOf(op.getTarget())[1];
  if (columns % 16 != 0)
    return reportUnwritten(op);
  std::string l0cRows = std::to_string(rowsOfParts(op.getSource()));
  if (l0cRows == "0") {
    aicore::MmadOp product = productBefore(op, op.getSource());
    if (!product || !mlir::DominanceInfo().properlyDominates(product.getM(), op))
      return reportUnwritten(op);
    l0cRows = expressions_.of(product.getM());
  }
  return fmt::format(
      "DrainRows({}, {}, {}, {}, {}, {}, {});", copyOf(op.getTarget(), op.getTargetSlot()),
      sumsOf(op.getSource(), op.getSlot(), op.getPart()), expressions_.of(op.getRow()),
      expressions_.of(op.getRows()), expressions_.of(op.getColumns()), columns, l0cRows);
}

Statement Instructions::spill(aicore::SpillOp op) {
  if (aicore::spaceOf(op.getTarget()) == Space::l1) {
    if (op.getColumn())
      return reportUnwritten(op);
    return fmt::format(
        "FillTile({}, {}, {}, {}, {}, {}, {});", copyOf(op.getTarget(), op.getTargetSlot()),
        copyOf(op.getSource(), op.getSlot()), op.getRow() ? expressions_.of(op.getRow()) : "0",
        expressions_.of(op.getRows()), expressions_.of(op.getColumns()), shapeOf(op.getSource())[1],
        shapeOf(op.getTarget())[0]);
  }
  if (aicore::spaceOf(op.getSource()) == Space::ub)
    return fmt::format(
        "StoreRows({}, {}, {}, {}, {}, {});",
        meetingPlace(op.getTarget(), op.getTargetSlot(), op.getRow(), op.getColumn()),
        copyOf(op.getSource(), op.getSlot()), expressions_.of(op.getRows()),
        expressions_.of(op.getColumns()), shapeOf(op.getTarget())[1], shapeOf(op.getSource())[1]);
  return storeTile(op,
                   meetingPlace(op.getTarget(), op.getTargetSlot(), op.getRow(), op.getColumn()),
                   std::to_string(shapeOf(op.getTarget())[1]));
}

} // namespace mmk::ascendc
