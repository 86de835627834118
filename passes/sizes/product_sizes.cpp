#include "passes/sizes/product_sizes.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace mmk {

using aicore::Space;

ProductSizes::Held ProductSizes::heldInL1(unsigned operand, aicore::MachineAttr machine) const {
  const auto padded = [&](int64_t length) {
    return static_cast<int64_t>(llvm::alignTo(length, machine.padding()));
  };
  const bool stays = operand == 0 ? keepsA : keepsB;
  return {padded(operand == 0 ? rows : columns), padded(stays ? panelDepth : stage)};
}

int64_t ProductSizes::mostDepth(aicore::MachineAttr machine, int64_t bytes) const {
  return std::min(machine.capacity(Space::l0a) / (rows * bytes * inL0),
                  machine.capacity(Space::l0b) / (columns * bytes * inL0));
}

int64_t ProductSizes::mostStage(aicore::MachineAttr machine, int64_t bytes) const {
  int64_t room = machine.capacity(Space::l1) - (hasBias ? inL1 * 4 * columns : 0), lines = 0;
  for (unsigned operand : {0, 1}) {
    const Held held = heldInL1(operand, machine);
    if (operand == 0 ? keepsA : keepsB)
      room -= held.outer * held.depth * bytes;
    else
      lines += held.outer;
  }
  const int64_t most = std::max<int64_t>(0, room) / (lines * bytes * inL1);
  return most / machine.padding() * machine.padding();
}

} // namespace mmk
