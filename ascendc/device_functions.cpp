// Functions that all chips have. The meaning of the parameters is that of the published
// documentation of CANN 9 (asc-devkit, docs: DataCopy with Nd2NzParams, Mmad), and of its example
// of the bias table (mmad_with_bias).
#include "ascendc/device_functions.h"

#include "ascendc/device_function.h"
#include "ascendc/vector_room.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <fmt/format.h>

namespace mmk::ascendc {
namespace {

// Each behind those that it calls.
constexpr std::array functionsOfAll = {
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
// Rounded down, also of numbers that are negative.
__aicore__ inline int64_t FloorQuotient(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
)"},
    DeviceFunction{"Infinity", R"(
__aicore__ inline float Infinity() { return __builtin_inff(); }
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
    DeviceFunction{"RowsAtOnce", R"(
// Rows that one transfer moves at most, with so many bytes between them: of dav-2201 the field of
// the gap has 32 bits.
__aicore__ inline int64_t RowsAtOnce(int64_t gap) { return gap < int64_t(1) << 32 ? 4095 : 1; }
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
  const int64_t bytes = columns * sizeof(T), gap = (rowStride - columns) * sizeof(T),
                ubGap = ubColumns * sizeof(T) / 32 - QuotientUp(bytes, 32), most = RowsAtOnce(gap);
  for (int64_t row = 0; row < rows; row += most) {
    const DataCopyExtParams params(LesserOf(rows - row, most), bytes, most > 1 ? gap : 0, ubGap, 0);
    DataCopyPad(ub[row * ubColumns], matrix[row * rowStride], params, DataCopyPadExtParams<T>());
  }
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
  const int64_t bytes = columns * sizeof(T), gap = (rowStride - columns) * sizeof(T),
                ubGap = ubColumns * sizeof(T) / 32 - QuotientUp(bytes, 32), most = RowsAtOnce(gap);
  for (int64_t row = 0; row < rows; row += most) {
    const DataCopyExtParams params(LesserOf(rows - row, most), bytes, ubGap, most > 1 ? gap : 0, 0);
    DataCopyPad(matrix[row * rowStride], ub[row * ubColumns], params);
  }
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
    DeviceFunction{"SizesOf", R"(
// Rows are rounded up: with a single one, L0A would be read as a vector.
template <bool inSquares>
__aicore__ inline MmadParams SizesOf(int64_t m, int64_t n, int64_t k) {
  MmadParams params;
  params.m = QuotientUp(m, 16) * 16;
  params.n = n;
  params.k = k;
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
};

} // namespace

/// What stands for "$..." in a function on tensors, and on registers.
struct Spelling {
  std::string_view word, onTensors, onRegisters;
};
static constexpr Spelling spellings[] = {
    {"$function", "__aicore__ inline", "__simd_callee__ inline"},
    {"$operands",
     "const LocalTensor<float> &to, const LocalTensor<float> &x,\n"
     "                              int64_t piece, int32_t n",
     "Reg::RegTensor<float> &to, Reg::RegTensor<float> &x,\n"
     "                              Reg::MaskReg &mask"},
    {"$rooms",
     "const LocalTensor<float> magnitude = Spare<float>(piece), other = Spare<float>(piece + 1),\n"
     "                           small = Spare<float>(piece + 2), large = Spare<float>(piece + 3);",
     "Reg::RegTensor<float> magnitude, other, small, large;"},
    {"$n)", "n)", "mask)"},
    {"$n,", "n,", "mask,"},
};

static std::string spelled(std::string_view text, bool onRegisters) {
  std::string code(text);
  for (const Spelling &each : spellings)
    for (size_t at = 0; (at = code.find(each.word, at)) != std::string::npos;)
      code.replace(at, each.word.size(), onRegisters ? each.onRegisters : each.onTensors);
  for (size_t at = 0; (at = code.find('$', at)) != std::string::npos;) {
    code.replace(at, 1, onRegisters ? "Reg::" : "");
    if (onRegisters)
      continue;
    const size_t indent = at - code.rfind('\n', at) - 1;
    code.insert(code.find('\n', code.find(';', at)),
                "\n" + std::string(indent, ' ') + "PipeBarrier<PIPE_V>();");
  }
  return code;
}

/// Functions of a chip, each behind those that it calls.
struct Table {
  std::span<const DeviceFunction> functions;
  bool onRegisters = false;
};
static std::array<Table, 6> tablesOf(Architecture architecture) {
  const bool is3510 = architecture == Architecture::dav3510;
  return {Table{functionsOfAll},
          Table{is3510 ? cubeFunctions3510() : cubeFunctions2201()},
          Table{cubeFunctions()},
          Table{vectorFunctions()},
          Table{is3510 ? registerFunctions() : elementaryFunctionsOnTensors()},
          Table{elementaryFunctions(), is3510}};
}

/// Adds in front of `found` those of a table that `code`, or what is found, mentions.
static void collect(const Table &table, const std::string &code, std::string &found) {
  for (const DeviceFunction &function : llvm::reverse(table.functions))
    for (const char *bracket : {"(", "<", ">", ",", "::"})
      if ((code + found).find(std::string(function.name) + bracket) != std::string::npos) {
        found = spelled(function.text, table.onRegisters) + found;
        break;
      }
}

bool isDeviceFunction(std::string_view name) {
  return llvm::any_of(std::array{Architecture::dav2201, Architecture::dav3510}, [&](auto chip) {
    return llvm::any_of(tablesOf(chip), [&](const Table &table) {
      return llvm::any_of(table.functions,
                          [&](const DeviceFunction &each) { return each.name == name; });
    });
  });
}

std::string deviceFunctions(const std::string &code, Architecture architecture) {
  std::string found;
  const std::array tables = tablesOf(architecture);
  for (const Table &table : llvm::reverse(tables))
    collect(table, code, found);
  if (found.find("Spare(") == std::string::npos)
    return found;
  return fmt::format("\n// Bytes of UB that the plan uses at most, and of what is behind them.\n"
                     "constexpr int64_t endOfPlan = {}, pieceBytes = {}, sparePieces = {};\n",
                     planBytesOf(architecture), pieceBytes, sparePieces) +
         found;
}

} // namespace mmk::ascendc
