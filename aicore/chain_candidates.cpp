#include "aicore/chain_candidates.h"

#include "aicore/group_work.h"
#include "ir/element_type.h"
#include "ir/rows.h"
#include "passes/chains/chain.h"
#include "passes/variant.h"
#include "place/chain_rows.h"
#include "place/chain_sizes.h"
#include "place/guard.h"
#include "runtime/clock.h"
#include "schedule/directive.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <deque>

using namespace mlir;

namespace mmk::aicore {
namespace {

/// Columns of both products in one accumulator, and the depth of a matrix instruction, at most:
/// with two copies of each, the operands of 128 rows fill L0A and L0B.
constexpr int64_t longestStep = 128;
/// Cycles of a part for the flags between the cube and the vector cores, by the parts ahead. Three
/// are tried after two: they often take more flags than a core has.
constexpr double exchangeCycles[] = {400, 225, 300};
/// Cycles of the two passes that combine the results of divided columns.
constexpr double combinationCycles = 2500;
/// What a part takes longer where L1 has one copy of its operands.
constexpr double oneCopy = 1.05;
/// Vector instructions for an element of a part: scale, maximum, exponential, sum, conversion.
constexpr double vectorCyclesOfElement = 13.0 / 64, vectorCyclesOfResult = 5.0 / 64;
/// The same of a vector unit that works on registers.
constexpr double registerCyclesOfElement = 6.0 / 64, registerCyclesOfResult = 2.0 / 64;
/// On a coupled core, whose vector unit takes the products out of L0C, too.
constexpr double vectorCyclesOfCoupled = 20.0 / 64;
/// What a vector core takes longer for a part where UB has room for some of its rows at once only.
constexpr double windowCycles = 500;
/// Vector instructions for an element of each further weights.
constexpr double vectorCyclesOfWeights = 3.0 / 64;

/// A group at the extents of a request.
struct ChainShape {
  ChainShape(ir::KernelOp kernel, Chain own, RowProgram rows)
      : chain(std::move(own)), program(std::move(rows)), schedule(scheduleRows(program, false)),
        sizer(kernel, chain, program, schedule, machineOf(kernel->getParentOfType<ModuleOp>())) {}

  Chain chain;
  RowProgram program;
  RowSchedule schedule;
  ChainSizer sizer;
  struct Dim {
    std::string name;
    int64_t extent = 1;
  };
  std::string m, n;        ///< names of rows and columns of the first products
  std::vector<Dim> depths; ///< of the first products
  std::vector<Dim> widths; ///< columns of the second ones
  int64_t weights = 1;
  int64_t inputs = 0; ///< what the rows read besides the products
  int64_t batches = 1, rows = 1, columns = 1;
  /// An element counts where constant + ofRow * its row + ofColumn * its column is at least 0.
  struct Bound {
    int64_t constant, ofRow, ofColumn;
  };
  std::vector<Bound> bounds;    ///< of conditions, as far as they are known
  int64_t bytes = 2, unit = 16; ///< of an element; of the depth of a matrix instruction
};

struct ChainPlan {
  int64_t tileM = 128, tileN = 128, ahead = 1;
  int64_t inL1 = 2;    ///< copies of the operands
  int64_t inUb = 2;    ///< copies of a part
  int64_t divided = 1; ///< parts of the columns that have results of their own
};

class ChainSearch {
public:
  ChainSearch(ir::KernelOp kernel, const Machine &machine, const CandidateRequest &request)
      : kernel_(kernel), machine_(machine), request_(request) {}

  /// Whether the kernel has such groups.
  bool find() {
    bool hasChain = false;
    for (auto group : kernel_.getBody().getOps<ir::FusionGroupOp>())
      if (std::optional<Chain> chain = Chain::of(group)) {
        hasChain = true;
        // A pass reports what is wrong with one, where its variant is chosen.
        const ScopedDiagnosticHandler quiet(kernel_.getContext(), [](Diagnostic &) {});
        FailureOr<RowProgram> program = chainRows(kernel_, group, *chain);
        if (failed(program))
          continue;
        read(shapes_.emplace_back(kernel_, std::move(*chain), std::move(*program)));
      }
    return hasChain;
  }

