// The meaning of the parameters is that of the published documentation of CANN 9 (asc-devkit, docs:
// DataCopy with Nd2NzParams, LoadData with LoadData2DParams, Mmad, Fixpipe), and of its example of
// transposed operands (mmad_s8_f16_f32_with_A_B_transpose_option).
#include "ascendc/device_functions.h"

#include <array>
#include <string_view>

namespace mmk::ascendc {
namespace {

struct DeviceFunction {
  std::string_view name, text;
};

// Each behind those that it calls.
constexpr std::array functions = {
    DeviceFunction{"LesserOf", R"(
__aicore__ inline int64_t LesserOf(int64_t a, int64_t b) { return a < b ? a : b; }
)"},
    DeviceFunction{"GreaterOf", R"(
__aicore__ inline int64_t GreaterOf(int64_t a, int64_t b) { return a > b ? a : b; }
)"},
    DeviceFunction{"QuotientUp", R"(
// Of a number that is not negative.
__aicore__ inline int64_t QuotientUp(int64_t a, int64_t b) { return (a + b - 1) / b; }
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
  DataCopyPad(ub, matrix, params, DataCopyPadExtParams<T>(false, 0, 0, 0));
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
    DeviceFunction{"Multiply", R"(
// L0C += L0A x L0B, or with `first` L0C = L0A x L0B.
template <typename T>
__aicore__ inline void Multiply(const LocalTensor<float> &l0c, const LocalTensor<T> &l0a,
                                const LocalTensor<T> &l0b, int64_t m, int64_t n, int64_t k,
                                bool first) {
  MmadParams params;
  params.m = static_cast<uint16_t>(m);
  params.n = static_cast<uint16_t>(n);
  params.k = static_cast<uint16_t>(k);
  params.cmatrixInitVal = first;
  params.cmatrixSource = false;
  params.disableGemv = true; // with one row, L0A holds fractals all the same
  Mmad(l0c, l0a, l0b, params);
  // So short an instruction may not have ended when the next one reads its sums.
  if (QuotientUp(m, 16) * QuotientUp(n, 16) < 10) {
    PipeBarrier<PIPE_M>();
  }
}
)"},
    DeviceFunction{"StoreTile", R"(
// L0C -> global memory: rows x columns sums, rounded to the type of the matrix.
template <QuantMode_t rounding, typename T>
__aicore__ inline void StoreTile(const GlobalTensor<T> &matrix, const LocalTensor<float> &l0c,
                                 int64_t rows, int64_t columns, int64_t rowStride) {
  FixpipeParamsV220 params;
  params.nSize = static_cast<uint16_t>(columns);
  params.mSize = static_cast<uint16_t>(rows);
  params.srcStride = static_cast<uint16_t>(QuotientUp(rows, 16) * 16);
  params.dstStride = static_cast<uint32_t>(rowStride);
  params.quantPre = rounding;
  params.ndNum = 1;
  params.srcNdStride = 0;
  params.dstNdStride = 0;
  Fixpipe<T, float, CFG_ROW_MAJOR>(matrix, l0c, params);
}
)"},
};

} // namespace

std::string deviceFunctions(const std::string &code) {
  std::string found;
  for (auto function = functions.rbegin(); function != functions.rend(); ++function)
    for (const char *bracket : {"(", "<"})
      if (const std::string called = std::string(function->name) + bracket;
          (code + found).find(called) != std::string::npos) {
        found = std::string(function->text) + found;
        break;
      }
  return found;
}

} // namespace mmk::ascendc
