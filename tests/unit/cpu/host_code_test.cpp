// What the code of a product on the host must be like, whatever the clock says: sums that stay in
// registers, the widest vectors, one store for each element, and no packing where that is a loss.
#include "runtime/threads.h"
#include "tests/unit/emitted.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <limits>
#include <numeric>

namespace mmk {
namespace {

struct Cpu {
  const char *name, *triple, *cpu;
  unsigned lanes, registers;
  const char *multiply; ///< the instruction that a step along k is made of, on the widest register
  const char *spill;    ///< a store to the stack
  const char *type = "f32";
};

const Cpu cpus[] = {
    {"avx512", "x86_64-linux-gnu", "skylake-avx512", 16, 32, "vfmadd\\w+ps\\s[^\n]*%zmm",
     "mov\\w*\\s+%\\w+, [^\n]*\\(%r[sb]p"},
    {"pairs", "x86_64-linux-gnu", "znver4", 16, 32, "vdpbf16ps\\s[^\n]*%zmm",
     "mov\\w*\\s+%\\w+, [^\n]*\\(%r[sb]p", "bf16"},
    {"pairsAtHalfTheRate", "x86_64-linux-gnu", "cooperlake", 16, 32, "vfmadd\\w+ps\\s[^\n]*%zmm",
     "mov\\w*\\s+%\\w+, [^\n]*\\(%r[sb]p", "bf16"},
    {"avx2", "x86_64-linux-gnu", "haswell", 8, 16, "vfmadd\\w+ps\\s[^\n]*%ymm",
     "mov\\w*\\s+%\\w+, [^\n]*\\(%r[sb]p"},
    {"sse2", "x86_64-linux-gnu", "x86-64", 4, 16, "mulps\\s[^\n]*%xmm",
     "mov\\w*\\s+%\\w+, [^\n]*\\(%r[sb]p"},
    {"neon", "aarch64-linux-gnu", "cortex-a76", 4, 32, "fmla\\s+v\\d+\\.4s",
     "st[rp]\\s[^\n]*\\[sp"},
};

void initialiseTargets() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
}

class HostCode : public testing::TestWithParam<Cpu> {
protected:
  static void SetUpTestSuite() { initialiseTargets(); }
  static CodeTarget target() {
    return llvm::cantFail(targetFor(llvm::Triple(GetParam().triple), GetParam().cpu, ""));
  }
};

int64_t count(const std::string &text, const std::string &pattern) {
  std::regex expression(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), expression),
                       std::sregex_iterator());
}

/// The blocks of all functions in a text of assembly.
std::vector<std::string> blocksOf(const std::string &text) {
  const std::regex label("\n\\.LBB[^\n]*:");
  std::vector<std::string> blocks;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), label);
       at != std::sregex_iterator(); ++at) {
    auto next = std::next(at);
    const size_t to = next == std::sregex_iterator() ? text.size() : next->position();
    blocks.push_back(text.substr(at->position(), to - at->position()));
  }
  return blocks;
}

/// A function in a text of assembly.
std::string bodyOf(const std::string &text, const std::string &name) {
  const size_t begin = text.find("\n" + name + ":");
  EXPECT_NE(begin, std::string::npos) << name;
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find("\n.Lfunc_end", begin) - begin);
}

/// The block with most multiplications: one step along k.
std::string mainLoop(const std::string &function, const std::string &multiply) {
  std::string loop;
  for (const std::string &block : blocksOf(function))
    if (count(block, multiply) > count(loop, multiply))
      loop = block;
  return loop;
}

TEST(HostCode, ofAnUnknownComputer) {
  EXPECT_EQ(llvm::toString(targetFor(llvm::Triple("hexagon-unknown-elf"), "", "").takeError())
                .substr(0, 39),
            "cannot generate code for this computer:");
}

/// The loop of an elementwise kernel that writes past the caches.
std::string streamOf(const char *cpu, const std::string &text) {
  initialiseTargets();
  CodeTarget target = llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), cpu, ""));
  for (const std::string &block : blocksOf(Emitted(std::move(target), text).assembly()))
    if (count(block, "vmovnt") > 0)
      return block;
  ADD_FAILURE() << "no store is non-temporal";
  return "";
}

int64_t computations(const std::string &block) {
  return count(block, "\n\tv[^\n]*%zmm") - count(block, "\n\tvmov");
}