  // Several chains of a kernel have mostly the same dimensions; the first decides.
  Candidates run() {
    Candidates found;
    if (shapes_.empty())
      return found;
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
        for (int64_t ahead : ahead())
          for (int64_t inL1 : {2, 1})
            for (int64_t inUb : {2, 1})
              for (int64_t divided : divisions(tileOf(shape.m, tileM, literalChainRows)))
                consider({tileOf(shape.m, tileM, literalChainRows),
                          tileOf(shape.n, tileN, literalChainColumns), numberOf("preload", ahead),
                          numberOf("buffers.l1", inL1),
                          numberOf("buffers.ub", isSplit() ? 2 : inUb),
                          numberOf("grid." + shape.n, divided)},
                         found);
    std::ranges::stable_sort(found.best, {}, &Candidate::cycles);
    if (found.best.size() > request_.most)
      found.best.resize(request_.most);
    return found;
  }

private:
  int64_t tilesOf(const ChainShape &shape, int64_t tileM) const {
    return shape.batches * llvm::divideCeilSigned(shape.rows, tileM);
  }

  /// Parts of the first product ahead. A coupled core gains nothing from a second one: its vector
  /// unit takes the products out of L0C.
  std::vector<int64_t> ahead() const {
    return isSplit() ? std::vector<int64_t>{1, 2, 3} : std::vector<int64_t>{1};
  }

  /// The columns are divided where there are fewer tiles than cores.
  std::vector<int64_t> divisions(int64_t tileM) const {
    const int64_t tiles = tilesOf(shapes_.front(), tileM), cores = machine_.cubeCores;
    if (shapes_.size() > 1 || !shapes_.front().chain.isSimple() || tiles >= cores)
      return {1};
    const int64_t least = llvm::divideCeilSigned(cores, tiles);
    return {1, least, 2 * least, cores / tiles};
  }

  /// Whether some parts have no column, unless the schedule says how many there are.
  bool isEmpty(const ChainPlan &plan) const {
    const ChainShape &shape = shapes_.front();
    return plan.divided > 1 && plan.divided * plan.tileN > shape.columns &&
           !request_.fixed.contains("grid." + shape.n);
  }

  void consider(const ChainPlan &plan, Candidates &found) const {
    const ChainShape &shape = shapes_.front();
    const bool isLonger =
        plan.tileM > static_cast<int64_t>(llvm::alignTo(shape.rows, machine_.cube.m)) ||
        plan.tileN > static_cast<int64_t>(llvm::alignTo(shape.columns, shape.unit));
    const bool isShortest = plan.tileM == machine_.cube.m || plan.tileN == machine_.cube.n;
    if ((isLonger && !isShortest) || isEmpty(plan))
      return;
    Choices choices = choicesOf(plan);
    const std::vector<ChainSizes> sizes = sizesOf(plan, choices);
    if (!shape.sizer.fits(sizes.front()))
      return;
    Candidate candidate{std::move(choices), cycles(plan, sizes), steps(plan),
                        static_cast<double>(taskCycles(machine_, isSplit()))};
    const bool isKnown = llvm::any_of(
        found.best, [&](const Candidate &it) { return it.choices == candidate.choices; });
    if (isKnown || (request_.isAllowed && !request_.isAllowed(candidate.choices)))
      return;
    ++found.considered;
    found.best.push_back(std::move(candidate));
  }

  int64_t extentOf(StringRef dim) const { return aicore::extentOf(kernel_, request_.dims, dim); }

  void read(ChainShape &shape) const {
    Chain &chain = shape.chain;
    const ProductNames names = productNames(chain.firsts[0]);
    const Value result = chain.firsts[0].getResult(0);
    shape.m = names.rows.str();
    shape.n = names.columns.str();
    shape.rows = extentOf(names.rows);
    shape.columns = extentOf(names.columns);
    for (linalg::ContractOp first : chain.firsts) {
      const StringRef depth = productNames(first).reduction;
      shape.depths.push_back({depth.str(), extentOf(depth)});
    }
    for (Chain::Second &second : chain.seconds) {
      const StringRef width = productNames(second.product).columns;
      shape.widths.push_back({width.str(), extentOf(width)});
    }
    shape.weights = static_cast<int64_t>(chain.weights().size());
    readBounds(shape);
    llvm::SmallPtrSet<void *, 4> inputs;
    for (Operation &op : *chain.firsts[0]->getBlock())
      for (Value input : isa<linalg::GenericOp, ir::RowsOp>(op) ? op.getOperands() : ValueRange())
        if (Operation *from = behindViews(input).getDefiningOp();
            !from || (from->getBlock() != op.getBlock() && !ir::isGenerated(from)))
          inputs.insert(input.getAsOpaquePointer());
    shape.inputs = static_cast<int64_t>(inputs.size());
    for (int64_t dim = 0; dim + 2 < cast<RankedTensorType>(result.getType()).getRank(); ++dim)
      shape.batches *= extentOf(dimName(result, dim));
    const Type type = operandType(chain.firsts[0]);
    shape.bytes = type.getIntOrFloatBitWidth() / 8;
    if (auto element = elementTypeOf(type); element && machine_.cube.depth.contains(*element))
      shape.unit = machine_.cube.depth.at(*element);
  }

