// Properties of the code of a product on the host: accumulators in registers, the widest vectors,
// one store for each element.
#include "cpu/tuning.h"
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
  const char *multiply; ///< the instruction of a step along k, on the widest register
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

/// The loop of an elementwise kernel with non-temporal stores.
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

// gelu is bound by memory: it takes 16 instructions on the ports for the widest vectors, and the
// next page is prefetched.
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

// A formula that differs from gelu in any number is computed as it is written.
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

// The same for softplus, of an exponential and a logarithm.
TEST(HostCode, ofSoftplusIsNearlyAsFastAsTheMemory) {
  for (const char *formula : {"softplus(x)", "log(exp(-abs(x)) + 1) + max(0, x)"}) {
    const std::string loop =
        streamOf("skylake-avx512",
                 std::string("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = ") + formula + "; }");
    EXPECT_LE(computations(loop), 30) << formula << loop;
    EXPECT_EQ(count(loop, "\\(%r[sb]p"), 0) << loop;
  }
}

TEST(HostCode, ofWhatOnlyLooksLikeSoftplusIsNotSoftplus) {
  for (const char *formula :
       {"log(1 + exp(-x))", "log(1 + exp(abs(x)))", "log(2 + exp(-abs(x)))",
        "log(x + exp(-abs(x)))", "log(1 - exp(-abs(x)))", "log1p(exp(abs(x)))"}) {
    const std::string loop =
        streamOf("skylake-avx512",
                 std::string("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = ") + formula + "; }");
    EXPECT_GE(count(loop, "vgetmantps"), 1) << formula; // of any logarithm
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
  // A vector has no shared row.
  const std::string loop = streamOf("znver4", "kernel k(x: f32[N]) -> y: f32[N] { y = x + 1; }");
  EXPECT_EQ(count(loop, "vmovntps"), 1) << loop;
  EXPECT_EQ(count(loop, "prefetcht0"), 1) << loop;
}

// A partial line would take a write of its own.
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

// Non-temporal stores are made visible by a store fence, which costs less than a full fence.
TEST(HostCode, onlyStoresWaitForNonTemporalStores) {
  initialiseTargets();
  CodeTarget target = llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "znver4", ""));
  const std::string text =
      Emitted(std::move(target),
              std::string("kernel k(x: f32[M, N]) -> y: f32[M, N] { y = relu(x); }"))
          .assembly();
  EXPECT_EQ(count(text, "sfence"), 1);
  EXPECT_EQ(count(text, "mfence|\n\tlock"), 0);
}

TEST_P(HostCode, resultsOfAnyTypeHaveNonTemporalStores) {
  for (const char *type : {"f32", "f16", "bf16", "i8"}) {
    const std::string text =
        Emitted(target(), std::string("kernel k(x: f32[M, N], v: f32[N]) -> y: ") + type +
                              "[M, N] { y = gelu(x) + v; }")
            .assembly();
    // LLVM has no non-temporal store of one register of NEON.
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

// In tile registers, a step along k uses all eight: six of accumulators, one of A, one of B.
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

// LLVM keeps a tile over blocks only when it optimises.
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

// Windows are read while they are packed, as columns and as rows, or reduced.
TEST_P(HostCode, windowsHaveCode) {
  const std::string kernels[] = {
      "kernel k(x: i8[B, C, L], w: i8[O, C, 3]) -> y: i32[B, O, L] {"
      " y[n, o, l] = sum[c, t](pad(x, 0)[n, c, l + t - 1] * w[o, c, t]); }",
      "kernel k(x: bf16[B, L, C], w: const bf16[3, C, O]) -> y: f32[B, P, O] {"
      " dim P = (L - 1) / 2 + 1;"
      " y[n, p, o] = sum[t, c](pad(x, 0)[n, 2*p + t - 1, c] * w[t, c, o]); }",
      "kernel k(x: f16[B, L, C]) -> y: f16[B, L, C] {"
      " y[n, l, c] = max[t: 3](pad(x, 0)[n, l + t - 1, c]); }"};
  for (const std::string &kernel : kernels)
    EXPECT_GT(count(Emitted(target(), kernel).assembly(), "\n\t[a-z]"), 0) << kernel;
}

// Four rows of a depthwise convolution share what their taps read: per vector, 18 elements of the
// image and 9 weights for 36 multiplications, also where taps are outside. Most of a block that is
// inside is loads, multiplications and stores; with channels last, whole vectors have no masks.
TEST(HostCode, tapsOfSeveralRowsAreLoadedOnce) {
  initialiseTargets();
  const std::string ofChannelsLast =
      "kernel k(x: f32[H, W, C], w: f32[3, 3, C]) -> y: f32[H, W, C] {"
      " y[p, q, c] = sum[r, s](pad(x, 0)[p + r - 1, q + s - 1, c] * w[r, s, c]); }";
  const std::string ofChannelsFirst =
      "kernel k(x: f32[C, H, W], w: f32[C, 3, 3]) -> y: f32[C, H, W] {"
      " y[c, p, q] = sum[r, s](pad(x, 0)[c, p + r - 1, q + s - 1] * w[c, r, s]); }";
  for (const auto &[text, weights, inside, outside] :
       {std::tuple(ofChannelsLast, 2 * 9, 170, 310), std::tuple(ofChannelsFirst, 0, 220, 250)}) {
    CodeTarget target = llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "znver4", ""));
    int64_t found = 0;
    for (const std::string &block : blocksOf(Emitted(std::move(target), text).assembly())) {
      if (count(block, "vfmadd") != 2 * 36)
        continue;
      const bool areInside = count(block, "\tcmov") < 18;
      EXPECT_EQ(count(block, "(vmovups|vfmadd[^\t]*)\t[^\n]*\\), %zmm"), 2 * 18 + weights) << block;
      EXPECT_LE(count(block, "\n\t[a-z]"), areInside ? inside : outside) << block;
      ++found;
    }
    EXPECT_GE(found, 2) << text;
  }
}

