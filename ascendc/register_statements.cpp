#include "ascendc/register_statements.h"

#include "ascendc/code_text.h"
#include "ascendc/element_names.h"
#include "ascendc/unwritten.h"
#include "ascendc/vector_calls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <fmt/format.h>

namespace mmk::ascendc {

using aicore::Broadcast;
using aicore::ReduceKind;
using mlir::isa;

namespace {

/// Of the reductions along columns, those of which Reduce has one with the order of the emulated
/// core.
bool hasReduce(aicore::ReduceOp op) {
  const mlir::Type element = elementOf(op.getSource());
  if (op.givesPosition() || op.getKind() == ReduceKind::mul)
    return false;
  return element.isF32() || element.isInteger(32) ||
         (element.isF16() && op.getKind() != ReduceKind::add);
}

/// Writes one function: its parameters as they come up, and its loops.
class FunctionWriter {
public:
  FunctionWriter(Expressions &expressions, const NameTile &nameTile, VariableNames &names)
      : expressions(expressions), nameTile(nameTile), names(names), code(1) {}

  mlir::LogicalResult add(mlir::Operation *op);
  std::string definition(const std::string &name) const;
  std::string call(const std::string &name) const;

private:
  struct Loop;
  mlir::LogicalResult addVector(aicore::VectorOp op);
  mlir::LogicalResult addTile(Loop &loop, mlir::Value argument);
  mlir::LogicalResult addCall(Loop &loop, aicore::VecOp vec);
  void addReduce(aicore::ReduceOp op);

  /// The name of a parameter with this argument.
  std::string parameter(const std::string &type, const std::string &argument, std::string name);
  std::string rowsOf(mlir::Value rows) { return extent(rows, "uint16_t", "rows"); }
  /// A row of one byte an element may have 65536.
  std::string columnsOf(mlir::Value columns) { return extent(columns, "uint32_t", "columns"); }
  std::string extent(mlir::Value value, const char *type, const char *name);
  std::string address(mlir::Value buffer, mlir::Value slot, int64_t copy, mlir::Type element,
                      bool isStored);
  std::string scalar(mlir::Value value, mlir::Type element);
  std::string partsOf(const std::string &columns);
  /// What this loop reads or writes of what those before it have stored or read.
  void orderBehindLoops();
  void openRows(const std::string &rows);
  void openParts(const std::string &columns);
  void closeRows(const std::string &rows);
  std::string placeOf(const std::string &address, int64_t stride, const std::string &rows);

  struct Parameter {
    std::string type, argument;
  };
  struct Accesses {
    llvm::StringSet<> loaded, stored;
  };

  Expressions &expressions;
  const NameTile &nameTile;
  VariableNames &names;
  llvm::MapVector<llvm::StringRef, Parameter> parameters; ///< by name
  llvm::StringSet<> keptNames;
  llvm::StringMap<std::string> known; ///< names by type and argument
  llvm::StringMap<std::string> parts; ///< names of numbers of parts, by columns
  std::string partLines;
  Accesses before, here;
  CodeText code;
};

std::string FunctionWriter::parameter(const std::string &type, const std::string &argument,
                                      std::string name) {
  std::string &found = known[type + " " + argument];
  if (found.empty()) {
    const std::string base = name;
    for (unsigned i = 1; parameters.contains(llvm::StringRef(name)); ++i)
      name = fmt::format("{}_{}", base, i);
    found = name;
    parameters[keptNames.insert(name).first->first()] = {type, argument};
  }
  return found;
}

/// Rows or columns: a number, or a parameter.
std::string FunctionWriter::extent(mlir::Value value, const char *type, const char *name) {
  const std::string text = expressions.of(value);
  if (llvm::all_of(text, llvm::isDigit))
    return text;
  return parameter(type, fmt::format("static_cast<{}>({})", type, text), name);
}

std::string FunctionWriter::address(mlir::Value buffer, mlir::Value slot, int64_t copy,
                                    mlir::Type element, bool isStored) {
  std::string tensor = nameTile({buffer, slot, copy, aicore::VectorTile::Role::input});
  (isStored ? here.stored : here.loaded).insert(tensor);
  if (elementOf(buffer) != element)
    tensor += fmt::format(".ReinterpretCast<{}>()", deviceType(element));
  return parameter(fmt::format("__ubuf__ {} *", deviceType(element)),
                   fmt::format("AddressOf({})", tensor), names.of(buffer));
}

std::string FunctionWriter::scalar(mlir::Value value, mlir::Type element) {
  const bool isKnown = static_cast<bool>(value.getDefiningOp<mlir::arith::ConstantOp>());
  if (element.isInteger(1)) { // as a number of lanes
    if (isKnown)
      return mlir::matchPattern(value, mlir::m_Zero()) ? "0" : "64";
    return parameter("uint32_t", fmt::format("{} ? 64 : 0", expressions.of(value, 1)), "lanes");
  }
  const std::string text = converted(expressions.of(value), element);
  // A number stands where it is used.
  if (isKnown &&
      llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || llvm::is_contained(".+-", c); }))
    return text;
  return parameter(deviceType(element), text, "value");
}