// What keeps gelu at the pace of the memory: nothing is computed that 16 instructions on the ports
// for the widest vectors cannot, and the next page is asked for ahead.
TEST(HostCode, ofGeluIsAsFastAsTheMemory) {
  for (const char *formula :
       {"gelu(x)", "(erf(0.70710678 * x) + 1) * x * 0.5", "gelu_tanh(x)",
        "x * (0.5 * (1 + tanh((0.044715 * (x * x * x) + x) * 0.7978845608)))"}) {
    const std::string loop =
        streamOf("skylake-avx512",
                 std::string("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = ") + formula + "; }");
    EXPECT_EQ(computations(loop), 16) << formula << loop;
    EXPECT_EQ(count(loop, "prefetcht0"), 1) << loop;
    EXPECT_EQ(count(loop, "\\(%r[sb]p"), 0) << loop;
  }
}

// What differs from gelu by any of its numbers is computed as it is written.
TEST(HostCode, ofWhatOnlyLooksLikeGeluIsNotGelu) {
  for (const char *formula :
       {"0.5 * x * (1 + erf(x * 0.7071))", "0.25 * x * (1 + erf(x * 0.70710678))",
        "0.5 * x * (2 + erf(x * 0.70710678))", "0.5 * v * (1 + erf(x * 0.70710678))",
        "0.5 * x * (1 + tanh(0.79788456 * (x + 0.0447 * x * x * x)))",
        "0.5 * x * (1 + tanh(0.79788456 * (v + 0.044715 * x * x * x)))",
        "0.5 * x * (1 + tanh(0.79788456 * (x + 0.044715 * x * x)))"}) {
    const std::string loop =
        streamOf("skylake-avx512",
                 std::string("kernel k(x: f32[M, N], v: f32[M, N]) -> y: f32[M, N] { y = ") +
                     formula + "; }");
    EXPECT_EQ(count(loop, "vfixupimmps"), 0) << formula;
  }
}

// The same of softplus, with few more instructions.
TEST(HostCode, ofSoftplusIsNearlyAsFastAsTheMemory) {
  for (const char *formula : {"softplus(x)", "log(exp(-abs(x)) + 1) + max(0, x)"}) {
    const std::string loop =
        streamOf("skylake-avx512",
                 std::string("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = ") + formula + "; }");
    EXPECT_LE(computations(loop), 20) << formula << loop;
    EXPECT_EQ(count(loop, "\\(%r[sb]p"), 0) << loop;
  }
}

TEST(HostCode, ofWhatOnlyLooksLikeSoftplusIsNotSoftplus) {
  for (const char *formula :
       {"log(1 + exp(-x))", "log(1 + exp(abs(x)))", "log(2 + exp(-abs(x)))",
        "log(x + exp(-abs(x)))", "log(1 - exp(-abs(x)))", "exp(1 + exp(-abs(x)))"}) {
    const std::string loop =
        streamOf("skylake-avx512",
                 std::string("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = ") + formula + "; }");
    EXPECT_GE(count(loop, "vscalefps"), 1) << formula;
  }
}

// Where one long stream from memory is fastest, a row that all others share is read once for a row
// of each of four bands, and these in pairs of lines.
TEST(HostCode, aSharedRowIsReadOnceForSomeOthers) {
  const std::string text = "kernel k(x: f32[M, N], v: f32[N]) -> y: f32[M, N] { y = x + v; }";
  for (auto [cpu, lines, shared] :
       {std::tuple("znver4", 8, 2), std::tuple("skylake-avx512", 1, 1)}) {
    const std::string loop = streamOf(cpu, text);
    EXPECT_EQ(count(loop, "vmovntps"), lines) << loop;
    EXPECT_EQ(count(loop, "prefetcht0"), lines) << loop;
    EXPECT_EQ(count(loop, "vaddps"), lines) << loop;
    // Of each addition one operand is in memory.
    EXPECT_EQ(count(loop, "vmovups"), shared) << loop;
  }
  // A vector is nobody's shared row.
  const std::string loop = streamOf("znver4", "kernel k(x: f32[N]) -> y: f32[N] { y = x + 1; }");
  EXPECT_EQ(count(loop, "vmovntps"), 1) << loop;
  EXPECT_EQ(count(loop, "prefetcht0"), 1) << loop;
}

// A part of a line would be written by itself.
TEST(HostCode, narrowResultsAreWrittenByTheLine) {
  for (auto [type, vectors] : {std::pair("f32", 1), {"f16", 2}, {"bf16", 2}, {"i8", 4}}) {
    const std::string loop =
        streamOf("skylake-avx512",
                 std::string("kernel k(x: f32[M, N]) -> y: ") + type + "[M, N] { y = x; }");
    EXPECT_EQ(count(loop, "vmovnt[a-z]+\\s+%zmm"), 1) << type << loop;
    EXPECT_EQ(count(loop, "vmovnt"), 1) << type << loop;
    EXPECT_EQ(count(loop, "prefetcht0"), vectors) << type << loop;
  }
}

