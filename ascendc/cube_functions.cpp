// Functions of the cube core of all chips. The meaning of the parameters is that of the published
// documentation of CANN 9 (asc-devkit, docs: LoadData with LoadData3DParamsV2, Fill, Fixpipe).
#include "ascendc/device_function.h"

#include <array>

namespace mmk::ascendc {
namespace {

constexpr std::array functionsOfCubes = {
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
    FillZeros(zeros, InitConstValueParams<int32_t>(QuotientUp(columns * sizeof(T), 32), rest,
                                                   l1Rows - rest, 0));
  }
}
)"},
    DeviceFunction{"LoadSquares", R"(
// L1 -> L0A or L0B: the transpose of rows x columns elements of four bytes from (row, column) on, as
// windows of one pixel of an image with one column. The depth in L0 is a multiple of 16. `l0Rows`: of dav-3510,
// see LoadImage.
template <typename T, typename... Rows>
__aicore__ inline void LoadSquares(const LocalTensor<T> &l0, const LocalTensor<T> &l1, int64_t row,
                                   int64_t column, int64_t rows, int64_t columns, int64_t l1Rows,
                                   int64_t l1Columns, Rows... l0Rows) {
  LoadData3DParamsV2<T> params;
  params.l1H = l1Rows;
  params.l1W = 1;
  params.channelSize = l1Columns;
  params.mStartPt = row;
  params.kStartPt = column;
  params.mExtension = QuotientUp(rows, 16) * 16;
  params.kExtension = QuotientUp(columns, 16) * 16;
  params.enTranspose = true; // of L0B without effect: it is always transposed
  LoadImage(l0, l1, params, l0Rows...);
}
)"},
    DeviceFunction{"LoadWindows", R"(
// L1 -> L0A: windows of an image of lines x width pixels, blocks of channels behind each other. Of the
// result, whose lines have `outWidth` pixels: pixels x depth elements from (first, from) on, of one
// block. `top` lines in front of the first tap are skipped as taps that are not loaded; less than 0:
// padding.
template <int strideH, int strideW, int dilationH, int dilationW, int left, typename T,
          typename... Rows>
__aicore__ inline void LoadWindows(const LocalTensor<T> &l0, const LocalTensor<T> &l1,
                                   int64_t lines, int64_t width, int64_t tapRows,
                                   int64_t tapColumns, int64_t top, int64_t outWidth, int64_t first,
                                   int64_t from, int64_t pixels, int64_t depth,
                                   int64_t l1Channels, Rows... l0Rows) {
  LoadData3DParamsV2<T> params;
  // Windows in the padding alone are behind an image of one line, which they do not reach.
  const bool isPadding = lines == 0;
  params.l1H = isPadding ? 1 : lines;
  params.l1W = width;
  params.channelSize = l1Channels;
  params.padList[0] = left;
  // Lines of the result are as long as they are.
  params.padList[1] =
      GreaterOf(0, (outWidth - 1) * strideW + (tapColumns - 1) * dilationW + 1 - width - left);
  params.padList[2] = isPadding ? 0 : GreaterOf(0, -top);
  params.padList[3] = 255; // lines behind those that are loaded are not read
  params.mStartPt = isPadding ? first + outWidth : first;
  const int64_t skipped = GreaterOf(0, top), ofLine = tapColumns * (32 / sizeof(T));
  params.kStartPt = from + (from / (tapRows * ofLine) + 1) * skipped * ofLine;
  params.mExtension = QuotientUp(pixels, 16) * 16;
  params.kExtension = depth;
  params.strideH = strideH;
  params.strideW = strideW;
  params.filterH = tapRows + skipped;
  params.filterW = tapColumns;
  params.dilationFilterH = dilationH;
  params.dilationFilterW = dilationW;
  LoadImage(l0, l1, params, l0Rows...);
}
)"},
    DeviceFunction{"StoreTile", R"(
// L0C -> global memory: rows x columns sums, at least 0 with `relu`, rounded to the type of the matrix.
// `l0cRows`: from a column of fractals to the next, where these are not those of the tile.
template <QuantMode_t rounding, bool relu = false, typename T, typename S>
__aicore__ inline void StoreTile(const GlobalTensor<T> &matrix, const LocalTensor<S> &l0c,
                                 int64_t rows, int64_t columns, int64_t rowStride,
                                 int64_t l0cRows = 0) {
  RowParams params = SumsOf(rows, columns, rowStride,
                            l0cRows > 0 ? l0cRows : QuotientUp(rows, 16) * 16, rounding);
  params.reluEn = relu;
  Fixpipe<T, S, CFG_ROW_MAJOR>(matrix, l0c, params);
}
)"},
};

} // namespace

std::span<const DeviceFunction> cubeFunctions() { return functionsOfCubes; }

} // namespace mmk::ascendc
