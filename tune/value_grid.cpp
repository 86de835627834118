#include "tune/value_grid.h"

#include "backend/backend.h"
#include "frontend/schedule.h"

#include <algorithm>

namespace mmk::tune {
namespace {

int64_t bytesOfOperand(const Kernel &kernel) {
  for (const auto &value : kernel.values)
    if (value->operation == Operation::product)
      return static_cast<int64_t>(sizeInBytes(value->operands[0]->type));
  return 0;
}

bool hasProduct(const Kernel &kernel) { return bytesOfOperand(kernel) > 0; }

/// Every multiple up to eight, then the eight steps of each octave that are multiples: a factor of
/// at most 9 / 8 from one to the next.
std::vector<std::string> multiples(int64_t unit, int64_t largest) {
  std::vector<std::string> words;
  for (int64_t value = unit, step = unit; value <= largest; value += step) {
    if (value >= 16 * step)
      step *= 2;
    words.push_back(std::to_string(value));
  }
  return words;
}

/// The longest tile of which the smallest buffer that a variant can have still fits.
int64_t longestTile(const Kernel &kernel, const Machine &machine, const DimensionRole &role) {
  const int64_t bytes = bytesOfOperand(kernel);
  if (bytes == 0) // rows of UB
    return std::min<int64_t>(maximumTile, machine.memory(Memory::ub).capacity() / 8);
  return std::min(maximumTile,
                  backendOf(machine.kind)
                      .longestProductTile(machine, bytes, role.isOfProduct, role.isReduction));
}

} // namespace

std::vector<std::string> valueGrid(const Kernel &kernel, const Machine &machine,
                                   const std::string &key) {
  const std::string directive = key.substr(0, key.find('.'));
  if (directive == "tile" || directive == "stage") {
    const DimensionRole role = roleOf(kernel, key.substr(directive.size() + 1));
    // The cube's depth for f16 is half of its width: stages and depths are wanted in whole squares.
    const int64_t unit = std::max<int64_t>(role.multiple, hasProduct(kernel) ? 16 : 1);
    if (directive == "stage")
      return multiples(4 * unit,
                       backendOf(machine.kind).longestStage(machine, bytesOfOperand(kernel)));
    std::vector<std::string> words = multiples(unit, longestTile(kernel, machine, role));
    if (!hasProduct(kernel)) // steps of a vector core
      std::erase_if(words, [](const std::string &word) {
        const int64_t number = std::stoll(word);
        return (number & (number - 1)) != 0;
      });
    return words;
  }
  if (directive == "cores" || directive == "grid") {
    std::vector<std::string> words;
    for (int64_t cores = 1; cores <= machine.cubeCores; ++cores)
      if (machine.cubeCores % cores == 0)
        words.push_back(std::to_string(cores));
    return words;
  }
  if (directive == "buffers")
    return {"1", "2", "3", "4"};
  if (directive == "order")
    return {"rows", "columns", "zigzag", "swizzle(2)", "swizzle(4)", "swizzle(8)"};
  if (directive == "store")
    return {"after", "overlapped"};
  if (directive == "bias")
    return {"vector", "table"};
  if (directive == "keep") // how deep a panel may be is the schedule's to say
    return {"none"};
  if (directive == "skew")
    return {"none", "stages"};
  return {"fused", "separate"};
}

std::vector<std::string> tunableKeys(const Kernel &kernel, const Machine &machine) {
  std::vector<std::string> keys;
  for (const std::string &dimension : kernel.dimensions) {
    const DimensionRole role = roleOf(kernel, dimension);
    const bool isTiled = hasProduct(kernel) ? role.isOfProduct || role.isReduction : role.isOutput;
    if (isTiled)
      keys.push_back("tile." + dimension);
    if (role.isReduction)
      keys.push_back("stage." + dimension);
  }
  const bool hasPipes = backendOf(machine.kind).hasPipes();
  if (hasProduct(kernel) && hasPipes)
    keys.insert(keys.end(), {"buffers.l1", "buffers.l0", "buffers.acc", "store"});
  if (hasPipes)
    keys.push_back(hasProduct(kernel) ? "buffers.out" : "buffers.ub");
  keys.push_back("order");
  if (hasProduct(kernel))
    keys.push_back("epilogue");
  return keys;
}

} // namespace mmk::tune
