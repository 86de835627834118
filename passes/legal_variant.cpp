#include "passes/legal_variant.h"

#include "backend/backend.h"
#include "ir/diagnostic_code.h"
#include "passes/reduce_words.h"
#include "passes/row_space.h"
#include "passes/variant.h"
#include "passes/windows/image_operand.h"
#include "schedule/directive.h"
#include "schedule/rule.h"

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
  LogicalResult checkWord(ir::ChoiceOp choice, const DirectiveTraits &directive);
  StringRef columnsOfCube(linalg::ContractOp contract);
  LogicalResult checkOverlap(ir::ChoiceOp choice);
  LogicalResult checkKeep(ir::ChoiceOp choice);
  LogicalResult checkBias(ir::ChoiceOp choice);
  LogicalResult checkWindow(ir::ChoiceOp choice);
  LogicalResult checkParts();
  LogicalResult checkLengths();
  LogicalResult checkLength(StringRef dim, int64_t unit, std::string_view reason);
  int64_t number(StringRef key, int64_t otherwise = 0) {
    return kernel.chosenNumber(key, otherwise);
  }

  ir::KernelOp kernel;
  aicore::MachineAttr machine;
};

// The conditions of the table of directives for every word but the first.
LogicalResult LegalityCheck::checkWord(ir::ChoiceOp choice, const DirectiveTraits &directive) {
  const StringRef usual = directive.words.front().word,
                  word = kernel.chosenWord(choice.getKey(), usual);
  if (word == usual)
    return success();
  auto refuse = [&] { return choice.emitError() << choice.getKey() << " = " << word << " "; };
  if (!directive.subject.empty() && !hasProduct(kernel))
    return refuse() << "is about " << directive.subject
                    << ", and this kernel has none; legal: " << usual;
  if (std::string reason = backendOf(machine).refusal(directive.name, word, machine);
      !reason.empty())
    return refuse() << reason;
  if (directive.name == "store")
    return checkOverlap(choice);
  if (directive.name == "keep")
    return checkKeep(choice);
  if (directive.name == "window")
    return checkWindow(choice);
  return directive.name == "bias" ? checkBias(choice) : success();
}

// The cube takes windows as its left operand: a product that has them right is transposed.
StringRef LegalityCheck::columnsOfCube(linalg::ContractOp contract) {
  const ProductNames names = productNames(contract);
  const bool isTransposed = readsWindowsDirectly(kernel, machine) &&
                            llvm::any_of(copiedWindows(kernel), [&](const CopiedWindow &copied) {
                              return copied.contract == contract && copied.which == 1;
                            });
  return isTransposed ? names.rows : names.columns;
}

// The accumulator is drained in two parts, each of whole fractals.
LogicalResult LegalityCheck::checkOverlap(ir::ChoiceOp choice) {
  LogicalResult result = success();
  const bool hasPipes = backendOf(machine).hasPipes();
  kernel.walk([&](linalg::ContractOp contract) {
    StringRef n = columnsOfCube(contract);
    const int64_t unit = machine.getCubeN(),
                  literal = backendOf(machine).literalProductTile(machine, operandType(contract)).n,
                  width = isTiled(n) ? number(("tile." + n).str()) : literal;
    if (width < 2 * unit)
      result = nearestLegal(choice.emitError()
                            << "store = overlapped drains the accumulator in two parts of at least "
                            << unit << " columns, but tile." << n << " = " << width
                            << "; nearest legal: store = after, tile." << n << " = " << 2 * unit);
    // A part must not be empty at all dimensions: its flags would order no work.
    int64_t columns = 0;
    if (hasPipes && !n.getAsInteger(10, columns) && columns <= width / 2)
      result = nearestLegal(choice.emitError()
                            << "store = overlapped drains the accumulator in two parts of "
                            << width / 2 << " columns, but the product has " << columns
                            << "; nearest legal: store = after");
  });
  return result;
}

// A panel holds whole steps of the cube, and only tiles in an order along one line reuse it.
LogicalResult LegalityCheck::checkKeep(ir::ChoiceOp choice) {
  const std::optional<KeptPanel> panel = keptPanel(kernel);
  StringRef word = kernel.chosenWord("keep", "none");
  StringRef order = kernel.chosenWord("order", "rows"), line = orderAlong(*panel);
  if (order != line)
    return nearestLegal(kernel.choice("order").emitError()
                        << "keep = " << word << " needs the order to go along " << line
                        << " of tiles, but order = " << order << "; nearest legal: order = " << line
                        << ", keep = none");
  LogicalResult result = success();
  kernel.walk([&](linalg::ContractOp contract) {
    const int64_t step = machine.depthOf(operandType(contract)), depth = panel->depth;
    int64_t literal = 0;
    StringRef k = productNames(contract).reduction;
    if (depth % step != 0)
      result =
          nearestLegal(choice.emitError()
                       << "keep = " << word << ": the depth " << depth << " is not a multiple of "
                       << step << ", the cube's depth for " << operandType(contract)
                       << "; nearest legal: " << nearestMultiples(depth, step, maximumTile));
    else if (!k.getAsInteger(10, literal) && literal > depth)
      result = nearestLegal(choice.emitError()
                            << "keep = " << word << " holds panels up to a depth of " << depth
                            << ", but the product is " << literal
                            << " deep; nearest legal: " << llvm::alignTo(literal, step));
  });
  return result;
}

