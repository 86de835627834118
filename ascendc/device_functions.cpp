// The meaning of the parameters is that of the published documentation of CANN 9 (asc-devkit, docs:
// DataCopy with Nd2NzParams, LoadData with LoadData2DParams and LoadData3DParamsV2,
// LoadDataWithTranspose, Mmad, Fixpipe), and of its examples: which instruction transposes operands
// of which type (mmad_s8_f16_f32_with_A_B_transpose_option), and the bias table (mmad_with_bias).
#include "ascendc/device_functions.h"

#include "ascendc/device_function.h"
#include "ascendc/vector_room.h"

#include <array>
#include <fmt/format.h>

namespace mmk::ascendc {
namespace {

// Each behind those that it calls.
constexpr std::array functions = {
    DeviceFunction{"LesserOf", R"(
__aicore__ inline int64_t LesserOf(int64_t a, int64_t b) { return a < b ? a : b; }
)"},
    DeviceFunction{"GreaterOf", R"(
__aicore__ inline int64_t GreaterOf(int64_t a, int64_t b) { return a > b ? a : b; }
)"},
    DeviceFunction{"GreaterNumber", R"(
// NaN if either is; 0 is beyond -0.
__aicore__ inline float GreaterNumber(float a, float b) {
  return a == 0 && b == 0 ? a + b : a > b || a != a ? a : b;
}
)"},
    DeviceFunction{"LesserNumber", R"(
__aicore__ inline float LesserNumber(float a, float b) { return -GreaterNumber(-a, -b); }
)"},
    DeviceFunction{"QuotientUp", R"(
// Of a number that is not negative.
__aicore__ inline int64_t QuotientUp(int64_t a, int64_t b) { return (a + b - 1) / b; }
)"},
    DeviceFunction{"FloorQuotient", R"(
// Rounded down, also of a number that is negative.
__aicore__ inline int64_t FloorQuotient(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}
)"},
    DeviceFunction{"Buffer", R"(
// Copies of a buffer, one behind the other from the byte `start` of its memory on.
template <typename T, TPosition position, uint32_t start, uint32_t bytes>
struct Buffer {
  __aicore__ static inline LocalTensor<T> Copy(int64_t slot, int64_t byte = 0) {
    return LocalTensor<T>(position, static_cast<uint32_t>(start + slot * bytes + byte),
                          static_cast<uint32_t>((bytes - byte) / sizeof(T)));
  }
};
)"},
    DeviceFunction{"TensorAt", R"(
// The tensor at an address in global memory.
template <typename T> __aicore__ inline GlobalTensor<T> TensorAt(__gm__ uint8_t *address) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(address));
  return tensor;
}
)"},
    DeviceFunction{"LoadTile", R"(
// Global memory -> L1: rows x columns elements of a matrix, `rowStride` elements from row to row,
// as fractals of 16 rows x 32 bytes in columns of `l1Rows` rows (NZ).
template <typename T>
__aicore__ inline void LoadTile(const LocalTensor<T> &l1, const GlobalTensor<T> &matrix,
                                int64_t rows, int64_t columns, int64_t rowStride, int64_t l1Rows) {
  Nd2NzParams params;
  params.ndNum = 1;
  params.nValue = static_cast<uint16_t>(rows);
  params.dValue = static_cast<uint16_t>(columns);
  params.srcNdMatrixStride = 0;
  params.srcDValue = static_cast<uint16_t>(rowStride);
  params.dstNzC0Stride = static_cast<uint16_t>(l1Rows);
  params.dstNzNStride = 1;
  params.dstNzMatrixStride = 0;
  if (rowStride <= 65535) {
    DataCopy(l1, matrix, params);
    return;
  }
  // The field of the row stride has 16 bits: each row by itself.
  params.nValue = 1;
  params.srcDValue = static_cast<uint16_t>(columns);
  for (int64_t row = 0; row < rows; ++row) {
    DataCopy(l1[row * (32 / sizeof(T))], matrix[row * rowStride], params);
  }
}
)"},
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
    InitConstValue(zeros, InitConstValueParams<int32_t>(
                              static_cast<uint16_t>(QuotientUp(columns * sizeof(T), 32)),
                              static_cast<uint16_t>(rest), static_cast<uint16_t>(l1Rows - rest), 0));
  }
}
)"},
    DeviceFunction{"LoadRows", R"(
// Global memory -> UB: rows x columns elements, into rows of `ubColumns` elements.
template <typename T>
__aicore__ inline void LoadRows(const LocalTensor<T> &ub, const GlobalTensor<T> &matrix,
                                int64_t rows, int64_t columns, int64_t rowStride,
                                int64_t ubColumns) {
  if (rows <= 0 || columns <= 0) {
    return;
  }
  const int64_t bytes = columns * sizeof(T), used = QuotientUp(bytes, 32);
  DataCopyExtParams params(static_cast<uint16_t>(rows), static_cast<uint32_t>(bytes),
                           static_cast<uint32_t>((rowStride - columns) * sizeof(T)),
                           static_cast<uint32_t>(ubColumns * sizeof(T) / 32 - used), 0);
  DataCopyPad(ub, matrix, params, DataCopyPadExtParams<T>());
}
)"},
    DeviceFunction{"LoadElements", R"(
// Global memory -> UB, where elements of a row do not follow each other: a transfer would put each on
// a block of 32 bytes, so the scalar unit moves them.
template <typename T>
__aicore__ inline void LoadElements(const LocalTensor<T> &ub, const GlobalTensor<T> &matrix,
                                    int64_t rows, int64_t columns, int64_t rowStride,
                                    int64_t columnStride, int64_t ubColumns) {
  SetFlag<HardEvent::MTE2_S>(0);
  WaitFlag<HardEvent::MTE2_S>(0);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      ub.SetValue(row * ubColumns + column,
                  matrix.GetValue(row * rowStride + column * columnStride));
    }
  }
  SetFlag<HardEvent::S_MTE2>(0);
  WaitFlag<HardEvent::S_MTE2>(0);
}
)"},
    DeviceFunction{"StoreRows", R"(
// UB -> global memory: rows x columns elements, from rows of `ubColumns` elements.
template <typename T>
__aicore__ inline void StoreRows(const GlobalTensor<T> &matrix, const LocalTensor<T> &ub,
                                 int64_t rows, int64_t columns, int64_t rowStride,
                                 int64_t ubColumns) {
  if (rows <= 0 || columns <= 0) {
    return;
  }
  const int64_t bytes = columns * sizeof(T), used = QuotientUp(bytes, 32);
  DataCopyExtParams params(static_cast<uint16_t>(rows), static_cast<uint32_t>(bytes),
                           static_cast<uint32_t>(ubColumns * sizeof(T) / 32 - used),
                           static_cast<uint32_t>((rowStride - columns) * sizeof(T)), 0);
  DataCopyPad(matrix, ub, params);
}
)"},
    DeviceFunction{"FindRange", R"(
// The least and the greatest of elements in global memory, `stride` elements apart: of one or more.
__aicore__ inline void FindRange(const GlobalTensor<int32_t> &tensor, int64_t count, int64_t stride,
                                 int64_t &least, int64_t &greatest) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t element = tensor.GetValue(i * stride);
    least = i == 0 ? element : LesserOf(least, element);
    greatest = i == 0 ? element : GreaterOf(greatest, element);
  }
}
)"},
    DeviceFunction{"LoadByRows", R"(
// L1 -> L0A or L0B: rows x columns elements from (row, column) on, by rows of fractals.
template <bool transpose, typename T>
__aicore__ inline void LoadByRows(const LocalTensor<T> &l0, const LocalTensor<T> &l1, int64_t row,
                                  int64_t column, int64_t rows, int64_t columns, int64_t l1Rows) {
  constexpr int64_t width = 32 / sizeof(T), fractal = 16 * width;
  LoadData2DParams params;
  params.startIndex = 0;
  params.repeatTimes = static_cast<uint8_t>(QuotientUp(columns, width));
  params.srcStride = static_cast<uint16_t>(l1Rows / 16);
  params.sid = 0;
  params.dstGap = 0;
  params.ifTranspose = transpose;
  for (int64_t i = 0; i < QuotientUp(rows, 16); ++i) {
    LoadData(l0[i * QuotientUp(columns, width) * fractal],
             l1[column * l1Rows + (row + i * 16) * width], params);
  }
}
)"},
    DeviceFunction{"LoadByColumns", R"(
// L1 -> L0A or L0B: rows x columns elements from (row, column) on, by columns of fractals.
template <bool transpose, typename T>
__aicore__ inline void LoadByColumns(const LocalTensor<T> &l0, const LocalTensor<T> &l1,
                                     int64_t row, int64_t column, int64_t rows, int64_t columns,
                                     int64_t l1Rows) {
  constexpr int64_t width = 32 / sizeof(T), fractal = 16 * width;
  LoadData2DParams params;
  params.startIndex = 0;
  params.repeatTimes = static_cast<uint8_t>(QuotientUp(rows, 16));
  params.srcStride = 1;
  params.sid = 0;
  params.dstGap = 0;
  params.ifTranspose = transpose;
  for (int64_t i = 0; i < QuotientUp(columns, width); ++i) {
    LoadData(l0[i * QuotientUp(rows, 16) * fractal],
             l1[(column + i * width) * l1Rows + row * width], params);
  }
}
)"},
    DeviceFunction{"LoadSquares", R"(
// L1 -> L0A or L0B: the transpose of rows x columns elements of four bytes from (row, column) on, as
// windows of one pixel of an image with one column. The depth in L0A is a multiple of 16.
template <typename T>
__aicore__ inline void LoadSquares(const LocalTensor<T> &l0, const LocalTensor<T> &l1, int64_t row,
                                   int64_t column, int64_t rows, int64_t columns, int64_t l1Rows,
                                   int64_t l1Columns) {
  LoadData3DParamsV2<T> params;
  params.l1H = static_cast<uint16_t>(l1Rows);
  params.l1W = 1;
  params.channelSize = static_cast<uint16_t>(l1Columns);
  params.mStartPt = static_cast<uint16_t>(row);
  params.kStartPt = static_cast<uint16_t>(column);
  params.mExtension = static_cast<uint16_t>(QuotientUp(rows, 16) * 16);
  params.kExtension = static_cast<uint16_t>(QuotientUp(columns, 16) * 16);
  params.enTranspose = true; // of L0B without effect: it is always transposed
  LoadData(l0, l1, params);
}
)"},
    DeviceFunction{"LoadByteSquares", R"(
// L1 -> L0A or L0B: the transpose of rows x columns elements of one byte from (row, column) on, in
// squares of 32 x 32. Of an odd number of fractals the last square has another one behind it, which
// the next rows of squares write over.
template <bool intoB, typename T>
__aicore__ inline void LoadByteSquares(const LocalTensor<T> &l0, const LocalTensor<T> &l1,
                                       int64_t row, int64_t column, int64_t rows, int64_t columns,
                                       int64_t l1Rows) {
  const int64_t depth = QuotientUp(rows, 32), width = QuotientUp(columns, 32),
                fractals = intoB ? QuotientUp(columns, 16) : 2 * depth;
  LoadData2dTransposeParams params;
  params.startIndex = 0;
  params.repeatTimes = static_cast<uint8_t>(intoB ? width : depth);
  params.srcStride = static_cast<uint16_t>(intoB ? l1Rows / 32 : 1);
  params.dstGap = intoB ? 1 : 0;
  params.dstFracGap = static_cast<uint16_t>(intoB ? 0 : depth - 1);
  for (int64_t i = 0; i < (intoB ? depth : width); ++i) {
    const int64_t firstRow = intoB ? row + i * 32 : row, first = intoB ? column : column + i * 32;
    LoadDataWithTranspose(l0[i * fractals * 512], l1[first * l1Rows + firstRow * 32], params);
    if (fractals % 2 != 0) {
      PipeBarrier<PIPE_MTE1>();
    }
  }
}
)"},
    DeviceFunction{"LoadWindows", R"(
// L1 -> L0A: windows of an image of lines x width pixels, blocks of channels behind each other. Of the
// result, whose lines have `outWidth` pixels: pixels x depth elements from (first, from) on.
template <int strideH, int strideW, int dilationH, int dilationW, int left, typename T>
__aicore__ inline void LoadWindows(const LocalTensor<T> &l0, const LocalTensor<T> &l1,
                                   int64_t lines, int64_t width, int64_t tapRows,
                                   int64_t tapColumns, int64_t top, int64_t outWidth, int64_t first,
                                   int64_t from, int64_t pixels, int64_t depth,
                                   int64_t l1Channels) {
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
  params.padList[2] = static_cast<uint8_t>(isPadding ? 0 : -top);
  params.padList[3] = 255; // lines behind those that are loaded are not read
  params.mStartPt = static_cast<uint16_t>(isPadding ? first + outWidth : first);
  params.kStartPt = static_cast<uint16_t>(from);
  params.mExtension = static_cast<uint16_t>(QuotientUp(pixels, 16) * 16);
  params.kExtension = static_cast<uint16_t>(depth);
  params.strideH = strideH;
  params.strideW = strideW;
  params.filterH = static_cast<uint8_t>(tapRows);
  params.filterW = static_cast<uint8_t>(tapColumns);
  params.dilationFilterH = dilationH;
  params.dilationFilterW = dilationW;
  LoadData(l0, l1, params);
}
)"},
    DeviceFunction{"LoadBias", R"(
// L1 -> bias table: a row, in blocks of 64 bytes.
template <typename T>
__aicore__ inline void LoadBias(const LocalTensor<T> &table, const LocalTensor<T> &l1,
                                int64_t columns) {
  DataCopy(table, l1,
           DataCopyParams(1, static_cast<uint16_t>(QuotientUp(columns * sizeof(T), 64)), 0, 0));
}
)"},
    DeviceFunction{"SizesOf", R"(
// Rows are rounded up: with a single one, L0A would be read as a vector.
template <bool inSquares>
__aicore__ inline MmadParams SizesOf(int64_t m, int64_t n, int64_t k) {
  MmadParams params;
  params.m = static_cast<uint16_t>(QuotientUp(m, 16) * 16);
  params.n = static_cast<uint16_t>(n);
  params.k = static_cast<uint16_t>(k);
  params.cmatrixSource = false;
  params.kDirectionAlign = inSquares;
  return params;
}
)"},
    DeviceFunction{"EndProduct", R"(
// A short instruction may not have ended when the next one reads its sums.
__aicore__ inline void EndProduct(const MmadParams &params) {
  if (params.m / 16 * QuotientUp(params.n, 16) < 10) {
    PipeBarrier<PIPE_M>();
  }
}
)"},
    DeviceFunction{"Multiply", R"(
// L0C += L0A x L0B, or with `first` L0C = L0A x L0B. `inSquares`: L0A has a depth of whole squares.
template <bool inSquares = false, typename S, typename T>
__aicore__ inline void Multiply(const LocalTensor<S> &l0c, const LocalTensor<T> &l0a,
                                const LocalTensor<T> &l0b, int64_t m, int64_t n, int64_t k,
                                bool first) {
  MmadParams params = SizesOf<inSquares>(m, n, k);
  params.cmatrixInitVal = first;
  Mmad(l0c, l0a, l0b, params);
  EndProduct(params);
}
)"},
    DeviceFunction{"MultiplyFrom", R"(
// L0C += L0A x L0B, or with `first` L0C = L0A x L0B plus a row of the bias table.
template <bool inSquares = false, typename S, typename T>
__aicore__ inline void MultiplyFrom(const LocalTensor<S> &bias, const LocalTensor<S> &l0c,
                                    const LocalTensor<T> &l0a, const LocalTensor<T> &l0b, int64_t m,
                                    int64_t n, int64_t k, bool first) {
  MmadParams params = SizesOf<inSquares>(m, n, k);
  params.cmatrixInitVal = false;
  if (first) {
    Mmad(l0c, l0a, l0b, bias, params);
  } else {
    Mmad(l0c, l0a, l0b, params);
  }
  EndProduct(params);
}
)"},
    DeviceFunction{"StoreTile", R"(
// L0C -> global memory: rows x columns sums, rounded to the type of the matrix. `l0cRows`: from a
// column of fractals to the next, where these are not those of the tile.
template <QuantMode_t rounding, typename T, typename S>
__aicore__ inline void StoreTile(const GlobalTensor<T> &matrix, const LocalTensor<S> &l0c,
                                 int64_t rows, int64_t columns, int64_t rowStride,
                                 int64_t l0cRows = 0) {
  FixpipeParamsV220 params;
  params.nSize = static_cast<uint16_t>(columns);
  params.mSize = static_cast<uint16_t>(rows);
  params.srcStride = static_cast<uint16_t>(l0cRows > 0 ? l0cRows : QuotientUp(rows, 16) * 16);
  params.dstStride = static_cast<uint32_t>(rowStride);
  params.quantPre = rounding;
  params.ndNum = 1;
  params.srcNdStride = 0;
  params.dstNdStride = 0;
  Fixpipe<T, S, CFG_ROW_MAJOR>(matrix, l0c, params);
}
)"},
};

} // namespace

/// Adds in front of `found` those of a table that `code`, or what is found, mentions.
static void collect(std::span<const DeviceFunction> table, const std::string &code,
                    std::string &found) {
  for (auto function = table.rbegin(); function != table.rend(); ++function)
    for (const char *bracket : {"(", "<", ">", ",", "::"})
      if ((code + found).find(std::string(function->name) + bracket) != std::string::npos) {
        found = std::string(function->text) + found;
        break;
      }
}

std::string deviceFunctions(const std::string &code) {
  std::string found;
  collect(vectorFunctions(), code, found);
  collect(functions, code, found);
  if (found.find("Spare(") == std::string::npos)
    return found;
  return fmt::format("\n// Bytes of UB that the plan uses at most, and of what is behind them.\n"
                     "constexpr int64_t endOfPlan = {}, pieceBytes = {}, sparePieces = {};\n",
                     planBytes, pieceBytes, sparePieces) +
         found;
}

} // namespace mmk::ascendc
