// Data kept on the chip: a panel in L1 for a line of tiles, and a bias in its table. Results are
// those of the reference to the bit, flags are proven and watched, panels are loaded once, and a
// shape whose panel does not fit is refused.
#include "count/count.h"
#include "tests/unit/compiled.h"
#include "tests/unit/synchronised.h"

namespace mmk {
namespace {

struct Case {
  const char *kernel;
  bool hasBias = false, takesAll = false;
};

const Case cases[] = {
    {"kernel plain(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; }", false, true},
    {"kernel fused(a: f16[M, K], b: f16[K, N], bias: f32[N], alpha: f32 = 0.5) -> c: f32[M, N] {\n"
     "  c = leaky_relu(a @ b + bias, alpha); }",
     true, true},
    {"kernel sum(a: f16[M, K], b: f16[N, K], bias: f32[1, N]) -> c: f16[M, N] {\n"
     "  c = bias + a @ transpose(b); }",
     true},
    {"kernel single(a: f32[K, M], b: f32[K, N], bias: f32[N]) -> c: f32[M, N] {\n"
     "  let s = transpose(a) @ b + bias; c = s * s; }",
     true},
    {"kernel batches(a: f16[B, 3, M, K], b: f16[1, 3, K, N], r: f32[3, 1, N]) -> c: f32[B, 3, M, N]"
     " {\n  c = relu(a @ b + r); }",
     true},
    {"kernel chain(a: f16[M, K], b: f16[K, N], d: f16[N, P], r: f32[P]) -> c: f32[M, P] {\n"
     "  c = cast<f16>(relu(a @ b)) @ d + r; }",
     true},
};

// Panels in lines and in pieces of lines, one and two of them, with one and more copies of the
// other operand; deeper than a stage, as deep, and shallower.
const char *const keeping[] = {
    "keep=A(512),order=rows,tile.M=32,tile.N=48,tile.K=32,stage.K=64",
    "keep=B(512),order=columns,tile.M=32,tile.N=48,tile.K=32,stage.K=64,l1=1,l0=1,out=1,ub=1",
    "keep=A(512),order=rows,panel=2,tile.M=16,tile.N=32,tile.K=32,stage.K=64,l1=3",
    "keep=B(512),order=columns,panel=2,tile.M=16,tile.N=32,tile.K=32,stage.K=64,cores=3",
    "keep=A(512),order=rows,grid.M=2,grid.N=2,tile.M=16,tile.N=32,tile.K=32,stage.K=512",
    "keep=B(512),order=columns,grid.M=3,grid.N=2,tile.M=16,tile.N=32,store=overlapped",
    "keep=A(128),order=rows,grid.K=3,tile.M=32,tile.N=32,tile.K=32,stage.K=64",
    "keep=B(512),order=columns,fuse=none,acc=2,tile.M=64,tile.N=64,store=overlapped",
};

const char *const fromTable[] = {
    "bias=table",
    "bias=table,tile.M=32,tile.N=48,tile.K=32,stage.K=64,l1=1,l0=1,bt=1,acc=1,out=1,ub=1",
    "bias=table,tile.M=16,tile.N=32,tile.K=32,stage.K=32,bt=3,l1=3,acc=3,l1.bias=1",
    "bias=table,tile.M=32,tile.N=64,tile.K=32,stage.K=64,store=overlapped,acc=1",
    "bias=table,tile.M=32,tile.N=32,tile.K=32,stage.K=32,store=overlapped,acc=2,bt=1",
    "bias=table,fuse=none,tile.M=16,tile.N=16,tile.K=32,stage.K=32",
    "bias=table,grid.K=3,tile.M=32,tile.N=48,tile.K=32,stage.K=64",
    "bias=table,grid.K=2,tile.M=16,tile.N=32,tile.K=32,stage.K=32,store=overlapped,bt=1",
    "bias=table,keep=A(512),order=rows,tile.M=32,tile.N=48,tile.K=32,stage.K=64,grid.M=2,grid.N=3",
};

/// Those of a kernel: all of the first two kernels, some of the others.
std::vector<std::string> variantsOf(const Case &it) {
  std::vector<std::string> variants;
  for (size_t i = 0; i < std::size(keeping); ++i)
    if (it.takesAll || i % 4 == 0)
      variants.push_back(keeping[i]);
  for (size_t i = 0; it.hasBias && i < std::size(fromTable); ++i)
    if (it.takesAll || i % 4 == 0)
      variants.push_back(fromTable[i]);
  return variants;
}

bool isBiasOn(const std::string &machine, const std::string &variant) {
  return machine == "ascend310p3" && variant.find("bias=table") != std::string::npos;
}

class Resident : public testing::TestWithParam<Case> {};

TEST_P(Resident, isExact) {
  for (const char *machine : {"ascend910b3", "ascend310p3"})
    for (const std::string &variant : variantsOf(GetParam())) {
      const bool hasF32 = std::string(GetParam().kernel).find("a: f32") != std::string::npos;
      if (isBiasOn(machine, variant) || (hasF32 && machine == std::string("ascend310p3")))
        continue; // no bias table, no f32 products
      SCOPED_TRACE(machine + (": " + variant));
      Compiled compiled(GetParam().kernel, machine, variant);
      ASSERT_TRUE(compiled.ready());
      const int64_t extents[][4] = {{1, 1, 1, 1},     {16, 16, 64, 2},   {33, 49, 65, 2},
                                    {65, 31, 127, 1}, {17, 129, 321, 1}, {130, 257, 384, 1}};
      for (auto [m, n, k, batches] : extents)
        compiled.expectRight({{"M", m}, {"N", n}, {"K", k}, {"P", 40}, {"B", batches}},
                             DataKind::integers);
    }
}

TEST_P(Resident, isProvenAndWatched) {
  for (const char *machine : {"ascend910b3", "ascend310p3"})
    for (const std::string &variant : variantsOf(GetParam())) {
      Synchronised kernel(GetParam().kernel, machine, variant);
      if (!kernel.ready())
        continue; // as above
      SCOPED_TRACE(machine + (": " + variant));
      EXPECT_TRUE(kernel.isProven()) << kernel.messages;
      for (int64_t extent : {1, 33, 70, 130})
        EXPECT_EQ(kernel.watched(std::vector<int64_t>(kernel.kernel().getDims().size(), extent)),
                  "");
    }
}

INSTANTIATE_TEST_SUITE_P(kernels, Resident, testing::ValuesIn(cases), [](const auto &info) {
  std::string name = info.param.kernel + strlen("kernel ");
  return name.substr(0, name.find('('));
});

/// Loads of A and of B, by their work's name.
struct Loads : EventSink {
  std::map<std::string, int> of;
  void enter(const CountedPhase &phase) override { origins = phase.origins; }
  void see(const Event &event) override {
    if (event.work == Work::load)
      ++of[origins[event.origin].text];
  }
  std::span<const Origin> origins;
};

// 8 x 4 tiles on one core: A once a row, B once a tile, and the reverse.
TEST(Resident, loadsAPanelOnce) {
  const char *text = cases[0].kernel;
  for (auto [variant, ofA, ofB] :
       {std::tuple("keep=A(512),order=rows", 8, 32 * 4), std::tuple("keep=none", 32 * 4, 32 * 4),
        std::tuple("keep=B(512),order=columns", 32 * 4, 4)}) {
    Synchronised kernel(text, "ascend910b3",
                        std::string("cores=1,tile=64x64x64,stage=128,") + variant);
    ASSERT_TRUE(kernel.ready()) << kernel.messages;
    Loads loads;
    llvm::cantFail(
        countKernel(kernel.kernel(), kernel.machine, {512, 512, 256}, &loads).takeError());
    EXPECT_EQ(loads.of["load a"], ofA) << variant;
    EXPECT_EQ(loads.of["load b"], ofB) << variant;
  }
}

// The vector cores neither load a bias from the table nor add it.
TEST(Resident, theTableSparesVectorWork) {
  auto report = [](const char *variant) {
    Synchronised kernel(cases[1].kernel, "ascend910b3", variant);
    EXPECT_TRUE(kernel.ready()) << kernel.messages;
    return llvm::cantFail(countKernel(kernel.kernel(), kernel.machine, {2048, 2048, 2048}));
  };
  const ClockReport vector = report("bias=vector"), table = report("bias=table");
  const auto of = [](const ClockReport &report, Pipe pipe) {
    return report.vectorUnits[static_cast<size_t>(pipe)].busyCycles;
  };
  EXPECT_LT(of(table, Pipe::vector), 0.8 * of(vector, Pipe::vector));
  EXPECT_LT(of(table, Pipe::mte2), of(vector, Pipe::mte2));
  EXPECT_LE(table.cycles, 1.01 * vector.cycles);
}

// With the port of a core at half its rate, a core waits for MTE2.
TEST(Resident, aPanelSparesTransfers) {
  auto cycles = [](const char *variant) {
    Synchronised kernel(cases[0].kernel, "ascend910b3", variant);
    EXPECT_TRUE(kernel.ready()) << kernel.messages;
    Machine slow =
        llvm::cantFail(loadMachine("ascend910b3", {{"links.gm_l1.bytes_per_cycle", "*0.5"}}));
    return llvm::cantFail(countKernel(kernel.kernel(), slow, {2048, 2048, 2048})).cycles;
  };
  EXPECT_LT(cycles("keep=A(2048),order=rows,tile=112x256x48,stage=48"),
            0.95 * cycles("tile=128x256x64,stage=256,order=swizzle(4),store=overlapped"));
}

// A shape that is too deep for its panel is refused by runs, counting and watched runs.
TEST(Resident, refusesWhatIsTooDeep) {
  const char *message = "K = 513, but the panel that this variant keeps in L1 is at most 512 deep; "
                        "legal: a deeper panel, or keep = none";
  Synchronised kernel(cases[0].kernel, "ascend910b3", "keep=A(512),order=rows");
  ASSERT_TRUE(kernel.ready()) << kernel.messages;
  const std::vector<int64_t> dims = {64, 513, 64};
  auto counted = countKernel(kernel.kernel(), kernel.machine, dims);
  ASSERT_FALSE(bool(counted));
  EXPECT_EQ(llvm::toString(counted.takeError()), message);
  EXPECT_EQ(kernel.watched(dims), std::string("cannot be watched: ") + message);

  auto executable = Executable::compile(kernel.module(), kernel.machine);
  ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
  std::vector<char> memory(64 * 513 * 4);
  Arguments arguments;
  arguments.dims.assign(dims.begin(), dims.end());
  arguments.scalars = {0, 0};
  arguments.tensors = {memory.data(), memory.data()};
  arguments.results = {memory.data()};
  EXPECT_EQ(llvm::toString((*executable)->run(arguments, 1)), message);
  // Each split of a reduction has a panel of its own.
  Synchronised split(cases[0].kernel, "ascend910b3",
                     "keep=A(128),order=rows,grid.K=3,tile.K=32,stage.K=64");
  EXPECT_EQ(split.watched({64, 384, 64}), "");
  EXPECT_NE(split.watched({64, 385, 64}), "");
  // Also where no whole part fits; a product that fits is then not drained in parts.
  Synchronised shallow(cases[0].kernel, "ascend910b3",
                       "keep=A(32),order=rows,grid.K=3,tile.K=64,stage.K=128");
  EXPECT_EQ(shallow.watched({64, 32, 64}), "");
  EXPECT_NE(shallow.watched({64, 33, 64}), "");
}

} // namespace
} // namespace mmk
