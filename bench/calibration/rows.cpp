#include "bench/calibration/rows.h"

namespace mmk::calibration {
namespace {

constexpr int64_t cube = 8192;
// 302 MB of f16 as 18432 rows of 8192.
constexpr int64_t height = 18432, width = 8192;

Row matmul(std::string name, Choices choices, double task, double cubeTime, double mte1,
           double mte2, double fixpipe, std::string reading = "") {
  return {
      std::move(name),
      "matmul.mmk",
      std::move(choices),
      {cube, cube, cube},
      task,
      {{Pipe::cube, cubeTime}, {Pipe::mte1, mte1}, {Pipe::mte2, mte2}, {Pipe::fixpipe, fixpipe}},
      std::move(reading)};
}

/// `gap`: elements between the rows of the matrix.
Row transfer(std::string name, std::string file, int64_t rows, int64_t columns, double mte2,
             int64_t gap = 0, int64_t sweeps = 1, int64_t times = 1, std::string reading = "") {
  return {std::move(name),
          std::move(file),
          {},
          {height, width + gap, rows, columns, sweeps, times},
          std::nullopt,
          {{Pipe::mte2, mte2}},
          std::move(reading)};
}

Choices with(Choices choices, const Choices &more) {
  choices.insert(choices.end(), more.begin(), more.end());
  return choices;
}

std::vector<Row> makeRows() {
  const Choices oneCore = {{"cores", "1"}};
  const Choices grid = {{"grid.M", "4"}, {"grid.N", "6"}};
  const Choices staged = with(grid, {{"stage.K", "256"}, {"buffers.l1", "2"}});
  const std::string unchanged = "as the row before; ";
  return {
      matmul("1 core, base 64,64,64", with(oneCore, {{"tile.M", "64"}, {"tile.N", "64"}}), 759364,
             141699, 162104, 582516, 34303),
      matmul("1 core, base 128,256,64", oneCore, 249467, 81477, 52004, 195613, 11314),
      matmul("24 cores, grid 2x12", {{"grid.M", "2"}, {"grid.N", "12"}}, 12541, 3463, 2261, 10178,
             875),
      matmul("24 cores, grid 4x6", grid, 12284, 3395, 2167, 8617, 489),
      matmul("+ stages of 4 base tiles", staged, 5040, 3116, 2333, 4051, 45,
             "two stages of K=256 in L1: with one, MTE2 and MTE1 would not overlap, and the task "
             "not be shorter than the 6384 of both"),
      matmul("+ stages of 8, doubled", staged, 4157, 3352, 2750, 3779, 48,
             unchanged + "8 base tiles of each operand in L1 are two stages of 4 (384 KiB); two "
                         "stages of 8 would be 768 KiB"),
      matmul("+ order blocked for L2", with(staged, {{"order", "swizzle(4)"}}), 4088, 3254, 2681,
             3625, 47),
      matmul("+ L0C stored during the last product",
             with(staged, {{"order", "swizzle(4)"}, {"store", "overlapped"}}), 4012, 3076, 2534,
             3436, 273),
      {"simulator: 128x128x2048, nothing doubled",
       "fused.mmk",
       {},
       {128, 2048, 128},
       25692 / 1850.0,
       {},
       "the depth of its base tile is not published: 128, in stages of 512"},
      transfer("GM -> UB, tiles of 128 B", "gm_to_ub.mlir", 1, 64, 548),
      transfer("GM -> UB, 64x64 f16", "gm_to_ub.mlir", 64, 64, 221),
      transfer("GM -> UB, 64x1024 f16", "gm_to_ub.mlir", 64, 1024, 203),
      transfer("GM -> L1, ND to NZ, 64x64", "gm_to_l1.mlir", 64, 64, 284),
      transfer("GM -> L1, ND to NZ, 64x256", "gm_to_l1.mlir", 64, 256, 215),
      transfer("GM -> L1, ND to NZ, unaligned", "gm_to_l1.mlir", 64, 64, 423, 8, 1, 1,
               "64x64, of a matrix whose rows are 16 B longer"),
      transfer("GM -> L1, read four times, whole", "gm_to_l1.mlir", 64, 256, 899, 0, 4),
      transfer("GM -> L1, read four times, by tiles", "gm_to_l1.mlir", 64, 256, 415, 0, 1, 4,
               "each tile four times in a row"),
  };
}

} // namespace

const std::vector<Row> &rows() {
  static const std::vector<Row> all = makeRows();
  return all;
}

} // namespace mmk::calibration
