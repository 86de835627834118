// Vector instructions: in count form over whole rows of the buffers, in repeat form where one row
// is broadcast to all.
#include "ascendc/instructions.h"
#include "ascendc/unwritten.h"
#include "machines/vector_instructions.h"

#include <array>
#include <fmt/format.h>

namespace mmk::ascendc {

using mlir::cast;

// Those of which the interface has an instruction with the same meaning.
static constexpr std::array written = {"add",  "sub",        "mul", "div", "max",  "min",
                                       "relu", "leaky_relu", "abs", "neg", "cast", "cast_narrow"};

static constexpr int64_t repeatBytes = 256, blockBytes = 32, most = 255;

std::string Instructions::tileOf(aicore::VectorTile tile) {
  return tile.slot ? copyOf(tile.buffer, tile.slot)
                   : fmt::format("{}::Copy({})", names_.of(tile.buffer), tile.copy);
}

// "Add(d, x, r, mask, rows, strides)" for each part of the columns.
Statement Instructions::byRows(aicore::VectorOp op, aicore::VecOp vec, const std::string &name) {
  const aicore::VectorTile target = op.tile(vec.getTarget());
  const int64_t size = aicore::elementBytes(target.buffer.getType()), part = repeatBytes / size,
                row = shapeOf(target.buffer)[1] * size / blockBytes;
  if (row > most || shapeOf(target.buffer)[0] > most)
    return reportUnwritten(op,
                           "a row for all rows of a tile of more than 255 rows, or of more than "
                           "255 blocks of 32 bytes in a row");
  std::string operands = tileOf(target) + "[column]", strides = std::to_string(row);
  for (mlir::Value input : vec.getInputs()) {
    const aicore::VectorTile tile = op.tile(input);
    operands += fmt::format(", {}[column]", tileOf(tile));
    strides += tile.broadcast == aicore::Broadcast::row ? ", 0" : fmt::format(", {}", row);
  }
  const std::string columns = expressions_.of(op.getColumns());
  return fmt::format("for (int64_t column = 0; column < {0}; column += {1}) {{\n"
                     "  {2}({3}, LesserOf({0} - column, {1}), {4}, {{1, 1, 1, {5}}});\n"
                     "}}",
                     columns, part, name, operands, expressions_.of(op.getRows()), strides);
}

Statement Instructions::vectorInstruction(aicore::VectorOp op, aicore::VecOp vec) {
  const VectorInstruction *row = findVectorInstruction(vec.getInstruction().str());
  if (!llvm::is_contained(written, vec.getInstruction()))
    return reportUnwritten(vec, "the vector instruction " + vec.getInstruction());
  auto isTile = [](mlir::Value input) { return mlir::isa<aicore::TileType>(input.getType()); };
  const bool hasScalar = !isTile(vec.getInputs().back());
  std::string call(hasScalar ? row->ascendScalar : row->ascend);
  if (call.empty() || !llvm::all_of(vec.getInputs().drop_back(), isTile))
    return reportUnwritten(vec, "the vector instruction " + vec.getInstruction() +
                                    " with a scalar there");
  bool isByRows = false;
  auto replace = [&](llvm::StringRef name, const std::string &text) {
    for (size_t at = call.find(name.str()); at != std::string::npos; at = call.find(name.str()))
      call.replace(at, name.size(), text);
  };
  for (auto [i, input] : llvm::enumerate(vec.getInputs())) {
    const std::string name = fmt::format("{{{}}}", i);
    if (!isTile(input)) {
      replace(name, expressions_.of(input));
      continue;
    }
    const aicore::VectorTile tile = op.tile(input);
    if (tile.broadcast != aicore::Broadcast::full && tile.broadcast != aicore::Broadcast::row)
      return reportUnwritten(vec);
    isByRows |= tile.broadcast == aicore::Broadcast::row;
    replace(name, tileOf(tile));
  }
  if (isByRows) {
    if (hasScalar || vec.getInputs().size() != 2)
      return reportUnwritten(vec, "a vector instruction on one row for all");
    return byRows(op, vec, call.substr(0, call.find('(')));
  }
  const aicore::VectorTile target = op.tile(vec.getTarget());
  replace("{d}", tileOf(target));
  replace("{n}", fmt::format("{} * {}", expressions_.of(op.getRows(), Expressions::multiplicative),
                             shapeOf(target.buffer)[1]));
  return call + ";";
}

Statement Instructions::vector(aicore::VectorOp op) {
  std::string lines;
  for (aicore::VecOp vec : op.getOps<aicore::VecOp>()) {
    const Statement line = vectorInstruction(op, vec);
    if (mlir::failed(line))
      return mlir::failure();
    lines += *line + "\nPipeBarrier<PIPE_V>();\n";
  }
  return llvm::StringRef(lines).rtrim().str();
}

} // namespace mmk::ascendc
