#include "bench/calibration/rows.h"

#include <fmt/format.h>

namespace mmk::calibration {
namespace {

constexpr int64_t cube = 8192;
// 302 MB of f16 as 18432 rows of 8192.
constexpr int64_t height = 18432, width = 8192;
constexpr const char *b2 = "ascend910b2";

Row matmul(std::string name, Choices choices, double task, double cubeTime, double mte1,
           double mte2, double fixpipe, std::string reading = "") {
  return {.name = std::move(name),
          .file = "matmul.mmk",
          .choices = std::move(choices),
          .dims = {cube, cube, cube},
          .task = task,
          .pipes = {{Pipe::cube, cubeTime},
                    {Pipe::mte1, mte1},
                    {Pipe::mte2, mte2},
                    {Pipe::fixpipe, fixpipe}},
          .reading = std::move(reading)};
}

/// `gap`: elements between the rows of the matrix.
Row transfer(std::string name, std::string file, int64_t rows, int64_t columns, double mte2,
             int64_t gap = 0, int64_t sweeps = 1, int64_t times = 1, std::string reading = "") {
  return {.name = std::move(name),
          .kind = Kind::transfer,
          .file = std::move(file),
          .dims = {height, width + gap, rows, columns, sweeps, times},
          .pipes = {{Pipe::mte2, mte2}},
          .reading = std::move(reading)};
}

Choices with(Choices choices, const Choices &more) {
  choices.insert(choices.end(), more.begin(), more.end());
  return choices;
}

const Choices oneCore = {{"cores", "1"}};
const Choices staged = {{"stage.K", "256"}, {"buffers.l1", "2"}};
const Choices blocked = with(staged, {{"order", "swizzle(4)"}, {"store", "overlapped"}});

/// The steps of the published improvement of one product, with their tilings.
std::vector<Row> improvement() {
  const Choices grid = {{"grid.M", "4"}, {"grid.N", "6"}};
  const Choices gridStaged = with(grid, staged);
  return {
      matmul("1 core, base 64,64,64", with(oneCore, {{"tile.M", "64"}, {"tile.N", "64"}}), 759364,
             141699, 162104, 582516, 34303),
      matmul("1 core, base 128,256,64", oneCore, 249467, 81477, 52004, 195613, 11314),
      matmul("24 cores, grid 2x12", {{"grid.M", "2"}, {"grid.N", "12"}}, 12541, 3463, 2261, 10178,
             875),
      matmul("24 cores, grid 4x6", grid, 12284, 3395, 2167, 8617, 489),
      matmul("+ stages of 4 base tiles", gridStaged, 5040, 3116, 2333, 4051, 45,
             "two stages of K=256 in L1: with one, MTE2 and MTE1 would not overlap, and the task "
             "not be shorter than the 6384 of both"),
      matmul("+ stages of 8, doubled", gridStaged, 4157, 3352, 2750, 3779, 48,
             "as the row before; 8 base tiles of each operand in L1 are two stages of 4 (384 "
             "KiB); two stages of 8 would be 768 KiB"),
      matmul("+ order blocked for L2", with(gridStaged, {{"order", "swizzle(2)"}}), 4088, 3254,
             2681, 3625, 47),
      matmul("+ L0C stored during the last product", with(grid, blocked), 4012, 3076, 2534, 3436,
             273),
  };
}

/// A product of f16 (M, K, N) with the base tile and the stages of the improvement above.
Row product(std::string name, Kind kind, std::vector<int64_t> dims, double task,
            std::string reading) {
  return {.name = std::move(name),
          .kind = kind,
          .machine = b2,
          .file = "matmul_rows.mmk",
          .choices = blocked,
          .dims = std::move(dims),
          .task = task,
          .reading = std::move(reading)};
}

/// The basic kernel of catlass, whose tiling and order are public.
Row catlass(std::vector<int64_t> dims, double task) {
  Row row = product("", Kind::product, std::move(dims), task,
                    "its basic kernel: base 128,256,64, stages of 256, doubled, bands of 3 rows; "
                    "here the first stage of a tile is loaded during the tile before");
  row.name = fmt::format("catlass, {}x{}x{}", row.dims[0], row.dims[1], row.dims[2]);
  row.choices = with(staged, {{"order", "swizzle(3)"}, {"store", "overlapped"}});
  return row;
}

/// A product of the guide whose rows of B begin at odd addresses.
Row unalignedRows() {
  Row row = product("guide, 1024x4095x1024", Kind::product, {1024, 1024, 4095}, 149.8,
                    "base 128,256,64, in stages of one base tile, doubled, by rows");
  row.machine = "ascend910b1";
  row.choices = with(blocked, {{"stage.K", "64"}, {"order", "rows"}});
  return row;
}

Row quantised(std::string name, Kind kind, std::string machine, std::vector<int64_t> dims,
              double task, std::string reading) {
  return {.name = std::move(name),
          .kind = kind,
          .machine = std::move(machine),
          .file = "matmul_int8.mmk",
          .choices = {{"order", "swizzle(4)"}, {"store", "overlapped"}},
          .dims = std::move(dims),
          .task = task,
          .reading = std::move(reading) + "; the library scales in the fixpipe, without vector "
                                          "cores",
          .usesCubesAlone = true};
}

/// A quantised product that the vector cores scale by columns and rows: examples 12 and 44 of
/// catlass, whose tiling is public. The second keeps a panel of A in L1.
Row dequantised(bool keepsA, std::vector<int64_t> dims, double task) {
  Row row{.name = fmt::format("catlass {}, {}x{}x{}", keepsA ? 44 : 12, dims[0], dims[2], dims[1]),
          .kind = Kind::mixed,
          .file = "matmul_dequant.mmk",
          .dims = std::move(dims),
          .task = task};
  // A line of tiles, of one panel, is divided between the cores that the lines leave.
  const int64_t lines = row.dims[0] / 128;
  row.choices = keepsA ? Choices{{"order", "rows"},
                                 {"keep", fmt::format("A({})", row.dims[1])},
                                 {"stage.K", row.dims[1] > 1024 ? "256" : "512"},
                                 {"grid.M", std::to_string(lines)},
                                 {"grid.N", std::to_string(24 / lines)}}
                       : Choices{{"order", "swizzle(3)"}};
  return row;
}

std::vector<Row> mixed() {
  return {
      dequantised(false, {512, 1024, 4096}, 33.26),  dequantised(true, {512, 1024, 4096}, 31.73),
      dequantised(false, {128, 1024, 16384}, 38.68), dequantised(true, {128, 1024, 16384}, 37.05),
      dequantised(false, {1024, 1024, 4096}, 42.66), dequantised(true, {1024, 1024, 4096}, 41.96),
      dequantised(false, {512, 1024, 8192}, 52.36),  dequantised(true, {512, 1024, 8192}, 44.05),
      dequantised(false, {128, 2048, 16384}, 53.77), dequantised(true, {128, 2048, 16384}, 52.75),
  };
}

std::vector<Row> products() {
  const std::string library = "the library's tiling is not published: base 128,256,64, stages of "
                              "256, doubled, blocked for L2";
  const std::string int8 = "the same in bytes: base 128,256,128, stages of 512";
  return {
      product("8192x8192x8192", Kind::product, {8192, 8192, 8192}, 4038.4, library),
      product("2048x2048x2048", Kind::product, {2048, 2048, 2048}, 80.77, library),
      product("2048x4096x2048", Kind::product, {2048, 4096, 2048}, 156.5, library),
      product("2048x7168x2048", Kind::product, {2048, 7168, 2048}, 269.05, library),
      product("512x4096x4096", Kind::product, {512, 4096, 4096}, 95.29, library),
      product("1x8192x4096", Kind::product, {1, 8192, 4096}, 56.59, library),
      product("1x4096x14336", Kind::product, {1, 4096, 14336}, 116.02, library),
      unalignedRows(),
      catlass({2048, 4000, 4096}, 445),
      catlass({4096, 8000, 4096}, 1231),
      catlass({4096, 40000, 4096}, 7775),
      product("pypto, 6144x6144x6144", Kind::product, {6144, 6144, 6144}, 1599.5,
              "290 TFLOP/s; its tiling as the library's"),
      quantised("i8, 1024x3584x3584", Kind::product, b2, {1024, 3584, 3584}, 71.28, int8),
      quantised("i8, 1024x4096x4096", Kind::product, b2, {1024, 4096, 4096}, 95.06, int8),
      quantised("i8, 4096x4096x4096", Kind::product, b2, {4096, 4096, 4096}, 287.17, int8),
      product("1024x1024x1024", Kind::smallProduct, {1024, 1024, 1024}, 15.65, library),
      product("1009x1024x1024", Kind::smallProduct, {1009, 1024, 1024}, 18.43, library),
      product("64x64x64", Kind::smallProduct, {64, 64, 64}, 1.91, library),
      product("1x4096x4096", Kind::smallProduct, {1, 4096, 4096}, 29.93, library),
      product("1x3584x4608", Kind::smallProduct, {1, 3584, 4608}, 31.11, library),
      {.name = "simulator: 128x128x2048, nothing doubled",
       .kind = Kind::smallProduct,
       .file = "fused.mmk",
       .choices = {{"cores", "1"}},
       .dims = {128, 2048, 128},
       .task = 25692 / 1850.0,
       .reading = "cycles of a tile, of which there are more: those of two tiles without those of "
                  "one; the depth of the base tile is not published: 128, in stages of 512; a "
                  "simulated core finds all data in L2",
       .isSimulated = true},
  };
}

std::vector<Row> transfers() {
  return {
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

Row elementwise(std::string kernel, std::string type, int64_t rows, int64_t columns, double task,
                std::string reading = "") {
  return {.name = kernel + " " + type + " " + std::to_string(rows) + "x" + std::to_string(columns),
          .kind = Kind::elementwise,
          .machine = b2,
          .file = "elementwise.mmk",
          .kernel = kernel,
          .choices = {{"tile.N", "512"}}, // steps of rows; as one dimension, few cores have steps
          .type = type,
          .dims = {rows, columns},
          .task = task,
          .reading = std::move(reading)};
}

std::vector<Row> elementwiseRows() {
  const std::string form = "the library's gelu is taken to be the form with tanh";
  return {
      elementwise("maximum", "f16", 1024, 1024, 5.76),
      elementwise("maximum", "f32", 2048, 2048, 30.22),
      elementwise("maximum", "i32", 8192, 8192, 641.75),
      elementwise("rectify", "f32", 16, 16384, 2.94),
      elementwise("bent", "f32", 16, 16384, 3.64, form),
      elementwise("bent", "f16", 1024, 1024, 6.78, form),
      elementwise("bent", "f32", 2048, 2048, 17.3, form),
      elementwise("bent", "bf16", 4096, 4096, 62.32, form),
      elementwise("bent", "f16", 8192, 8192, 232.59),
      elementwise("sigmoid", "f32", 8192, 8192, 360),
      elementwise("swiglu", "f16", 8192, 8192, 288.77),
  };
}

std::vector<Row> makeRows() {
  std::vector<Row> all;
  for (auto part : {improvement, products, mixed, transfers, elementwiseRows})
    for (Row &row : part())
      all.push_back(std::move(row));
  return all;
}

} // namespace

std::string_view nameOf(Kind kind) {
  switch (kind) {
  case Kind::product:
    return "products of 40 us and more";
  case Kind::smallProduct:
    return "products below 40 us";
  case Kind::mixed:
    return "mixed tasks";
  case Kind::transfer:
    return "transfers";
  case Kind::elementwise:
    return "elementwise";
  }
  return "";
}

const std::vector<Row> &rows() {
  static const std::vector<Row> all = makeRows();
  return all;
}

} // namespace mmk::calibration
