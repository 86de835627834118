#include "ascendc/expressions.h"

#include "ascendc/comparison.h"
#include "ascendc/element_names.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <fmt/format.h>

namespace arith = mlir::arith;

namespace mmk::ascendc {

// Beyond it a line of the kernel becomes hard to read.
static constexpr size_t longest = 48;

/// Of a scalar.
static std::string_view typeNameOf(mlir::Type type) {
  if (type.isIndex() || type.isInteger(64))
    return "int64_t";
  if (type.isInteger(1))
    return "bool";
  const ElementNames *names = namesOf(type);
  return names ? names->device : "";
}

Expressions::Text Expressions::logical(mlir::Operation *op, const char *symbol) {
  return {fmt::format("({} {} {})", of(op->getOperand(0), comparison), symbol,
                      of(op->getOperand(1), comparison))};
}

Expressions::Text Expressions::textOf(double number) {
  if (std::isnan(number))
    return {"__builtin_nanf(\"\")"};
  if (std::isinf(number))
    return {number < 0 ? "-Infinity()" : "Infinity()"};
  return {fmt::format("{:#}f", number)};
}

/// The slot of a buffer with one copy is 0.
static bool isAlwaysZero(mlir::Operation *op) {
  auto slot = mlir::dyn_cast<aicore::SlotOp>(op);
  return slot && slot.getBuffer().getDefiningOp<aicore::AllocOp>().getCopies() == 1;
}

Expressions::Text Expressions::binary(mlir::Operation *op, const char *symbol,
                                      unsigned precedence) {
  return {fmt::format("{} {} {}", of(op->getOperand(0), precedence), symbol,
                      of(op->getOperand(1), precedence + 1)),
          precedence};
}

// i32 wraps, which C++ says of numbers without a sign alone.
Expressions::Text Expressions::integral(mlir::Operation *op, const char *symbol,
                                        unsigned precedence) {
  if (!op->getResult(0).getType().isInteger(32))
    return binary(op, symbol, precedence);
  return {
      fmt::format("static_cast<int32_t>(static_cast<uint32_t>({}) {} static_cast<uint32_t>({}))",
                  of(op->getOperand(0)), symbol, of(op->getOperand(1)))};
}

Expressions::Text Expressions::call(mlir::Operation *op, const char *function) {
  return {fmt::format("{}({}, {})", function, of(op->getOperand(0)), of(op->getOperand(1)))};
}

std::optional<Expressions::Text> Expressions::computed(mlir::Operation *op) {
  using Result = std::optional<Text>;
  return llvm::TypeSwitch<mlir::Operation *, Result>(op)
      .Case([&](arith::ConstantOp constant) -> Result {
        if (auto number = mlir::dyn_cast<mlir::FloatAttr>(constant.getValue()))
          return textOf(number.getValue().convertToDouble());
        auto number = mlir::cast<mlir::IntegerAttr>(constant.getValue());
        if (number.getType().isInteger(1))
          return Text{number.getValue().isZero() ? "false" : "true"};
        return Text{std::to_string(number.getValue().getSExtValue())};
      })
      .Case([&](arith::AddIOp) { return integral(op, "+", additive); })
      .Case([&](arith::SubIOp) { return integral(op, "-", additive); })
      .Case([&](arith::MulIOp) { return integral(op, "*", multiplicative); })
      .Case([&](arith::DivSIOp) { return binary(op, "/", multiplicative); })
      .Case([&](arith::RemSIOp) { return binary(op, "%", multiplicative); })
      .Case([&](arith::CeilDivSIOp) { return call(op, "QuotientUp"); })
      .Case([&](arith::FloorDivSIOp) {
        Text text = call(op, "FloorQuotient");
        if (op->getResult(0).getType().isInteger(32))
          text.text = fmt::format("static_cast<int32_t>({})", text.text);
        return text;
      })
      .Case([&](arith::MinSIOp) { return call(op, "LesserOf"); })
      .Case([&](arith::MaxSIOp) { return call(op, "GreaterOf"); })
      .Case([&](arith::AndIOp) { return logical(op, "&&"); })
      .Case([&](arith::OrIOp) { return logical(op, "||"); })
      .Case([&](arith::XOrIOp) { return logical(op, "!="); })
      .Case([&](arith::AddFOp) { return binary(op, "+", additive); })
      .Case([&](arith::SubFOp) { return binary(op, "-", additive); })
      .Case([&](arith::MulFOp) { return binary(op, "*", multiplicative); })
      .Case([&](arith::DivFOp) { return binary(op, "/", multiplicative); })
      .Case([&](arith::MaximumFOp) { return call(op, "GreaterNumber"); })
      .Case([&](arith::MinimumFOp) { return call(op, "LesserNumber"); })
      .Case([&](arith::TruncFOp) {
        return Text{converted(of(op->getOperand(0)), op->getResult(0).getType())};
      })
      .Case([&](arith::ExtFOp) {
        const bool isBF16 = op->getOperand(0).getType().isBF16();
        return Text{fmt::format(fmt::runtime(isBF16 ? "ToFloat({})" : "static_cast<float>({})"),
                                of(op->getOperand(0)))};
      })
      .Case(
          [&](arith::NegFOp) { return Text{"-" + of(op->getOperand(0), primary), multiplicative}; })
      .Case<arith::CmpFOp, arith::CmpIOp>([&](auto compare) -> Result {
        const char *symbol = comparisonOf(compare.getPredicate()).symbol();
        if (!symbol)
          return std::nullopt;
        return binary(op, symbol, comparison);
      })
      .Case<arith::IndexCastOp, arith::SIToFPOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
          [&](auto) {
            const bool isCondition = op->getOperand(0).getType().isInteger(1);
            if (isCondition && mlir::isa<arith::ExtSIOp>(op))
              return Text{fmt::format("({} ? -1 : 0)", of(op->getOperand(0), comparison))};
            return Text{fmt::format("static_cast<{}>({})", typeNameOf(op->getResult(0).getType()),
                                    of(op->getOperand(0)))};
          })
      .Case([&](aicore::ScalarBoundOp bound) {
        return Text{fmt::format("static_cast<int64_t>({})", of(bound.getScalar()))};
      })
      .Case([&](arith::SelectOp select) {
        return Text{fmt::format("({} ? {} : {})", of(select.getCondition(), comparison),
                                of(select.getTrueValue()), of(select.getFalseValue()))};
      })
      .Case([&](aicore::SlotOp slot) {
        const int64_t copies = slot.getBuffer().getDefiningOp<aicore::AllocOp>().getCopies();
        return copies == 1
                   ? Text{"0"}
                   : Text{fmt::format("{} % {}", of(slot.getIndex(), multiplicative), copies),
                          multiplicative};
      })
      .Default(Result());
}

