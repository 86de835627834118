#include "aicore/chain_candidates.h"

#include "ir/element_type.h"
#include "passes/chain.h"
#include "passes/variant.h"
#include "runtime/clock.h"
#include "schedule/directive.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace mmk::aicore {
namespace {

/// Columns of both products in one accumulator, and the depth of a matrix instruction, at most:
/// with two copies of each, the operands of 128 rows fill L0A and L0B.
constexpr int64_t longestStep = 128;
/// Cycles of a part for the flags between the cube and the vector cores.
constexpr double exchangeCycles = 400;
/// What a part takes longer where L1 has one copy of its operands.
constexpr double oneCopy = 1.05;
/// Vector instructions for an element of a part: scale, maximum, exponential, sum, conversion.
constexpr double vectorCyclesOfElement = 13.0 / 64, vectorCyclesOfResult = 5.0 / 64;
/// On a coupled core, whose vector unit takes the products out of L0C, too.
constexpr double vectorCyclesOfCoupled = 20.0 / 64;
/// What a vector core takes longer for a part where UB has room for some of its rows at once only.
constexpr double windowCycles = 500;

/// A group at the extents of a request.
struct ChainShape {
  std::string m, n, d, e; ///< names of rows, columns, depth of the first, columns of the second
  int64_t batches = 1, rows = 1, columns = 1, depth = 1, width = 1;
  int64_t bytes = 2, unit = 16; ///< of an element; of the depth of a matrix instruction
};

struct ChainPlan {
  int64_t tileM = 128, tileN = 128, ahead = 1;
  int64_t inL1 = 2; ///< copies of the operands
  int64_t inUb = 2; ///< copies of a part
};

class ChainSearch {
public:
  ChainSearch(ir::KernelOp kernel, const Machine &machine, const CandidateRequest &request)
      : kernel_(kernel), machine_(machine), request_(request) {}

  bool find() {
    for (auto group : kernel_.getBody().getOps<ir::FusionGroupOp>())
      if (std::optional<Chain> chain = Chain::of(group, group.getBody().front()))
        shapes_.push_back(shapeOf(*chain));
    return !shapes_.empty();
  }

  // Several chains of a kernel have mostly the same dimensions; the first decides.
  Candidates run() {
    Candidates found;
    const ChainShape &shape = shapes_.front();
    llvm::SmallVector<int64_t> rows = {128, 112, 96, 80, 64, 48, 32, 16, 256},
                               columns = {128, 256, 384, 512, 192, 64, 32, 16};
    // Besides round numbers, a few even parts of short rows and columns.
    constexpr int64_t fewRows = 256;
    for (int64_t parts = 1; parts <= 2; ++parts) {
      if (shape.rows < fewRows)
        rows.push_back(llvm::alignTo(llvm::divideCeil(shape.rows, parts), machine_.cube.m));
      if (shape.columns < fewRows)
        columns.push_back(llvm::alignTo(llvm::divideCeil(shape.columns, parts), machine_.cube.n));
    }
    for (int64_t tileM : rows)
      for (int64_t tileN : columns)
        for (int64_t ahead : {1, 2, 3})
          for (int64_t inL1 : {2, 1})
            for (int64_t inUb : {2, 1})
              consider({numberOf("tile." + shape.m, tileM), numberOf("tile." + shape.n, tileN),
                        numberOf("preload", ahead), numberOf("buffers.l1", inL1),
                        numberOf("buffers.ub", isSplit() ? 2 : inUb)},
                       found);
    std::ranges::stable_sort(found.best, {}, &Candidate::cycles);
    if (found.best.size() > request_.most)
      found.best.resize(request_.most);
    return found;
  }

private:
  void consider(const ChainPlan &plan, Candidates &found) const {
    const ChainShape &shape = shapes_.front();
    const bool isLonger = plan.tileM > llvm::alignTo(shape.rows, machine_.cube.m) ||
                          plan.tileN > llvm::alignTo(shape.columns, shape.unit);
    const bool isShortest = plan.tileM == machine_.cube.m || plan.tileN == machine_.cube.n;
    if ((isLonger && !isShortest) || !fits(shape, plan))
      return;
    Candidate candidate{choicesOf(plan), cycles(plan), steps(plan)};
    const bool isKnown = llvm::any_of(
        found.best, [&](const Candidate &it) { return it.choices == candidate.choices; });
    if (isKnown || (request_.isAllowed && !request_.isAllowed(candidate.choices)))
      return;
    ++found.considered;
    found.best.push_back(std::move(candidate));
  }

