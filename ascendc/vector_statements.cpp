// Vector work as calls of Ascend C: in count form over whole rows of the buffers where all tiles
// have the same; in repeat form where one row or one column is broadcast; else by rows, or by parts
// of rows with the results of one instruction in spare room.
#include "ascendc/vector_statements.h"

#include "ascendc/element_names.h"
#include "ascendc/unwritten.h"
#include "ascendc/vector_calls.h"
#include "ascendc/vector_room.h"
#include "machines/vector_instructions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

namespace mmk::ascendc {
namespace {

using aicore::Broadcast;
using mlir::isa;

/// The structure that stands for an instruction in ByRows and ByColumn (vector_functions.cpp);
/// empty for one that they do not take.
std::string binaryOf(aicore::VecOp vec) {
  const VectorInstruction &row = vec.getRow();
  return row.signature == "nn:n" ? fmt::format("{}Of", row.ascend) : "";
}

class VectorWriter {
public:
  VectorWriter(aicore::VectorOp op, Expressions &expressions, NameTile nameTile)
      : op(op), expressions(expressions), nameTile(nameTile) {}

  Statement write();

private:
  /// Of spare room, in all instructions; or one that has no call has been reported.
  mlir::LogicalResult countPieces();
  bool worksInParts();
  Statement parts();
  Statement alone(aicore::VecOp vec);
  std::optional<std::string> broadcast(aicore::VecOp vec);
  Statement partOf(aicore::VecOp vec, const std::string &count);

  bool isFull(mlir::Value tile) {
    return op.tile(tile).broadcast == Broadcast::full || op.tile(tile).role != Role::input;
  }
  int64_t stride(mlir::Value tile) { return shapeOf(op.tile(tile).buffer)[1]; }
  std::string rows(unsigned precedence = 0) { return expressions.of(op.getRows(), precedence); }
  std::string columns(unsigned precedence = 0) {
    return expressions.of(op.getColumns(), precedence);
  }
  std::string tile(mlir::Value value);
  VectorOperand operandAt(mlir::Value value, const std::string &place) {
    return {isTile(value) ? tile(value) + place : expressions.of(value, Expressions::primary),
            elementOf(value), isTile(value)};
  }
  /// The rows of the buffers where all full tiles have the same; nothing else.
  std::optional<int64_t> commonStride(llvm::ArrayRef<mlir::Value> tiles);
  llvm::SmallVector<mlir::Value> tilesOf(aicore::VecOp vec);

  using Role = aicore::VectorTile::Role;

  aicore::VectorOp op;
  Expressions &expressions;
  NameTile nameTile;
  bool isSpread(mlir::Value input) {
    return isTile(input) && !isFull(input) && op.tile(input).broadcast != Broadcast::row;
  }
  std::string spread(aicore::VecOp vec);
  /// Whether each row of these tiles begins at a block of 32 bytes, as an instruction on it needs.
  bool hasWholeBlocks(llvm::ArrayRef<mlir::Value> tiles);