// What went past the caches is seen by others, for less than a fence that loads wait for, too.
TEST(HostCode, onlyStoresWaitForWhatWentPastTheCaches) {
  initialiseTargets();
  CodeTarget target = llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "znver4", ""));
  const std::string text =
      Emitted(std::move(target),
              std::string("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = relu(x); }"))
          .assembly();
  EXPECT_EQ(count(text, "sfence"), 1);
  EXPECT_EQ(count(text, "mfence|\n\tlock"), 0);
}

TEST_P(HostCode, resultsOfAnyTypeGoPastTheCaches) {
  for (const char *type : {"f32", "f16", "bf16", "i8"}) {
    const std::string text =
        Emitted(target(), std::string("kernel k(x: f32[M, N], v: f32[N]) -> y: ") + type +
                              "[M, N] { y = gelu(x) + v; }")
            .assembly();
    // LLVM has no such store of one register of NEON.
    const bool isNeon = GetParam().name == std::string("neon");
    EXPECT_GT(count(text, isNeon ? "\tstr\tq" : "\tv?movnt"), 0) << type;
  }
}

TEST_P(HostCode, sumsStayInTheWidestRegisters) {
  const Cpu &cpu = GetParam();
  Emitted emitted(target(), cpu.type);
  EXPECT_EQ(emitted.target.lanes, cpu.lanes);
  EXPECT_EQ(emitted.target.registers, cpu.registers);
  const std::string name = emitted.widest()->getName().str(), text = emitted.assembly();

  const std::string loop = mainLoop(bodyOf(text, name), cpu.multiply);
  EXPECT_EQ(count(loop, cpu.multiply), emitted.target.rows() * CodeTarget::vectors) << loop;
  EXPECT_EQ(count(loop, cpu.spill), 0) << loop;
}

TEST_P(HostCode, aWholeTileIsStoredOnceFromRegisters) {
  Emitted emitted(target(), "f16");
  for (llvm::BasicBlock &block : *emitted.widest()) {
    if (block.getName() != "registers")
      continue;
    std::set<llvm::Value *> stored;
    int64_t stores = 0;
    for (llvm::Instruction &instruction : block)
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        ++stores;
        stored.insert(store->getPointerOperand());
      } else if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
                 call && call->getIntrinsicID() == llvm::Intrinsic::masked_store) {
        ++stores;
        stored.insert(call->getArgOperand(1));
      }
    EXPECT_EQ(stores, emitted.target.rows() * CodeTarget::vectors);
    EXPECT_EQ(static_cast<int64_t>(stored.size()), stores);
    return;
  }
  FAIL() << "no block stores from registers";
}

TEST_P(HostCode, anActivationIsComputedUnderItsMask) {
  if (!target().masks())
    GTEST_SKIP() << "has none";
  Emitted emitted(target(), "f32");
  const std::string name = emitted.widest()->getName().str(), text = emitted.assembly();
  const std::string function = bodyOf(text, name);
  const int64_t sums = emitted.target.rows() * CodeTarget::vectors;
  EXPECT_EQ(count(function, "vmulps\\s[^\n]*\\{%k\\d\\}"), sums);
  EXPECT_EQ(count(function, "vmovaps\\s[^\n]*\\{%k\\d\\}"), 0);
}

// In tiles, a step along k is all that eight registers can do: six of sums, one of A, one of B.
TEST(HostCode, sumsStayInTileRegisters) {
  initialiseTargets();
  struct {
    const char *type, *multiply;
    int64_t mostCode; ///< instructions, as below
  } const ways[] = {{"bf16", "\n\ttdpbf16ps", 5800}, {"i8", "\n\ttdpbssd", 4300}};
  for (auto [type, multiply, mostCode] : ways) {
    Emitted emitted(
        llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "sapphirerapids", "")), type);
    const std::string name = emitted.widest()->getName().str(), text = emitted.assembly();
    const std::string function = bodyOf(text, name), loop = mainLoop(function, multiply);
    EXPECT_EQ(count(loop, multiply), 6) << loop;
    EXPECT_EQ(count(loop, "\n\ttileloadd"), 7) << loop;
    EXPECT_EQ(count(loop, "\\(%r[sb]p"), 0) << loop;
    EXPECT_LE(count(loop, "\n\t[a-z]"), 6 + 7 + 12) << loop;
    EXPECT_EQ(count(function, "\n\ttilezero"), 6);
    EXPECT_EQ(count(function, "\n\ttilestored"), 6) << "no tile is spilled";
    EXPECT_EQ(count(function, "\n\ttilerelease"), 1);
    EXPECT_LT(count(text, "\n\t[a-z]"), mostCode) << type;
  }
}