  /// The number of a dimension, or of a parameter by default.
  std::optional<int64_t> numberOf(Value scalar) const {
    while (Operation *op = scalar.getDefiningOp()) {
      if (auto dim = dyn_cast<ir::DimOp>(op))
        return extentOf(dim.getName());
      if (!isa<arith::IndexCastOp, arith::ExtSIOp>(op))
        return std::nullopt;
      scalar = op->getOperand(0);
    }
    const unsigned number = cast<BlockArgument>(scalar).getArgNumber();
    const auto known = request_.scalars.find(
        cast<ir::NamedAttr>(kernel_.getArgs()[number]).getName().getValue().str());
    return known == request_.scalars.end() ? std::nullopt : std::optional(known->second);
  }

  // The loop goes over the columns that any reduction takes: over those of one, mostly, as all have
  // the same condition.
  void readBounds(ChainShape &shape) const {
    RowProgram &program = shape.program;
    for (const RowReduction &reduction : program.reductions()) {
      const std::optional<Guard> guard = guardOf(program, reduction);
      shape.bounds.clear();
      if (!guard)
        return;
      for (const PositionForm &form : guard->atLeastZero) {
        ChainShape::Bound bound{form.constant, form.factorOf(program.plane().rows),
                                form.factorOf(program.plane().columns)};
        bool isKnown = form.inputs.empty();
        for (auto &[scalar, factor] : form.scalars) {
          const std::optional<int64_t> number = numberOf(scalar);
          isKnown &= number.has_value();
          bound.constant += factor * number.value_or(0);
        }
        for (auto &[dim, factor] : form.positions)
          isKnown &= dim == program.plane().rows || dim == program.plane().columns;
        if (isKnown)
          shape.bounds.push_back(bound);
      }
    }
  }

  /// Parts of the columns that a tile computes, on average over the rows: those with a column that
  /// satisfies the conditions for any row of the tile.
  static double partsOfTile(const ChainShape &shape, const ChainPlan &plan) {
    int64_t tiles = 0, parts = 0;
    for (int64_t row = 0; row < shape.rows; row += plan.tileM, ++tiles) {
      const int64_t last = std::min(row + plan.tileM, shape.rows) - 1;
      int64_t from = 0, to = shape.columns;
      for (const ChainShape::Bound &bound : shape.bounds) {
        const int64_t most = bound.constant + std::max(bound.ofRow * row, bound.ofRow * last);
        if (bound.ofColumn < 0)
          to = std::min(to, llvm::divideFloorSigned(most, -bound.ofColumn) + 1);
        else if (bound.ofColumn > 0)
          from = std::max(from, llvm::divideCeilSigned(-most, bound.ofColumn));
      }
      if (from < to)
        parts += llvm::divideCeilSigned(to, plan.tileN) - from / plan.tileN;
    }
    return static_cast<double>(parts) / static_cast<double>(tiles);
  }

  int64_t numberOf(const std::string &key, int64_t otherwise) const {
    int64_t number;
    const auto fixed = request_.fixed.find(key);
    return fixed != request_.fixed.end() && llvm::to_integer(fixed->second, number) ? number
                                                                                    : otherwise;
  }

  /// A literal dimension has a tile of its own.
  int64_t tileOf(const std::string &dim, int64_t otherwise, int64_t literal) const {
    return llvm::isDigit(dim.front()) ? literal : numberOf("tile." + dim, otherwise);
  }

  /// Of each group what the passes make of these choices.
  std::vector<ChainSizes> sizesOf(const ChainPlan &plan, const Choices &choices) const {
    const auto chosen = [&](StringRef key, int64_t otherwise) {
      const auto open = llvm::find_if(choices, [&](auto &it) { return it.first == key; });
      int64_t number;
      return open != choices.end() && llvm::to_integer(open->second, number)
                 ? number
                 : numberOf(key.str(), kernel_.chosenNumber(key, otherwise));
    };
    std::vector<ChainSizes> all;
    for (const ChainShape &shape : shapes_)
      all.push_back(shape.sizer.sizesOf(plan.tileM, plan.tileN, chosen, [&](Value tensor) {
        return chosen(tensor ? "buffers.ub" : "buffers.out", 1);
      }));
    return all;
  }