// A product starts from its bias where there is a table for it. mmk-fuse-epilogue looks for the
// bias, behind products as they are computed.
LogicalResult LegalityCheck::checkBias(ir::ChoiceOp choice) {
  if (machine.capacity(aicore::Space::bt) == 0)
    return choice.emitError() << "bias = table needs a bias table, which "
                              << machine.getName().getValue() << " has not; legal: vector";
  return success();
}

// Each window is an image that the cube's load takes, in stages of whole blocks of channels.
LogicalResult LegalityCheck::checkWindow(ir::ChoiceOp choice) {
  if (!backendOf(machine).hasPipes())
    return success();
  const StringRef word = kernel.chosenWord("window", "unfolded");
  const SmallVector<CopiedWindow> windows = copiedWindows(kernel);
  if (windows.empty())
    return choice.emitError() << "window = " << word << " is about a product of windows, and this "
                              << "kernel has none; legal: unfolded";
  for (const CopiedWindow &copied : windows) {
    if (std::string problem = problemOf(copied); !problem.empty())
      return choice.emitError() << "window = " << word << " loads windows of an image, but of the "
                                << "window of this product, " << problem << "; legal: unfolded";
    linalg::ContractOp contract = copied.contract;
    const Type element = operandType(contract);
    const int64_t channels = *directChannels(kernel, element);
    if (std::string problem = multipleProblem("window", channels, channelsOfBlock(element),
                                              "the channels of 32 bytes");
        !problem.empty())
      return nearestLegal(choice.emitError() << problem);
    const StringRef depth = productNames(contract).reduction;
    if (number(("grid." + depth).str(), 1) > 1)
      return nearestLegal(choice.emitError()
                          << "window = " << word << " goes over the channels of an image, which "
                          << "grid." << depth << " = " << number(("grid." + depth).str())
                          << " divides; nearest legal: grid." << depth
                          << " = 1, window = unfolded");
  }
  if (const StringRef kept = kernel.chosenWord("keep", "none"); kept != "none")
    return nearestLegal(choice.emitError()
                        << "window = " << word << " holds lines of an image in L1, where keep = "
                        << kept << " holds a panel; nearest legal: keep = none, window = unfolded");
  return success();
}

