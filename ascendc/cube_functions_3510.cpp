// Functions of the cube core of dav-3510 (Ascend 950). The meaning of the parameters is that of the
// published documentation of CANN 9.1 (asc-devkit, docs/zh/api: LoadData_2D_V2, LoadDataWithStride,
// SetLoadDataRepeatWithStride, Fill, Fixpipe from L0C to global memory and to UB, DataCopy from UB
// to L1 and from L1 to the bias table, SetCtrlSpr), and of its examples (load_data_2dv2_l12l0,
// load_data_with_stride, fixpipe_l0c2ub, data_copy_ub2l1).
#include "ascendc/device_function.h"

#include <array>

namespace mmk::ascendc {
namespace {

constexpr std::array functionsOf3510 = {
    DeviceFunction{"BeginKernel", R"(
// Sets the core up, and bits of CTRL by which instructions compute as the kernel means it: f16 and
// bf16 have infinities and NaN (48), i32 wraps (53), a conversion to integers ends at the last one
// (59), and that whatever Cast says (60). Returns the first; InitSocState sets the others.
__aicore__ inline int64_t BeginKernel() {
  InitSocState();
  const int64_t modes = GetCtrlSpr<48, 48>();
  SetCtrlSpr<48, 48>(1);
  SetCtrlSpr<53, 53>(0);
  SetCtrlSpr<59, 59>(0);
  SetCtrlSpr<60, 60>(1);
  PipeBarrier<PIPE_ALL>();
  return modes;
}
)"},
    DeviceFunction{"EndKernel", R"(
// Ends all that the core has begun; the next kernel finds CTRL[48] as this one has.
__aicore__ inline void EndKernel(int64_t modes) {
  PipeBarrier<PIPE_ALL>();
  SetCtrlSpr<48, 48>(modes);
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
  params.srcDValue = rowStride;
  params.dstNzC0Stride = l1Rows;
  params.dstNzNStride = 1;
  params.dstNzMatrixStride = 0;
  DataCopy(l1, matrix, params);
}
)"},
    DeviceFunction{"FillZeros", R"(
template <typename T>
__aicore__ inline void FillZeros(const LocalTensor<T> &l1, const InitConstValueParams<T> &params) {
  Fill(l1, params);
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
  params.mStep = QuotientUp(rows, 16);
  params.kStep = QuotientUp(columns, width);
  params.srcStride = l1Rows / 16;
  params.dstStride = QuotientUp(l0Rows, 16);
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
    DeviceFunction{"LoadImage", R"(
// With the rows of L0A or L0B: LoadData would take those that it loads.
template <typename T>
__aicore__ inline void LoadImage(const LocalTensor<T> &l0, const LocalTensor<T> &l1,
                                 const LoadData3DParamsV2<T> &params, int64_t l0Rows) {
  LoadDataRepeatParamWithStride rows;
  rows.repeatStride = 0;
  rows.repeatTime = 1;
  rows.repeatMode = 0;
  rows.dstStride = QuotientUp(l0Rows, 16);
  SetLoadDataRepeatWithStride(rows);
  LoadDataWithStride(l0, l1, params);
}
)"},
    DeviceFunction{"LoadBias", R"(
// L1 -> bias table: a row, in an even number of blocks of 32 bytes.
template <typename T>
__aicore__ inline void LoadBias(const LocalTensor<T> &table, const LocalTensor<T> &l1,
                                int64_t columns) {
  DataCopy(table, l1, DataCopyParams(1, QuotientUp(columns * sizeof(T), 64) * 2, 0, 0));
}
)"},
    DeviceFunction{"SumsOf", R"(
// Rows x columns sums of L0C as rows of a matrix. `l0cRows`: from a column of fractals to the next.
using RowParams = FixpipeParamsArch3510<CO2Layout::ROW_MAJOR>;
__aicore__ inline RowParams SumsOf(int64_t rows, int64_t columns, int64_t rowStride,
                                   int64_t l0cRows, QuantMode_t rounding) {
  RowParams params;
  params.nSize = columns;
  params.mSize = rows;
  params.srcStride = l0cRows;
  params.dstStride = rowStride;
  params.quantPre = rounding;
  params.params.ndNum = 1;
  params.params.srcNdStride = 0;
  params.params.dstNdStride = 0;
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
                  columns, rows, rowStride, l0cRows > 0 ? l0cRows : QuotientUp(rows, 16) * 16, 0, 0, 0,
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
  RowParams params = SumsOf(QuotientUp(rows, 2) * 2, QuotientUp(columns, 16) * 16, ubColumns,
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
  constexpr int64_t most = 4095; // pieces of a copy
  for (int64_t done = 0; done < rows; done += most) {
    const DataCopyParams params(LesserOf(rows - done, most), 1, ubColumns / width - 1, 0);
    for (int64_t column = 0; column < columns; column += width) {
      DataCopy(l1[column * l1Rows + (row + done) * width], ub[done * ubColumns + column], params);
    }
  }
}
)"},
};

} // namespace

std::span<const DeviceFunction> cubeFunctions3510() { return functionsOf3510; }

} // namespace mmk::ascendc