// LLVM carries a tile from block to block only where it optimises.
TEST(HostCode, quickCodeHasNoTiles) {
  initialiseTargets();
  CodeTarget target =
      llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "sapphirerapids", ""));
  EXPECT_TRUE(target.usesAmx());
  target.compileFast();
  const std::string text = Emitted(std::move(target), "i8").assembly();
  EXPECT_GT(count(text, "vpdpbusd"), 0);
  EXPECT_EQ(count(text, "tdpbssd"), 0);
}

TEST_P(HostCode, codeIsLittleAndGoesAnywhere) {
  // Code generation takes time by the instruction: this holds what a variant costs to compile.
  const CodeTarget of = target();
  const std::pair<const char *, int64_t> most[] = {
      {"f32", 3600},
      // Two ways: by pairs, and widened for operands with subnormal numbers.
      {"bf16", of.fastBf16Dot ? 5800 : 3600},
      // Products of bytes want an instruction for them to have ways of their own for few rows.
      {"i8", of.hasVnni ? 4300 : 3600}};
  for (auto [type, instructions] : most) {
    const std::string text = Emitted(target(), type).assembly();
    EXPECT_LT(count(text, "\n\t[a-z]"), instructions) << type;
    // Nor is any address as wide as a program of more than 2 GiB would want it.
    EXPECT_EQ(count(text, "_GLOBAL_OFFSET_TABLE_|@GOTOFF|:abs_g3:"), 0) << type;
  }
}

// A vector of columns of rows that are all there is read and stored whole, by nothing but the
// loads, what asks for later ones, one permutation or two, and the store.
TEST(HostCode, groupsOfWholeRowsArePackedWithoutMasks) {
  initialiseTargets();
  for (auto [type, name, permutation, instructions] :
       {std::tuple("bf16", "groups_of_panel_bf16", "vperm", 13),
        std::tuple("i8", "groups_of_panel_i8_offset", "vperm", 21)}) {
    CodeTarget target = llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "znver4", ""));
    const std::string text = bodyOf(Emitted(std::move(target), type).assembly(), name);
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const std::string &block : blocksOf(text))
      if (count(block, permutation) > 0 && count(block, "\\{%k") == 0)
        least = std::min(least, count(block, "\n\t[a-z]"));
    EXPECT_LE(least, instructions) << text;
  }
}

// One line a step, of the rows that come next; of pairs they are near, as both operands have just
// been searched for subnormal numbers.
TEST(HostCode, rowsThatComeNextAreAskedForWhileOthersAreMultiplied) {
  initialiseTargets();
  for (auto [type, multiply, asked] :
       {std::tuple("f32", "vfmadd231ps", 1), std::tuple("i8", "vpdpbusd", 1),
        std::tuple("bf16", "vdpbf16ps", 0)}) {
    CodeTarget target = llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "znver4", ""));
    Emitted emitted(std::move(target), type);
    const std::string name = emitted.widest()->getName().str();
    const std::string loop = mainLoop(bodyOf(emitted.assembly(), name), multiply);
    EXPECT_EQ(count(loop, multiply), 8 * 3) << type;
    EXPECT_EQ(count(loop, "prefetcht1"), asked) << type;
  }
}

// A block of B has a quarter of a CPU's part of the third level where that is quick, else half of
// the second; and few rows have another one.
TEST(HostCode, blocksLieInTheThirdLevelWhereThatIsQuick) {
  initialiseTargets();
  constexpr int64_t mebibyte = int64_t(1) << 20;
  for (auto [cpu, l3Bytes, blockBytes] :
       {std::tuple("znver4", 0 * mebibyte, mebibyte / 2),
        std::tuple("znver4", 1 * mebibyte, mebibyte / 2),
        std::tuple("znver4", 8 * mebibyte, 2 * mebibyte),
        std::tuple("znver4", 64 * mebibyte, 4 * mebibyte),
        std::tuple("skylake-avx512", 64 * mebibyte, mebibyte / 2)}) {
    CodeTarget target = llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), cpu, ""));
    target.l2Bytes = mebibyte;
    target.l3Bytes = l3Bytes;
    EXPECT_EQ(target.blockBytes(), blockBytes) << cpu << " " << l3Bytes;
    const std::string text = Emitted(std::move(target), "f32").assembly();
    EXPECT_GT(count(text, "cmp[lq]\t\\$76[78],"), 0) << cpu;
  }
}