  /// Of work in parts: columns and pieces of spare room that have an element of each for a part of
  /// a row, the one that was used last behind the others.
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> columnPieces;
  unsigned piecesOfColumns = 0;
  unsigned mostPieces = 0; ///< that one instruction uses
  bool isFlat = false;     ///< the parts go over all rows at once
};

/// Tiles of scratch share a buffer, whatever their elements are.
std::string VectorWriter::tile(mlir::Value value) {
  const mlir::Type element = elementOf(value);
  const aicore::VectorTile found = op.tile(value);
  if (element.isInteger(1) ||
      mlir::cast<mlir::MemRefType>(found.buffer.getType()).getElementType() == element)
    return nameTile(found);
  return fmt::format("{}.ReinterpretCast<{}>()", nameTile(found), deviceType(element));
}

llvm::SmallVector<mlir::Value> VectorWriter::tilesOf(aicore::VecOp vec) {
  llvm::SmallVector<mlir::Value> tiles = {vec.getTarget()};
  llvm::copy_if(vec.getInputs(), std::back_inserter(tiles), isTile);
  return tiles;
}

std::optional<int64_t> VectorWriter::commonStride(llvm::ArrayRef<mlir::Value> tiles) {
  std::optional<int64_t> found;
  for (mlir::Value tile : tiles) {
    if (mlir::cast<aicore::TileType>(tile.getType()).isMask())
      continue;
    if (!isFull(tile) || stride(tile) != found.value_or(stride(tile)))
      return std::nullopt;
    found = stride(tile);
  }
  return found;
}

/// An instruction with each tile at its place.
template <typename Place> static VectorCall callAt(aicore::VecOp vec, Place place) {
  VectorCall call{vec, place(vec.getTarget()), {}};
  for (mlir::Value input : vec.getInputs())
    call.inputs.push_back(place(input));
  return call;
}

mlir::LogicalResult VectorWriter::countPieces() {
  for (aicore::VecOp vec : op.getOps<aicore::VecOp>()) {
    const mlir::FailureOr<VectorCalls> calls =
        callsOnTensors(callAt(vec, [&](mlir::Value value) { return operandAt(value, ""); }), "", 0);
    if (mlir::failed(calls))
      return mlir::failure();
    mostPieces = std::max(mostPieces, calls->pieces);
  }
  return mlir::success();
}

/// Whether a row or a column that is broadcast is an operand of another instruction than those of
/// ByRows and ByColumn, or an instruction needs spare room.
bool VectorWriter::worksInParts() {
  return mostPieces > 0 || llvm::any_of(op.getOps<aicore::VecOp>(), [&](aicore::VecOp vec) {
           const auto inputs = vec.getInputs();
           if (llvm::any_of(tilesOf(vec), [](mlir::Value tile) {
                 return mlir::cast<aicore::TileType>(tile.getType()).isMask();
               }))
             return true;
           const auto count =
               llvm::count_if(inputs, [&](mlir::Value input) { return isSpread(input); });
           return count > 0 &&
                  (binaryOf(vec).empty() || inputs.size() != 2 || count == 2 ||
                   !llvm::all_of(inputs, isTile) ||
                   !llvm::any_of(inputs, [&](mlir::Value input) { return isFull(input); }) ||
                   llvm::any_of(inputs, [&](mlir::Value input) {
                     return op.tile(input).broadcast == Broadcast::single;
                   }));
         });
}

/// An instruction on a tile, and on a row or a column that is broadcast; nothing for another.
std::optional<std::string> VectorWriter::broadcast(aicore::VecOp vec) {
  const std::string name = binaryOf(vec);
  if (name.empty() || !llvm::all_of(vec.getInputs(), isTile) ||
      llvm::all_of(vec.getInputs(), [&](mlir::Value input) { return isFull(input); }))
    return std::nullopt;
  mlir::Value left = vec.getInputs()[0], right = vec.getInputs()[1], to = vec.getTarget();
  auto isColumn = [&](mlir::Value input) { return op.tile(input).broadcast == Broadcast::column; };
  if (isColumn(left) || isColumn(right)) {
    mlir::Value full = isColumn(left) ? right : left, column = isColumn(left) ? left : right;
    return fmt::format("ByColumn<{}, {}>({}, {}, {}, {}, {}, {}, {});", name, isColumn(left),
                       tile(to), stride(to), tile(full), stride(full), tile(column), rows(),
                       columns());
  }
  auto step = [&](mlir::Value value) { return isFull(value) ? stride(value) : 0; };
  return fmt::format("ByRows<{}>({}, {}, {}, {}, {}, {}, {}, {});", name, tile(to), stride(to),
                     tile(left), step(left), tile(right), step(right), rows(), columns());
}

constexpr const char *barrier = "\nPipeBarrier<PIPE_V>();\n";

static Statement inOrder(const mlir::FailureOr<VectorCalls> &calls) {
  if (mlir::failed(calls))
    return mlir::failure();
  return llvm::join(calls->calls, barrier);
}

/// The call of an instruction that needs no spare room.
Statement VectorWriter::alone(aicore::VecOp vec) {
  if (const std::optional<std::string> call = broadcast(vec))
    return *call;
  const std::optional<int64_t> common = commonStride(tilesOf(vec));
  if (!common && !hasWholeBlocks(tilesOf(vec)))
    return reportUnwritten(vec, "vector work on rows that begin at no block of 32 bytes");
  auto place = [&](mlir::Value value) {
    const bool hasRows = !common && isTile(value) && isFull(value);
    return operandAt(value, hasRows ? fmt::format("[row * {}]", stride(value)) : "");
  };
  const std::string count =
      !common || rows() == "1" ? columns()
                               : fmt::format("{} * {}", rows(Expressions::multiplicative), *common);
  const Statement call = inOrder(callsOnTensors(callAt(vec, place), count, 0));
  if (mlir::failed(call) || common)
    return call;
  return fmt::format("for (int64_t row = 0; row < {}; ++row) {{\n  {}\n}}", rows(), *call);
}

/// An instruction on a part of a row.
Statement VectorWriter::partOf(aicore::VecOp vec, const std::string &count) {
  auto place = [&](mlir::Value value) -> VectorOperand {
    if (!isTile(value))
      return operandAt(value, "");
    const auto *piece =
        llvm::find_if(columnPieces, [&](const auto &each) { return each.first == value; });
    if (piece != columnPieces.end())
      return {fmt::format("Spare<{}>({})", deviceType(elementOf(value)), piece->second),
              elementOf(value)};
    if (mlir::cast<aicore::TileType>(value.getType()).isMask())
      return operandAt(value, "");
    if (!isFull(value))
      return operandAt(value, "[column]");
    return operandAt(value,
                     isFlat ? "[column]" : fmt::format("[row * {} + column]", stride(value)));
  };
  return inOrder(callsOnTensors(callAt(vec, place), count, piecesOfColumns));
}

bool VectorWriter::hasWholeBlocks(llvm::ArrayRef<mlir::Value> tiles) {
  return rows() == "1" || llvm::all_of(tiles, [&](mlir::Value tile) {
           return elementOf(tile).isInteger(1) || !isFull(tile) ||
                  stride(tile) * elementOf(tile).getIntOrFloatBitWidth() % 256 == 0;
         });
}

/// Fills pieces with the columns of an instruction that are in none. Without a free one, that of
/// the column that was used before all others gets another.
std::string VectorWriter::spread(aicore::VecOp vec) {
  std::string lines;
  for (mlir::Value input : vec.getInputs()) {
    if (!isSpread(input))
      continue;
    auto *found =
        llvm::find_if(columnPieces, [&](const auto &each) { return each.first == input; });
    if (found != columnPieces.end()) {
      std::rotate(found, found + 1, columnPieces.end());
      continue;
    }
    auto piece = static_cast<unsigned>(columnPieces.size());
    if (piece == piecesOfColumns) {
      piece = columnPieces.front().second;
      columnPieces.erase(columnPieces.begin());
    }
    columnPieces.emplace_back(input, piece);
    lines += fmt::format("{}(Spare<{}>({}), {}, {}, count);\n",
                         elementOf(input).isInteger(8) ? "BroadcastByte" : "BroadcastElement",
                         deviceType(elementOf(input)), piece, tile(input),
                         op.tile(input).broadcast == Broadcast::single ? "0" : "row");
  }
  return lines;
}

/// "  " in front of each line.
std::string indented(llvm::StringRef lines) {
  std::string text;
  for (auto [line, rest] = lines.split('\n'); !line.empty();
       std::tie(line, rest) = rest.split('\n'))
    text += "  " + line.str() + "\n";
  return text;
}

Statement VectorWriter::parts() {
  llvm::SmallVector<mlir::Value> tiles;
  for (aicore::VecOp vec : op.getOps<aicore::VecOp>())
    llvm::append_range(tiles, tilesOf(vec));
  // The last piece has the blocks of BroadcastElement.
  piecesOfColumns = sparePieces - 1 - mostPieces;
  const std::optional<int64_t> common = commonStride(tiles);
  isFlat = common.has_value();
  if (!isFlat && !hasWholeBlocks(tiles))
    return reportUnwritten(op, "vector work on rows that begin at no block of 32 bytes");
  std::string body;
  for (aicore::VecOp vec : op.getOps<aicore::VecOp>()) {
    body += spread(vec);
    const Statement lines = partOf(vec, "count");
    if (mlir::failed(lines))
      return mlir::failure();
    body += *lines + barrier;
  }
  const std::string all =
      isFlat ? fmt::format("{} * {}", rows(Expressions::multiplicative), *common) : columns();
  const std::string loop = fmt::format(
      "for (int64_t column = 0; column < {0}; column += {1}) {{\n"
      "  const int64_t count = LesserOf({2} - column, {1});\n{3}}}\n",
      all, pieceElements, isFlat ? all : columns(Expressions::additive), indented(body));
  if (isFlat || rows() == "1")
    return isFlat ? loop : "{\n  const int64_t row = 0;\n" + indented(loop) + "}\n";
  return fmt::format("for (int64_t row = 0; row < {}; ++row) {{\n{}}}\n", rows(), indented(loop));
}

Statement VectorWriter::write() {
  for (aicore::VecOp vec : op.getOps<aicore::VecOp>())
    for (mlir::Value tile : tilesOf(vec))
      if (!elementOf(tile).isInteger(1) && !namesOf(elementOf(tile)))
        return reportUnwritten(vec, "vector work on this type");
  if (mlir::failed(countPieces()))
    return mlir::failure();
  if (worksInParts())
    return parts();
  std::string lines;
  for (aicore::VecOp vec : op.getOps<aicore::VecOp>()) {
    const Statement line = alone(vec);
    if (mlir::failed(line))
      return mlir::failure();
    lines += *line + barrier;
  }
  return lines;
}

} // namespace

Statement vectorStatement(aicore::VectorOp op, Expressions &expressions, const NameTile &nameTile) {
  const Statement lines = VectorWriter(op, expressions, nameTile).write();
  if (mlir::failed(lines))
    return mlir::failure();
  return llvm::StringRef(*lines).rtrim().str();
}

} // namespace mmk::ascendc
