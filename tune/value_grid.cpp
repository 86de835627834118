#include "tune/value_grid.h"

#include "backend/backend.h"
#include "frontend/schedule.h"
#include "frontend/shapes.h"
#include "lower/lower.h"
#include "passes/passes.h"
#include "passes/variant.h"
#include "schedule/directive.h"
#include "schedule/joined_dimension.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace mmk::tune {
namespace {

/// The dimensions that tiles may have: those of the kernel, and those that are joined instead of
/// their parts.
std::vector<std::string> joinedDimensions(const Kernel &kernel, const Machine &machine) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const mlir::OwningOpRef<mlir::ModuleOp> module = lowerToIr(kernel, machine.name, context);
  module.get()->setAttr("aicore.machine", machineAttr(machine, context));
  mlir::PassManager manager(&context);
  manager.addPass(createUnrollWindows());
  manager.addPass(createJoinDimensions());
  const std::vector<std::string> own = tiledDimensions(kernel);
  if (mlir::failed(manager.run(*module)))
    return own;
  std::set<std::string> left;
  module.get()->walk([&](mlir::linalg::LinalgOp op) {
    for (llvm::StringRef name : dimNames(op))
      if (isTiled(name))
        left.insert(name.str());
  });
  std::vector<std::string> names;
  for (const std::string &name : own)
    if (left.erase(name) > 0)
      names.push_back(name);
  names.insert(names.end(), left.begin(), left.end());
  return names;
}

/// Of the first product; null without one.
const ElementType *operandType(const Kernel &kernel) {
  for (const auto &value : kernel.values)
    if (value->operation == Operation::product)
      return &value->operands[0]->type;
  return nullptr;
}

bool isLastOfResult(const Kernel &kernel, std::string_view dimension) {
  return std::ranges::any_of(kernel.results, [&](const Result &result) {
    return std::ranges::any_of(placesOf(result.shape, dimension), [&](const auto &place) {
      return place.second == result.shape.size();
    });
  });
}

/// Every multiple up to eight, then the four steps of each octave: a factor of at most 5 / 4 from
/// one to the next. Tiles between these are found by the shape (Backend::candidates).
std::vector<std::string> multiples(int64_t unit, int64_t largest) {
  std::vector<std::string> words;
  for (int64_t value = unit, step = unit; value <= largest; value += step) {
    if (value >= 8 * step)
      step *= 2;
    words.push_back(std::to_string(value));
  }
  return words;
}

/// Powers of two from one unit on.
std::vector<std::string> powersOfTwo(int64_t unit, int64_t largest) {
  std::vector<std::string> words;
  for (int64_t value = unit; value <= largest; value *= 2)
    words.push_back(std::to_string(value));
  return words;
}

/// The step of tiles: the cube's size along all dimensions of a product, so that depths are whole
/// squares; 1 without one.
int64_t stepOf(const Kernel &kernel, const Machine &machine, const DimensionRole &role) {
  if (!kernel.hasProduct())
    return 1;
  return std::lcm(role.multiple, std::lcm(machine.cube.m, machine.cube.n));
}

/// The longest tile whose smallest possible buffer still fits.
int64_t longestTile(const Kernel &kernel, const Machine &machine, const DimensionRole &role) {
  const ElementType *type = operandType(kernel);
  if (!type) // rows of UB
    return std::min<int64_t>(maximumTile, machine.memory(Memory::ub).capacity() / 8);
  return std::min(maximumTile,
                  backendOf(machine.kind)
                      .longestProductTile(machine, *type, role.isOfProduct, role.isReduction));
}

std::vector<std::string> lengths(const Kernel &kernel, const Machine &machine,
                                 const DirectiveTraits &directive, std::string_view dimension) {
  const DimensionRole role = roleOf(kernel, dimension, &machine.cube);
  const int64_t unit = stepOf(kernel, machine, role);
  if (directive.index == DirectiveIndex::reduction)
    return powersOfTwo(4 * unit,
                       backendOf(machine.kind).longestStage(machine, *operandType(kernel)));
  // Steps of a vector core: rows, and columns of at least one repeat of an instruction.
  if (!kernel.hasProduct()) {
    constexpr int64_t leastColumns = 64;
    return powersOfTwo(isLastOfResult(kernel, dimension) ? leastColumns : unit,
                       longestTile(kernel, machine, role));
  }
  // Depths of base tiles.
  if (!role.isOfProduct)
    return powersOfTwo(unit, longestTile(kernel, machine, role));
  return multiples(unit, longestTile(kernel, machine, role));
}

/// Shares of the vector cores, from one row of all of them to a row of each, and some parts more.
std::vector<std::string> partsOfRows(const Machine &machine) {
  const int64_t cores =
      machine.cubeCores * (machine.topology == Topology::split ? machine.vectorCoresPerCube : 1);
  std::vector<std::string> words = {"1"};
  for (int64_t rows = cores; rows >= 1; --rows)
    if (cores % rows == 0 && cores / rows > 1)
      words.push_back(std::to_string(cores / rows));
  words.push_back(std::to_string(2 * cores));
  return words;
}

} // namespace