// What is bound by reading asks for every line once, rows ahead: each begins on a page of its own,
// where no CPU goes by itself.
TEST(HostCode, fewRowsAndColumnsAskForTheRowsToCome) {
  initialiseTargets();
  CodeTarget target =
      llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "skylake-avx512", ""));
  const std::string text = Emitted(std::move(target), "f32").assembly();
  // Four rows by one column, six by four, three by eight.
  EXPECT_EQ(count(bodyOf(text, "dots_f32"), "prefetcht1"), 4 + 6 + 3);
  // With eight columns, too, there are registers for all sums.
  EXPECT_EQ(count(bodyOf(text, "dots_f32"), "vmov[a-z]+\t%zmm[0-9]+, %zmm"), 0);
  // Two lines of each of eight rows; of one row's, a line of each.
  EXPECT_EQ(count(bodyOf(text, "skinny_f32"), "prefetcht1"), 2 * 8);
  EXPECT_EQ(count(bodyOf(text, "gemv_f32"), "prefetcht1"), 8);

  // Where memory is read fastest as one stream, one column of f16 is met by one row at a time.
  CodeTarget streaming = llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "znver4", ""));
  ASSERT_TRUE(streaming.longStreams);
  const std::string ofF16 = Emitted(std::move(streaming), "f16").assembly();
  EXPECT_EQ(count(bodyOf(ofF16, "dots_f16"), "prefetcht1"), 4 + 1 + 6 + 3);
  // A vector is half of a line, which is asked for twice.
  EXPECT_EQ(count(bodyOf(ofF16, "gemv_f16"), "prefetcht1"), 2 * 8);
}

INSTANTIATE_TEST_SUITE_P(cpus, HostCode, testing::ValuesIn(cpus),
                         [](const auto &info) { return info.param.name; });

// However many rows there are, no thread has more to do than another by more than a row of each of
// its tiles, or a part of a row; and a few are for one of them.
TEST(HostTiles, ofElementwiseWorkAreSharedEqually) {
  constexpr int64_t cores = 4;
  const Machine machine = llvm::cantFail(loadMachine("host", {{"cube_cores", "4"}}));
  const Phase ofRows(Emitted(llvm::cantFail(hostTarget()),
                             std::string("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = x + 1; }"),
                             machine));
  const Phase ofOne(Emitted(llvm::cantFail(hostTarget()),
                            std::string("kernel k(x: f32[N]) -> y: f32[N] { y = x + 1; }"),
                            machine));
  auto sharesOf = [](const Phase &phase, int64_t rows, int64_t columns, bool isOne = false) {
    std::vector<float> x(rows * columns, 0), y(rows * columns, 0);
    const int64_t dims[] = {isOne ? rows * columns : rows, columns};
    const float scalars[] = {0, 0};
    void *tensors[] = {x.data(), y.data()};
    const int64_t dense[] = {isOne ? 1 : columns, 1}, *strides[] = {dense, dense};
    int64_t plan[mostOfPlan];
    phase.plan(dims, cores, plan);
    const KernelArguments arguments{dims, scalars, tensors, strides, plan};
    std::vector<int64_t> shares;
    for (int64_t block = 0; block < cores; ++block) {
      CoreMemories core{};
      core.block = block;
      phase.run(&arguments, &core);
      const int64_t done = std::ranges::count(y, 1.0f);
      shares.push_back(done - std::accumulate(shares.begin(), shares.end(), int64_t(0)));
    }
    return shares;
  };
  using Shares = std::vector<int64_t>;
  constexpr int64_t page = 4096;
  EXPECT_EQ(sharesOf(ofRows, 7, page), (Shares{7 * page, 0, 0, 0}));
  EXPECT_EQ(sharesOf(ofRows, 100, page), (Shares{25 * page, 25 * page, 25 * page, 25 * page}));
  EXPECT_EQ(sharesOf(ofRows, 192, page), (Shares{48 * page, 48 * page, 48 * page, 48 * page}));
  EXPECT_EQ(sharesOf(ofRows, 300, page), (Shares{76 * page, 76 * page, 76 * page, 72 * page}));
  EXPECT_EQ(sharesOf(ofRows, 3, 16 * page), (Shares{16 * page, 16 * page, 8 * page, 8 * page}));
  EXPECT_EQ(sharesOf(ofRows, 1, 33 * page), (Shares{9 * page, 9 * page, 9 * page, 6 * page}));
  EXPECT_EQ(sharesOf(ofRows, 60, 64), (Shares{60 * 64, 0, 0, 0}));
  EXPECT_EQ(sharesOf(ofRows, 0, 64), (Shares{0, 0, 0, 0}));
  EXPECT_EQ(sharesOf(ofOne, 33, page, true), (Shares{9 * page, 9 * page, 9 * page, 6 * page}));
  EXPECT_EQ(sharesOf(ofOne, 1, 100, true), (Shares{100, 0, 0, 0}));
}

