// `store = overlapped` on a coupled chip, whose one core has cube and vector unit: the epilogue of
// a tile overlaps with the product of the next, so that the cube hardly waits for its accumulator.
// Memory is made so fast here that the cube bounds the kernel; on the real chip MTE2 does. And on a
// split chip, whose cores wait for each other.
#include "count/count.h"
#include "tests/unit/synchronised.h"

namespace mmk {
namespace {

const char *const text =
    "kernel fused(a: f16[M, K], b: f16[K, N], bias: f32[N], alpha: f32 = 0.5) -> c: f32[M, N] {\n"
    "  c = leaky_relu(a @ b + bias, alpha); }";

struct Time {
  int64_t cycles = 0;
  double cube = 0; ///< the share of the time in which it is busy
};

Time timeOf(const std::string &buffers, const std::string &store) {
  Synchronised kernel(text, "ascend310p3",
                      "tile=128x256x64,stage=256,order=swizzle(4)," + buffers + ",store=" + store);
  EXPECT_TRUE(kernel.ready()) << kernel.messages;
  const Machine fast =
      llvm::cantFail(loadMachine("ascend310p3", {{"links.gm_l1.bytes_per_cycle", "*8"},
                                                 {"links.gm_l1.row_cycles", "*0.1"},
                                                 {"l2.bytes_per_cycle", "*8"},
                                                 {"hbm.bytes_per_second", "*64"},
                                                 {"vector.add.per_element", "*0.5"}}));
  const ClockReport report = llvm::cantFail(countKernel(kernel.kernel(), fast, {2048, 2048, 2048}));
  return {report.cycles, report.pipes[static_cast<size_t>(Pipe::cube)].ratio};
}

TEST(Overlap, VectorWorkUnderTheNextProduct) {
  const Time after = timeOf("acc=1,out=2", "after"), single = timeOf("acc=1,out=2", "overlapped"),
             deeper = timeOf("acc=1,out=3", "overlapped"),
             both = timeOf("acc=2,out=2", "overlapped");
  EXPECT_LT(after.cube, 0.85);
  // Half an accumulator at a time; the remaining waits are of the vector unit for MTE3. A third
  // result in UB, or a second accumulator, which fits this chip, removes them.
  EXPECT_LT(single.cycles, 0.92 * after.cycles);
  EXPECT_LT(deeper.cycles, 0.98 * single.cycles);
  EXPECT_LT(both.cycles, 0.98 * single.cycles);
  EXPECT_GT(both.cube, 0.97);
}

// On a split chip whose cores are held by their waits, the cube core waits for what became of the
// tile before the last one, which is done: so it has issued its next loads in time, but for the
// hand-over of its flag where a tile takes no longer to multiply than to leave.
TEST(Overlap, OfCoresThatAreHeld) {
  Synchronised kernel(text, "ascend910b3",
                      "cores=1,tile=128x256x64,stage=256,order=swizzle(4),store=overlapped");
  ASSERT_TRUE(kernel.ready()) << kernel.messages;
  const auto cyclesOf = [&](const char *wait) {
    const Machine machine = llvm::cantFail(loadMachine("ascend910b3", {{"cross_wait", wait}}));
    return llvm::cantFail(countKernel(kernel.kernel(), machine, {1024, 256, 640})).cycles;
  };
  EXPECT_EQ(cyclesOf("pipe"), 90107);
  EXPECT_EQ(cyclesOf("core"), 102290);
}

TEST(Overlap, IsProvenAndWatched) {
  for (const char *variant :
       {"tile=32x48x32,stage=64,acc=1,out=1,ub=1", "tile=32x48x32,stage=64,acc=2,out=2,ub=2",
        "tile=16x32x32,stage=32,acc=3,out=3,ub=1,l1=3,l0=3", "tile=64x256x32,stage=64,acc=2,out=3",
        "tile=32x32x32,stage=64,acc=2,grid.K=2", "tile=32x32x32,stage=64,acc=1,fuse=none"}) {
    SCOPED_TRACE(variant);
    Synchronised kernel(text, "ascend310p3", std::string("cores=2,store=overlapped,") + variant);
    ASSERT_TRUE(kernel.ready()) << kernel.messages;
    EXPECT_TRUE(kernel.isProven()) << kernel.messages;
    for (int64_t rows : {1, 33, 130})
      for (int64_t columns : {1, 31, 49, 300})
        for (int64_t depth : {1, 65, 200})
          EXPECT_EQ(kernel.watched({rows, depth, columns}), "");
  }
}

} // namespace
} // namespace mmk