// Of bf16, one load has the elements of two vectors, and a shift and a mask widen them: nothing is
// moved between lanes but the results.
TEST(HostCode, pairsOfTapsAreWidenedInPlace) {
  initialiseTargets();
  const std::string text =
      "kernel k(x: bf16[H, W, C], w: bf16[3, 3, C]) -> y: bf16[H, W, C] {"
      " y[p, q, c] = sum[r, s](pad(x, 0)[p + r - 1, q + s - 1, c] * w[r, s, c]); }";
  CodeTarget target = llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "znver4", ""));
  int64_t found = 0;
  for (const std::string &block : blocksOf(Emitted(std::move(target), text).assembly())) {
    if (count(block, "vfmadd") != 2 * 36)
      continue;
    EXPECT_EQ(count(block, "vmovdqu(16|64)\t[^\n]*\\), %zmm"), 18 + 9) << block;
    EXPECT_EQ(count(block, "vpslld"), 18 + 9) << block;
    EXPECT_EQ(count(block, "vpmovzx|vperm"), 0) << block;
    ++found;
  }
  EXPECT_GE(found, 2) << text;
}

// With a stride of two, the elements between those of a tap are those of the next: of a row of
// three taps, two are loaded, two vectors for each vector of results.
TEST(HostCode, tapsOfStridesShareVectors) {
  initialiseTargets();
  const std::string text =
      "kernel k(x: f32[C, H, W], w: f32[C, 3, 3]) -> y: f32[C, P, Q] {"
      " dim P = (H - 1) / 2 + 1; dim Q = (W - 1) / 2 + 1;"
      " y[c, p, q] = sum[r, s](pad(x, 0)[c, 2*p + r - 1, 2*q + s - 1] * w[c, r, s]); }";
  CodeTarget target = llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "znver4", ""));
  int64_t found = 0;
  for (const std::string &block : blocksOf(Emitted(std::move(target), text).assembly())) {
    if (count(block, "vfmadd") != 2 * 36)
      continue;
    EXPECT_EQ(count(block, "vmovups\t[^\n]*\\), %zmm[0-9]+ \\{%k"), 9 * 2 * 2 * 2) << block;
    EXPECT_EQ(count(block, "vperm"), 9 * 3 * 2) << block;
    ++found;
  }
  EXPECT_GE(found, 2) << text;
}

// Rows of half a vector are computed two by two: each load of a tap has the elements of one.
TEST(HostCode, shortRowsShareVectors) {
  initialiseTargets();
  const std::string text =
      "kernel k(x: f32[C, H, W], w: f32[C, 3, 3]) -> y: f32[C, H, W] {"
      " y[c, p, q] = sum[r, s](pad(x, 0)[c, p + r - 1, q + s - 1] * w[c, r, s]); }";
  CodeTarget target = llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "znver4", ""));
  int64_t found = 0;
  for (const std::string &block : blocksOf(Emitted(std::move(target), text).assembly())) {
    if (count(block, "vfmadd") != 36 || count(block, "vinsertf64x4") < 18)
      continue;
    EXPECT_EQ(count(block, "vmovups\t[^\n]*\\), %ymm"), 2 * 18) << block;
    ++found;
  }
  EXPECT_GE(found, 2) << text;
}