/// Runs the kernel in memory of the test's own, and says what was packed.
class Packing : public testing::Test {
protected:
  void run(int64_t m, int64_t n, int64_t k) { run<float>("f32", 1, m, n, k); }

  /// Of operands that all are `one`, 1 in that type.
  template <typename Element>
  void run(const char *type, Element one, int64_t m, int64_t n, int64_t k) {
    const Phase phase(Emitted(llvm::cantFail(hostTarget()), type));

    std::vector<Element> a(m * k, one), b(k * n, one);
    std::vector<float> bias(n, -1), c(m * n, 0);
    const int64_t dims[] = {m, k, n};
    const float scalars[] = {0, 0, 0};
    void *tensors[] = {a.data(), b.data(), bias.data(), c.data()};
    KernelArguments arguments{};
    arguments.dims = dims;
    arguments.scalars = scalars;
    arguments.tensors = tensors;
    const int64_t ofA[] = {k, 1}, ofB[] = {n, 1}, ofBias[] = {1}, ofC[] = {n, 1};
    const int64_t *strides[] = {ofA, ofB, ofBias, ofC};
    arguments.strides = strides;
    memory.assign(memories, std::vector<char>(size_t(8) << 20, poison));
    CoreMemories core{};
    for (unsigned i = 0; i < memories; ++i)
      core.memory[i] = memory[i].data();
    int64_t plan[mostOfPlan];
    phase.plan(dims, 8, plan);
    arguments.plan = plan;
    isAlone = plan[planSingleBlock] != 0;
    EXPECT_EQ(plan[planBlocks] == 1, isAlone);
    phase.run(&arguments, &core);
    EXPECT_EQ(c.front(), static_cast<float>(k - 1));
  }

  bool untouched(unsigned which) const {
    return std::ranges::all_of(memory[which], [](char byte) { return byte == poison; });
  }

  static constexpr char poison = 0x5a;
  std::vector<std::vector<char>> memory;
  bool isAlone = false;
};

TEST_F(Packing, smallProductsReadTheirOperandsWhereTheyAre) {
  for (int64_t size : {32, 64, 96}) {
    run(size, size, size);
    EXPECT_TRUE(untouched(memoryL0a)) << size;
    EXPECT_TRUE(untouched(memoryL0b)) << size;
  }
}

// Narrower elements are multiplied in less time, of which another thread has to save some.
TEST_F(Packing, smallProductsAreDoneByOneThread) {
  const bool isOnly = availableThreads() == 1;
  run(32, 32, 32);
  EXPECT_TRUE(isAlone);
  run(64, 64, 64);
  EXPECT_EQ(isAlone, isOnly);
  run<int8_t>("i8", 1, 64, 64, 64);
  EXPECT_TRUE(isAlone);
  run<int8_t>("i8", 1, 96, 96, 96);
  EXPECT_EQ(isAlone, isOnly);
}

// Few rows do not earn the packing of what is near anyway; many do, and so does what is far.
TEST_F(Packing, rowsEarnThePackingOfB) {
  run(512, 128, 512);
  EXPECT_TRUE(untouched(memoryL0a));
  EXPECT_TRUE(untouched(memoryL0b));
  run(int64_t(2048) * availableThreads(), 64, 256);
  EXPECT_TRUE(untouched(memoryL0a));
  EXPECT_FALSE(untouched(memoryL0b));
  run(512, 512, 512);
  EXPECT_FALSE(untouched(memoryL0b));
}

TEST_F(Packing, aFewRowsReadBWhereItIs) {
  for (int64_t rows : {1, 3, 16}) {
    run(rows, 700, 900);
    EXPECT_TRUE(untouched(memoryL0b)) << rows;
  }
  if (!llvm::cantFail(hostTarget()).masks())
    return;
  for (int64_t columns : {6, 17, 31}) {
    run(5, columns, 900);
    EXPECT_TRUE(untouched(memoryL0b)) << columns;
  }
}

TEST_F(Packing, aFewColumnsReadAWhereItIs) {
  for (int64_t columns : {1, 3, 8}) {
    run(700, columns, 900);
    EXPECT_TRUE(untouched(memoryL0a)) << columns;
  }
}

// A register tile or two have nothing to gain from sums in memory, while B is in a cache, or read
// in order.
TEST_F(Packing, wholeRegisterTilesAreNotSkinny) {
  const int64_t height = llvm::cantFail(hostTarget()).rows();
  for (auto [n, k] : {std::pair(256, 1000 / height), {48, 1500}}) {
    for (int64_t rows : {height, 2 * height}) {
      run(rows, n, k);
      EXPECT_TRUE(untouched(memoryL0a) && untouched(memoryL0b) && untouched(memoryL0c)) << rows;
    }
    run(height + 1, n, k);
    EXPECT_FALSE(untouched(memoryL0c));
  }
}