std::string FunctionWriter::partsOf(const std::string &columns) {
  std::string &name = parts[columns];
  if (name.empty()) {
    name = parts.size() == 1 ? "parts" : fmt::format("parts_{}", parts.size() - 1);
    partLines +=
        fmt::format("  const auto {} = static_cast<uint16_t>(({} + 63) / 64);\n", name, columns);
  }
  return name;
}

// A loop waits for what those before it have stored, and does not write over what they still read.
void FunctionWriter::orderBehindLoops() {
  auto meet = [](const llvm::StringSet<> &a, const llvm::StringSet<> &b) {
    return llvm::any_of(a, [&](const auto &each) { return b.contains(each.first()); });
  };
  auto bar = [&](const char *first, const char *then) {
    code.line("Reg::LocalMemBar<Reg::MemType::{}, Reg::MemType::{}>();", first, then);
  };
  if (meet(before.stored, here.loaded))
    bar("VEC_STORE", "VEC_LOAD");
  if (meet(before.loaded, here.stored))
    bar("VEC_LOAD", "VEC_STORE");
  if (meet(before.stored, here.stored))
    bar("VEC_STORE", "VEC_STORE");
  for (auto [from, to] : {std::pair(&here.loaded, &before.loaded), {&here.stored, &before.stored}})
    for (const auto &each : *from)
      to->insert(each.first());
  here = {};
}

void FunctionWriter::openRows(const std::string &rows) {
  if (rows != "1")
    code.open(fmt::format("for (uint16_t row = 0; row < {}; ++row)", rows));
}

void FunctionWriter::closeRows(const std::string &rows) {
  if (rows != "1")
    code.close();
}

void FunctionWriter::openParts(const std::string &columns) {
  code.line("uint32_t rest = {};", columns);
  code.open(fmt::format("for (uint16_t part = 0; part < {}; ++part)", partsOf(columns)));
  code.add("Reg::MaskReg mask = Reg::UpdateMask<float>(rest);");
}

/// "x + row * 128": where a row begins.
std::string FunctionWriter::placeOf(const std::string &address, int64_t stride,
                                    const std::string &rows) {
  return rows == "1"   ? address
         : stride == 1 ? address + " + row"
                       : fmt::format("{} + row * {}", address, stride);
}

//===--- elementwise work -----------------------------------------------------------------===//

/// The lines of a loop, by where they stand.
struct FunctionWriter::Loop {
  aicore::VectorOp op;
  std::string rows, columns;
  std::vector<std::string> once, ofRow, ofPart, declared, calls, stores;
  llvm::DenseMap<mlir::Value, std::string> registers;
  llvm::StringSet<> taken;

  std::string nameOf(const std::string &base) {
    std::string name = base;
    for (unsigned i = 1; !taken.insert(name).second; ++i)
      name = fmt::format("{}{}", base, i);
    return name;
  }
};

