// Kernels that wait for memory alone, against what memory allows: whatever their form, they take
// the time of their bytes.
#include "backend/backend.h"
#include "choose/chooser.h"
#include "runtime/clock.h"
#include "runtime/global_memory.h"
#include "tests/unit/checked.h"
#include "tests/unit/samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>

namespace mmk {
namespace {

/// Each reads one tensor once and writes one of the same size: elementwise and rows. A transpose of
/// some shapes takes its instructions longer.
const char *const bodies[] = {"x: f32[M, N]) -> y: f32[M, N] { y = x * 2; }",
                              "x: f32[M, N]) -> y: f32[M, N] { y = x - max[N](x); }",
                              "x: f32[M, N]) -> y: f32[M, N] { y = softmax[N](x); }"};

/// Without the fixed cost of a task: of the variant that is chosen, as the clock counts it, and of
/// the one that the closed form ranks first, as that has it.
struct Times {
  double counted = 0, predicted = 0;
};

Times timesOf(const char *body, const std::vector<int64_t> &dims, const std::string &name) {
  const Checked checked(std::string("kernel k(") + body);
  EXPECT_TRUE(checked.isSound()) << checked.messages();
  const Machine machine = llvm::cantFail(loadMachine(name));
  Compiler compiler(*checked.program, machine);
  const auto chosen = Chooser(compiler, checked.kernel(), machine, {}).choose(dims);
  EXPECT_TRUE(chosen);
  if (!chosen)
    return {};
  const auto fixed = static_cast<double>(taskCycles(machine));
  return {static_cast<double>(chosen->cycles) - fixed, chosen->counted.front().predicted - fixed};
}

/// Neither is faster than `least`, and twice the rows take twice as long.
void checkBytes(const Times &once, const Times &twice, double least) {
  EXPECT_GE(once.counted, least);
  EXPECT_NEAR(twice.counted / once.counted, 2, 0.1);
  EXPECT_GE(once.predicted, least);
  EXPECT_NEAR(twice.predicted / once.predicted, 2, 0.1);
}

TEST(MemoryBound, EveryFormTakesTheTimeOfItsBytes) {
  std::mt19937 random(11);
  for (const char *name : {"ascend910b2", "ascend950pr", "ascend310p3"}) {
    const Machine machine = llvm::cantFail(loadMachine(name));
    for (int sample = 0; sample < samplesOf(4); ++sample) {
      // From 4 to 8 times L2, both tensors together.
      const int64_t columns = 1024 * (2 + random() % 7),
                    rows = machine.l2Bytes / (columns * 8) * (16 + random() % 17) / 4;
      const double bytes = static_cast<double>(rows) * columns * 4,
                   least = hbmCycles(machine, bytes, bytes);
      SCOPED_TRACE(std::string(name) + " " + std::to_string(rows) + "x" + std::to_string(columns));
      double fastest = INFINITY, slowest = 0;
      for (const char *body : bodies) {
        SCOPED_TRACE(body);
        const Times times = timesOf(body, {rows, columns}, name);
        fastest = std::min(fastest, times.counted);
        slowest = std::max(slowest, times.counted);
        checkBytes(times, timesOf(body, {2 * rows, columns}, name), least);
      }
      EXPECT_LE(slowest, 1.03 * fastest);
    }
  }
}

//===--- kernels of every form --------------------------------------------------------------===//

using Dims = std::vector<int64_t>;

/// A kernel, some of whose dimensions are drawn; the first follows from the bytes that it moves.
struct Form {
  const char *text;
  std::vector<std::vector<int64_t>> further; ///< values of each further dimension
  /// Bytes of the tensors that are read and written, as every schedule moves at the least.
  double (*loaded)(const Dims &);
  double (*stored)(const Dims &);
  /// The first dimension is one of tasks: each core has as many, as an idle core is no matter of
  /// memory.
  bool countsTasks = false;
};

double product(const Dims &dims) {
  return std::accumulate(dims.begin(), dims.end(), 1.0, std::multiplies<>());
}

const std::vector<int64_t> rowLengths = {777, 1024, 2000, 4096, 5120, 8192};

const Form forms[] = {
    {"x: f32[M, N]) -> y: f32[M, N] { y = x * 2; }",
     {rowLengths},
     [](const Dims &d) { return 4 * product(d); },
     [](const Dims &d) { return 4 * product(d); }},
    {"x: f32[M, N], z: f32[M, N]) -> y: f32[M, N] { y = x + z; }",
     {rowLengths},
     [](const Dims &d) { return 8 * product(d); },
     [](const Dims &d) { return 4 * product(d); }},
    {"x: f16[M, N]) -> y: f16[M, N] { y = x * cast<f16>(0.5); }",
     {rowLengths},
     [](const Dims &d) { return 2 * product(d); },
     [](const Dims &d) { return 2 * product(d); }},
    {"x: f32[M, N]) -> y: f32[M, N] { y = softmax[N](x); }",
     {rowLengths},
     [](const Dims &d) { return 4 * product(d); },
     [](const Dims &d) { return 4 * product(d); }},
    {"x: f32[M, N]) -> y: f32[M] { y = sum[N](x); }",
     {rowLengths},
     [](const Dims &d) { return 4 * product(d); },
     [](const Dims &d) { return 4.0 * static_cast<double>(d[0]); }},
    {"a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; }",
     {{16, 48, 64, 128}, {512, 1024, 3000}},
     [](const Dims &d) { return 2.0 * static_cast<double>(d[1] * (d[0] + d[2])); },
     [](const Dims &d) { return 4.0 * static_cast<double>(d[0] * d[2]); }},
    {"q: f16[H, M, D], k: f16[H, N, D], v: f16[H, N, D]) -> o: f16[H, M, D] {"
     " let s[h, i, j] = 0.1 * sum[d](q[h, i, d] * k[h, j, d]);"
     " o[h, i, d] = sum[j](cast<f16>(softmax[j](s[h, i, j])) * v[h, j, d]); }",
     // Of more queries the scores are long: L2 may hold those of the rows once, and not of twice.
     {{1, 4}, {64, 128}, {1024, 4096, 5000}},
     [](const Dims &d) { return 2.0 * static_cast<double>(d[0] * d[2] * (d[1] + 2 * d[3])); },
     [](const Dims &d) { return 2.0 * static_cast<double>(d[0] * d[1] * d[2]); },
     /*countsTasks=*/true},
    {"x: f32[M, N]) -> y: f32[M, N] { y[i, j] = max[r: 3](pad(x, -inf)[i, j + r - 1]); }",
     {rowLengths},
     [](const Dims &d) { return 4 * product(d); },
     [](const Dims &d) { return 4 * product(d); }},
};

// No form is faster than its bytes, and twice the rows take twice as long.
TEST(MemoryBound, NoFormIsFasterThanItsBytes) {
  constexpr unsigned seed = 23;
  std::mt19937 random(seed);
  const char *const machines[] = {"ascend910b2", "ascend950pr", "ascend310p3"};
  // MMK_PAIRS=2000 is the long run.
  const char *const pairs = std::getenv("MMK_PAIRS");
  const int samples = pairs ? std::atoi(pairs) : samplesOf(24);
  for (int sample = 0; sample < samples; ++sample) {
    const std::string name = machines[random() % 3];
    const Machine machine = llvm::cantFail(loadMachine(name));
    const Form &form = forms[sample % std::size(forms)];
    Dims dims = {1};
    for (const std::vector<int64_t> &values : form.further)
      dims.push_back(values[random() % values.size()]);
    // From 4 to 6 times L2.
    const Dims two = [&] {
      Dims two = dims;
      two[0] = 2;
      return two;
    }();
    const auto bytes = [&](const Dims &of) { return form.loaded(of) + form.stored(of); };
    const double ofRow = bytes(two) - bytes(dims);
    dims[0] = static_cast<int64_t>(static_cast<double>(machine.l2Bytes) *
                                   (4 + static_cast<double>(random() % 9) / 4) / ofRow) +
              1;
    if (form.countsTasks)
      dims[0] = static_cast<int64_t>(llvm::alignTo(dims[0], machine.cubeCores));
    std::string at = name + " seed " + std::to_string(seed) + " " + form.text;
    for (int64_t extent : dims)
      at += " " + std::to_string(extent);
    SCOPED_TRACE(at);
    Dims twice = dims;
    twice[0] *= 2;
    checkBytes(timesOf(form.text, dims, name), timesOf(form.text, twice, name),
               hbmCycles(machine, form.loaded(dims), form.stored(dims)));
  }
}

/// The default variant with these choices, without the fixed cost of a task.
int64_t cyclesOf(const std::string &text, const Dims &dims, const Machine &machine,
                 const Choices &choices) {
  const Checked checked("kernel k(" + text);
  EXPECT_TRUE(checked.isSound()) << checked.messages();
  Compiler compiler(*checked.program, machine);
  PipelineOptions options;
  options.choices = choices;
  Lowering lowering = compiler.lower(checked.kernel(), compiler.toIr(checked.kernel()),
                                     LoweringLevel::aicore, options, /*findsNearest=*/false);
  EXPECT_TRUE(static_cast<bool>(lowering));
  const ClockReport clock =
      llvm::cantFail(backendOf(machine.kind).estimate(lowering.kernel(), machine, dims));
  return clock.cycles - clock.taskCycles;
}

// The rows of a tile are planes apart: no core has what another one loads.
TEST(MemoryBound, RowsOfPlanesAreEachFetched) {
  Machine machine = llvm::cantFail(loadMachine("ascend310p3"));
  constexpr int64_t planes = 8, rows = 56, columns = 74;
  constexpr double bytes = 4.0 * planes * rows * columns;
  machine.hbmBytesPerSecond /= 1000;
  machine.l2Bytes = static_cast<int64_t>(bytes / 2);
  const char *text = "x: f32[B, M, N], s: f32[N]) -> y: f32[B, M, N] { y = min[B](x) * s; }";
  EXPECT_GE(static_cast<double>(cyclesOf(text, {planes, rows, columns}, machine,
                                         {{"tile.B", "21"}, {"tile.N", "512"}})),
            hbmCycles(machine, bytes, bytes));
}

// One more core, of tiles that all cores share alike, makes no kernel slower.
TEST(MemoryBound, OneMoreCoreIsNotSlower) {
  std::mt19937 random(5);
  const Machine machine = llvm::cantFail(loadMachine("ascend910b3"));
  for (int sample = 0; sample < samplesOf(12); ++sample) {
    const Form &form = forms[sample % 5];
    const int64_t cores = 2 + static_cast<int64_t>(random() % 18),
                  columns = 1024 << random() % 4, // whole tiles
        rows = cores * (cores + 1) * 840 * (1 + static_cast<int64_t>(random() % 2));
    SCOPED_TRACE(std::string(form.text) + " " + std::to_string(rows) + "x" +
                 std::to_string(columns) + " on " + std::to_string(cores));
    const auto on = [&](int64_t count) {
      return static_cast<double>(
          cyclesOf(form.text, {rows, columns}, machine, {{"cores", std::to_string(count)}}));
    };
    EXPECT_LE(on(cores + 1), 1.01 * on(cores));
  }
}

// More operations of the same tiles, cores and copies take no less.
TEST(MemoryBound, MoreOperationsTakeNoLess) {
  const char *const pairs[][2] = {
      {"x: f32[M, N]) -> y: f32[M, N] { y = x * 2; }",
       "x: f32[M, N]) -> y: f32[M, N] { y = exp(x * 2) + 1; }"},
      {"x: f32[M, N]) -> y: f32[M, N] { y = x - max[N](x); }",
       "x: f32[M, N]) -> y: f32[M, N] { y = softmax[N](x); }"},
      {"a: f16[M, K], b: f16[K, N], z: f32[M, N]) -> c: f32[M, N] { c = a @ b + z; }",
       "a: f16[M, K], b: f16[K, N], z: f32[M, N]) -> c: f32[M, N] { c = tanh(a @ b + z); }"}};
  std::mt19937 random(9);
  for (int sample = 0; sample < samplesOf(12); ++sample) {
    const char *const machines[] = {"ascend910b3", "ascend950pr", "ascend310p3"};
    const Machine machine = llvm::cantFail(loadMachine(machines[random() % 3]));
    const auto &[less, more] = pairs[sample % 3];
    const Choices choices = {{"tile.N", sample % 2 == 0 ? "256" : "512"}, {"tile.M", "8"}};
    Dims dims = {static_cast<int64_t>(100 + random() % 20000), 256,
                 rowLengths[random() % rowLengths.size()]};
    if (sample % 3 < 2)
      dims.pop_back();
    const Choices used = sample % 3 == 0 ? choices : Choices();
    SCOPED_TRACE(std::string(more) + " on " + machine.name);
    EXPECT_GE(cyclesOf(more, dims, machine, used), cyclesOf(less, dims, machine, used));
  }
}

} // namespace
} // namespace mmk
