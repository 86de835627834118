// Watched runs: the program reports to its watch what the IR says, the hazards of a broken kernel
// are found as it runs, and the whole printed messages. The pipeline makes no broken kernel, so
// these tests mutate the IR of good ones.
#include "executable/executable.h"
#include "print/watch_report.h"
#include "runtime/data.h"
#include "tests/unit/synchronised.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

namespace mmk {
namespace {

using Operation = mlir::Operation; // not that of the syntax tree

const std::string product = "kernel product(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {\n"
                            "  let acc = a @ b;\n"
                            "  c = tanh(acc);\n"
                            "}\n";

/// A watched run of a kernel whose dimensions are all `extent`.
struct Watched {
  WatchReport report;
  Tensor result;
};

Watched run(Synchronised &kernel, int64_t extent) {
  ExecutableOptions options;
  options.watched = true;
  auto executable = llvm::cantFail(Executable::compile(kernel.module(), kernel.machine, options));
  std::vector<Tensor> inputs;
  Arguments arguments;
  for (size_t i = 0; i < kernel.kernel().getDims().size(); ++i)
    arguments.dims.push_back(extent);
  for (int i = 0; i < 2; ++i) {
    inputs.push_back(llvm::cantFail(Tensor::allocate(ElementType::f16, {extent, extent})));
    fillWithData(inputs.back(), DataKind::integers, i, 1);
  }
  for (const Tensor &input : inputs)
    arguments.tensors.push_back(input.data());
  arguments.scalars = {0, 0};
  Watched watched;
  watched.result = llvm::cantFail(Tensor::allocate(ElementType::f32, {extent, extent}));
  watched.result.poison();
  arguments.results = {watched.result.data()};
  auto watch = llvm::cantFail(KernelWatch::create(kernel.kernel(), kernel.machine, arguments.dims));
  llvm::Error error = executable->run(arguments, 2, watch.get());
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_TRUE(watched.result.canariesIntact());
  watched.report = watch->report();
  return watched;
}

std::string textOf(const WatchReport &report, const SourceFile &file) {
  return driver::hazardsText(report, file);
}

template <typename Op> Op first(aicore::KernelOp kernel, llvm::function_ref<bool(Op)> wanted) {
  Op found;
  kernel.walk([&](Op op) {
    if (!found && wanted(op))
      found = op;
  });
  return found;
}

aicore::WaitFlagOp waitOf(Synchronised &kernel, aicore::Pipe from, aicore::Pipe to) {
  return first<aicore::WaitFlagOp>(kernel.kernel(), [&](aicore::WaitFlagOp op) {
    return op.getFrom() == from && op.getTo() == to;
  });
}

// The interpreter, on which tests of flags rely, and the run have the same accesses.
TEST(WatchedRun, AgreesWithTheInterpreter) {
  for (const char *machine : {"ascend910b3", "ascend310p3", "host"})
    for (const char *variant : {"", "tile=32x16x16,stage=32,l1=3", "fuse=none,cores=2"}) {
      Synchronised kernel(product, machine, variant);
      ASSERT_TRUE(kernel.ready()) << kernel.messages;
      for (int64_t extent : {1, 16, 130}) {
        const WatchReport ran = run(kernel, extent).report;
        const WatchReport interpreted =
            llvm::cantFail(watchKernel(kernel.kernel(), kernel.machine, {extent, extent, extent}));
        EXPECT_EQ(textOf(ran, kernel.file()), "") << machine << " " << variant;
        EXPECT_GT(ran.instructions, 0);
        EXPECT_EQ(ran.instructions, interpreted.instructions) << machine << " " << variant;
        EXPECT_EQ(ran.accesses, interpreted.accesses);
        EXPECT_EQ(ran.flags, interpreted.flags);
      }
    }
}

TEST(WatchedRun, ReportsBothInstructions) {
  Synchronised kernel(product, "ascend910b3", "cores=1,tile=64x64x64,stage=64");
  ASSERT_TRUE(kernel.ready());
  waitOf(kernel, aicore::Pipe::cube, aicore::Pipe::fixpipe).erase();
  EXPECT_EQ(textOf(run(kernel, 64).report, kernel.file()),
            "test.mmk:2:13: error: event 0 [cube -> fixpipe] is still set when the phase ends\n"
            "    2 |   let acc = a @ b;\n"
            "      |             ^~~~~\n"
            "note: in block 0 of phase 0\n"
            "test.mmk:3:7: error: the spill (fixpipe) may read slot 0 of acc in l0c, bytes 0 to "
            "16383 of l0c, before the mmad (cube) has written it\n"
            "    3 |   c = tanh(acc);\n"
            "      |       ^~~~~~~~~\n"
            "test.mmk:2:13: note: the mmad (cube)\n"
            "    2 |   let acc = a @ b;\n"
            "      |             ^~~~~\n"
            "note: no flag from cube to fixpipe stands between the two\n"
            "note: in block 0 of phase 0\n"
            "test.mmk:3:7: error: event 0 [fixpipe -> cube] may be set again before cube has "
            "waited for it\n"
            "    3 |   c = tanh(acc);\n"
            "      |       ^~~~~~~~~\n"
            "test.mmk:2:13: note: the wait_flag (cube)\n"
            "    2 |   let acc = a @ b;\n"
            "      |             ^~~~~\n"
            "note: no flag from cube to fixpipe stands between the two\n"
            "note: in block 0 of phase 0\n");
}

// The stage and the mmad are of one line of the text, and meet again at every step along k.
TEST(WatchedRun, ReportsALineOnceAndHowOften) {
  Synchronised kernel(product, "ascend910b3", "cores=1,tile=64x64x16,stage=64,l0=1");
  ASSERT_TRUE(kernel.ready());
  waitOf(kernel, aicore::Pipe::mte1, aicore::Pipe::cube).erase();
  const std::string text = textOf(run(kernel, 64).report, kernel.file());
  EXPECT_NE(text.find("note: the load_l0 (mte1) is of the same line\n"), std::string::npos) << text;
  EXPECT_NE(text.find("note: in block 0 of phase 0, and 3 more times\n"), std::string::npos)
      << text;
}

// docs/watch.md shows the report above.
TEST(WatchedRun, IsShownInTheManual) {
  std::ifstream in(std::string(MMK_SOURCE_DIR) + "/docs/watch.md");
  std::stringstream page;
  page << in.rdbuf();
  Synchronised kernel(product, "ascend910b3", "cores=1,tile=64x64x64,stage=64");
  waitOf(kernel, aicore::Pipe::cube, aicore::Pipe::fixpipe).erase();
  const std::string shown = textOf(run(kernel, 64).report, kernel.file());
  EXPECT_NE(page.str().find("```\n" + shown + "```\n"), std::string::npos) << shown;
}

TEST(WatchedRun, ReportsForPrograms) {
  Synchronised kernel(product, "ascend910b3", "cores=1,tile=64x64x64,stage=64");
  ASSERT_TRUE(kernel.ready());
  first<aicore::WaitCrossOp>(kernel.kernel(), [](aicore::WaitCrossOp op) {
    return op.getUnit() == aicore::Unit::cube_core && op.getPipe() == aicore::Pipe::mte2;
  }).erase();
  const WatchReport report = run(kernel, 64).report;
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream out(stream, 2);
  out.object([&] { driver::write(out, report, kernel.file()); });
  EXPECT_EQ(text, R"({
  "passed": false,
  "instructions": 12,
  "accesses": 25,
  "flags": 66,
  "hazards": [
    {
      "kind": "race",
      "message": "the fetch (mte2 of vector core 0) may read slot 0 of acc in the block's global memory, bytes 0 to 8191 of gm, before the spill (fixpipe of the cube core) has written it",
      "missing": "no cross-core flag from fixpipe of the cube core to mte2 of vector core 0 stands between the two",
      "phase": 0,
      "block": 0,
      "times": 2,
      "instruction": {
        "op": "fetch",
        "pipe": "mte2",
        "unit": "vector core 0",
        "line": 3,
        "column": 7
      },
      "other": {
        "op": "spill",
        "pipe": "fixpipe",
        "unit": "cube core",
        "line": 3,
        "column": 7
      },
      "place": "slot 0 of acc in the block's global memory",
      "memory": "gm",
      "bytes": [
        0,
        8191
      ]
    },
    {
      "kind": "flag_left_set",
      "message": "cross-core flag 0 is still set when the phase ends",
      "phase": 0,
      "block": 0,
      "times": 1,
      "instruction": {
        "op": "set_cross",
        "pipe": "fixpipe",
        "unit": "cube core",
        "line": 3,
        "column": 7
      }
    }
  ]
})");
  EXPECT_EQ(driver::watchSummary(report),
            "12 instructions, 25 accesses and 66 flags watched: 2 hazards");
}

// A value that is read before it is written is poison, in any order.
TEST(WatchedRun, PoisonsWhatIsNotWritten) {
  Synchronised kernel(product, "ascend910b3", "cores=1");
  ASSERT_TRUE(kernel.ready());
  EXPECT_FALSE(std::isnan(run(kernel, 16).result[0]));
  first<aicore::LoadL0Op>(kernel.kernel(), [](aicore::LoadL0Op) { return true; }).erase();
  const Watched watched = run(kernel, 16);
  EXPECT_EQ(textOf(watched.report, kernel.file()),
            "test.mmk:2:13: error: the mmad (cube) reads slot 0 of a in l0a, bytes 0 to 1951 of "
            "l0a, which nothing has written\n"
            "    2 |   let acc = a @ b;\n"
            "      |             ^~~~~\n"
            "note: in block 0 of phase 0\n");
  EXPECT_TRUE(std::isnan(watched.result[0]));
}

// An access out of bounds is reported, not made.
TEST(WatchedRun, LeavesOutWhatIsOutOfBounds) {
  Synchronised kernel(product, "ascend910b3", "cores=1");
  ASSERT_TRUE(kernel.ready());
  auto store = first<aicore::StoreOp>(kernel.kernel(), [](aicore::StoreOp) { return true; });
  mlir::OpBuilder builder(store);
  mlir::Value far = mlir::arith::ConstantIndexOp::create(builder, store.getLoc(), 1 << 20);
  store.getOffsetsMutable()[0].set(far);
  EXPECT_EQ(textOf(run(kernel, 16).report, kernel.file()),
            "error: the kernel has ended, and nothing has written 256 elements of c, the first "
            "c[0, 0]\n"
            "test.mmk:3:7: error: the store (mte3 of vector core 0) takes elements 1048576 to "
            "1048583 along dimension 0 of c, which has 16\n"
            "    3 |   c = tanh(acc);\n"
            "      |       ^~~~~~~~~\n"
            "note: in block 0 of phase 0, and once more\n");
}

TEST(WatchedRun, NeedsItsWatch) {
  Synchronised kernel(product, "ascend910b3", "cores=1");
  auto watched = llvm::cantFail(Executable::compile(kernel.module(), kernel.machine, {"", true}));
  EXPECT_EQ(llvm::toString(watched->run({{1, 1, 1}, {0, 0}, {nullptr, nullptr}, {nullptr}}, 1)),
            "a watched program runs without a watch");
}

} // namespace
} // namespace mmk