/// Whether a value is only the slot of tiles that vector work does not read.
static bool isSlotOfUnused(aicore::VectorOp vector, mlir::Value value) {
  bool isSlot = false, isUsed = vector.getRows() == value || vector.getColumns() == value;
  for (mlir::Value tile : vector.getBody().getArguments())
    if (vector.tile(tile).slot == value) {
      isSlot = true;
      isUsed |= !tile.use_empty();
    }
  return isSlot && !isUsed;
}

bool Expressions::isRead(mlir::Value value) {
  return llvm::any_of(value.getUsers(), [&](mlir::Operation *user) {
    if (mlir::isa<aicore::VecOp>(user))
      return side_.unit() == aicore::Unit::vector_core;
    if (auto vector = mlir::dyn_cast<aicore::VectorOp>(user);
        vector && isSlotOfUnused(vector, value))
      return false;
    // The outermost extent is in no stride.
    if (auto workspace = mlir::dyn_cast<aicore::WorkspaceOp>(user))
      return side_.has(user) &&
             (side_.isHost() || llvm::is_contained(workspace.getExtents().drop_front(), value));
    return isScalarCode(user) ? isWritten(user) : side_.has(user);
  });
}

// Other scalar code that reads the result may itself be written nowhere.
bool Expressions::isWritten(mlir::Operation *op) {
  const auto [known, isNew] = written_.try_emplace(op, false);
  if (!isNew || isAlwaysZero(op))
    return known->second;
  const bool found =
      llvm::any_of(op->getResults(), [&](mlir::Value result) { return isRead(result); });
  return written_[op] = found;
}

std::optional<std::string> Expressions::declaration(mlir::Operation *op) {
  const std::optional<Text> text = computed(op);
  if (!text)
    return std::nullopt;
  mlir::Value result = op->getResult(0);
  if (!isWritten(op))
    return "";
  const bool isUsedOnceHere =
      result.hasOneUse() && op->getBlock() == result.user_begin()->getBlock();
  if (isUsedOnceHere && !names_.hasMeaning(result) && text->text.size() <= longest)
    return "";
  variables_.insert(op);
  return fmt::format("const {} {} = {};", typeNameOf(result.getType()), names_.of(result),
                     text->text);
}

std::string Expressions::of(mlir::Value value, unsigned precedence) {
  mlir::Operation *op = value.getDefiningOp();
  const std::optional<Text> text = op && !variables_.contains(op) ? computed(op) : std::nullopt;
  if (!text)
    return names_.of(value);
  return text->precedence < precedence ? "(" + text->text + ")" : text->text;
}

std::string Expressions::sum(const std::string &left, const std::string &right) {
  return left == "0" ? right : right == "0" ? left : left + " + " + right;
}

} // namespace mmk::ascendc