// A row on the chip is that of one core.
LogicalResult LegalityCheck::checkParts() {
  auto result = kernel.walk([&](linalg::GenericOp generic) {
    if (!isRowReduction(generic))
      return WalkResult::advance();
    const RowSpace space(cast<linalg::LinalgOp>(generic.getOperation()));
    if (partsOf(kernel, space).empty() || rowFormOf(kernel, space) != RowForm::whole)
      return WalkResult::advance();
    const std::string grid = ("grid." + space.names[space.reduced()[0]]).str(),
                      form = rowChoiceOf(kernel, space);
    (void)nearestLegal(kernel.choice(grid).emitError()
                       << grid << " = " << number(grid) << " divides rows over the cores, but "
                       << form << " = whole keeps each on the chip of one; nearest legal: " << grid
                       << " = 1, " << form << " = two_pass");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

// Tiles of a product are whole steps of the cube, and no longer than an instruction of it. A
// machine without pipes has no cube: the one of its description keeps tiles legal on both.
LogicalResult LegalityCheck::checkLengths() {
  if (!backendOf(machine).hasPipes())
    return success();
  const CubeUnits cube = cubeUnits(kernel, machine);
  auto result = kernel.walk([&](linalg::ContractOp contract) {
    const ProductNames names = productNames(contract);
    const Type type = operandType(contract);
    std::string spelled;
    llvm::raw_string_ostream(spelled) << type;
    const bool isLegal =
        succeeded(checkLength(names.rows, cube.rows, widthReason())) &&
        succeeded(checkLength(names.columns, cube.columns, widthReason())) &&
        succeeded(checkLength(names.reduction, machine.depthOf(type), depthReason(spelled)));
    return isLegal ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult LegalityCheck::checkLength(StringRef dim, int64_t unit, std::string_view reason) {
  const std::string key = ("tile." + dim).str();
  ir::ChoiceOp choice = kernel.choice(key);
  if (!isTiled(dim) || !choice)
    return success();
  const int64_t length = number(key), most = machine.getMaxExtent();
  if (std::string problem = multipleProblem(key, length, unit, reason); !problem.empty())
    return nearestLegal(choice.emitError() << problem);
  if (length <= most)
    return success();
  return nearestLegal(choice.emitError() << key << " = " << length << " is beyond " << most
                                         << ", the largest extent of an instruction of the cube; "
                                         << "nearest legal: " << most / unit * unit);
}

// Directives of the language that this compiler cannot carry out are refused, never dropped.
LogicalResult LegalityCheck::refuseUnsupported() {
  TileDims dims = dimsOf(kernel);
  const SmallVector<StringRef> divided = dividedDims(kernel);
  int64_t rectangles = 1, splits = 1;
  for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>()) {
    StringRef key = choice.getKey();
    const DirectiveTraits *traits = findDirective(key);
    if (traits && !traits->words.empty() && failed(checkWord(choice, *traits)))
      return failure();
    auto [directive, dim] = key.split('.');
    if (directive == "reduce" && !dim.empty() && failed(checkReduceWord(kernel, choice)))
      return failure();
    if (directive == "grid" && llvm::is_contained(dims.outputs, dim) &&
        !llvm::is_contained(divided, dim))
      rectangles *= number(key);
    if (directive == "grid" && llvm::is_contained(dims.reductions, dim) &&
        !llvm::is_contained(divided, dim))
      splits = std::max(splits, number(key));
    if (directive == "stage" && !llvm::is_contained(dims.reductions, dim))
      return choice.emitError() << key << ": only a reduction dimension has stages; legal: "
                                << llvm::join(dims.reductions, ", ");
  }
  if (failed(checkLengths()) || failed(checkParts()))
    return failure();
  // Without a grid, tiles and splits are mapped one by one to any number of cores.
  if (rectangles > 1 && rectangles * splits > number("cores")) {
    InFlightDiagnostic error = kernel.choice("cores").emitError()
                               << "the grid has " << rectangles << " rectangles";
    if (splits > 1)
      error << " for each of " << splits << " splits of the reduction";
    return error << ", but there are only " << number("cores") << " cores";
  }
  return success();
}

// Converts arith back to a rule: code that lower/ emitted, or textual IR of the same form. Null for
// other code.
std::unique_ptr<Rule> ruleOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return nullptr;
  auto rule = std::make_unique<Rule>();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    rule->kind = Rule::Kind::number;
    rule->number = cast<IntegerAttr>(constant.getValue()).getValue().getZExtValue();
    return rule;
  }
  if (auto chosen = dyn_cast<ir::ChosenOp>(op)) {
    rule->kind = Rule::Kind::choice;
    rule->choice = chosen.getKey();
    return rule;
  }
  using Kind = std::optional<Rule::Kind>;
  const Kind kind =
      llvm::TypeSwitch<Operation *, Kind>(op)
          .Case([](arith::AddIOp) { return Rule::Kind::add; })
          .Case([](arith::SubIOp) { return Rule::Kind::subtract; })
          .Case([](arith::MulIOp) { return Rule::Kind::multiply; })
          .Case([](arith::DivSIOp) { return Rule::Kind::divide; })
          .Case([](arith::RemSIOp) { return Rule::Kind::remainder; })
          .Case([](arith::AndIOp) { return Rule::Kind::logicalAnd; })
          .Case([](arith::OrIOp) { return Rule::Kind::logicalOr; })
          .Case([](arith::XOrIOp it) { // with true: a negation
            return matchPattern(it.getRhs(), m_One()) ? Kind(Rule::Kind::logicalNot) : std::nullopt;
          })
          .Case([](arith::CmpIOp it) -> Kind {
            switch (it.getPredicate()) {
            case arith::CmpIPredicate::eq:
              return Rule::Kind::equal;
            case arith::CmpIPredicate::ne:
              return Rule::Kind::notEqual;
            case arith::CmpIPredicate::slt:
              return Rule::Kind::less;
            case arith::CmpIPredicate::sle:
              return Rule::Kind::lessEqual;
            case arith::CmpIPredicate::sgt:
              return Rule::Kind::greater;
            case arith::CmpIPredicate::sge:
              return Rule::Kind::greaterEqual;
            default:
              return std::nullopt;
            }
          })
          .Default([](Operation *) { return std::nullopt; });
  if (!kind)
    return nullptr;
  rule->kind = *kind;
  for (Value operand : op->getOperands().take_front(*kind == Rule::Kind::logicalNot ? 1 : 2)) {
    rule->operands.push_back(ruleOf(operand));
    if (!rule->operands.back())
      return nullptr;
  }
  return rule;
}

LogicalResult LegalityCheck::checkRules() {
  const ChosenNumber chosenNumber = [&](std::string_view key) -> std::optional<int64_t> {
    ir::ChoiceOp choice = kernel.choice(key);
    if (!choice || !isa<IntegerAttr>(choice.getAlternatives()[0]))
      return std::nullopt;
    return number(key);
  };
  for (ir::RequireOp require :
       llvm::make_early_inc_range(kernel.getSchedule().getOps<ir::RequireOp>())) {
    auto yield = cast<ir::YieldOp>(require.getRule().front().back());
    const std::unique_ptr<Rule> rule = ruleOf(yield.getValues()[0]);
    if (rule && judge(*rule, chosenNumber) == Verdict::holds) {
      require.erase();
      continue;
    }
    SmallVector<std::string> values;
    llvm::StringSet<> reported;
    require.walk([&](ir::ChosenOp chosen) {
      if (!reported.insert(chosen.getKey()).second)
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
