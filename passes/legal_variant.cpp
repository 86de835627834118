#include "passes/legal_variant.h"

#include "backend/backend.h"
#include "passes/bias_table.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mmk {
namespace {

class LegalityCheck {
public:
  LegalityCheck(ir::KernelOp kernel, aicore::MachineAttr machine)
      : kernel(kernel), machine(machine) {}

  LogicalResult refuseUnsupported();
  LogicalResult checkRules();

private:
  LogicalResult checkOverlap(ir::ChoiceOp choice);
  LogicalResult checkKeep(ir::ChoiceOp choice);
  LogicalResult checkBias(ir::ChoiceOp choice);
  LogicalResult checkSkew(ir::ChoiceOp choice);
  int64_t number(StringRef key, int64_t otherwise = 0) {
    return kernel.chosenNumber(key, otherwise);
  }

  ir::KernelOp kernel;
  aicore::MachineAttr machine;
};

// The accumulator is drained in two parts, each of whole fractals of 16 columns.
LogicalResult LegalityCheck::checkOverlap(ir::ChoiceOp choice) {
  if (!hasProduct(kernel))
    return choice.emitError("store = overlapped is about the accumulator of a product, and this "
                            "kernel has none; legal: after");
  LogicalResult result = success();
  const bool hasPipes = backendOf(machine).hasPipes();
  kernel.walk([&](linalg::ContractOp contract) {
    StringRef n = productNames(contract).columns;
    if (const int64_t width = isName(n) ? number(("tile." + n).str()) : 256; width < 32)
      result = choice.emitError() << "store = overlapped drains the accumulator in two parts of at "
                                  << "least 16 columns, but tile." << n << " = " << width
                                  << "; nearest legal: store = after, tile." << n << " = 32";
    // A part that is empty at all dimensions has no work that its flags could order.
    int64_t columns = 0;
    if (hasPipes && !n.getAsInteger(10, columns) && columns <= 128)
      result = choice.emitError() << "store = overlapped drains the accumulator in two parts of "
                                  << "128 columns, but the product has " << columns
                                  << "; nearest legal: store = after";
  });
  return result;
}

// A panel holds whole steps of the cube, and only a walk along a line of tiles uses it again.
LogicalResult LegalityCheck::checkKeep(ir::ChoiceOp choice) {
  const std::optional<KeptPanel> panel = keptPanel(kernel);
  if (!panel)
    return success();
  StringRef word = kernel.chosenWord("keep", "none");
  if (!hasProduct(kernel))
    return choice.emitError() << "keep = " << word << " is about an operand of a product, and this "
                              << "kernel has none; legal: none";
  if (std::string reason = backendOf(machine).refusal("keep", machine); !reason.empty())
    return choice.emitError() << "keep = " << word << " " << reason;
  StringRef order = kernel.chosenWord("order", "rows"), line = walkOf(*panel);
  if (order != line)
    return kernel.choice("order").emitError()
           << "keep = " << word << " needs a walk along " << line
           << " of tiles, but order = " << order << "; nearest legal: order = " << line
           << ", keep = none";
  LogicalResult result = success();
  kernel.walk([&](linalg::ContractOp contract) {
    const int64_t step = machine.depthOf(operandType(contract)), depth = panel->depth;
    int64_t literal = 0;
    StringRef k = productNames(contract).reduction;
    if (depth % step != 0) {
      const int64_t below = depth / step * step;
      InFlightDiagnostic error = choice.emitError()
                                 << "keep = " << word << ": the depth " << depth
                                 << " is not a multiple of " << step << ", the cube's depth for "
                                 << operandType(contract) << "; nearest legal: ";
      if (below > 0)
        error << below << ", ";
      result = error << below + step;
    } else if (!k.getAsInteger(10, literal) && literal > depth) {
      result = choice.emitError() << "keep = " << word << " holds panels up to a depth of " << depth
                                  << ", but the product is " << literal
                                  << " deep; nearest legal: " << llvm::alignTo(literal, step);
    }
  });
  return result;
}

// A product starts from its bias where there is a table for it.
LogicalResult LegalityCheck::checkBias(ir::ChoiceOp choice) {
  if (kernel.chosenWord("bias", "vector") == "vector")
    return success();
  if (machine.capacity(aicore::Space::bt) == 0)
    return choice.emitError() << "bias = table needs a bias table, which "
                              << machine.getName().getValue() << " has not; legal: vector";
  if (!hasProduct(kernel))
    return choice.emitError()
           << "bias = table is about what is added to a product, and this kernel "
           << "has none; legal: vector";
  std::string problem;
  if (findAddedRows(kernel, problem).empty())
    return choice.emitError() << "bias = table takes a row of f32 that is added to a product, but "
                              << problem << "; legal: vector";
  return success();
}

// Cores can be at different stages of a product only where there are stages.
LogicalResult LegalityCheck::checkSkew(ir::ChoiceOp choice) {
  if (kernel.chosenWord("skew", "none") == "none")
    return success();
  if (!hasProduct(kernel))
    return choice.emitError() << "skew = stages is about the stages of a product, and this kernel "
                              << "has none; legal: none";
  if (std::string reason = backendOf(machine).refusal("skew", machine); !reason.empty())
    return choice.emitError() << "skew = stages " << reason;
  return success();
}

// Directives of the language that this compiler cannot carry out are refused, never dropped.
LogicalResult LegalityCheck::refuseUnsupported() {
  TileDims dims = dimsOf(kernel);
  int64_t rectangles = 1, parts = 1;
  for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>()) {
    StringRef key = choice.getKey();
    if (key == "store" && kernel.chosenWord(key, "after") == "overlapped" &&
        failed(checkOverlap(choice)))
      return failure();
    if (key == "keep" && failed(checkKeep(choice)))
      return failure();
    if (key == "bias" && failed(checkBias(choice)))
      return failure();
    if (key == "skew" && failed(checkSkew(choice)))
      return failure();
    auto [directive, dim] = key.split('.');
    if (directive == "grid" && llvm::is_contained(dims.outputs, dim))
      rectangles *= number(key);
    if (directive == "grid" && llvm::is_contained(dims.reductions, dim))
      parts = std::max(parts, number(key));
    if (directive == "stage" && !llvm::is_contained(dims.reductions, dim))
      return choice.emitError() << key << ": only a reduction dimension has stages; legal: "
                                << llvm::join(dims.reductions, ", ");
  }
  // Without rectangles, tiles and parts are dealt one by one to however many cores there are.
  if (rectangles > 1 && rectangles * parts > number("cores")) {
    InFlightDiagnostic error = kernel.choice("cores").emitError()
                               << "the grid has " << rectangles << " rectangles";
    if (parts > 1)
      error << " for each of " << parts << " parts of the reduction";
    return error << ", but only " << number("cores") << " cores deal with them";
  }
  return success();
}

