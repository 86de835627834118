// The sizes that the closed form computes of a variant, against what the passes make of it: for
// random variants of products, windows, elementwise work, rows and chains.
#include "aicore/plan.h"
#include "place/chain_rows.h"
#include "place/chain_sizes.h"
#include "tests/unit/choose/fused.h"
#include "tests/unit/samples.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <gtest/gtest.h>

#include <random>

namespace mmk {
namespace {

using aicore::Plan, aicore::PlanSpace, aicore::Space;

int variantsOfSample() { return takesAllSamples() ? 200 : 12; }

/// The arithmetic of a fusion group at given dimensions, for one block.
struct Evaluated {
  ir::KernelOp kernel;
  const std::vector<int64_t> &dims;
  int64_t block = 0;

  int64_t of(mlir::Value value) const {
    if (mlir::isa<mlir::BlockArgument>(value))
      return block;
    mlir::Operation *op = value.getDefiningOp();
    const auto x = [&](unsigned operand) { return of(op->getOperand(operand)); };
    using namespace mlir::arith;
    return llvm::TypeSwitch<mlir::Operation *, int64_t>(op)
        .Case([](ConstantIndexOp it) { return it.value(); })
        .Case([&](ir::DimOp it) { return aicore::extentOf(kernel, dims, it.getName()); })
        .Case([&](AddIOp) { return x(0) + x(1); })
        .Case([&](SubIOp) { return x(0) - x(1); })
        .Case([&](MulIOp) { return x(0) * x(1); })
        .Case([&](DivSIOp) { return x(0) / x(1); })
        .Case([&](RemSIOp) { return x(0) % x(1); })
        .Case([&](CeilDivSIOp) { return (x(0) + x(1) - 1) / x(1); })
        .Case([&](MinSIOp) { return std::min(x(0), x(1)); })
        .Case([&](MaxSIOp) { return std::max(x(0), x(1)); })
        .Case([&](CmpIOp it) -> int64_t {
          return it.getPredicate() == CmpIPredicate::slt ? x(0) < x(1) : x(0) <= x(1);
        })
        .Case([&](SelectOp) { return x(0) ? x(1) : x(2); });
  }

  /// Tiles, or lines of them, of each block.
  std::vector<int64_t> shares(ir::TileCountOp op) {
    const TileMapping mapping = op.getMapping();
    std::vector<int64_t> shares;
    for (block = 0; block < mapping.usedCores(); ++block)
      shares.push_back(TileOrder<Numbers>(Numbers(), of(op.getBatches()), of(op.getRows()),
                                          of(op.getColumns()), mapping)
                           .count(block));
    return shares;
  }
};

/// Bytes of all copies of the buffers in a memory.
int64_t bytesIn(aicore::PhaseOp phase, Space space) {
  int64_t bytes = 0;
  phase.walk([&](aicore::AllocOp alloc) {
    if (alloc.getSpace() == space)
      bytes += alloc.getBytes() * alloc.getCopies();
  });
  return bytes;
}

/// The phases of products, in their order.
std::vector<aicore::PhaseOp> productPhases(mlir::ModuleOp module) {
  std::vector<aicore::PhaseOp> phases;
  module.walk([&](aicore::PhaseOp phase) {
    if (bytesIn(phase, Space::l0a) > 0)
      phases.push_back(phase);
  });
  return phases;
}

struct SizesCase {
  const char *name, *text;
  std::vector<int64_t> dims; ///< in the order of the kernel's dimensions
  Choices choices = {};      ///< that decide the groups
};

/// Draws plans from what a search tries.
class Drawing {
public:
  Drawing(const PlanSpace &space, uint64_t seed) : space_(space), random_(seed) {}

  Plan plan() {
    Plan plan = space_.first();
    for (const PlanSpace::Group &group : space_.groups())
      if (!group.products.empty())
        drawProduct(plan, group);
      else if (!space_.hasProduct())
        drawVector(plan, group);
    plan.copies.l0 = 1 + below(2);
    plan.copies.ub = 1 + below(2);
    plan.copies.out = 1 + below(2);
    std::tie(plan.options.order, plan.options.width) = oneOf(space_.orders());
    plan.options.skewed = oneOf(space_.skews());
    if (std::vector<Plan> kept = space_.keeping(plan); !kept.empty() && below(3) == 0)
      plan = oneOf(kept);
    return plan;
  }

private:
  int64_t below(size_t count) { return static_cast<int64_t>(random_() % count); }
  template <typename T> T oneOf(const std::vector<T> &all) { return all[below(all.size())]; }