// Rows of B that follow each other line by line are read in order where they are.
TEST_F(Packing, narrowBIsReadWhereItIs) {
  run(64, 64, 1900);
  EXPECT_TRUE(untouched(memoryL0b));
  run(64, 144, 1900);
  EXPECT_FALSE(untouched(memoryL0b));
}

TEST_F(Packing, rowsOfAAreReadInPlace) {
  run(128, 384, 512);
  EXPECT_TRUE(untouched(memoryL0a));
  EXPECT_FALSE(untouched(memoryL0b));
}

// A column beside whole vectors is multiplied as one, and not as a vector of its own.
TEST_F(Packing, aLastColumnIsTakenApart) {
  const int64_t lanes = llvm::cantFail(hostTarget()).lanes, depth = 131;
  auto columnsPacked = [&] {
    const std::vector<char> &room = memory[memoryL0b];
    return (std::ssize(room) - std::ranges::count(room, poison)) / (4 * depth);
  };
  run(127, 128 + 1, depth);
  EXPECT_EQ(columnsPacked(), 1);
  run(127, 128 + lanes / 2, depth);
  EXPECT_GE(columnsPacked(), lanes);
}

// Rows that have to be widened are packed as many at a time as stay near.
TEST_F(Packing, fewCallsPackWhatIsSmall) {
  constexpr uint16_t one = 0x3c00; // f16
  auto rowsPacked = [&](int64_t depth) {
    const int64_t row = depth * 4 + 64; // on lines that share no set of the cache
    int64_t rows = 0;
    while (memory[memoryL0a][rows * row] != poison)
      ++rows;
    return rows;
  };
  run<uint16_t>("f16", one, 32, 32, 32);
  EXPECT_EQ(rowsPacked(32), 32);
  run<uint16_t>("f16", one, 64, 64, 64);
  EXPECT_EQ(rowsPacked(64), 16);
  run<uint16_t>("f16", one, 64, 64, 300);
  EXPECT_EQ(rowsPacked(300), 8);
}

// Fewer rows than a register tile has would be read beyond their end.
TEST_F(Packing, fewRowsArePackedWhereTheirOperandsAreSmall) {
  run(1, 30, 40);
  EXPECT_FALSE(untouched(memoryL0a));
  EXPECT_TRUE(isAlone);
}

// No sum waits in memory between two passes along k while a block of B is deep enough.
TEST_F(Packing, sumsStayInRegistersOverTheWholeDepth) {
  run(64, 480, 300);
  EXPECT_TRUE(untouched(memoryL0c));
  EXPECT_FALSE(isAlone) << "enough for two threads";
}

// Packing for few rows goes by long pieces of the rows of B, and sums wait for the next ones.
TEST_F(Packing, blocksForFewRowsAreWideRatherThanDeep) {
  run(64, 960, 1024);
  EXPECT_TRUE(untouched(memoryL0c));
  run(64, 960, 2048);
  EXPECT_FALSE(untouched(memoryL0c));
}

// Instructions that multiply groups along k take the last elements of a row, which are fewer, from
// where they lie too.
TEST_F(Packing, rowsThatEndWithinAGroupAreReadInPlace) {
  const CodeTarget target = llvm::cantFail(hostTarget());
  for (int64_t depth : {131, 132, 133, 134}) {
    if (target.hasVnni) {
      run<int8_t>("i8", 1, 127, 129, depth);
      EXPECT_TRUE(untouched(memoryL0a)) << depth;
    }
    if (target.fastBf16Dot) {
      run<uint16_t>("bf16", 0x3f80, 127, 129, depth);
      EXPECT_TRUE(untouched(memoryL0a)) << depth;
    }
  }
}

/// Depths up to several groups of each kind, in one pass along k and in more; rows and columns
/// about a register tile and a vector.
template <typename Element> void expectExactEnds(const char *type) {
  using Page = hunt::Guarded::Page;
  for (const char *schedule : {"", "schedule { tile M = 64, N = 80, K = 32; stage K = 32; }"}) {
    Runnable kernel(Emitted(llvm::cantFail(hostTarget()), fusedKernel(type, schedule)), nullptr);
    for (int64_t k : {1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 34, 35, 36, 37})
      for (int64_t m : {7, 8, 13})
        for (int64_t n : {15, 16, 17, 50})
          for (unsigned turned = 0; turned < 4; ++turned)
            for (Page page : {Page::behind, Page::before})
              expectExactAt<Element>(kernel, type, m, n, k, turned, page);
  }
}
TEST(ThisCpu, endsOfBytesAreExact) { expectExactEnds<int8_t>("i8"); }
TEST(ThisCpu, endsOfBf16AreExact) { expectExactEnds<Bf16>("bf16"); }

