// Functions of vector work. The meaning of the calls is that of the published documentation of CANN
// 9 for dav-2201 (asc-devkit, docs and include/basic_api).
#include "ascendc/device_function.h"

#include <array>

namespace mmk::ascendc {
namespace {

// "AddOf": an instruction by name, and the reduction of each repeat by the same.
#define INSTRUCTION(name, reduction)                                                               \
  DeviceFunction{#name "Of",                                                                       \
                 "\nstruct " #name "Of {\n"                                                        \
                 "  template <typename... Operands> __aicore__ static inline void Run(const "      \
                 "Operands &...operands) {\n    " #name "(operands...);\n  }\n" reduction "};\n"}
#define REDUCTION(macro)                                                                           \
  "  template <typename T>\n"                                                                      \
  "  __aicore__ static inline void Reduce(const LocalTensor<T> &to, const LocalTensor<T> &from,\n" \
  "                                       int64_t repeats) {\n    " macro                          \
  "(to, from, 256 / sizeof(T), repeats);\n  }\n"

// "MMK_REDUCE_SUM": the elements of each repeat combined to one.
#define REPEAT_REDUCTION(kind, name, what, order)                                                  \
  DeviceFunction{"MMK_REDUCE_" kind,                                                               \
                 "\n// " what " of each repeat: CANN 9.1 has another name for it.\n"               \
                 "#ifdef MMK_CANN_9_1\n#define MMK_REDUCE_" kind "(to, from, mask, repeats) \\\n"  \
                 "  ReduceRepeat<ReduceType::" kind ">(to, from, mask, "                           \
                 "static_cast<int32_t>(repeats), 1, 1, 8" order ")\n#else\n"                       \
                 "#define MMK_REDUCE_" kind "(to, from, mask, repeats) \\\n  WholeReduce" name     \
                 "(to, from, mask, static_cast<int32_t>(repeats), 1, 1, 8" order ")\n#endif\n"}

constexpr std::array functionsOnTensors = {
    REPEAT_REDUCTION("SUM", "Sum", "The sum", ""),
    REPEAT_REDUCTION("MAX", "Max", "The greatest", ", ReduceOrder::ORDER_ONLY_VALUE"),
    REPEAT_REDUCTION("MIN", "Min", "The least", ", ReduceOrder::ORDER_ONLY_VALUE"),
    DeviceFunction{"Spare", R"(
// Room in UB behind the plan, from one of its pieces on: for what one instruction leaves to the next
// where the plan has one and the interface several.
template <typename T> __aicore__ inline LocalTensor<T> Spare(int64_t piece) {
  return LocalTensor<T>(TPosition::VECCALC,
                        static_cast<uint32_t>(endOfPlan + piece * pieceBytes),
                        static_cast<uint32_t>((sparePieces - piece) * pieceBytes / sizeof(T)));
}
)"},
    INSTRUCTION(Add, REDUCTION("MMK_REDUCE_SUM")),
    INSTRUCTION(Sub, ""),
    INSTRUCTION(Mul, ""),
    INSTRUCTION(Div, ""),
    INSTRUCTION(Max, REDUCTION("MMK_REDUCE_MAX")),
    INSTRUCTION(Min, REDUCTION("MMK_REDUCE_MIN")),
    DeviceFunction{"ByRows", R"(
// Rows x columns elements of two operands, of which one may be a row for all rows: its stride is 0.
template <typename Instruction, typename T>
__aicore__ inline void ByRows(const LocalTensor<T> &to, int64_t toStride,
                              const LocalTensor<T> &left, int64_t leftStride,
                              const LocalTensor<T> &right, int64_t rightStride, int64_t rows,
                              int64_t columns) {
  constexpr int64_t part = 256 / sizeof(T), block = 32 / sizeof(T), most = 255;
  if (rows == 1 || GreaterOf(toStride, GreaterOf(leftStride, rightStride)) > most * block) {
    for (int64_t row = 0; row < rows; ++row) {
      Instruction::Run(to[row * toStride], left[row * leftStride], right[row * rightStride],
                       static_cast<int32_t>(columns));
    }
    return;
  }
  const BinaryRepeatParams params(1, 1, 1, toStride / block, leftStride / block,
                                  rightStride / block);
  for (int64_t row = 0; row < rows; row += most) {
    for (int64_t column = 0; column < columns; column += part) {
      Instruction::Run(to[row * toStride + column], left[row * leftStride + column],
                       right[row * rightStride + column],
                       static_cast<uint64_t>(LesserOf(columns - column, part)),
                       static_cast<uint8_t>(LesserOf(rows - row, most)), params);
    }
  }
}
)"},
    DeviceFunction{"WithBlock", R"(
// An instruction on a tile and on blocks that each hold one element: the left operand with `isLeft`.
// The strides are blocks from repeat to repeat.
template <typename Instruction, bool isLeft, typename T>
__aicore__ inline void WithBlock(const LocalTensor<T> &to, const LocalTensor<T> &tile,
                                 const LocalTensor<T> &blocks, int64_t mask, int64_t repeats,
                                 int64_t toStride, int64_t tileStride, int64_t blockStride) {
  if (isLeft) {
    Instruction::Run(to, blocks, tile, static_cast<uint64_t>(mask), static_cast<uint8_t>(repeats),
                     BinaryRepeatParams(1, 0, 1, toStride, blockStride, tileStride));
  } else {
    Instruction::Run(to, tile, blocks, static_cast<uint64_t>(mask), static_cast<uint8_t>(repeats),
                     BinaryRepeatParams(1, 1, 0, toStride, tileStride, blockStride));
  }
}
)"},
    DeviceFunction{"ByColumn", R"(
// Rows x columns elements of a tile, and of a column for all columns, which has an element for each
// row: the left operand with `isLeft`.
template <typename Instruction, bool isLeft, typename T>
__aicore__ inline void ByColumn(const LocalTensor<T> &to, int64_t toStride,
                                const LocalTensor<T> &tile, int64_t tileStride,
                                const LocalTensor<T> &column, int64_t rows, int64_t columns) {
  constexpr int64_t part = 256 / sizeof(T), block = 32 / sizeof(T), most = 255, some = 64;
  const LocalTensor<T> blocks = Spare<T>(0);
  for (int64_t row = 0; row < rows; row += some) {
    const int64_t count = LesserOf(rows - row, some);
    $Brcb(blocks, column[row], static_cast<uint8_t>(QuotientUp(count, 8)), BrcbRepeatParams(1, 8));
    if (GreaterOf(toStride, tileStride) <= most * block) {
      for (int64_t at = 0; at < columns; at += part) {
        WithBlock<Instruction, isLeft>(to[row * toStride + at], tile[row * tileStride + at],
                                       blocks, LesserOf(columns - at, part), count,
                                       toStride / block, tileStride / block, 1);
      }
    } else {
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t at = 0; at < columns; at += most * part) {
          const int64_t whole = LesserOf(columns - at, most * part) / part,
                        last = at + whole * part,
                        rest = LesserOf(columns - at, most * part) - whole * part;
          if (whole > 0) {
            WithBlock<Instruction, isLeft>(to[(row + i) * toStride + at],
                                           tile[(row + i) * tileStride + at], blocks[i * block],
                                           part, whole, 8, 8, 0);
          }
          if (rest > 0) {
            WithBlock<Instruction, isLeft>(to[(row + i) * toStride + last],
                                           tile[(row + i) * tileStride + last],
                                           blocks[i * block], rest, 1, 8, 8, 0);
          }
        }
      }
    }
    PipeBarrier<PIPE_V>();
  }
}
)"},
    DeviceFunction{"BroadcastElement", R"(
// One element of a column `count` times, up to 1 KiB.
template <typename T>
__aicore__ inline void BroadcastElement(const LocalTensor<T> &to, const LocalTensor<T> &column,
                              int64_t element, int64_t count) {
  constexpr int64_t width = 32 / sizeof(T);
  const LocalTensor<T> blocks = Spare<T>(7);
  $Brcb(blocks, column[element / width * width], static_cast<uint8_t>(width / 8),
       BrcbRepeatParams(1, 8));
  $Copy(to, blocks[element % width * width], 256 / sizeof(T),
       static_cast<uint8_t>(QuotientUp(count * sizeof(T), 256)), CopyRepeatParams(1, 0, 8, 0));
}
)"},
    DeviceFunction{"BroadcastByte", R"(
// The same of elements of one byte, which Brcb does not have: as f16 on the way.
__aicore__ inline void BroadcastByte(const LocalTensor<int8_t> &to,
                                     const LocalTensor<int8_t> &column, int64_t element,
                                     int64_t count) {
  const LocalTensor<half> block = Spare<half>(7)[256],
                          all = to.ReinterpretCast<half>()[256];
  $Cast(block, column[element / 32 * 32], RoundMode::CAST_NONE, 32);
  BroadcastElement(all, block, element % 32, count);
  $Cast(to, all, RoundMode::CAST_RINT, static_cast<uint32_t>(count));
}
)"},
    DeviceFunction{"CompareAll", R"(
// Compare takes whole repeats of 256 bytes; the bits behind `count` mean nothing. CANN 9.1 has another
// name for that with a number.
template <typename M, typename T>
__aicore__ inline void CompareAll(const LocalTensor<M> &mask, const LocalTensor<T> &left,
                                  const LocalTensor<T> &right, CMPMODE mode, int64_t count) {
  constexpr int64_t part = 256 / sizeof(T);
  Compare(mask.template ReinterpretCast<uint8_t>(), left, right, mode,
          static_cast<uint32_t>(QuotientUp(count, part) * part));
}
template <typename M, typename T>
__aicore__ inline void CompareAll(const LocalTensor<M> &mask, const LocalTensor<T> &left, T right,
                                  CMPMODE mode, int64_t count) {
  constexpr int64_t part = 256 / sizeof(T);
  const auto bits = mask.template ReinterpretCast<uint8_t>();
  const auto all = static_cast<uint32_t>(QuotientUp(count, part) * part);
#ifdef MMK_CANN_9_1
  Compares(bits, left, right, mode, all);
#else
  CompareScalar(bits, left, right, mode, all);
#endif
}
)"},
    DeviceFunction{"CopyAll", R"(
// Whole blocks of 32 bytes; what follows `count` elements in the last one means nothing.
template <typename T>
__aicore__ inline void CopyAll(const LocalTensor<T> &to, const LocalTensor<T> &from,
                               int64_t count) {
  constexpr int64_t block = 32 / sizeof(T);
  DataCopy(to, from, static_cast<uint32_t>(QuotientUp(count, block) * block));
}
)"},
    DeviceFunction{"ReduceRows", R"(
// Each row combined to one element: parts of 256 bytes with each other, one after the other, then
// the elements of what they give.
template <typename Instruction, typename T, typename Identity>
__aicore__ inline void ReduceRows(const LocalTensor<T> &to, const LocalTensor<T> &tile,
                                  int64_t rows, int64_t columns, int64_t stride,
                                  Identity identity) {
  constexpr int64_t part = 256 / sizeof(T), block = 32 / sizeof(T), most = 255, some = 16;
  const LocalTensor<T> sums = Spare<T>(0);
  for (int64_t row = 0; row < rows; row += some) {
    const int64_t count = LesserOf(rows - row, some);
    $Duplicate(sums, static_cast<T>(identity), static_cast<int32_t>(count * part));
    for (int64_t column = 0; column < columns; column += part) {
      const auto mask = static_cast<uint64_t>(LesserOf(columns - column, part));
      if (stride <= most * block) {
        Instruction::Run(sums, sums, tile[row * stride + column], mask,
                         static_cast<uint8_t>(count),
                         BinaryRepeatParams(1, 1, 1, 8, 8, stride / block));
      } else {
        for (int64_t i = 0; i < count; ++i) {
          Instruction::Run(sums[i * part], sums[i * part], tile[(row + i) * stride + column], mask,
                           static_cast<uint8_t>(1), BinaryRepeatParams(1, 1, 1, 8, 8, 8));
        }
      }
      PipeBarrier<PIPE_V>();
    }
    $Instruction::Reduce(to[row], sums, count);
  }
}
)"},
    DeviceFunction{"ReduceColumns", R"(
// All rows combined to one, one after the other.
template <typename Instruction, typename T, typename Identity>
__aicore__ inline void ReduceColumns(const LocalTensor<T> &to, const LocalTensor<T> &tile,
                                     int64_t rows, int64_t columns, int64_t stride,
                                     Identity identity) {
  $Duplicate(to, static_cast<T>(identity), static_cast<int32_t>(columns));
  for (int64_t row = 0; row < rows; ++row) {
    $Instruction::Run(to, to, tile[row * stride], static_cast<int32_t>(columns));
  }
}
)"},
    DeviceFunction{"ScanRows", R"(
// The sums of the rows up to each; the carry has those of the rows before, and gets the last.
template <typename T>
__aicore__ inline void ScanRows(const LocalTensor<T> &to, int64_t toStride,
                                const LocalTensor<T> &tile, int64_t stride,
                                const LocalTensor<T> &carry, int64_t rows, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row) {
    $Add(carry, carry, tile[row * stride], static_cast<int32_t>(columns));
    $CopyAll(to[row * toStride], carry, columns);
  }
}
)"},
    DeviceFunction{"Number", R"(
// first, first + 1, ...: 64 by bits of their places, then as many again with each step.
__aicore__ inline void Number(const LocalTensor<int32_t> &to, int64_t first, int64_t count) {
  $Duplicate(to, static_cast<int32_t>(first), static_cast<int32_t>(LesserOf(count, 64)));
  const uint64_t rest = count < 64 ? (1ull << count) - 1 : ~0ull;
  const uint64_t places[] = {0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC, 0xF0F0F0F0F0F0F0F0,
                             0xFF00FF00FF00FF00, 0xFFFF0000FFFF0000, 0xFFFFFFFF00000000};
  for (int32_t bit = 0; bit < 6; ++bit) {
    uint64_t mask[] = {places[bit] & rest, 0};
    if (mask[0] != 0) {
      $Adds(to, to, static_cast<int32_t>(1 << bit), mask, 1, UnaryRepeatParams(1, 1, 8, 8));
    }
  }
  for (int64_t known = 64; known < count; known *= 2) {
    $Adds(to[known], to, static_cast<int32_t>(known),
         static_cast<int32_t>(LesserOf(count - known, known)));
  }
}
)"},
    DeviceFunction{"FoldRows", R"(
// Each row combined to one element where the interface has no reduction of a repeat: parts of 64
// elements with each other, one after the other, then neighbours two by two.
template <typename Instruction, typename T, typename Identity>
__aicore__ inline void FoldRows(const LocalTensor<T> &to, const LocalTensor<T> &tile, int64_t rows,
                                int64_t columns, int64_t stride, Identity identity) {
  constexpr int64_t part = 64, block = 32 / sizeof(T), most = 255, step = part / block;
  const LocalTensor<T> sums = Spare<T>(0), even = Spare<T>(4), odd = Spare<T>(5);
  const LocalTensor<int32_t> places = Spare<int32_t>(2);
  Number(places, 0, block * part / 2);
  $Muls(places, places, static_cast<int32_t>(2 * sizeof(T)), static_cast<int32_t>(block * part / 2));
  for (int64_t row = 0; row < rows; row += block) {
    const int64_t count = LesserOf(rows - row, block);
    $Duplicate(sums, static_cast<T>(identity), static_cast<int32_t>(count * part));
    for (int64_t column = 0; column < columns; column += part) {
      const auto mask = static_cast<uint64_t>(LesserOf(columns - column, part));
      // The rows at once, where a field of repeats holds their distance.
      const int64_t repeats = stride <= most * block ? count : 1;
      for (int64_t i = 0; i < count; i += repeats) {
        Instruction::Run(sums[i * part], sums[i * part], tile[(row + i) * stride + column], mask,
                         static_cast<uint8_t>(repeats),
                         BinaryRepeatParams(1, 1, 1, step, step,
                                            repeats > 1 ? stride / block : 0));
      }
      PipeBarrier<PIPE_V>();
    }
    for (int64_t half = count * part / 2; half >= count; half /= 2) {
      Gather(even, sums, places.template ReinterpretCast<uint32_t>(), 0,
             static_cast<uint32_t>(half));
      $Gather(odd, sums, places.template ReinterpretCast<uint32_t>(),
             static_cast<uint32_t>(sizeof(T)), static_cast<uint32_t>(half));
      $Instruction::Run(sums, even, odd, static_cast<int32_t>(half));
    }
    $CopyAll(to[row], sums, count);
  }
}
)"},
    DeviceFunction{"ScanColumns", R"(
// The sums of the columns up to each, 16 columns at a time: each with that 1, 2, 4 and 8 before it, then
// the carry of the row. It has the sum of the columns before, and gets that of all. Zeros stand in
// front of each 16.
template <typename T>
__aicore__ inline void ScanColumns(const LocalTensor<T> &to, int64_t toStride,
                                   const LocalTensor<T> &tile, int64_t stride,
                                   const LocalTensor<T> &carry, int64_t rows, int64_t columns) {
  constexpr int64_t part = 16, block = 32 / sizeof(T), some = block, all = some * part;
  constexpr auto bytes = static_cast<int32_t>(sizeof(T));
  const LocalTensor<T> padded = Spare<T>(0), sums = padded[part], other = Spare<T>(1);
  const LocalTensor<int32_t> row = Spare<int32_t>(2), place = Spare<int32_t>(3),
                             last = Spare<int32_t>(4);
  // Of each element its row, and its place; and the place behind each row.
  Number(place, 0, all);
  $ShiftRight(row, place, static_cast<int32_t>(4), all);
  $Muls(other.template ReinterpretCast<int32_t>(), row, static_cast<int32_t>(part), all);
  $Add(place, place, other.template ReinterpretCast<int32_t>(), all);
  Muls(place, place, bytes, all);
  Muls(row, row, bytes, all);
  Number(last, 0, some);
  $Muls(last, last, static_cast<int32_t>(2 * part * bytes), some);
  const auto places = place.template ReinterpretCast<uint32_t>(),
             rowPlaces = row.template ReinterpretCast<uint32_t>(),
             lastPlaces = last.template ReinterpretCast<uint32_t>();
  constexpr uint8_t step = part / block;
  for (int64_t first = 0; first < rows; first += some) {
    const int64_t count = LesserOf(rows - first, some);
    const auto repeats = static_cast<uint8_t>(count);
    const auto elements = static_cast<uint32_t>(count * part);
    for (int64_t column = 0; column < columns; column += part) {
      const auto inside = static_cast<uint64_t>(LesserOf(columns - column, part));
      $Duplicate(padded, static_cast<T>(0), static_cast<int32_t>(2 * all));
      $Copy(sums, tile[first * stride + column], inside, repeats,
           CopyRepeatParams(1, 1, 2 * step, count > 1 ? stride / block : 0));
      for (int64_t shift = 1; shift < part; shift *= 2) {
        $Gather(other, padded, places, static_cast<uint32_t>((part - shift) * bytes), elements);
        $Add(sums, sums, other, static_cast<uint64_t>(part), repeats,
            BinaryRepeatParams(1, 1, 1, 2 * step, 2 * step, step));
      }
      $Gather(other, carry[first], rowPlaces, 0, elements);
      $Add(sums, other, sums, static_cast<uint64_t>(part), repeats,
          BinaryRepeatParams(1, 1, 1, 2 * step, step, 2 * step));
      Copy(to[first * toStride + column], sums, inside, repeats,
           CopyRepeatParams(1, 1, count > 1 ? toStride / block : 0, 2 * step));
      $Gather(other, padded, lastPlaces, static_cast<uint32_t>((2 * part - 1) * bytes),
             static_cast<uint32_t>(count));
      $CopyAll(carry[first], other, count);
    }
  }
}
)"},
    DeviceFunction{"PositionsOf", R"(
// Of each row the position of the first element that is its best, or of the first NaN. Positions are
// exact in f32 up to 2^24.
__aicore__ inline void PositionsOf(const LocalTensor<int32_t> &to, const LocalTensor<float> &best,
                                   const LocalTensor<float> &tile, int64_t rows, int64_t columns,
                                   int64_t stride) {
  const LocalTensor<float> wanted = Spare<float>(0), places = Spare<float>(1),
                           least = Spare<float>(3);
  const LocalTensor<int32_t> numbers = Spare<int32_t>(2);
  const LocalTensor<uint16_t> mask = Spare<uint16_t>(4), nan = Spare<uint16_t>(5);
  for (int64_t row = 0; row < rows; ++row) {
    BroadcastElement(wanted, best, row, 256);
    $Duplicate(least, Infinity(), 256);
    for (int64_t column = 0; column < columns; column += 256) {
      const int64_t count = LesserOf(columns - column, 256);
      const LocalTensor<float> part = tile[row * stride + column];
      Number(numbers, column, count);
      $Cast(places, numbers, RoundMode::CAST_RINT, static_cast<uint32_t>(count));
      $CompareAll(mask, part, wanted, CMPMODE::EQ, count);
      $CompareAll(nan, part, part, CMPMODE::NE, count);
      $Or(mask, mask, nan, 16);
      $Select(places, mask.ReinterpretCast<uint8_t>(), places, Infinity(),
             SELMODE::VSEL_TENSOR_SCALAR_MODE, static_cast<uint32_t>(count));
      $Min(least, least, places, static_cast<int32_t>(count));
    }
    $Min(least, least, least[128], 128);
    $Min(least, least, least[64], 64);
    $MMK_REDUCE_MIN(least, least, 64, 1);
    // One element among those of other rows: by its place in its block.
    BroadcastElement(places, least, 0, 8);
    $Cast(numbers, places, RoundMode::CAST_RINT, 8);
    uint64_t place[] = {1ull << (row % 8), 0};
    $Adds(to[row / 8 * 8], numbers, 0, place, 1, UnaryRepeatParams(1, 1, 8, 8));
  }
}
)"},
    DeviceFunction{"PositionsByRows", R"(
// Of each column the best element, and its row: the first of equals, or the first NaN.
template <bool isLeast>
__aicore__ inline void PositionsByRows(const LocalTensor<int32_t> &to,
                                       const LocalTensor<float> &best,
                                       const LocalTensor<float> &tile, int64_t rows,
                                       int64_t columns, int64_t stride) {
  const LocalTensor<uint16_t> mask = Spare<uint16_t>(0), known = Spare<uint16_t>(1);
  const LocalTensor<int32_t> number = Spare<int32_t>(2);
  for (int64_t column = 0; column < columns; column += 256) {
    const auto count = static_cast<int32_t>(LesserOf(columns - column, 256));
    const LocalTensor<int32_t> places = to[column];
    const LocalTensor<float> found = best[column];
    $Duplicate(places, static_cast<int32_t>(0), count);
    $Duplicate(found, isLeast ? Infinity() : -Infinity(), count);
    for (int64_t row = 0; row < rows; ++row) {
      const LocalTensor<float> part = tile[row * stride + column];
      // Beyond what is known, or NaN, where that is none.
      $CompareAll(mask, part, found, isLeast ? CMPMODE::GE : CMPMODE::LE, count);
      $Not(mask, mask, 16);
      $CompareAll(known, found, found, CMPMODE::EQ, count);
      $And(mask, mask, known, 16);
      $Duplicate(number, static_cast<int32_t>(row), count);
      $Select(found, mask.ReinterpretCast<uint8_t>(), part, found,
             SELMODE::VSEL_TENSOR_TENSOR_MODE, static_cast<uint32_t>(count));
      $Select(places.ReinterpretCast<float>(), mask.ReinterpretCast<uint8_t>(),
             number.ReinterpretCast<float>(), places.ReinterpretCast<float>(),
             SELMODE::VSEL_TENSOR_TENSOR_MODE, static_cast<uint32_t>(count));
    }
  }
}
)"},
    DeviceFunction{"Words", R"(
// Arithmetic modulo 2^32 on the 256 words of pieces of spare room.
struct Words {
  __aicore__ static inline void Fill(int64_t to, uint32_t number) {
    $Duplicate(Spare<int32_t>(to), static_cast<int32_t>(number), 256);
  }
  __aicore__ static inline void Plus(int64_t to, int64_t left, int64_t right) {
    $Add(Spare<int32_t>(to), Spare<int32_t>(left), Spare<int32_t>(right), 256);
  }
  __aicore__ static inline void Minus(int64_t to, int64_t left, int64_t right) {
    $Sub(Spare<int32_t>(to), Spare<int32_t>(left), Spare<int32_t>(right), 256);
  }
  __aicore__ static inline void Times(int64_t to, int64_t from, uint32_t factor) {
    $Muls(Spare<int32_t>(to), Spare<int32_t>(from), static_cast<int32_t>(factor), 256);
  }
  __aicore__ static inline void Right(int64_t to, int64_t from, uint32_t bits) {
    $ShiftRight(Spare<uint32_t>(to), Spare<uint32_t>(from), bits, 256);
  }
  __aicore__ static inline void Left(int64_t to, int64_t from, uint32_t bits) {
    $ShiftLeft(Spare<uint32_t>(to), Spare<uint32_t>(from), bits, 256);
  }
  // to ^ with, as (to | with) - (to & with).
  __aicore__ static inline void Xor(int64_t to, int64_t with, int64_t either, int64_t both) {
    $Or(Spare<uint16_t>(either), Spare<uint16_t>(to), Spare<uint16_t>(with), 512);
    $And(Spare<uint16_t>(both), Spare<uint16_t>(to), Spare<uint16_t>(with), 512);
    Minus(to, either, both);
  }
  // The upper words of the products with a factor, by halves of words.
  __aicore__ static inline void High(int64_t to, int64_t from, uint32_t factor, int64_t high,
                                     int64_t low, int64_t part) {
    Right(high, from, 16);
    Left(low, high, 16);
    Minus(low, from, low);
    Times(part, low, factor & 0xFFFF);
    Right(part, part, 16);
    Times(low, low, factor >> 16);
    Times(to, high, factor & 0xFFFF);
    Plus(to, to, part);
    Times(high, high, factor >> 16);
    Right(part, to, 16);
    Plus(high, high, part);
    Left(part, part, 16);
    Minus(to, to, part);
    Plus(to, to, low);
    Right(to, to, 16);
    Plus(to, to, high);
  }
};
)"},
    DeviceFunction{"FillRandom", R"(
// Up to 256 numbers in [0, 1): those of Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011) at the
// positions whose lower words are those of first, first + step, ..., and whose upper word is `above`.
__aicore__ inline void FillRandom(const LocalTensor<float> &to, int32_t seed, int64_t first,
                                  int64_t above, int64_t step, int64_t count) {
  const auto upper = static_cast<uint32_t>(above), lower = static_cast<uint32_t>(first);
  int64_t c0 = 0, c1 = 1, c2 = 2, c3 = 3, next = 4;
  const int64_t u = 5, v = 6, w = 7;
  uint32_t key0 = static_cast<uint32_t>(seed), key1 = 0;
  Number(Spare<int32_t>(c0), 0, 256);
  Words::Times(c0, c0, static_cast<uint32_t>(step));
  Words::Fill(u, lower);
  Words::Plus(c0, c0, u);
  Words::Right(c0, c0, 2);
  Words::Fill(u, upper << 30);
  Words::Plus(c0, c0, u);
  Words::Fill(c1, upper >> 2);
  Words::Fill(c2, 0);
  Words::Fill(c3, 0);
  for (int32_t round = 0; round < 10; ++round) {
    Words::High(next, c0, 0xD2511F53, u, v, w);
    Words::Times(c0, c0, 0xD2511F53);
    Words::Xor(next, c3, u, v);
    Words::Fill(w, key1);
    Words::Xor(next, w, u, v);
    Words::High(c3, c2, 0xCD9E8D57, u, v, w);
    Words::Times(c2, c2, 0xCD9E8D57);
    Words::Xor(c3, c1, u, v);
    Words::Fill(w, key0);
    Words::Xor(c3, w, u, v);
    const int64_t free = c1, low = c0;
    c0 = c3, c1 = c2, c2 = next, c3 = low, next = free;
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  // Of the four words of a block, that of the position.
  Number(Spare<int32_t>(u), 0, 256);
  Words::Times(u, u, static_cast<uint32_t>(step));
  Words::Fill(v, lower);
  Words::Plus(u, u, v);
  Words::Right(v, u, 2);
  Words::Left(v, v, 2);
  Words::Minus(u, u, v);
  const int64_t words[] = {c0, c1, c2};
  for (int32_t word = 0; word < 3; ++word) {
    Words::Fill(v, static_cast<uint32_t>(word));
    $CompareAll(Spare<uint16_t>(w), Spare<int32_t>(u), Spare<int32_t>(v), CMPMODE::EQ, 256);
    $Select(Spare<float>(c3), Spare<uint8_t>(w), Spare<float>(words[word]), Spare<float>(c3),
           SELMODE::VSEL_TENSOR_TENSOR_MODE, 256);
  }
  Words::Right(c3, c3, 8);
  $Cast(to, Spare<int32_t>(c3), RoundMode::CAST_RINT, static_cast<uint32_t>(count));
  $Muls(to, to, 1.0f / 16777216, static_cast<int32_t>(count));
}
)"},
    DeviceFunction{"RandomRows", R"(
// Rows of random numbers, of positions that are so many apart.
__aicore__ inline void RandomRows(const LocalTensor<float> &to, int64_t stride, int32_t seed,
                                  int64_t first, int64_t rowStep, int64_t columnStep, int64_t rows,
                                  int64_t columns) {
  constexpr int64_t words = int64_t(1) << 32;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; column += 256) {
      const int64_t at = first + row * rowStep + column * columnStep,
                    count = LesserOf(columns - column, 256),
                    same = columnStep > 0 ? QuotientUp(words - at % words, columnStep) : count;
      if (same < count) {
        FillRandom(to[row * stride + column], seed, at, at / words + 1, columnStep, count);
      }
      FillRandom(to[row * stride + column], seed, at, at / words, columnStep,
                 LesserOf(same, count));
    }
  }
}
)"},
};

} // namespace

std::span<const DeviceFunction> vectorFunctions() { return functionsOnTensors; }

} // namespace mmk::ascendc