  /// A depth, halved for widths beyond one instruction of the cube until L0 has room for two copies
  /// of the operands of any product: shorter steps for others would take longer.
  /// See ChainSizer::stepInL0 of place/chain_sizes.cpp.
  int64_t halvedToL0(const ChainShape &shape, const ChainPlan &plan, int64_t depth) const {
    constexpr int64_t copies = 2;
    int64_t widest = 0;
    for (const ChainShape::Dim &width : shape.widths)
      widest = std::max(widest, widthOf(width));
    if (widest <= longestStep)
      return depth;
    if (!shape.sizer.productsPassMemory)
      widest = std::max(widest, plan.tileN);
    const auto most = [&](Memory memory, int64_t outer) {
      return machine_.memory(memory).capacity() / (copies * shape.bytes * outer);
    };
    const int64_t ofB = most(Memory::l0b, widest);
    return halvedTo(std::min(most(Memory::l0a, plan.tileM), ofB), depth, shape.unit);
  }
  /// What is requested: the depth of a matrix instruction of a first product, and that of the
  /// product in whole ones.
  int64_t stepOf(const ChainShape &shape, const ChainPlan &plan,
                 const ChainShape::Dim &depth) const {
    const int64_t most = std::min<int64_t>(llvm::alignTo(depth.extent, shape.unit), longestStep);
    return halvedToL0(shape, plan, most);
  }
  int64_t depthOf(const ChainShape &shape, const ChainPlan &plan,
                  const ChainShape::Dim &depth) const {
    return llvm::alignTo(depth.extent, stepOf(shape, plan, depth));
  }
  int64_t widthOf(const ChainShape::Dim &width) const {
    return llvm::alignTo(width.extent, machine_.cube.n);
  }

