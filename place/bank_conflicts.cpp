#include "place/bank_conflicts.h"

#include "place/passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_BANKCONFLICTS
#include "place/Passes.h.inc"

namespace {

/// A repeat takes half of the groups from each operand: 8 rows of 32 bytes.
int64_t repeatBytes(const Banks &banks) { return banks.groups / 2 * banks.rowBytes; }

struct Operand {
  int64_t elementBytes, pitch; ///< bytes from row to row of the tile; 0: one row for all
  int64_t stride, copies;      ///< bytes from copy to copy
  int64_t rows, columns;
};

Operand operandOf(aicore::AllocOp alloc, bool isRow, aicore::MachineAttr machine) {
  auto type = cast<MemRefType>(alloc.getResult().getType());
  const int64_t element = aicore::elementBytes(type);
  return {
      element,
      isRow ? 0 : type.getShape()[1] * element,
      static_cast<int64_t>(llvm::alignTo(alloc.getBytes(), machine.alignment(alloc.getSpace()))),
      static_cast<int64_t>(alloc.getCopies()),
      type.getShape()[0],
      type.getShape()[1]};
}

} // namespace

std::optional<Banks> banksOf(aicore::MachineAttr machine, aicore::Space space) {
  auto figures = machine.getMemories().getAs<ArrayAttr>(aicore::stringifySpace(space));
  if (!figures || figures.size() < 6)
    return std::nullopt;
  auto figure = [&](unsigned i) { return cast<IntegerAttr>(figures[i]).getInt(); };
  return Banks{figure(2), figure(3), figure(4), figure(5)};
}

namespace {

/// A tile that an instruction reads or writes row by row, and its buffer.
struct TileOperand {
  aicore::AllocOp alloc;
  bool isRow = false;
  std::optional<int64_t> copy;
};

// An operand with one element for each row counts as a scalar.
std::optional<TileOperand> operandOf(aicore::VectorOp vector, Value value) {
  auto type = dyn_cast<aicore::TileType>(value.getType());
  if (!type || type.isMask())
    return std::nullopt;
  const aicore::VectorTile tile = vector.tile(value);
  auto alloc = tile.buffer ? tile.buffer.getDefiningOp<aicore::AllocOp>() : aicore::AllocOp();
  if (!alloc ||
      (tile.broadcast != aicore::Broadcast::full && tile.broadcast != aicore::Broadcast::row))
    return std::nullopt;
  return TileOperand{alloc, tile.broadcast == aicore::Broadcast::row,
                     tile.slot ? std::nullopt : std::optional(tile.copy)};
}

} // namespace

std::vector<OperandPair> operandPairs(aicore::PhaseOp phase) {
  std::vector<OperandPair> pairs;
  phase.walk([&](aicore::VectorOp vector) {
    const size_t before = pairs.size();
    // A pair of several instructions of a group counts once for the group.
    auto add = [&](const TileOperand &x, const TileOperand &y, bool writes) {
      const OperandPair pair{vector, x.alloc, y.alloc, writes, x.isRow, y.isRow, x.copy, y.copy};
      if (x.alloc != y.alloc && !llvm::is_contained(llvm::drop_begin(pairs, before), pair))
        pairs.push_back(pair);
    };
    for (aicore::VecOp vec : vector.getOps<aicore::VecOp>()) {
      SmallVector<TileOperand> read;
      for (Value input : vec.getInputs())
        if (std::optional<TileOperand> operand = operandOf(vector, input))
          read.push_back(*operand);
      for (auto [i, x] : llvm::enumerate(read))
        for (const TileOperand &y : ArrayRef(read).drop_front(i + 1))
          add(x, y, /*writes=*/false);
      if (std::optional<TileOperand> target = operandOf(vector, vec.getTarget()))
        for (const TileOperand &x : read)
          add(x, *target, /*writes=*/true);
    }
  });
  return pairs;
}