TEST_P(HostCode, codeIsLittleAndGoesAnywhere) {
  // Code generation takes time for each instruction: this bounds the compile time of a variant.
  const CodeTarget of = target();
  const std::pair<const char *, int64_t> most[] = {
      {"f32", 3600},
      // Two code paths: by pairs, and widened for operands with subnormal numbers.
      {"bf16", of.usesBf16Dot ? 5800 : 3600},
      // Products of bytes have code paths for few rows only with dot products of bytes.
      {"i8", of.hasVnni ? 4300 : 3600}};
  for (auto [type, instructions] : most) {
    const std::string text = Emitted(target(), type).assembly();
    EXPECT_LT(count(text, "\n\t[a-z]"), instructions) << type;
    // No address has the size that a program of more than 2 GiB would need.
    EXPECT_EQ(count(text, "_GLOBAL_OFFSET_TABLE_|@GOTOFF|:abs_g3:"), 0) << type;
  }
}

// A vector of columns of whole rows takes only the loads, the prefetches, one permutation or two,
// and the store.
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

// One line of the next rows for each step; none for pairs, as both operands are in a cache after
// the search for subnormal numbers.
TEST(HostCode, nextRowsArePrefetchedWhileOthersAreMultiplied) {
  initialiseTargets();
  for (auto [type, multiply, expected] :
       {std::tuple("f32", "vfmadd231ps", 1), std::tuple("i8", "vpdpbusd", 1),
        std::tuple("bf16", "vdpbf16ps", 0)}) {
    CodeTarget target = llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "znver4", ""));
    Emitted emitted(std::move(target), type);
    const std::string name = emitted.widest()->getName().str();
    const std::string loop = mainLoop(bodyOf(emitted.assembly(), name), multiply);
    EXPECT_EQ(count(loop, multiply), 8 * 3) << type;
    EXPECT_EQ(count(loop, "prefetcht1"), expected) << type;
  }
}

// A block of B has a quarter of a CPU's share of L3 where that is fast, else half of L2; and few
// rows have another one.
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
    EXPECT_EQ(CpuTuning(target).blockBytes(), blockBytes) << cpu << " " << l3Bytes;
    const std::string text = Emitted(std::move(target), "f32").assembly();
    EXPECT_GT(count(text, "cmp[lq]\t\\$76[78],"), 0) << cpu;
  }
}

// Code that is bound by reading prefetches every line once, rows ahead: each row begins on a page
// of its own, which no hardware prefetcher crosses.
TEST(HostCode, fewRowsAndColumnsPrefetchTheNextRows) {
  initialiseTargets();
  CodeTarget target =
      llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "skylake-avx512", ""));
  const std::string text = Emitted(std::move(target), "f32").assembly();
  // Four rows by one column, six by four, three by eight.
  EXPECT_EQ(count(bodyOf(text, "dots_f32"), "prefetcht1"), 4 + 6 + 3);
  // With eight columns, too, there are registers for all sums.
  EXPECT_EQ(count(bodyOf(text, "dots_f32"), "vmov[a-z]+\t%zmm[0-9]+, %zmm"), 0);
  // Two lines of each of eight rows; one line of each with a single row.
  EXPECT_EQ(count(bodyOf(text, "skinny_f32"), "prefetcht1"), 2 * 8);
  EXPECT_EQ(count(bodyOf(text, "gemv_f32"), "prefetcht1"), 8);

  // Where memory is read fastest as one stream, one column of f16 is multiplied by one row at a
  // time.
  CodeTarget streaming = llvm::cantFail(targetFor(llvm::Triple("x86_64-linux-gnu"), "znver4", ""));
  ASSERT_TRUE(streaming.longStreams);
  const std::string ofF16 = Emitted(std::move(streaming), "f16").assembly();
  EXPECT_EQ(count(bodyOf(ofF16, "dots_f16"), "prefetcht1"), 4 + 1 + 6 + 3);
  // A vector is half of a line, which is prefetched twice.
  EXPECT_EQ(count(bodyOf(ofF16, "gemv_f16"), "prefetcht1"), 2 * 8);
}

INSTANTIATE_TEST_SUITE_P(cpus, HostCode, testing::ValuesIn(cpus),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace mmk