  void drawProduct(Plan &plan, const PlanSpace::Group &group) {
    const PlanSpace::ProductDims &dims = group.products.front();
    const aicore::ProductWork &product = group.work.products.front();
    plan.dims[*dims.row].tile = oneOf(space_.lengths(*dims.row, product.rows, 256));
    plan.dims[*dims.column].tile = oneOf(space_.lengths(*dims.column, product.columns, 256));
    plan.dims[*dims.depth].splits = oneOf(space_.splits(dims, product, /*tiles=*/1));
    if (!space_.setDepth(plan, dims, product.depth, static_cast<int>(below(3))))
      (void)space_.setDepth(plan, dims, product.depth, 0);
  }

  void drawVector(Plan &plan, const PlanSpace::Group &group) {
    if (group.row)
      plan.dims[*group.row].tile = oneOf(space_.shares(group.row, group.work.rows, 8, 1));
    if (group.column)
      plan.dims[*group.column].tile = oneOf(space_.shares(group.column, group.work.columns, 1, 16));
    if (group.work.ofRows)
      plan.options.rows = oneOf(space_.rowForms(group));
  }

  const PlanSpace &space_;
  std::mt19937_64 random_;
};

class Sizes : public testing::TestWithParam<std::tuple<const char *, SizesCase>> {};

/// The mapping of tiles to cores.
void expectShares(Fused &fused, const SizesCase &sample, const Choices &choices,
                  const PlanSpace &space, const Plan &plan) {
  Lowering tiled = fused.lower(LoweringLevel::tiled, choices);
  ASSERT_TRUE(bool(tiled));
  std::vector<ir::TileCountOp> counts;
  tiled.module.get().walk([&](ir::TileCountOp count) { counts.push_back(count); });
  size_t next = 0;
  for (const PlanSpace::Group &group : space.groups()) {
    ASSERT_LT(next, counts.size());
    const ir::TileCountOp count = counts[next++];
    Evaluated at{ir::TileCountOp(count)->getParentOfType<ir::KernelOp>(), sample.dims};
    const std::vector<int64_t> shares = at.shares(count);
    if (group.products.empty())
      continue;
    const aicore::GroupTime time(group.work, space.machine());
    const auto tiles = time.tilesOf(space.tilingOf(plan, group));
    EXPECT_EQ(shares.front(), tiles.lines);
    EXPECT_EQ(*std::ranges::max_element(shares), tiles.lines);
    next += tiles.splits > 1 ? 1 : 0; // their sum
  }
}

/// The buffers of the cube core, in each memory.
void expectBuffers(mlir::ModuleOp placed, const PlanSpace &space, const Plan &plan) {
  const std::vector<aicore::PhaseOp> phases = productPhases(placed);
  const aicore::MachineAttr machine = aicore::machineOf(placed);
  size_t next = 0;
  for (const PlanSpace::Group &group : space.groups()) {
    if (group.products.empty())
      continue;
    ASSERT_LT(next, phases.size());
    const aicore::PhaseOp phase = phases[next++];
    const int64_t bytes = group.products.front().bytes;
    const aicore::GroupTiling tiling = space.tilingOf(plan, group);
    EXPECT_EQ(bytesIn(phase, Space::l0a), bytes * tiling.inL0 * tiling.rows * tiling.depth);
    EXPECT_EQ(bytesIn(phase, Space::l0b), bytes * tiling.inL0 * tiling.columns * tiling.depth);
    EXPECT_EQ(bytesIn(phase, Space::l0c), tiling.bytesInL0C(std::ssize(group.products)));
    // The depth of a panel is in the choices; an image takes the room that is left.
    if (tiling.keepsA || tiling.keepsB || group.products.front().image)
      continue;
    const auto a = tiling.heldInL1(0, machine), b = tiling.heldInL1(1, machine);
    EXPECT_EQ(bytesIn(phase, Space::l1),
              bytes * tiling.inL1 * (a.outer * a.depth + b.outer * b.depth));
  }
}

/// Rows of the plane in UB, of a kernel that is one row group.
void expectRows(mlir::ModuleOp placed, const PlanSpace &space, const Plan &plan) {
  const PlanSpace::Group &group = space.groups().front();
  const aicore::GroupTiling tiling = space.tilingOf(plan, group);
  const int64_t units = space.unitsOfCore();
  const RowMemory::Sizes sizes = group.work.ofRows->sizesOf(
      tiling.rows * units, tiling.columns, tiling.form, plan.copies.ub, plan.copies.out);
  int64_t highest = 0;
  placed.walk([&](aicore::AllocOp alloc) {
    if (alloc.getSpace() == Space::ub)
      highest = std::max(highest, mlir::cast<mlir::MemRefType>(alloc.getType()).getDimSize(0));
  });
  EXPECT_EQ(highest, sizes.height);
}

TEST_P(Sizes, AreThoseOfThePasses) {
  const auto &[machine, sample] = GetParam();
  Fused fused(sample.text, machine, sample.choices);
  if (std::string_view(sample.name) == "floats" && std::string_view(machine) == "ascend310p3")
    GTEST_SKIP() << "its cube has no f32";
  ASSERT_TRUE(bool(fused.lowering));
  CandidateRequest request;
  request.dims = sample.dims;
  request.fixed = {sample.choices.begin(), sample.choices.end()};
  const PlanSpace space(fused.kernel(), fused.machine, request);
  Drawing drawing(space, /*seed=*/7);
  int placed = 0;
  for (int i = 0; i < variantsOfSample(); ++i) {
    const Plan plan = drawing.plan();
    if (!space.fits(plan))
      continue;
    Choices choices = space.choicesOf(plan);
    llvm::append_range(choices, sample.choices);
    std::string spelled;
    for (const auto &[key, word] : choices)
      spelled += key + "=" + word + " ";
    SCOPED_TRACE(spelled);
    expectShares(fused, sample, choices, space, plan);
    Lowering lowering = fused.lower(LoweringLevel::aicore, choices);
    if (!lowering) // such as more flags than the core has
      continue;
    ++placed;
    EXPECT_EQ(lowering.kernel().limitProblem(sample.dims), "");
    mlir::ModuleOp module = lowering.module.get();
    expectBuffers(module, space, plan);
    if (space.groups().front().work.ofRows && space.groups().size() == 1)
      expectRows(module, space, plan);
  }
  EXPECT_GE(placed, variantsOfSample() / 4);
}

const SizesCase sizesCases[] = {
    {"product",
     "kernel k(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; }",
     {300, 700, 1000}},
    {"floats",
     "kernel k(a: f32[M, K], b: f32[N, K]) -> c: f32[M, N] { c = a @ transpose(b); }",
     {90, 1001, 65}},
    {"batched",
     "kernel k(a: f16[B, M, K], b: f16[B, K, N]) -> c: f16[B, M, N] {"
     "  c = cast<f16>(relu(a @ b)); }",
     {7, 100, 65, 333}},
    {"int8", "kernel k(a: i8[M, K], b: i8[K, N]) -> c: i32[M, N] { c = a @ b; }", {65, 4000, 17}},
    {"windows",
     "kernel k(x: f16[B, C, 14, 14], w: f16[O, C, 3, 3]) -> y: f32[B, O, 12, 12] {"
     "  y = conv2d(x, w, 1, 0, 1); }",
     {2, 32, 48},
     {{"window", "direct(16)"}}},
    {"elementwise",
     "kernel k(a: f16[M, N], b: f16[N]) -> y: f16[M, N] { y = exp(a) + b; }",
     {1000, 333}},
    {"rows", "kernel k(a: f16[M, N]) -> y: f16[M, N] { y = softmax[N](a); }", {700, 900}}};

INSTANTIATE_TEST_SUITE_P(Variants, Sizes,
                         testing::Combine(testing::Values("ascend910b3", "ascend310p3",
                                                          "ascend950pr"),
                                          testing::ValuesIn(sizesCases)),
                         [](const testing::TestParamInfo<Sizes::ParamType> &info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  std::get<1>(info.param).name;
                         });

class ChainSizesOf : public testing::TestWithParam<const char *> {};

TEST_P(ChainSizesOf, AreThoseOfThePass) {
  const char *text = "kernel k(q: f16[B, M, D], k: f16[B, N, D], v: f16[B, N, E]) ->"
                     "    y: f16[B, M, E] {"
                     "  y = cast<f16>(cast<f16>(softmax[N]((q @ transpose(k)) * 0.125)) @ v); }";
  Fused fused(text, GetParam(), {{"fuse", "products"}});
  ASSERT_TRUE(bool(fused.lowering));
  ir::KernelOp kernel = fused.kernel();
  std::optional<Chain> chain;
  ir::FusionGroupOp group;
  for (auto each : kernel.getBody().getOps<ir::FusionGroupOp>())
    if (std::optional<Chain> found = Chain::of(each)) {
      chain = std::move(found);
      group = each;
    }
  ASSERT_TRUE(chain.has_value());
  auto program = chainRows(kernel, group, *chain);
  ASSERT_TRUE(llvm::succeeded(program));
  const RowSchedule schedule = scheduleRows(*program, false);
  const ChainSizer sizer(kernel, *chain, *program, schedule,
                         aicore::machineOf(*fused.lowering.module));
  std::mt19937_64 random(5);
  const auto oneOf = [&](std::vector<int64_t> all) { return all[random() % all.size()]; };
  int placed = 0;
  for (int i = 0; i < 4 * variantsOfSample(); ++i) {
    std::map<std::string, int64_t> numbers = {{"tile.M", oneOf({16, 48, 64, 128})},
                                              {"tile.N", oneOf({32, 64, 128, 256})},
                                              {"tile.D", oneOf({32, 64})},
                                              {"stage.D", oneOf({64, 128})},
                                              {"tile.E", oneOf({48, 64, 128})},
                                              {"preload", oneOf({1, 2})},
                                              {"buffers.acc", 2},
                                              {"buffers.l1", oneOf({1, 2})},
                                              {"buffers.ub", oneOf({1, 2})}};
    Choices choices = {{"fuse", "products"}};
    std::string spelled;
    for (const auto &[key, number] : numbers) {
      choices.emplace_back(key, std::to_string(number));
      spelled += key + "=" + std::to_string(number) + " ";
    }
    SCOPED_TRACE(spelled);
    const auto chosen = [&](llvm::StringRef key, int64_t otherwise) {
      const auto found = numbers.find(key.str());
      return found != numbers.end() ? found->second : kernel.chosenNumber(key, otherwise);
    };
    const ChainSizes sizes =
        sizer.sizesOf(numbers["tile.M"], numbers["tile.N"], chosen, [&](mlir::Value tensor) {
          return chosen(tensor ? "buffers.ub" : "buffers.out", 1);
        });
    Lowering lowering = fused.lower(LoweringLevel::aicore, choices);
    if (!lowering)
      continue;
    ++placed;
    EXPECT_TRUE(sizer.fits(sizes));
    const std::vector<aicore::PhaseOp> phases = productPhases(lowering.module.get());
    ASSERT_EQ(phases.size(), 1U);
    for (Space space : {Space::l1, Space::l0a, Space::l0b, Space::l0c})
      EXPECT_EQ(bytesIn(phases.front(), space), sizer.bytesIn(space, sizes))
          << aicore::stringifySpace(space).str();
    aicore::PhaseOp(phases.front()).walk([&](aicore::AllocOp alloc) {
      if (alloc.getName() != "sum" || alloc.getSpace() != Space::ub)
        return;
      EXPECT_EQ(static_cast<int64_t>(alloc.getCopies()), sizes.windows);
      EXPECT_EQ(mlir::cast<mlir::MemRefType>(alloc.getType()).getDimSize(0), sizes.rows.height);
    });
  }
  EXPECT_GE(placed, variantsOfSample());
}

INSTANTIATE_TEST_SUITE_P(Variants, ChainSizesOf,
                         testing::Values("ascend910b3", "ascend310p3", "ascend950pr"));

} // namespace
} // namespace mmk