  int64_t extentOf(StringRef dim) const {
    int64_t literal;
    if (!dim.getAsInteger(10, literal))
      return literal;
    for (auto [extent, name] :
         llvm::zip(request_.dims, kernel_.getDims().getAsValueRange<StringAttr>()))
      if (name == dim)
        return extent;
    return 1;
  }

  ChainShape shapeOf(Chain &chain) const {
    const ProductNames first = productNames(chain.firsts[0]),
                       second = productNames(chain.seconds[0].product);
    ChainShape shape{first.rows.str(), first.columns.str(), first.reduction.str(),
                     second.columns.str()};
    shape.rows = extentOf(first.rows);
    shape.columns = extentOf(first.columns);
    shape.depth = extentOf(first.reduction);
    shape.width = extentOf(second.columns);
    const Value result = chain.firsts[0].getResult(0);
    for (int64_t dim = 0; dim + 2 < cast<RankedTensorType>(result.getType()).getRank(); ++dim)
      shape.batches *= extentOf(dimName(result, dim));
    const Type type = operandType(chain.firsts[0]);
    shape.bytes = type.getIntOrFloatBitWidth() / 8;
    if (auto element = elementTypeOf(type); element && machine_.cube.depth.contains(*element))
      shape.unit = machine_.cube.depth.at(*element);
    return shape;
  }

  int64_t numberOf(const std::string &key, int64_t otherwise) const {
    int64_t number;
    const auto fixed = request_.fixed.find(key);
    return fixed != request_.fixed.end() && llvm::to_integer(fixed->second, number) ? number
                                                                                    : otherwise;
  }

  /// The depth of a matrix instruction of the first product, and that of the product in whole ones.
  static int64_t stepOf(const ChainShape &shape) {
    return std::min<int64_t>(llvm::alignTo(shape.depth, shape.unit), longestStep);
  }
  static int64_t depthOf(const ChainShape &shape) {
    return llvm::alignTo(shape.depth, stepOf(shape));
  }
  int64_t widthOf(const ChainShape &shape) const {
    return llvm::alignTo(shape.width, machine_.cube.n);
  }

  bool fits(const ChainShape &shape, const ChainPlan &plan) const {
    const int64_t depth = depthOf(shape), width = widthOf(shape), copies = 2;
    const auto room = [&](Memory memory) { return machine_.memory(memory).capacity(); };
    const int64_t part =
        isSplit() ? std::min(plan.tileN, std::max(longestStep, width)) : plan.tileN;
    const int64_t inL1 =
        plan.inL1 * shape.bytes *
        (plan.tileM * depth + plan.tileN * depth + plan.tileM * plan.tileN + plan.tileN * width);
    const int64_t step = std::max(stepOf(shape), std::min(plan.tileN, longestStep));
    return inL1 <= room(Memory::l1) &&
           copies * 4 * plan.tileM * std::max(part, width) <= room(Memory::l0c) &&
           copies * shape.bytes * plan.tileM * step <= room(Memory::l0a) &&
           (isSplit() || copies * shape.bytes * step * std::max(part, width) <= room(Memory::l0b));
  }

  /// Into how many windows UB divides the rows of a vector core: of the part, its weights, and the
  /// second product with its sum.
  int64_t windowsOf(const ChainShape &shape, const ChainPlan &plan) const {
    const int64_t width = widthOf(shape), rows = isSplit() ? plan.tileM / 2 : plan.tileM,
                  rowBytes = plan.tileN * (4 * (plan.inUb + 1) + 2 * shape.bytes) +
                             width * (4 * (plan.inUb + 2) + 2 * shape.bytes);
    return llvm::divideCeil(rows * rowBytes, machine_.memory(Memory::ub).capacity());
  }

  bool isSplit() const { return machine_.topology == mmk::Topology::split; }