// Evaluates a rule's arithmetic over the chosen numbers.
std::optional<int64_t> evaluate(Value value, ir::KernelOp kernel) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    return cast<IntegerAttr>(constant.getValue()).getValue().getZExtValue();
  if (auto chosen = dyn_cast_or_null<ir::ChosenOp>(op)) {
    ir::ChoiceOp choice = kernel.choice(chosen.getKey());
    if (!choice || !isa<IntegerAttr>(choice.getAlternatives()[0]))
      return std::nullopt;
    return kernel.chosenNumber(chosen.getKey(), 0);
  }
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<int64_t> x = evaluate(op->getOperand(0), kernel),
                         y = evaluate(op->getOperand(1), kernel);
  if (!x || !y)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](arith::AddIOp) { return *x + *y; })
      .Case([&](arith::SubIOp) { return *x - *y; })
      .Case([&](arith::MulIOp) { return *x * *y; })
      .Case([&](arith::DivSIOp) { return *y ? std::optional(*x / *y) : std::nullopt; })
      .Case([&](arith::RemSIOp) { return *y ? std::optional(*x % *y) : std::nullopt; })
      .Case([&](arith::AndIOp) { return *x & *y; })
      .Case([&](arith::OrIOp) { return *x | *y; })
      .Case([&](arith::XOrIOp) { return *x ^ *y; })
      .Case([&](arith::CmpIOp compare) {
        return int64_t(arith::applyCmpPredicate(compare.getPredicate(), APInt(64, *x, true),
                                                APInt(64, *y, true)));
      })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult LegalityCheck::checkRules() {
  for (ir::RequireOp require :
       llvm::make_early_inc_range(kernel.getSchedule().getOps<ir::RequireOp>())) {
    auto yield = cast<ir::YieldOp>(require.getRule().front().back());
    std::optional<int64_t> holds = evaluate(yield.getValues()[0], kernel);
    if (holds && (*holds & 1)) {
      require.erase();
      continue;
    }
    SmallVector<std::string> values;
    llvm::StringSet<> said;
    require.walk([&](ir::ChosenOp chosen) {
      if (!said.insert(chosen.getKey()).second)
        return;
      ir::ChoiceOp choice = kernel.choice(chosen.getKey());
      values.push_back((chosen.getKey() + " = " +
                        (choice ? spelling(choice.getAlternatives()[0]) : std::string("nothing")))
                           .str());
    });
    return require.emitError() << "the variant breaks the rule " << require.getText() << ": "
                               << llvm::join(values, ", ");
  }
  return success();
}

} // namespace

LogicalResult checkLegal(ir::KernelOp kernel, aicore::MachineAttr machine) {
  LegalityCheck check(kernel, machine);
  return success(succeeded(check.refuseUnsupported()) && succeeded(check.checkRules()));
}

} // namespace mmk
