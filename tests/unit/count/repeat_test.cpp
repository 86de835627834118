// Counting times repeated iterations only once. The events of a kernel come from timing every
// iteration, so both must agree, to the cycle, for every variant and shape.
#include "compiler/pipeline.h"
#include "count/count.h"
#include "lower/lower.h"
#include "tests/unit/checked.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

/// The sums over the events of all blocks.
struct Sum : EventSink {
  bool accepts(int64_t) override { return true; }
  void see(const Event &event) override {
    end = std::max(end, event.end);
    busy[event.unit > 0][static_cast<size_t>(event.pipe)] += event.end - event.start;
  }
  int64_t end = 0;
  PipeCycles busy[2] = {{}, {}};
};

struct Variant {
  const char *file, *machine;
  Choices choices;
};

void PrintTo(const Variant &variant, std::ostream *out) {
  *out << variant.file << " on " << variant.machine;
  for (const auto &[name, value] : variant.choices)
    *out << ", " << name << "=" << value;
}

std::string textOf(const std::string &file) {
  const std::string path = MMK_SOURCE_DIR "/examples/" + file + ".mmk";
  return llvm::cantFail(llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path)))
      ->getBuffer()
      .str();
}

/// A module of one variant.
class Counted {
public:
  explicit Counted(const Variant &variant)
      : machine(llvm::cantFail(loadMachine(variant.machine))), checked_(textOf(variant.file)),
        context_(registry(), mlir::MLIRContext::Threading::DISABLED) {
    EXPECT_TRUE(checked_.isSound()) << checked_.messages();
    module_ = lowerToIr(checked_.kernel(), machine.name, context_);
    PipelineOptions options;
    options.choices = variant.choices;
    EXPECT_TRUE(succeeded(runPipeline(*module_, machine, LoweringLevel::aicore, options)));
  }

  ClockReport count(llvm::ArrayRef<int64_t> dims, EventSink *events = nullptr) {
    auto report = countKernel(*module_->getOps<aicore::KernelOp>().begin(), machine, dims, events);
    EXPECT_TRUE(static_cast<bool>(report)) << llvm::toString(report.takeError());
    return report ? *report : ClockReport();
  }

  Machine machine;

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry made;
    registerDialectExtensions(made);
    return made;
  }
  Checked checked_;
  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

class Repetition : public testing::TestWithParam<Variant> {};

TEST_P(Repetition, ChangesNoCycle) {
  Counted counted(GetParam());
  const std::vector<int64_t> shapes[] = {{64, 64, 64},       {1, 300, 640},    {128, 4096, 256},
                                         {2048, 2048, 2048}, {1000, 301, 513}, {1023, 2000, 2049},
                                         {300, 5000, 1025},  {4096, 512, 999}, {2500, 1111, 3333}};
  for (const std::vector<int64_t> &shape : shapes) {
    Sum events;
    const ClockReport report = counted.count(shape, &events);
    const std::string at =
        std::to_string(shape[0]) + " " + std::to_string(shape[1]) + " " + std::to_string(shape[2]);
    EXPECT_EQ(report.cycles, events.end + report.taskCycles) << at;
    const int64_t vectorCores =
        counted.machine.topology == Topology::split ? counted.machine.vectorCoresPerCube : 0;
    for (size_t pipe = 0; pipe < allPipes.size(); ++pipe) {
      auto mean = [&](int64_t sum, int64_t n) { return n ? (2 * sum + n) / (2 * n) : 0; };
      EXPECT_EQ(report.cubeUnit[pipe].busyCycles, mean(events.busy[0][pipe], report.cores)) << at;
      EXPECT_EQ(report.vectorUnits[pipe].busyCycles,
                mean(events.busy[1][pipe], report.cores * vectorCores))
          << at;
    }
  }
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  const Choices choices[] = {
      {},
      {{"buffers.l1", "1"}, {"buffers.l0", "1"}},
      {{"buffers.out", "1"}, {"order", "zigzag"}},
      {{"tile.M", "64"}, {"tile.N", "64"}, {"buffers.acc", "2"}, {"order", "swizzle(4)"}},
      {{"tile.N", "128"}, {"tile.K", "32"}, {"stage.K", "128"}, {"order", "columns"}},
      {{"fuse", "none"}},
      {{"cores", "1"}},
      {{"cores", "4"}, {"tile.N", "128"}, {"tile.K", "128"}, {"stage.K", "128"}},
      {{"stage.K", "512"}, {"buffers.l1", "1"}, {"fuse", "none"}, {"order", "swizzle(4)"}},
  };
  for (const char *machine : {"ascend910b3", "ascend310p3"})
    for (const Choices &choice : choices)
      all.push_back({"matmul_bias_leakyrelu", machine, choice});
  all.push_back({"matmul_half", "ascend910b1", {}});
  all.push_back({"matmul_half", "ascend910b3", {{"order", "rows"}, {"stage.K", "64"}}});
  all.push_back({"matmul_half", "ascend910b3", {{"grid.M", "1"}, {"grid.N", "3"}}});
  all.push_back({"matmul_int8_dequant", "ascend910b3", {}});
  all.push_back({"matmul_bias_residual", "ascend910b3", {}});
  all.push_back({"matmul_bias_gelu", "ascend310p3", {}});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Variants, Repetition, testing::ValuesIn(variants()));

// Too many tiles and stages to interpret each: their time grows as it should. No panel is found in
// L2.
TEST(LargeShapes, AreCountedByWhatRepeats) {
  Counted counted({"matmul_half", "ascend910b3", {}});
  const int64_t once = counted.count({32768, 131072, 32768}).cycles;
  const int64_t deeper = counted.count({32768, 524288, 32768}).cycles;
  EXPECT_NEAR(static_cast<double>(deeper) / once, 4, 0.05);
  const int64_t larger = counted.count({98304, 131072, 98304}).cycles;
  EXPECT_NEAR(static_cast<double>(larger) / once, 9, 0.2);
}

} // namespace
} // namespace mmk