/// The register of a tile that is no mask, and how it is filled or stored.
mlir::LogicalResult FunctionWriter::addTile(Loop &loop, mlir::Value argument) {
  using Role = aicore::VectorTile::Role;
  const aicore::VectorTile tile = loop.op.tile(argument);
  const mlir::Type element = elementOf(argument);
  if (!namesOf(element))
    return reportUnwritten(loop.op, "vector work on this type");
  const bool isStored = tile.role == Role::output, isInUb = isStored || tile.role == Role::input;
  const std::string base =
      isInUb ? llvm::StringRef(names.of(tile.buffer)).split("_ub").first.str() + "_reg" : "reg";
  const std::string name = loop.registers[argument] = loop.nameOf(base);
  const std::string declaration = fmt::format("Reg::RegTensor<{}> {};", deviceType(element), name);
  if (isStored || !isInUb)
    loop.declared.push_back(declaration);
  if (!isInUb)
    return mlir::success();
  const int64_t stride = shapeOf(tile.buffer)[1];
  const bool isSpread = !isStored && tile.broadcast != Broadcast::full;
  if (loop.rows != "1" && !isSpread && stride * element.getIntOrFloatBitWidth() % 256 != 0)
    return reportUnwritten(loop.op, "vector work on rows that begin at no block of 32 bytes");
  const std::string start = address(tile.buffer, tile.slot, tile.copy, element, isStored),
                    ofFull = placeOf(start, stride, loop.rows) + " + part * 64";
  if (isStored) {
    loop.stores.push_back(fmt::format("StoreLanes({}, {}, mask);", ofFull, name));
    return mlir::success();
  }
  auto load = [&](std::vector<std::string> &lines, const char *function, const std::string &place) {
    lines.push_back(declaration);
    lines.push_back(fmt::format("{}({}, {});", function, name, place));
  };
  if (tile.broadcast == Broadcast::full)
    load(loop.ofPart, "LoadLanes", ofFull);
  else if (tile.broadcast == Broadcast::row)
    load(loop.ofPart, "LoadLanes", start + " + part * 64");
  else if (tile.broadcast == Broadcast::column)
    load(loop.ofRow, "LoadElement", placeOf(start, 1, loop.rows));
  else
    load(loop.once, "LoadElement", start);
  return mlir::success();
}

/// The type in which an instruction takes its scalars.
static mlir::Type scalarTypeIn(aicore::VecOp op) {
  for (mlir::Value input : op.getInputs())
    if (isTile(input) && !elementOf(input).isInteger(1))
      return elementOf(input);
  return elementOf(op.getTarget());
}

mlir::LogicalResult FunctionWriter::addCall(Loop &loop, aicore::VecOp vec) {
  VectorCall call{vec, {loop.registers[vec.getTarget()], elementOf(vec.getTarget())}, {}};
  for (mlir::Value input : vec.getInputs()) {
    const bool isTile = isa<aicore::TileType>(input.getType());
    // A scalar is one of the type of the elements beside it.
    const mlir::Type element =
        isTile || elementOf(input).isInteger(1) ? elementOf(input) : scalarTypeIn(vec);
    call.inputs.push_back(
        {isTile ? loop.registers[input] : scalar(input, element), element, isTile});
  }
  const mlir::FailureOr<VectorCalls> lines =
      callsOnRegisters(call, [&](const std::string &base) { return loop.nameOf(base); });
  if (mlir::failed(lines))
    return mlir::failure();
  llvm::append_range(loop.once, lines->once);
  llvm::append_range(loop.calls, lines->calls);
  return mlir::success();
}

mlir::LogicalResult FunctionWriter::addVector(aicore::VectorOp op) {
  using Role = aicore::VectorTile::Role;
  Loop loop;
  loop.op = op;
  loop.rows = rowsOf(op.getRows());
  loop.columns = columnsOf(op.getColumns());
  for (mlir::Value argument : op.getBody().getArguments()) {
    if (argument.use_empty())
      continue;
    const bool isMask = elementOf(argument).isInteger(1);
    if (isMask && op.tile(argument).role != Role::input && op.tile(argument).role != Role::output)
      loop.declared.push_back(
          fmt::format("Reg::MaskReg {};", loop.registers[argument] = loop.nameOf("condition")));
    else if (mlir::failed(addTile(loop, argument)))
      return mlir::failure();
  }
  for (aicore::VecOp vec : op.getOps<aicore::VecOp>())
    if (mlir::failed(addCall(loop, vec)))
      return mlir::failure();
  orderBehindLoops();
  auto addAll = [&](const std::vector<std::string> &lines) {
    for (const std::string &line : lines)
      code.add(line);
  };
  code.open("");
  addAll(loop.once);
  openRows(loop.rows);
  addAll(loop.ofRow);
  openParts(loop.columns);
  for (const auto *lines : {&loop.ofPart, &loop.declared, &loop.calls, &loop.stores})
    addAll(*lines);
  code.close();
  closeRows(loop.rows);
  code.close();
  return mlir::success();
}

