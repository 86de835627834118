// Functions of the cube core of dav-3510 (Ascend 950). The meaning of the parameters is that of the
// published documentation of CANN 9.1 (asc-devkit, docs/zh/api: LoadData_2D_V2, LoadData_3D,
// SetLoadDataRepeat, Fill, Fixpipe from L0C to global memory and to UB, DataCopy from UB to L1),
// and of its examples (load_data_2dv2_l12l0, fixpipe_l0c2ub, data_copy_ub2l1).
#include "ascendc/device_function.h"

#include <array>

namespace mmk::ascendc {
namespace {

constexpr std::array functionsOf3510 = {
    DeviceFunction{"LoadClipped", R"(
// The same of a matrix that ends after `inside` of the rows; those behind are zero.
template <typename T>
__aicore__ inline void LoadClipped(const LocalTensor<T> &l1, const GlobalTensor<T> &matrix,
                                   int64_t inside, int64_t rows, int64_t columns, int64_t rowStride,
                                   int64_t l1Rows) {
  const int64_t loaded = GreaterOf(0, LesserOf(rows, inside)), rest = rows - loaded;
  if (loaded > 0) {
    LoadTile(l1, matrix, loaded, columns, rowStride, l1Rows);
  }
  if (rest > 0) {
    const auto zeros = l1[loaded * (32 / sizeof(T))].template ReinterpretCast<int32_t>();
    Fill(zeros, InitConstValueParams<int32_t>(
                    static_cast<uint16_t>(QuotientUp(columns * sizeof(T), 32)),
                    static_cast<uint16_t>(rest), static_cast<uint16_t>(l1Rows - rest), 0));
  }
}
)"},
    DeviceFunction{"LoadFractals", R"(
// L1 -> L0A or L0B: rows x columns elements from (row, column) on, as fractals in columns of `l0Rows`
// rows (NZ). Each may be transposed.
template <bool transpose = false, typename T>
__aicore__ inline void LoadFractals(const LocalTensor<T> &l0, const LocalTensor<T> &l1, int64_t row,
                                    int64_t column, int64_t rows, int64_t columns, int64_t l1Rows,
                                    int64_t l0Rows) {
  constexpr int64_t width = 32 / sizeof(T);
  LoadData2DParamsV2 params;
  params.mStartPosition = 0;
  params.kStartPosition = 0;
  params.mStep = static_cast<uint16_t>(QuotientUp(rows, 16));
  params.kStep = static_cast<uint16_t>(QuotientUp(columns, width));
  params.srcStride = static_cast<int32_t>(l1Rows / 16);
  params.dstStride = static_cast<uint16_t>(QuotientUp(l0Rows, 16));
  params.ifTranspose = transpose;
  params.sid = 0;
  LoadData(l0, l1[column * l1Rows + row * width], params);
}
)"},
    DeviceFunction{"LoadByteSquares", R"(
// L1 -> L0A or L0B: the transpose of rows x columns elements of one byte from (row, column) on, in
// squares of 32 x 32. Of an odd number of fractals the last square has another one behind it, which
// the next rows of squares write over.
template <typename T>
__aicore__ inline void LoadByteSquares(const LocalTensor<T> &l0, const LocalTensor<T> &l1,
                                       int64_t row, int64_t column, int64_t rows, int64_t columns,
                                       int64_t l1Rows, int64_t l0Rows) {
  const int64_t fractals = QuotientUp(l0Rows, 16), depth = QuotientUp(rows, 32),
                atOnce = fractals % 2 == 0 ? depth : 1;
  for (int64_t i = 0; i < depth; i += atOnce) {
    LoadFractals<true>(l0[i * fractals * 512], l1, row + i * 32, column, atOnce * 32, columns,
                       l1Rows, l0Rows);
    if (atOnce < depth) {
      PipeBarrier<PIPE_MTE1>();
    }
  }
}
)"},
    DeviceFunction{"SetTargetRows", R"(
// What LoadData of windows needs: the rows of L0A or L0B.
__aicore__ inline void SetTargetRows(int64_t l0Rows) {
  LoadDataRepeatParam params;
  params.repeatStride = 0;
  params.repeatTime = 1;
  params.repeatMode = 0;
  params.dstStride = static_cast<uint16_t>(QuotientUp(l0Rows, 16));
  SetLoadDataRepeat(params);
}
)"},
    DeviceFunction{"LoadSquares", R"(
// L1 -> L0A or L0B: the transpose of rows x columns elements of four bytes from (row, column) on, as
// windows of one pixel of an image with one column. The depth in L0 is a multiple of 16.
template <typename T>
__aicore__ inline void LoadSquares(const LocalTensor<T> &l0, const LocalTensor<T> &l1, int64_t row,
                                   int64_t column, int64_t rows, int64_t columns, int64_t l1Rows,
                                   int64_t l1Columns, int64_t l0Rows) {
  LoadData3DParamsV2<T> params;
  params.l1H = static_cast<uint16_t>(l1Rows);
  params.l1W = 1;
  params.channelSize = static_cast<uint16_t>(l1Columns);
  params.mStartPt = static_cast<uint16_t>(row);
  params.kStartPt = static_cast<uint16_t>(column);
  params.mExtension = static_cast<uint16_t>(QuotientUp(rows, 16) * 16);
  params.kExtension = static_cast<uint16_t>(QuotientUp(columns, 16) * 16);
  params.enTranspose = true; // of L0B without effect: it is always transposed
  SetTargetRows(l0Rows);
  LoadData(l0, l1, params);
}
)"},
    DeviceFunction{"LoadWindows", R"(
// L1 -> L0A: windows of an image of lines x width pixels, blocks of channels behind each other. Of the
// result, whose lines have `outWidth` pixels: pixels x depth elements from (first, from) on, of one
// block. `top` lines in front of the first tap are skipped as taps that are not loaded; less than 0:
// padding.
template <int strideH, int strideW, int dilationH, int dilationW, int left, typename T>
__aicore__ inline void LoadWindows(const LocalTensor<T> &l0, const LocalTensor<T> &l1,
                                   int64_t lines, int64_t width, int64_t tapRows,
                                   int64_t tapColumns, int64_t top, int64_t outWidth, int64_t first,
                                   int64_t from, int64_t pixels, int64_t depth,
                                   int64_t l1Channels, int64_t l0Rows) {
  LoadData3DParamsV2<T> params;
  // Windows in the padding alone are behind an image of one line, which they do not reach.
  const bool isPadding = lines == 0;
  params.l1H = static_cast<uint16_t>(isPadding ? 1 : lines);
  params.l1W = static_cast<uint16_t>(width);
  params.channelSize = static_cast<uint16_t>(l1Channels);
  params.padList[0] = left;
  // Lines of the result are as long as they are.
  params.padList[1] = static_cast<uint8_t>(
      GreaterOf(0, (outWidth - 1) * strideW + (tapColumns - 1) * dilationW + 1 - width - left));
  params.padList[2] = static_cast<uint8_t>(isPadding ? 0 : GreaterOf(0, -top));
  params.padList[3] = 255; // lines behind those that are loaded are not read
  params.mStartPt = static_cast<uint16_t>(isPadding ? first + outWidth : first);
  const int64_t skipped = GreaterOf(0, top), ofLine = tapColumns * (32 / sizeof(T));
  params.kStartPt = static_cast<uint16_t>(
      from + (from / (tapRows * ofLine) + 1) * skipped * ofLine);
  params.mExtension = static_cast<uint16_t>(QuotientUp(pixels, 16) * 16);
  params.kExtension = static_cast<uint16_t>(depth);
  params.strideH = strideH;
  params.strideW = strideW;
  params.filterH = static_cast<uint8_t>(tapRows + skipped);
  params.filterW = static_cast<uint8_t>(tapColumns);
  params.dilationFilterH = dilationH;
  params.dilationFilterW = dilationW;
  SetTargetRows(l0Rows);
  LoadData(l0, l1, params);
}
)"},
    DeviceFunction{"SumsOf", R"(
// Rows x columns sums of L0C as rows of a matrix. `l0cRows`: from a column of fractals to the next.
__aicore__ inline FixpipeParamsArch3510<CO2Layout::ROW_MAJOR>
SumsOf(int64_t rows, int64_t columns, int64_t rowStride, int64_t l0cRows, QuantMode_t rounding) {
  FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> params;
  params.nSize = static_cast<uint16_t>(columns);
  params.mSize = static_cast<uint16_t>(rows);
  params.srcStride = static_cast<uint16_t>(l0cRows);
  params.dstStride = static_cast<uint32_t>(rowStride);
  params.quantPre = rounding;
  params.params.ndNum = 1;
  params.params.srcNdStride = 0;
  params.params.dstNdStride = 0;
  return params;
}
)"},
    DeviceFunction{"StoreTile", R"(
// L0C -> global memory: rows x columns sums, at least 0 with `relu`, rounded to the type of the matrix.
// `l0cRows`: from a column of fractals to the next, where these are not those of the tile.
template <QuantMode_t rounding, bool relu = false, typename T, typename S>
__aicore__ inline void StoreTile(const GlobalTensor<T> &matrix, const LocalTensor<S> &l0c,
                                 int64_t rows, int64_t columns, int64_t rowStride,
                                 int64_t l0cRows = 0) {
  auto params = SumsOf(rows, columns, rowStride,
                       l0cRows > 0 ? l0cRows : QuotientUp(rows, 16) * 16, rounding);
  params.reluEn = relu;
  Fixpipe<T, S, CFG_ROW_MAJOR>(matrix, l0c, params);
}
)"},
    DeviceFunction{"StoreLeakyRelu", R"(
// StoreTile to half, with leaky ReLU on the way: by the C interface, as Fixpipe takes no slope. Its
// documentation names the mode (2: one slope); no run of it on a chip is published. Check it there.
template <typename S>
__aicore__ inline void StoreLeakyRelu(const GlobalTensor<half> &matrix, const LocalTensor<S> &l0c,
                                      float slope, int64_t rows, int64_t columns,
                                      int64_t rowStride, int64_t l0cRows = 0) {
  asc_set_l0c2gm_nz2nd(1, 0, 0);
  asc_set_l0c2gm_lrelu_alpha(slope);
  asc_copy_l0c2gm((__gm__ half *)matrix.GetPhyAddr(), (__cc__ S *)l0c.GetPhyAddr(),
                  static_cast<uint16_t>(columns), static_cast<uint16_t>(rows),
                  static_cast<uint32_t>(rowStride),
                  static_cast<uint16_t>(l0cRows > 0 ? l0cRows : QuotientUp(rows, 16) * 16), 0, 0, 0,
                  static_cast<uint64_t>(QuantMode_t::F322F16), 2, false, true, 0, 0, false, 0,
                  false, false, false, false);
}
)"},
    DeviceFunction{"DrainRows", R"(
// L0C -> UB of both vector cores: of rows x columns sums from a row on the upper half, rounded up, to
// the first one, the rest to the other. Whole fractals of columns leave, and an even number of rows.
constexpr FixpipeConfig rowsIntoUb = {CO2Layout::ROW_MAJOR, true};
template <typename S>
__aicore__ inline void DrainRows(const LocalTensor<S> &ub, const LocalTensor<S> &l0c, int64_t row,
                                 int64_t rows, int64_t columns, int64_t ubColumns,
                                 int64_t l0cRows) {
  auto params = SumsOf(QuotientUp(rows, 2) * 2, QuotientUp(columns, 16) * 16, ubColumns,
                       QuotientUp(l0cRows, 16) * 16, QuantMode_t::NoQuant);
  params.dualDstCtl = 1;
  Fixpipe<S, S, rowsIntoUb>(ub, l0c[row * 16], params);
}
)"},
    DeviceFunction{"FillTile", R"(
// UB -> L1: rows x columns elements from rows of `ubColumns` elements, as fractals in columns of
// `l1Rows` rows, from a row on.
template <typename T>
__aicore__ inline void FillTile(const LocalTensor<T> &l1, const LocalTensor<T> &ub, int64_t row,
                                int64_t rows, int64_t columns, int64_t ubColumns, int64_t l1Rows) {
  constexpr int64_t width = 32 / sizeof(T);
  if (rows <= 0) {
    return;
  }
  const DataCopyParams params(static_cast<uint16_t>(rows), 1,
                              static_cast<uint16_t>(ubColumns / width - 1), 0);
  for (int64_t column = 0; column < columns; column += width) {
    DataCopy(l1[column * l1Rows + row * width], ub[column], params);
  }
}
)"},
};

} // namespace

std::span<const DeviceFunction> cubeFunctions3510() { return functionsOf3510; }

} // namespace mmk::ascendc
