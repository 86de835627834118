// Functions of the cube core of dav-2201 (Ascend 910B). The meaning of the parameters is that of
// the published documentation of CANN 9 (asc-devkit, docs: LoadData with LoadData2DParams and
// LoadData3DParamsV2, LoadDataWithTranspose, Fixpipe), and of its examples: which instruction
// transposes operands of which type (mmad_s8_f16_f32_with_A_B_transpose_option).
#include "ascendc/device_function.h"

#include <array>

namespace mmk::ascendc {
namespace {

constexpr std::array functionsOf2201 = {
    DeviceFunction{"BeginKernel", R"(
// Sets the core up, and bits of CTRL by which instructions compute as the kernel means it: f16 and
// bf16 have infinities and NaN (48), i32 wraps (53), a conversion to integers ends at the last one
// (59). Returns what they were.
__aicore__ inline uint64_t BeginKernel() {
  InitSocState();
  const uint64_t modes = get_ctrl();
  set_ctrl(sbitset0(sbitset0(sbitset1(modes, 48), 53), 59));
  PipeBarrier<PIPE_ALL>();
  return modes;
}
)"},
    DeviceFunction{"EndKernel", R"(
// Ends all that the core has begun; the next kernel finds CTRL as this one has.
__aicore__ inline void EndKernel(uint64_t modes) {
  PipeBarrier<PIPE_ALL>();
  set_ctrl(modes);
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
  params.nValue = rows;
  params.dValue = columns;
  params.srcNdMatrixStride = 0;
  // The field of the row stride has 16 bits: rows that are further apart one by one.
  const bool isNear = rowStride <= 65535;
  params.srcDValue = isNear ? rowStride : 1;
  params.dstNzC0Stride = l1Rows;
  params.dstNzNStride = 1;
  params.dstNzMatrixStride = 0;
  if (isNear) {
    DataCopy(l1, matrix, params);
    return;
  }
  params.nValue = 1;
  for (int64_t row = 0; row < rows; ++row) {
    DataCopy(l1[row * (32 / sizeof(T))], matrix[row * rowStride], params);
  }
}
)"},
    DeviceFunction{"FillZeros", R"(
template <typename T>
__aicore__ inline void FillZeros(const LocalTensor<T> &l1, const InitConstValueParams<T> &params) {
  InitConstValue(l1, params);
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
  params.repeatTimes = QuotientUp(columns, width);
  params.srcStride = l1Rows / 16;
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
  params.repeatTimes = QuotientUp(rows, 16);
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
    DeviceFunction{"LoadImage", R"(
template <typename T>
__aicore__ inline void LoadImage(const LocalTensor<T> &l0, const LocalTensor<T> &l1,
                                 const LoadData3DParamsV2<T> &params) {
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
  params.repeatTimes = intoB ? width : depth;
  params.srcStride = intoB ? l1Rows / 32 : 1;
  params.dstGap = intoB ? 1 : 0;
  params.dstFracGap = intoB ? 0 : depth - 1;
  for (int64_t i = 0; i < (intoB ? depth : width); ++i) {
    const int64_t firstRow = intoB ? row + i * 32 : row, first = intoB ? column : column + i * 32;
    LoadDataWithTranspose(l0[i * fractals * 512], l1[first * l1Rows + firstRow * 32], params);
    if (fractals % 2 != 0) {
      PipeBarrier<PIPE_MTE1>();
    }
  }
}
)"},
    DeviceFunction{"LoadBias", R"(
// L1 -> bias table: a row, in blocks of 64 bytes.
template <typename T>
__aicore__ inline void LoadBias(const LocalTensor<T> &table, const LocalTensor<T> &l1,
                                int64_t columns) {
  DataCopy(table, l1, DataCopyParams(1, QuotientUp(columns * sizeof(T), 64), 0, 0));
}
)"},
    DeviceFunction{"SumsOf", R"(
// Rows x columns sums of L0C as rows of a matrix. `l0cRows`: from a column of fractals to the next.
using RowParams = FixpipeParamsV220;
__aicore__ inline RowParams SumsOf(int64_t rows, int64_t columns, int64_t rowStride,
                                   int64_t l0cRows, QuantMode_t rounding) {
  RowParams params;
  params.nSize = columns;
  params.mSize = rows;
  params.srcStride = l0cRows;
  params.dstStride = rowStride;
  params.quantPre = rounding;
  params.ndNum = 1;
  params.srcNdStride = 0;
  params.dstNdStride = 0;
  return params;
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
                  columns, rows, rowStride, l0cRows > 0 ? l0cRows : QuotientUp(rows, 16) * 16, 0,
                  static_cast<uint64_t>(QuantMode_t::F322F16), 2, false, true);
}
)"},
};

} // namespace

std::span<const DeviceFunction> cubeFunctions2201() { return functionsOf2201; }

} // namespace mmk::ascendc