  bool isSplit() const { return machine_.topology == mmk::Topology::split; }
  Choices choicesOf(const ChainPlan &plan) const {
    const auto nameOf = [](const ChainShape::Dim &dim) { return dim.name; };
    Choices choices;
    const auto add = [&](const std::string &key, int64_t number) {
      const std::string dim(indexOf(key));
      const bool isLiteral = !dim.empty() && llvm::isDigit(dim.front());
      if (!isLiteral && !request_.fixed.contains(key))
        choices.emplace_back(key, std::to_string(number));
    };
    for (const ChainShape &shape : shapes_) {
      add("tile." + shape.m, plan.tileM);
      add("tile." + shape.n, plan.tileN);
      for (const ChainShape::Dim &depth : shape.depths) {
        // A dimension that is also a width has the tile of that.
        if (!llvm::is_contained(llvm::map_range(shape.widths, nameOf), depth.name))
          add("tile." + depth.name, stepOf(shape, plan, depth));
        add("stage." + depth.name, depthOf(shape, plan, depth));
      }
      for (const ChainShape::Dim &width : shape.widths)
        add("tile." + width.name, widthOf(width));
    }
    if (plan.divided > 1)
      add("grid." + shapes_.front().n, plan.divided);
    add("preload", plan.ahead);
    add("buffers.acc", 2);
    add("buffers.l1", plan.inL1);
    if (!isSplit())
      add("buffers.ub", plan.inUb);
    // UB also holds the products then, and weights leave it at once.
    else if (!shapes_.front().sizer.productsPassMemory)
      add("buffers.out", 1);
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
  /// Of a transfer of rows of so many bytes.
  double rowsOver(const char *link, double rows, double bytes) const {
    const auto found = machine_.links.find(link);
    const double least = found == machine_.links.end() ? 0 : found->second.rowCycles;
    return rows * std::max(bytes / rate(link), least);
  }
  double startup(const char *link) const {
    const auto found = machine_.links.find(link);
    return found == machine_.links.end() ? 0 : static_cast<double>(found->second.startupCycles);
  }

  // Of one part: the work of each pipe, of which the longest decides. While the cube multiplies
  // weights, no first product leaves L0C.
  double cyclesOfPart(const ChainShape &shape, const ChainPlan &plan,
                      const ChainSizes &sizes) const {
    const bool productsPassMemory = shape.sizer.productsPassMemory,
               weightsPassMemory = shape.sizer.weightsPassMemory;
    const auto m = static_cast<double>(std::min(plan.tileM, shape.rows)),
               n = static_cast<double>(plan.tileN), bytes = static_cast<double>(shape.bytes),
               weights = static_cast<double>(shape.weights),
               firsts = static_cast<double>(shape.depths.size()),
               seconds = static_cast<double>(shape.widths.size()),
               cores = isSplit() ? static_cast<double>(machine_.vectorCoresPerCube) : 1.0;
    double d = 0, e = 0, loads = weightsPassMemory ? weights * rowsOver("gm_l1", m, n * bytes) : 0;
    for (const ChainSizes::First &first : sizes.firsts) {
      d += static_cast<double>(first.depth);
      loads += rowsOver("gm_l1", n, static_cast<double>(first.depth) * bytes);
    }
    for (const ChainSizes::Second &second : sizes.seconds) {
      e += static_cast<double>(second.width);
      loads += rowsOver("gm_l1", n, static_cast<double>(second.width) * bytes);
    }
    const auto collected = static_cast<double>(sizes.collectedColumns);
    const double drained = 4 * m * (firsts * n + collected),
                 spills = firsts * std::ceil(n / static_cast<double>(sizes.accWidth)) +
                          (collected == 0 ? 0 : seconds);
    const double products = static_cast<double>(plan.tileM) * n * (d + e) / macs(),
                 toL0 = (m * d + seconds * m * n) * bytes / rate("l1_l0a") +
                        n * (d + e) * bytes / rate("l1_l0b"),
                 drains = productsPassMemory ? drained / rate("l0c_gm") +
                                                   spills * startup("l0c_gm") + m * n * e / macs()
                          : isSplit()
                              ? drained / cores / rate("l0c_ub") + spills * startup("l0c_ub")
                              : drained / rate("l0c_ub"),
                 fetches = productsPassMemory ? drained / cores / rate("gm_ub") : drains,
                 windows = static_cast<double>(sizes.windows - 1) * windowCycles,
                 ofElement = (machine_.hasVectorRegisters() ? registerCyclesOfElement
                              : isSplit()                   ? vectorCyclesOfElement
                                                            : vectorCyclesOfCoupled) +
                             (weights - 1) * vectorCyclesOfWeights,
                 ofResult =
                     machine_.hasVectorRegisters() ? registerCyclesOfResult : vectorCyclesOfResult,
                 // With one copy, what rows read is fetched when the window before is done, and the
                 // operands of the next products behind it.
        fetched = plan.inUb > 1 || shape.inputs == 0 ? 0 : loads,
                 vector = (m * n * ofElement + m * collected * ofResult) / cores +
                          (isSplit() ? 0 : windows + fetched);
    return std::max({products, loads, toL0, drains, fetches, vector}) +
           (isSplit() ? exchangeCycles[std::clamp<int64_t>(plan.ahead, 1, 3) - 1]
                      : exchangeCycles[0]);
  }

  double macs() const {
    double most = 1;
    for (const auto &[type, number] : machine_.cube.macsPerCycle)
      if (type == ElementType::f16 || (type == ElementType::f32 && shapes_.front().bytes == 4))
        most = static_cast<double>(number);
    return most;
  }

  double cycles(const ChainPlan &plan, llvm::ArrayRef<ChainSizes> sizes) const {
    double all = static_cast<double>(taskCycles(machine_, isSplit()));
    for (const auto &[shape, size] : llvm::zip(shapes_, sizes)) {
      const int64_t tiles = tilesOf(shape, plan.tileM) * plan.divided,
                    rounds = llvm::divideCeilSigned(tiles, machine_.cubeCores);
      double parts = partsOfTile(shape, plan) / static_cast<double>(plan.divided);
      if (plan.divided > 1)
        parts = std::ceil(parts);
      // The first part of a tile waits for what is ahead of it.
      all += static_cast<double>(rounds) * (parts + 1) * cyclesOfPart(shape, plan, size);
    }
    if (plan.divided > 1)
      all += combinationCycles;
    // With one copy the loads of a part wait for the products of the one before.
    return plan.inL1 > 1 ? all : oneCopy * all;
  }

  mutable ir::KernelOp kernel_; ///< mlir's operations are not const
  const Machine &machine_;
  const CandidateRequest &request_;
  std::deque<ChainShape> shapes_; ///< they stay in place
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