std::vector<std::string> valueGrid(const Kernel &kernel, const Machine &machine,
                                   const std::string &key) {
  const DirectiveTraits &directive = *findDirective(key);
  if (!directive.words.empty())
    return triedWords(directive, kernel.hasReduction(), kernel.hasPooling());
  if (directive.isLength)
    return lengths(kernel, machine, directive, indexOf(key));
  if (directive.index == DirectiveIndex::buffer)
    return {"2", "1", "3"};
  if (directive.name == "grid" && roleOf(kernel, indexOf(key)).isReduction)
    return {"1", "2", "3", "4", "5", "6", "8", "10", "12", "16", "20"}; // splits
  if (directive.name == "grid" && roleOf(kernel, indexOf(key)).isDivided)
    return partsOfRows(machine);
  std::vector<std::string> words; // of the divisors of the cores
  for (int64_t cores = 1; cores <= machine.cubeCores; ++cores)
    if (machine.cubeCores % cores == 0)
      words.push_back(std::to_string(cores));
  return words;
}

std::vector<std::pair<std::string, std::vector<std::string>>>
wholeGrid(const Kernel &kernel, const Machine &machine, const std::vector<int64_t> &dims) {
  constexpr int64_t mostCopies = 4, leastColumns = 16; // 32 bytes of f16
  const auto range = [](int64_t unit, int64_t longest) {
    std::vector<std::string> words;
    for (int64_t value = unit; value <= longest; value += unit)
      words.push_back(std::to_string(value));
    return words;
  };
  const auto extentOf = [&](std::string_view dimension) {
    return extentOfName(dimension, [&](std::string_view factor) {
      const auto found = std::ranges::find(kernel.dimensions, factor);
      return dims[found - kernel.dimensions.begin()];
    });
  };
  std::vector<std::pair<std::string, std::vector<std::string>>> grid;
  for (const std::string &key : tunableKeys(kernel, machine)) {
    const DirectiveTraits &directive = *findDirective(key);
    if (!directive.words.empty() || directive.index == DirectiveIndex::none) {
      grid.emplace_back(key, valueGrid(kernel, machine, key));
      continue;
    }
    if (directive.index == DirectiveIndex::buffer) {
      grid.emplace_back(key, range(1, mostCopies));
      continue;
    }
    const DimensionRole role = roleOf(kernel, indexOf(key), &machine.cube);
    if (!directive.isLength) { // splits
      grid.emplace_back(key, range(1, 2 * machine.cubeCores));
      continue;
    }
    const bool isStage = directive.index == DirectiveIndex::reduction;
    const bool isLast = isLastOfResult(kernel, indexOf(key));
    const int64_t unit = kernel.hasProduct() ? role.multiple : isLast ? leastColumns : 1;
    const int64_t longest =
        isStage ? backendOf(machine.kind).longestStage(machine, *operandType(kernel))
                : longestTile(kernel, machine, role);
    // Beyond the extent, lengths that align what follows.
    const int64_t extent = (extentOf(indexOf(key)) + unit - 1) / unit * unit,
                  aligned = static_cast<int64_t>(llvm::PowerOf2Ceil(extent));
    grid.emplace_back(key, range(unit, std::min(longest, aligned)));
  }
  if (!kernel.hasProduct())
    return grid;
  for (const std::string &dimension : joinedDimensions(kernel, machine)) {
    const DimensionRole role = roleOf(kernel, dimension, &machine.cube);
    if (role.isOfProduct && role.isOutput)
      grid.emplace_back("grid." + dimension, range(1, machine.cubeCores));
    if (role.isReduction && !role.isOfProduct) {
      const int64_t deep =
          (extentOf(dimension) + role.multiple - 1) / role.multiple * role.multiple;
      grid.emplace_back("keep", std::vector<std::string>{"none", fmt::format("A({})", deep),
                                                         fmt::format("B({})", deep)});
    }
  }
  return grid;
}

std::vector<std::string> tunableKeys(const Kernel &kernel, const Machine &machine) {
  std::vector<std::string> keys;
  for (const std::string &dimension : joinedDimensions(kernel, machine)) {
    const DimensionRole role = roleOf(kernel, dimension);
    const bool isTiled = kernel.hasProduct() ? role.isOfProduct || role.isReduction
                                             : role.isOutput || role.isReduced;
    if (isTiled)
      keys.push_back("tile." + dimension);
    if (role.isReduction)
      keys.push_back("stage." + dimension);
    if ((role.isReduction || (role.isDivided && !kernel.hasProduct())) &&
        backendOf(machine.kind).hasPipes())
      keys.push_back("grid." + dimension);
  }
  const bool hasPipes = backendOf(machine.kind).hasPipes();
  for (const BufferGroup &group : bufferGroups())
    if (hasPipes &&
        group.explored == (kernel.hasProduct() ? Proposal::ofProducts : Proposal::always))
      keys.push_back(fmt::format("buffers.{}", group.name));
  for (const DirectiveTraits &directive : allDirectives())
    if ((hasPipes || !directive.needsPipes) && isProposed(directive.explored, kernel))
      keys.emplace_back(directive.name);
  return keys;
}

} // namespace mmk::tune