namespace {

/// Rows of a bank, from an address on.
struct BankRows {
  int64_t address, count;
};

/// Whether a row of one is in the same group, or in the same bank, as a row of the other.
bool meet(BankRows x, BankRows y, bool inBank, const Banks &banks) {
  const int64_t apart = banks.groupOf(y.address) - banks.groupOf(x.address);
  auto round = [&](int64_t value) { return (value % banks.groups + banks.groups) % banks.groups; };
  if (round(apart) >= x.count && round(-apart) >= y.count)
    return false;
  if (!inBank)
    return true;
  for (int64_t i = 0; i < x.count; ++i)
    for (int64_t j = 0; j < y.count; ++j)
      if (banks.bankOf(x.address + i * banks.rowBytes) ==
          banks.bankOf(y.address + j * banks.rowBytes))
        return true;
  return false;
}

} // namespace

Conflicts conflictsOf(const OperandPair &pair, int64_t firstOffset, int64_t secondOffset,
                      aicore::MachineAttr machine, const Banks &banks) {
  const Operand x = operandOf(pair.first, pair.firstIsRow, machine),
                y = operandOf(pair.second, pair.secondIsRow, machine);
  const int64_t elements = repeatBytes(banks) / std::max(x.elementBytes, y.elementBytes);
  const int64_t rows = std::max(x.rows, y.rows), columns = std::min(x.columns, y.columns);
  const int64_t round = banks.groups * banks.rowBytes;
  // The distance of two operands in the groups is mostly the same for all rows and repeats.
  const bool keepsDistance = x.elementBytes == y.elementBytes && columns % elements == 0 &&
                             x.pitch % round == 0 && y.pitch % round == 0;
  auto rowsAt = [&](const Operand &operand, int64_t offset, int64_t copy, int64_t row,
                    int64_t column) -> BankRows {
    const int64_t address = banks.reserved + offset + copy * operand.stride + row * operand.pitch +
                            column * operand.elementBytes,
                  first = address / banks.rowBytes,
                  end = address + std::min(elements, columns - column) * operand.elementBytes;
    return {first * banks.rowBytes, (end + banks.rowBytes - 1) / banks.rowBytes - first};
  };
  Conflicts most{0, rows * static_cast<int64_t>(llvm::divideCeil(columns, elements))};
  for (int64_t s = pair.firstCopy.value_or(0); s <= pair.firstCopy.value_or(x.copies - 1); ++s)
    for (int64_t t = pair.secondCopy.value_or(0); t <= pair.secondCopy.value_or(y.copies - 1);
         ++t) {
      auto meetAt = [&](int64_t row, int64_t column, bool inBank) {
        return meet(rowsAt(x, firstOffset, s, row, column), rowsAt(y, secondOffset, t, row, column),
                    inBank, banks);
      };
      if (keepsDistance && !meetAt(0, 0, /*inBank=*/false))
        continue;
      if (keepsDistance && !pair.writesSecond)
        return {most.repeats, most.repeats};
      int64_t conflicting = 0;
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; column += elements)
          conflicting += meetAt(row, column, pair.writesSecond);
      most.conflicting = std::max(most.conflicting, conflicting);
    }
  return most;
}

namespace {

struct BankConflictsPass : impl::BankConflictsBase<BankConflictsPass> {
  void runOnOperation() override {
    getOperation().walk([](aicore::PhaseOp phase) {
      aicore::MachineAttr machine = aicore::machineOf(phase);
      for (OperandPair &pair : operandPairs(phase)) {
        std::optional<Banks> banks = banksOf(machine, pair.first.getSpace());
        if (!banks || !pair.first.getOffset() || !pair.second.getOffset())
          continue;
        const Conflicts found =
            conflictsOf(pair, *pair.first.getOffset(), *pair.second.getOffset(), machine, *banks);
        if (found.conflicting == 0)
          continue;
        auto place = [](aicore::AllocOp alloc) {
          return (alloc.getName() + " (at " + Twine(*alloc.getOffset()) + ")").str();
        };
        mlir::emitRemark(pair.op.getLoc())
            << "bank conflict: " << place(pair.first) << " is read while " << place(pair.second)
            << (pair.writesSecond ? " is written to the same banks of "
                                  : " is read from the same bank groups of ")
            << aicore::stringifySpace(pair.first.getSpace()) << ", in " << found.conflicting
            << " of " << found.repeats
            << " repeats of the instruction; the clock does not count what it costs";
      }
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace mmk
