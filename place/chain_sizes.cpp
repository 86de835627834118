#include "place/chain_sizes.h"

#include "backend/backend.h"
#include "place/tiled_group.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>

using namespace mlir;

namespace mmk {

using aicore::Space;

ChainSizer::ChainSizer(ir::KernelOp kernel, Chain &chain, RowProgram &program,
                       const RowSchedule &schedule, aicore::MachineAttr machine)
    : productsPassMemory(!productsReachUb(kernel, machine)),
      weightsPassMemory(!weightsReachL1(kernel, machine)), chain(chain), p(program), s(schedule),
      machine(machine), outputs(dimsOf(kernel).outputs) {
  for (Chain::Second &second : chain.seconds)
    for (const RowWeights &weights : p.weights())
      if (p.outputs()[weights.output].tensor == second.weights())
        isRescaled.push_back(weights.ratio.has_value());
}

/// A length of the schedule, or a literal extent in whole units.
static int64_t lengthOf(Chosen chosen, StringRef directive, StringRef dim, int64_t unit,
                        int64_t otherwise) {
  int64_t literal;
  if (!dim.getAsInteger(10, literal))
    return llvm::alignTo(literal, unit);
  return chosen((directive + "." + dim).str(), otherwise);
}

ChainSizes ChainSizer::sizesOf(int64_t tileM, int64_t tileN, Chosen chosen,
                               const RowMemory::Copies &copies) const {
  ChainSizes sizes;
  sizes.tileM = tileM;
  sizes.tileN = tileN;
  sizes.preload = chosen("preload", 1);
  sizes.copies = requestedCopies(chosen, "acc", "acc");
  sizes.inL1 = requestedCopies(chosen, "l1", "weights");
  sizes.inL0 = requestedCopies(chosen, "l0", "b");
  chooseProducts(sizes, chosen);
  chooseAccumulators(sizes);
  chooseWindows(sizes, copies, requestedCopies(chosen, "ub", "acc"));
  return sizes;
}

void ChainSizer::chooseProducts(ChainSizes &sizes, Chosen chosen) const {
  const int64_t padding = machine.padding(),
                literal = backendOf(machine).literalProductTile(machine, element()).k;
  const auto addSteps = [&](int64_t depth, int64_t step) {
    sizes.stepsInL0 = std::max<int64_t>(sizes.stepsInL0, llvm::divideCeil(depth, step));
    sizes.longestStep = std::max(sizes.longestStep, step);
  };
  for (const Chain::Second &second : chain.seconds) {
    ChainSizes::Second &it = sizes.seconds.emplace_back();
    it.width = llvm::alignTo(
        lengthOf(chosen, "tile", productNames(second.product).columns, machine.getCubeN(), 128),
        padding);
    sizes.widestOperand = std::max(sizes.widestOperand, it.width);
  }
  for (linalg::ContractOp first : chain.firsts) {
    ChainSizes::First &it = sizes.firsts.emplace_back();
    it.step = stepInL0(sizes, first, baseDepth(outputs, first, machine, literal, chosen));
    it.depth = llvm::alignTo(lengthOf(chosen, "stage", productNames(first).reduction,
                                      machine.depthOf(element()), it.step),
                             padding);
    it.step = std::min(it.step, it.depth);
    addSteps(it.depth, it.step);
  }
  for (auto [second, it] : llvm::zip(chain.seconds, sizes.seconds)) {
    const int64_t base = baseDepth(outputs, second.product, machine, literal, chosen);
    it.step = std::min(sizes.tileN, stepInL0(sizes, second.product, base));
    addSteps(sizes.tileN, it.step);
  }
}

// All products of a part share the buffers of L0, so that the widest limits the steps of all. A
// step that the schedule names, of a dimension that is no output, stays as it is.
int64_t ChainSizer::stepInL0(const ChainSizes &sizes, linalg::ContractOp product,
                             int64_t step) const {
  if (!llvm::is_contained(outputs, productNames(product).reduction))
    return step;
  const int64_t widest =
      std::max(sizes.widestOperand, productsPassMemory ? int64_t(1) : sizes.tileN);
  return halvedTo(machine.capacity(Space::l0b) / (elementBytes() * widest * sizes.inL0), step,
                  machine.depthOf(element()));
}

// Sums stay in L0C where it has room for them and for some columns of the first products. These
// take as many columns at once as L0C and L0B have room for. Products that leave L0C for UB stay
// until all of them do: the first ones of a part, and the second ones.
void ChainSizer::chooseAccumulators(ChainSizes &sizes) const {
  constexpr int64_t fewColumns = 64;
  const int64_t padding = machine.padding(), tileN = sizes.tileN,
                inL0C = machine.capacity(Space::l0c) / (4 * sizes.tileM),
                firsts = static_cast<int64_t>(sizes.firsts.size());
  const auto accumulators = [&](int64_t collected) {
    return productsPassMemory ? sizes.copies : std::max(sizes.copies * firsts, collected);
  };
  int64_t staying = 0, collected = 0;
  for (auto [it, rescaled] : llvm::zip(sizes.seconds, isRescaled))
    if (rescaled)
      collected = std::max(collected, it.width);
    else
      staying += it.width;
  const int64_t least =
      accumulators(llvm::count(isRescaled, true)) *
      std::max(collected, productsPassMemory ? std::min(tileN, fewColumns) : tileN);
  if (staying + least > inL0C)
    staying = 0;
  int64_t held = 0;
  for (auto [it, rescaled] : llvm::zip(sizes.seconds, isRescaled)) {
    it.staysInL0C = staying > 0 && !rescaled;
    (it.staysInL0C ? sizes.stayingColumns : sizes.collectedColumns) += it.width;
    if (!it.staysInL0C)
      sizes.widestResult = std::max(sizes.widestResult, it.width);
    held += !it.staysInL0C;
  }
  const int64_t rowBytes = sizes.longestStep * elementBytes(),
                room = std::min((inL0C - staying) / sizes.copies,
                                machine.capacity(Space::l0b) / (rowBytes * sizes.inL0)) /
                       padding * padding;
  sizes.accWidth =
      productsPassMemory ? std::min(tileN, std::max({room, sizes.widestResult, padding})) : tileN;
  sizes.accsOfPart = llvm::divideCeil(tileN, sizes.accWidth);
  sizes.accWidth = llvm::alignTo(llvm::divideCeil(tileN, sizes.accsOfPart), padding);
  sizes.accsOfPart = llvm::divideCeil(tileN, sizes.accWidth);
  sizes.accumulators = accumulators(held);
  sizes.widestOperand = std::max(sizes.widestOperand, sizes.accWidth);
  sizes.widestResult = std::max(sizes.widestResult, sizes.accWidth);
}

// Sums have all rows of a vector core, in whole steps: some more than it has.
void ChainSizer::chooseWindows(ChainSizes &sizes, const RowMemory::Copies &copies,
                               int64_t copiesOfSums) const {
  const RowMemory memory(p, s, machine, copies);
  for (int64_t spare = 0;;) {
    sizes.rows = memory.sizesOf(sizes.tileM, sizes.tileN, /*whole=*/false,
                                otherMemory(sizes, memory, copies, copiesOfSums, spare));
    // Steps of a few rows, so that their transfers overlap.
    const int64_t wanted = std::max<int64_t>(
        1,
        stepBytes / (4 * memory.padded(sizes.rows.width, Float32Type::get(machine.getContext()))));
    const int64_t even = llvm::divideCeil(sizes.rows.kept, std::min(sizes.rows.height, wanted));
    sizes.rows.height = llvm::divideCeil(sizes.rows.kept, even);
    sizes.windows = llvm::divideCeil(sizes.rows.kept, sizes.rows.height);
    const int64_t more = sizes.windows * sizes.rows.height - sizes.rows.kept;
    if (more <= spare)
      return;
    spare = more;
  }
}

/// What the second products take of UB, where sums have some more rows than a vector core.
RowMemory::Others ChainSizer::otherMemory(const ChainSizes &sizes, const RowMemory &memory,
                                          const RowMemory::Copies &copies, int64_t copiesOfSums,
                                          int64_t spareRows) const {
  RowMemory::Others others;
  int64_t scratch = 0;
  for (auto [of, size] : llvm::zip(chain.seconds, sizes.seconds)) {
    const int64_t width = size.width;
    const auto bytesOf = [&](Value value) {
      const Type element = elementOf(value);
      return memory.padded(width, element) * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
    };
    linalg::ContractOp product = of.product;
    const Value sum = product.getResult(0);
    // The sum stays for all rows of a vector core.
    others.shared += (llvm::divideCeilSigned(sizes.tileM, vectorCoresOf(machine)) + spareRows) *
                     static_cast<int64_t>(bytesOf(sum));
    others.ofRow += copiesOfSums * bytesOf(sum);
    if (width > sizes.tileN) // scratch of the epilogue
      scratch = std::max<int64_t>(scratch, (s.scratch + 1) * bytesOf(sum));
    for (Value value : of.last()->getResults())
      others.ofRow += copies({}) * bytesOf(value);
    if (of.epilogue)
      for (OpOperand *operand : of.epilogue.getDpsInputOperands())
        if (operand->get() != sum)
          others.ofRow += copies(operand->get()) * bytesOf(operand->get());
  }
  others.ofRow += scratch;
  return others;
}

int64_t ChainSizer::copiesOfWeights(const ChainSizes &sizes) const {
  return weightsPassMemory ? sizes.inL1 : std::max(sizes.inL1, sizes.preload + 1);
}

int64_t ChainSizer::bytesIn(Space space, const ChainSizes &sizes) const {
  const auto padded = [&](int64_t length) {
    return static_cast<int64_t>(llvm::alignTo(length, machine.padding()));
  };
  const int64_t tileM = sizes.tileM, tileN = sizes.tileN;
  int64_t elements = 0;
  switch (space) {
  case Space::l1:
    for (const ChainSizes::First &it : sizes.firsts)
      elements += (padded(tileM) + padded(tileN)) * padded(it.depth) * sizes.inL1;
    for (const ChainSizes::Second &it : sizes.seconds)
      elements += padded(tileN) * padded(it.width) * sizes.inL1;
    return elementBytes() * (elements + padded(tileM) * padded(tileN) * copiesOfWeights(sizes) *
                                            static_cast<int64_t>(p.weights().size()));
  case Space::l0a:
    return elementBytes() * tileM * sizes.longestStep * sizes.inL0;
  case Space::l0b:
    return elementBytes() * sizes.longestStep * sizes.widestOperand * sizes.inL0;
  case Space::l0c:
    return 4 * tileM *
           (sizes.stayingColumns + sizes.widestResult * std::max(sizes.accumulators, sizes.copies));
  default:
    return 0;
  }
}

bool ChainSizer::fits(const ChainSizes &sizes) const {
  return sizes.rows.fits &&
         llvm::all_of(std::array{Space::l1, Space::l0a, Space::l0b, Space::l0c}, [&](Space space) {
           return bytesIn(space, sizes) <= machine.capacity(space);
         });
}

} // namespace mmk