  std::vector<std::pair<std::string, std::string>> choicesOf(const ChainPlan &plan) const {
    std::vector<std::pair<std::string, std::string>> choices;
    const auto add = [&](const std::string &key, int64_t number) {
      const std::string dim(indexOf(key));
      const bool isLiteral = !dim.empty() && llvm::isDigit(dim.front());
      if (!isLiteral && !request_.fixed.contains(key))
        choices.emplace_back(key, std::to_string(number));
    };
    for (const ChainShape &shape : shapes_) {
      add("tile." + shape.m, plan.tileM);
      add("tile." + shape.n, plan.tileN);
      add("tile." + shape.d, stepOf(shape));
      add("stage." + shape.d, depthOf(shape));
      add("tile." + shape.e, widthOf(shape));
    }
    add("preload", plan.ahead);
    add("buffers.acc", 2);
    add("buffers.l1", plan.inL1);
    if (!isSplit())
      add("buffers.ub", plan.inUb);
    // Cores that are at the same part wait for each other's lines.
    if (!request_.fixed.contains("skew"))
      choices.emplace_back("skew", "stages");
    std::ranges::sort(choices);
    const auto same = std::ranges::unique(choices, {}, [](auto &it) { return it.first; });
    choices.erase(same.begin(), same.end());
    return choices;
  }

  double steps(const ChainPlan &plan) const {
    double all = 0;
    for (const ChainShape &shape : shapes_)
      all += static_cast<double>(shape.batches * llvm::divideCeilSigned(shape.rows, plan.tileM) *
                                 llvm::divideCeilSigned(shape.columns, plan.tileN));
    return all;
  }

  double rate(const char *link) const {
    const auto found = machine_.links.find(link);
    return found == machine_.links.end() || found->second.bytesPerCycle == 0
               ? INFINITY
               : found->second.bytesPerCycle;
  }

  // Of one part: the work of each pipe, of which the longest decides.
  double cyclesOfPart(const ChainShape &shape, const ChainPlan &plan) const {
    const auto m = static_cast<double>(plan.tileM), n = static_cast<double>(plan.tileN),
               d = static_cast<double>(depthOf(shape)), e = static_cast<double>(widthOf(shape)),
               bytes = static_cast<double>(shape.bytes),
               cores = isSplit() ? static_cast<double>(machine_.vectorCoresPerCube) : 1.0;
    const double products = m * n * (d + e) / macs(),
                 loads = (n * (d + e) + m * n) * bytes / rate("gm_l1"),
                 toL0 = (m * d + m * n) * bytes / rate("l1_l0a") +
                        n * (d + e) * bytes / rate("l1_l0b"),
                 drains = 4 * (m * n + m * e) / (isSplit() ? rate("l0c_gm") : rate("l0c_ub")),
                 fetches = isSplit() ? 4 * (m * n + m * e) / cores / rate("gm_ub") : drains,
                 windows = static_cast<double>(windowsOf(shape, plan) - 1) * windowCycles,
                 ofElement = isSplit() ? vectorCyclesOfElement : vectorCyclesOfCoupled,
                 vector = (m * n * ofElement + m * e * vectorCyclesOfResult) / cores +
                          (isSplit() ? 0 : windows);
    return std::max({products, loads, toL0, drains, fetches, vector}) + exchangeCycles;
  }

  double macs() const {
    double most = 1;
    for (const auto &[type, number] : machine_.cube.macsPerCycle)
      if (type == ElementType::f16 || (type == ElementType::f32 && shapes_.front().bytes == 4))
        most = static_cast<double>(number);
    return most;
  }

  double cycles(const ChainPlan &plan) const {
    double all = static_cast<double>(taskCycles(machine_));
    for (const ChainShape &shape : shapes_) {
      const int64_t tiles = shape.batches * llvm::divideCeilSigned(shape.rows, plan.tileM),
                    rounds = llvm::divideCeilSigned(tiles, machine_.cubeCores),
                    parts = llvm::divideCeilSigned(shape.columns, plan.tileN);
      // The first part of a tile waits for what is ahead of it.
      all += static_cast<double>(rounds * (parts + 1)) * cyclesOfPart(shape, plan);
    }
    // With one copy the loads of a part wait for the products of the one before.
    return plan.inL1 > 1 ? all : oneCopy * all;
  }

  mutable ir::KernelOp kernel_; ///< mlir's operations are not const
  const Machine &machine_;
  const CandidateRequest &request_;
  std::vector<ChainShape> shapes_;
};

} // namespace

std::optional<Candidates> chainCandidates(ir::KernelOp kernel, const Machine &machine,
                                          const CandidateRequest &request) {
  ChainSearch search(kernel, machine, request);
  if (!search.find())
    return std::nullopt;
  return search.run();
}

} // namespace mmk::aicore