//===--- reductions -----------------------------------------------------------------------===//

// Parts are combined with each other, one after the other; along columns then the elements of the
// last register two by two.
void FunctionWriter::addReduce(aicore::ReduceOp op) {
  const mlir::Type element = elementOf(op.getSource());
  const std::string type = deviceType(element),
                    source = address(op.getSource(), op.getSlot(), 0, element, false),
                    target = address(op.getTargets()[0], op.getTargetSlots()[0], 0, element, true);
  orderBehindLoops();
  const std::string rows = rowsOf(op.getRows()), columns = columnsOf(op.getColumns());
  const Combination by = combinationOf(op.getKind(), element);
  const std::string identity =
      parameter(type, fmt::format("static_cast<{}>({})", type, by.identity), "identity");
  auto beginSum = [&] {
    code.line("Reg::RegTensor<{}> sum;", type);
    code.line("Reg::Duplicate(sum, {});", identity);
  };
  auto loadElement = [&] {
    code.line("Reg::RegTensor<{}> element;", type);
    code.line("LoadLanes(element, {} + part * 64);",
              placeOf(source, shapeOf(op.getSource())[1], rows));
  };
  code.open("");
  if (op.getByRows()) {
    openParts(columns);
    beginSum();
    openRows(rows);
    loadElement();
    code.line("Reg::{}(sum, sum, element, mask);", by.instruction);
    closeRows(rows);
    code.line("StoreLanes({} + part * 64, sum, mask);", target);
    code.close();
  } else {
    code.line("Reg::RegTensor<{}> neutral;", type);
    code.line("Reg::Duplicate(neutral, {});", identity);
    code.add("Reg::MaskReg all = Reg::CreateMask<float>();");
    openRows(rows);
    beginSum();
    openParts(columns);
    loadElement();
    code.add("Reg::Select(element, element, neutral, mask);"); // behind the last column
    code.line("Reg::{}(sum, sum, element, all);", by.instruction);
    code.close();
    code.line("Reg::Reduce<Reg::ReduceType::{}>(sum, sum, all);", by.reduceType);
    code.line("StoreElement({}, sum, all);", placeOf(target, 1, rows));
    closeRows(rows);
  }
  code.close();
}

mlir::LogicalResult FunctionWriter::add(mlir::Operation *op) {
  if (auto vector = mlir::dyn_cast<aicore::VectorOp>(op))
    return addVector(vector);
  addReduce(mlir::cast<aicore::ReduceOp>(op));
  return mlir::success();
}

std::string FunctionWriter::definition(const std::string &name) const {
  std::vector<std::string> list;
  for (const auto &[parameter, it] : parameters)
    list.push_back(it.type + (it.type.back() == '*' ? "" : " ") + parameter.str());
  CodeText text;
  text.open(fmt::format("__simd_vf__ inline void {}({})", name, llvm::join(list, ", ")));
  text.paste(partLines);
  text.paste(code.text());
  text.close();
  return text.text();
}

std::string FunctionWriter::call(const std::string &name) const {
  std::vector<std::string> list;
  for (const auto &[parameter, it] : parameters)
    list.push_back(it.argument);
  return fmt::format("asc_vf_call<{}>({});\nPipeBarrier<PIPE_V>();", name, llvm::join(list, ", "));
}

} // namespace

bool RegisterFunctions::takes(mlir::Operation *op) {
  if (auto reduce = mlir::dyn_cast<aicore::ReduceOp>(op))
    return reduce.getByRows()
               ? !reduce.givesPosition() && isArithmetic(elementOf(reduce.getSource()))
               : hasReduce(reduce);
  return isa<aicore::VectorOp>(op);
}

Statement RegisterFunctions::call(llvm::ArrayRef<mlir::Operation *> loops, Expressions &expressions,
                                  const NameTile &nameTile, VariableNames &names) {
  FunctionWriter writer(expressions, nameTile, names);
  for (mlir::Operation *op : loops)
    if (mlir::failed(writer.add(op)))
      return mlir::failure();
  const std::string name = fmt::format("Vector{}", ++count_);
  definitions_ += "\n" + writer.definition(name);
  return writer.call(name);
}

} // namespace mmk::ascendc