// One row by a matrix is shared by columns, but one thread alone reads whole rows of it.
TEST(ThisCpu, oneThreadTakesAllColumns) {
  const Phase phase(
      Emitted(llvm::cantFail(hostTarget()), fusedKernel("f32", "schedule { cores = 2; }")));
  const int64_t dims[] = {1, 4096, 4096};
  int64_t plan[mostOfPlan];
  phase.plan(dims, 1, plan);
  EXPECT_NE(plan[planSingleBlock], 0);
  phase.plan(dims, 2, plan);
  EXPECT_EQ(plan[planSingleBlock], 0);
}

// Few rows, and few columns, go other ways than many.
TEST(ThisCpu, bytesAreExact) { expectExact<int8_t>(llvm::cantFail(hostTarget()), "i8"); }
TEST(ThisCpu, bf16IsExact) { expectExact<Bf16>(llvm::cantFail(hostTarget()), "bf16"); }
TEST(ThisCpu, pairsOfBf16AreExact) {
  CodeTarget target = llvm::cantFail(hostTarget());
  if (!target.masks() || !llvm::sys::getHostCPUFeatures().lookup("avx512bf16"))
    GTEST_SKIP() << "has no product of pairs";
  target.fastBf16Dot = true;
  expectExact<Bf16>(std::move(target), "bf16");
}
/// Rows of one column one after the other or together, whichever this CPU would have.
TEST(ThisCpu, bytesInEitherOrderOfRowsAreExact) {
  for (bool longStreams : {false, true}) {
    CodeTarget target = llvm::cantFail(hostTarget());
    target.longStreams = longStreams;
    expectExact<int8_t>(std::move(target), "i8");
  }
}
TEST(ThisCpu, floatsInEitherOrderOfRowsAreExact) {
  for (bool longStreams : {false, true}) {
    auto target = [&] {
      CodeTarget made = llvm::cantFail(hostTarget());
      made.longStreams = longStreams;
      return made;
    };
    expectExact<float>(target(), "f32");
    expectExact<Bf16>(target(), "bf16");
  }
}

/// Of whole vectors in place, one run of panels has no loops around it.
void expectExactOfWholeVectors(CodeTarget target) {
  const int64_t lanes = target.lanes;
  Runnable kernel(Emitted(std::move(target), "f32"), nullptr);
  for (int64_t vectors : {1, 2, 3, 4, 5})
    for (int64_t m : {17, 32, 75})
      for (int64_t k : {1, 33, 2500})
        expectExactAt<float>(kernel, "f32", m, vectors * lanes, k, 0);
}
TEST(ThisCpu, wholeVectorsInPlaceAreExact) {
  expectExactOfWholeVectors(llvm::cantFail(hostTarget()));
}

TEST(ThisCpu, f32IsExact) { expectExact<float>(llvm::cantFail(hostTarget()), "f32"); }

/// The same kernel made for older CPUs than the one underneath, and run on it: fewer registers,
/// narrower vectors, no instruction for products of bytes, or none for a multiplication and sum.
class OlderCpu : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (!llvm::Triple(llvm::sys::getProcessTriple()).isX86())
      GTEST_SKIP() << "the CPUs are of another kind";
    if (auto has = llvm::sys::getHostCPUFeatures(); !has.lookup("avx2") || !has.lookup("fma"))
      GTEST_SKIP() << "one of the CPUs has more than this one";
    llvm::cantFail(hostTarget());
  }

  template <typename Element> void expectExact(const char *type) {
    CodeTarget target =
        llvm::cantFail(targetFor(llvm::Triple(llvm::sys::getProcessTriple()), GetParam(), ""));
    EXPECT_FALSE(target.hasVnni);
    mmk::expectExact<Element>(std::move(target), type);
  }
  void expectExactOfWholeVectors() {
    mmk::expectExactOfWholeVectors(
        llvm::cantFail(targetFor(llvm::Triple(llvm::sys::getProcessTriple()), GetParam(), "")));
  }
};

TEST_P(OlderCpu, f32IsExact) { expectExact<float>("f32"); }
TEST_P(OlderCpu, wholeVectorsInPlaceAreExact) { expectExactOfWholeVectors(); }
TEST_P(OlderCpu, bytesWithoutADotProductAreExact) { expectExact<int8_t>("i8"); }

INSTANTIATE_TEST_SUITE_P(cpus, OlderCpu, testing::Values("x86-64", "nehalem", "haswell"),
                         [](const auto &info) {
                           std::string name = info.param;
                           llvm::erase(name, '-');
                           return name;
                         });

} // namespace
} // namespace mmk
