// The cube core of Ascend 910B (dav-2201), and what that of Ascend 950 (dav-3510) shares with it:
// transfers into L1, L0 and the bias table, the matrix unit, the way out. The meaning of the
// parameters is that of the published documentation (Load2D, Load3D, LoadDataWithTranspose, Mmad,
// Fixpipe, InitConstValue) and of its examples of transposed operands. Included by
// kernel_operator.h alone.
#pragma once

#include "fields.h"
#include "pipes.h"

#include <type_traits>
#include <utility>
#include <vector>

namespace AscendC {

/// Elements of a fractal: 16 rows of 32 bytes.
template <typename T> constexpr size_t fractalWidth = 32 / sizeof(T);
template <typename T> constexpr size_t fractalElements = 16 * fractalWidth<T>;

constexpr size_t quotientUp(size_t a, size_t b) { return (a + b - 1) / b; }

/// The range of srcDValue on 3510 is that of its header, where it has 64 bits.
struct Nd2NzParams {
#if __NPU_ARCH__ == 3510
  shim::Field<uint16_t, 0, 4095, "Nd2NzParams::ndNum"> ndNum;
  shim::Field<uint16_t, 0, 16384, "Nd2NzParams::nValue"> nValue;
  shim::Field<uint32_t, 0, shim::most16, "Nd2NzParams::dValue"> dValue;
  shim::Field<uint64_t, 0, shim::most16, "Nd2NzParams::srcNdMatrixStride"> srcNdMatrixStride;
  shim::Field<uint64_t, 1, shim::most40, "Nd2NzParams::srcDValue"> srcDValue;
  shim::Field<uint16_t, 1, 16384, "Nd2NzParams::dstNzC0Stride"> dstNzC0Stride;
  shim::Field<uint16_t, 1, 16384, "Nd2NzParams::dstNzNStride"> dstNzNStride;
  shim::Field<uint32_t, 0, 16384, "Nd2NzParams::dstNzMatrixStride"> dstNzMatrixStride;
#else
  shim::Field<uint16_t, 0, 4095, "Nd2NzParams::ndNum"> ndNum;
  shim::Field<uint16_t, 0, 16384, "Nd2NzParams::nValue"> nValue;
  shim::Field<uint16_t, 0, shim::most16, "Nd2NzParams::dValue"> dValue;
  shim::Field<uint16_t, 0, shim::most16, "Nd2NzParams::srcNdMatrixStride"> srcNdMatrixStride;
  shim::Field<uint16_t, 1, shim::most16, "Nd2NzParams::srcDValue"> srcDValue;
  shim::Field<uint16_t, 1, 16384, "Nd2NzParams::dstNzC0Stride"> dstNzC0Stride;
  shim::Field<uint16_t, 1, 16384, "Nd2NzParams::dstNzNStride"> dstNzNStride;
  shim::Field<uint16_t, 0, 16384, "Nd2NzParams::dstNzMatrixStride"> dstNzMatrixStride;
#endif
};

/// The rows of a matrix in global memory as fractals in L1. Columns up to a whole fractal are zero.
template <typename T>
void DataCopy(const LocalTensor<T> &to, const GlobalTensor<T> &from, const Nd2NzParams &params,
              Where where = Where::current()) {
  shim::expect(params.ndNum == 1 && to.position == TPosition::A1, "one matrix into L1", where);
  shim::expect(to.address % 32 == 0, "a target on 32 bytes", where);
  shim::work(PIPE_MTE2, [=] {
    constexpr size_t width = fractalWidth<T>;
    for (size_t n = 0; n < params.nValue; ++n) {
      const T *row = from.access(n * params.srcDValue, params.dValue, where);
      for (size_t d = 0; d < params.dValue; d += width) {
        T *block = to.access((d / width * params.dstNzC0Stride + n * params.dstNzNStride) * width,
                             width, where);
        for (size_t i = 0; i < width; ++i)
          block[i] = d + i < params.dValue ? row[d + i] : T();
      }
    }
  });
}

template <typename T> struct InitConstValueParams {
  shim::Field<uint16_t, 0, 32767, "InitConstValueParams::repeatTimes"> repeatTimes;
  shim::Field<uint16_t, 0, 32767, "InitConstValueParams::blockNum"> blockNum;
  shim::Field<uint16_t, 0, 32767, "InitConstValueParams::dstGap"> dstGap;
  T initValue;
};

/// Blocks of 32 bytes of L1 become one value. CANN 9.1 has the name Fill.
#if __NPU_ARCH__ == 3510
#define InitConstValue Fill
#endif
template <typename T>
void InitConstValue(const LocalTensor<T> &to, const InitConstValueParams<T> &params,
                    Where where = Where::current()) {
  static_assert(sizeof(T) > 1, "no type of one byte");
  shim::expect(to.position == TPosition::A1 && to.address % 32 == 0, "a target in L1", where);
  shim::work(PIPE_MTE2, [=] {
    constexpr size_t width = fractalWidth<T>;
    for (size_t i = 0; i < params.repeatTimes; ++i) {
      T *blocks =
          to.access(i * (params.blockNum + params.dstGap) * width, params.blockNum * width, where);
      for (size_t j = 0; j < params.blockNum * width; ++j)
        blocks[j] = params.initValue;
    }
  });
}

struct DataCopyParams {
  shim::Field<uint16_t, 0, 4095, "DataCopyParams::blockCount"> blockCount;
  shim::Field<uint16_t, 0, shim::most16, "DataCopyParams::blockLen"> blockLen;
  shim::Field<uint16_t, 0, shim::most16, "DataCopyParams::srcGap"> srcGap;
  shim::Field<uint16_t, 0, shim::most16, "DataCopyParams::dstGap"> dstGap;
};

#if __NPU_ARCH__ == 3510
/// UB into L1 of the block: pieces of blocks of 32 bytes.
template <typename T>
void copyIntoL1(const LocalTensor<T> &to, const LocalTensor<T> &from, const DataCopyParams &params,
                Where where) {
  shim::expect(from.position == TPosition::VECCALC && to.position == TPosition::A1 &&
                   from.address % 32 == 0 && to.address % 32 == 0,
               "UB into L1, on 32 bytes", where);
  shim::expect(params.blockCount > 0, "one piece or more", where);
  shim::work(PIPE_MTE3, [=] {
    constexpr size_t width = 32 / sizeof(T);
    const size_t length = params.blockLen * width;
    for (size_t i = 0; i < params.blockCount; ++i)
      shim::copy(to.accessOf(0, i * (length + params.dstGap * width), length, where),
                 from.access(i * (length + params.srcGap * width), length, where),
                 length * sizeof(T), length * sizeof(T));
  });
}
#endif

/// L1 into the bias table, in blocks of 64 bytes; of dav-3510 in an even number of blocks of 32.
template <typename T>
void DataCopy(const LocalTensor<T> &to, const LocalTensor<T> &from, const DataCopyParams &params,
              Where where = Where::current()) {
#if __NPU_ARCH__ == 3510
  if (to.position == TPosition::A1)
    return copyIntoL1(to, from, params, where);
#endif
  shim::expect(from.position == TPosition::A1 && to.position == TPosition::C2,
               "L1 into the bias table", where);
  shim::expect(to.address % 64 == 0 && from.address % 32 == 0, "a target on 64 bytes", where);
  shim::expect(params.blockCount == 1, "one piece", where);
  constexpr size_t unit = __NPU_ARCH__ == 3510 ? 32 : 64;
  shim::expect(params.blockLen * unit % 64 == 0, "an even number of blocks", where);
  shim::work(PIPE_MTE1, [=] {
    const size_t count = params.blockLen * unit / sizeof(T);
    shim::copy(to.access(0, count, where), from.access(0, count, where), count * sizeof(T),
               count * sizeof(T));
  });
}

//===--- L1 into L0A and L0B ---------------------------------------------------------------===//

template <typename T>
void expectIntoL0(const LocalTensor<T> &to, const LocalTensor<T> &from, Where where) {
  shim::expect(from.position == TPosition::A1 &&
                   (to.position == TPosition::A2 || to.position == TPosition::B2),
               "L1 into L0A or L0B", where);
  shim::expect(to.address % 512 == 0 && from.address % 32 == 0, "a target on 512 bytes", where);
}

#if __NPU_ARCH__ != 3510
struct LoadData2DParams {
  shim::Field<uint16_t, 0, shim::most16, "LoadData2DParams::startIndex"> startIndex;
  shim::Field<uint8_t, 0, shim::most8, "LoadData2DParams::repeatTimes"> repeatTimes;
  shim::Field<uint16_t, 0, shim::most16, "LoadData2DParams::srcStride"> srcStride;
  shim::Field<uint8_t, 0, 0, "LoadData2DParams::sid"> sid;
  shim::Field<uint16_t, 0, shim::most16, "LoadData2DParams::dstGap"> dstGap;
  bool ifTranspose = false;
};

/// Fractals of L1 one behind the other into L0A or L0B, each as it is or, of two bytes, transposed.
template <typename T>
void LoadData(const LocalTensor<T> &to, const LocalTensor<T> &from, const LoadData2DParams &params,
              Where where = Where::current()) {
  expectIntoL0(to, from, where);
  shim::expect(params.repeatTimes > 0, "one fractal or more", where);
  shim::expect(!params.ifTranspose || sizeof(T) == 2, "a transposed fractal that is square", where);
  shim::work(PIPE_MTE1, [=] {
    constexpr size_t width = fractalWidth<T>, elements = fractalElements<T>;
    for (size_t i = 0; i < params.repeatTimes; ++i) {
      const T *source =
          from.access((params.startIndex + i * params.srcStride) * elements, elements, where);
      T *target = to.access(i * (1 + params.dstGap) * elements, elements, where);
      for (size_t row = 0; row < 16; ++row)
        for (size_t column = 0; column < width; ++column)
          target[row * width + column] =
              params.ifTranspose ? source[column * 16 + row] : source[row * width + column];
    }
  });
}

struct LoadData2dTransposeParams {
  shim::Field<uint16_t, 0, shim::most16, "LoadData2dTransposeParams::startIndex"> startIndex;
  shim::Field<uint8_t, 0, shim::most8, "LoadData2dTransposeParams::repeatTimes"> repeatTimes;
  shim::Field<uint16_t, 0, shim::most16, "LoadData2dTransposeParams::srcStride"> srcStride;
  shim::Field<uint16_t, 0, shim::most16, "LoadData2dTransposeParams::dstGap"> dstGap;
  shim::Field<uint16_t, 0, shim::most16, "LoadData2dTransposeParams::dstFracGap"> dstFracGap;
};

/// Squares of 32 x 32 bytes, two fractals of L1 each, transposed into two fractals.
template <typename T>
void LoadDataWithTranspose(const LocalTensor<T> &to, const LocalTensor<T> &from,
                           const LoadData2dTransposeParams &params,
                           Where where = Where::current()) {
  static_assert(sizeof(T) == 1, "squares of other types have other numbers of fractals");
  expectIntoL0(to, from, where);
  shim::work(PIPE_MTE1, [=] {
    for (size_t i = 0; i < params.repeatTimes; ++i) {
      const T *square = from.access((params.startIndex + i * params.srcStride) * 1024, 1024, where);
      for (size_t half = 0; half < 2; ++half) {
        T *target =
            to.access((i * (1 + params.dstGap) + half * (1 + params.dstFracGap)) * 512, 512, where);
        for (size_t row = 0; row < 16; ++row)
          for (size_t column = 0; column < 32; ++column)
            target[row * 32 + column] = square[column * 32 + half * 16 + row];
      }
    }
  });
}

#endif

template <typename T> struct LoadData3DParamsV2 {
  /// Left, right, top, bottom.
  shim::Field<uint8_t, 0, shim::most8, "LoadData3DParamsV2::padList"> padList[4];
  shim::Field<uint16_t, 0, 32767, "LoadData3DParamsV2::l1H"> l1H;
  shim::Field<uint16_t, 0, 32767, "LoadData3DParamsV2::l1W"> l1W;
  shim::Field<uint16_t, 0, shim::most16, "LoadData3DParamsV2::channelSize"> channelSize;
  shim::Field<uint16_t, 0, shim::most16, "LoadData3DParamsV2::kExtension"> kExtension;
  shim::Field<uint16_t, 0, shim::most16, "LoadData3DParamsV2::mExtension"> mExtension;
  shim::Field<uint16_t, 0, shim::most16, "LoadData3DParamsV2::kStartPt"> kStartPt;
  shim::Field<uint16_t, 0, 32767, "LoadData3DParamsV2::mStartPt"> mStartPt;
  shim::Field<uint8_t, 0, 63, "LoadData3DParamsV2::strideW"> strideW = 1;
  shim::Field<uint8_t, 0, 63, "LoadData3DParamsV2::strideH"> strideH = 1;
  shim::Field<uint8_t, 0, shim::most8, "LoadData3DParamsV2::filterW"> filterW = 1;
  shim::Field<uint8_t, 0, shim::most8, "LoadData3DParamsV2::filterH"> filterH = 1;
  shim::Field<uint8_t, 0, shim::most8, "LoadData3DParamsV2::dilationFilterW"> dilationFilterW = 1;
  shim::Field<uint8_t, 0, shim::most8, "LoadData3DParamsV2::dilationFilterH"> dilationFilterH = 1;
  bool enTranspose = false, enSmallK = false;
  T padValue = {};
  bool filterSizeW = false, filterSizeH = false, fMatrixCtrl = false;
};

/// The windows of an image in L1, blocks of channels by lines by columns by the channels of a
/// block, as the matrix that LoadData takes a part of: rows are the pixels of the result, columns
/// are blocks of channels, the taps, and the channels of a block.
template <typename T> struct Windows {
  explicit Windows(const LoadData3DParamsV2<T> &params) : p(params) {
    width = (p.l1W + p.padList[0] + p.padList[1] - p.dilationFilterW * (p.filterW - 1) - 1) /
                p.strideW +
            1;
    height = (p.l1H + p.padList[2] + p.padList[3] - p.dilationFilterH * (p.filterH - 1) - 1) /
                 p.strideH +
             1;
    depth = quotientUp(p.channelSize, fractalWidth<T>) * fractalWidth<T> * p.filterH * p.filterW;
  }
  int64_t pixels() const { return int64_t(width) * height; }
  T at(const LocalTensor<T> &image, int64_t pixel, size_t column, Where where) const {
    constexpr size_t block = fractalWidth<T>;
    const size_t channel = column % block, tap = column / block;
    const int64_t y = pixel / width * p.strideH +
                      int64_t(tap / p.filterW % p.filterH) * p.dilationFilterH - p.padList[2],
                  x = pixel % width * p.strideW + int64_t(tap % p.filterW) * p.dilationFilterW -
                      p.padList[0];
    if (y < 0 || y >= p.l1H || x < 0 || x >= p.l1W)
      return p.padValue;
    const size_t blocks = tap / (p.filterW * p.filterH);
    return *image.access(((blocks * p.l1H + y) * p.l1W + x) * block + channel, 1, where);
  }

  LoadData3DParamsV2<T> p;
  int width, height;
  size_t depth;
};

/// Of dav-3510, `stride` fractals lie between columns of them in L0.
template <typename T>
void loadWindows(const LocalTensor<T> &to, const LocalTensor<T> &from,
                 const LoadData3DParamsV2<T> &params, [[maybe_unused]] size_t stride, Where where) {
  constexpr size_t width = fractalWidth<T>;
  expectIntoL0(to, from, where);
  const bool isB = to.position == TPosition::B2, transposes = isB || params.enTranspose;
  shim::expect(sizeof(T) > 1 || !transposes, "two bytes or more of what is transposed", where);
  const Windows<T> windows(params);
  shim::expect(params.l1W > 0 && params.l1W <= 32767 && params.l1H > 0 && params.l1H <= 32767,
               "an image of 1 to 32767 lines and columns", where);
  shim::expect(windows.width > 0 && windows.height > 0, "windows within the image", where);
  shim::expect(params.strideW > 0 && params.strideH > 0, "a stride of 1 or more", where);
  const size_t ofBlock = params.channelSize * sizeof(T) % 32;
  shim::expect(ofBlock == 0 || ofBlock == 16 || ofBlock == 4 * sizeof(T),
               "channels that fill blocks of 32 bytes, half of one more, or four of it", where);
  shim::expect(params.kStartPt % width == 0 && params.kExtension % width == 0 &&
                   params.kExtension > 0 &&
                   size_t(params.kStartPt) + params.kExtension <= windows.depth,
               "whole blocks of the depth", where);
  shim::expect(params.mExtension > 0 && (params.mExtension % 16 == 0 ||
                                         params.mStartPt + params.mExtension >= windows.pixels()),
               "whole fractals of pixels, or the last ones", where);
  shim::expect(!transposes || params.mExtension % 16 == 0, "16 rows of what is transposed", where);
  shim::work(PIPE_MTE1, [=] {
    const size_t rows = quotientUp(params.mExtension, 16) * 16, columns = params.kExtension;
    // Of what is transposed the rows of the target are columns.
    [[maybe_unused]] const size_t inRow = isB          ? quotientUp(columns, 16)
                                          : transposes ? rows / width
                                                       : columns / width;
    for (size_t m = 0; m < rows; ++m)
      for (size_t k = 0; k < columns; ++k) {
        const int64_t pixel = int64_t(params.mStartPt) + m;
        const size_t row = transposes ? k : m, column = transposes ? m : k;
#if __NPU_ARCH__ == 3510
        const size_t fractal = column / width * stride + row / 16;
#else
        const size_t fractal =
            isB ? column / width * inRow + row / 16 : row / 16 * inRow + column / width;
#endif
        T *target =
            to.access(fractal * fractalElements<T> + row % 16 * width + column % width, 1, where);
        if (pixel < windows.pixels())
          *target = windows.at(from, pixel, params.kStartPt + k, where);
        else
          shim::copy(target, target, 0, sizeof(T)); // unknown
      }
  });
}

#if __NPU_ARCH__ == 3510
struct LoadDataRepeatParamWithStride {
  shim::Field<uint16_t, 0, shim::most16, "LoadDataRepeatParamWithStride::repeatStride">
      repeatStride;
  shim::Field<uint8_t, 0, shim::most8, "LoadDataRepeatParamWithStride::repeatTime"> repeatTime = 1;
  shim::Field<uint8_t, 0, 1, "LoadDataRepeatParamWithStride::repeatMode"> repeatMode;
  shim::Field<uint16_t, 0, shim::most16, "LoadDataRepeatParamWithStride::dstStride"> dstStride;
};
/// Fractals from a column of them in L0 to the next, of the next LoadDataWithStride.
inline size_t nextStride = 0;
inline void SetLoadDataRepeatWithStride(const LoadDataRepeatParamWithStride &params,
                                        Where where = Where::current()) {
  shim::expect(params.repeatTime == 1 && params.dstStride > 0, "one repeat", where);
  nextStride = params.dstStride;
}
template <typename T>
void LoadDataWithStride(const LocalTensor<T> &to, const LocalTensor<T> &from,
                        const LoadData3DParamsV2<T> &params, Where where = Where::current()) {
  const size_t stride = std::exchange(nextStride, 0);
  shim::expect(stride > 0, "SetLoadDataRepeatWithStride in front of it", where);
  loadWindows(to, from, params, stride, where);
}
#endif

/// Of dav-3510 L0 is taken to have the rows that are loaded, and no more.
template <typename T>
void LoadData(const LocalTensor<T> &to, const LocalTensor<T> &from,
              const LoadData3DParamsV2<T> &params, Where where = Where::current()) {
  loadWindows(to, from, params,
              quotientUp(params.enTranspose ? params.kExtension : params.mExtension, 16), where);
}

//===--- the matrix unit -------------------------------------------------------------------===//

struct MmadParams {
  shim::Field<uint16_t, 0, 4095, "MmadParams::m"> m;
  shim::Field<uint16_t, 0, 4095, "MmadParams::n"> n;
  shim::Field<uint16_t, 0, 4095, "MmadParams::k"> k;
  bool cmatrixInitVal = true, cmatrixSource = false, kDirectionAlign = false;
};

/// What products of a type are summed in.
template <typename T> using Sum = std::conditional_t<std::is_same_v<T, int8_t>, int32_t, float>;

/// Sums in the order of k, each product and sum rounded once. L0A holds rows of fractals with their
/// rows, and of dav-3510 columns of them; L0B rows of fractals with their columns, L0C columns of
/// fractals with their rows.
/// `bias`: each row of the sums starts from it; without it from zero, or from L0C.
template <typename T>
void multiply(const LocalTensor<Sum<T>> &c, const LocalTensor<T> &a, const LocalTensor<T> &b,
              const LocalTensor<Sum<T>> *bias, const MmadParams &params, Where where) {
  shim::expect(c.position == TPosition::CO1 && a.position == TPosition::A2 &&
                   b.position == TPosition::B2,
               "L0A times L0B into L0C", where);
  shim::expect(a.address % 512 == 0 && b.address % 512 == 0 && c.address % 1024 == 0,
               "operands on 512 bytes and sums on 1024", where);
  shim::expect(params.m != 1, "more than one row, else L0A is read as a vector", where);
  shim::expect(!params.cmatrixSource, "sums from L0C", where);
  shim::expect(!params.kDirectionAlign || (sizeof(T) == 4 && __NPU_ARCH__ == 2201),
               "f32 with a depth of whole squares, of dav-2201", where);
  const LocalTensor<Sum<T>> row = bias ? *bias : c;
  const bool hasBias = bias;
  if (hasBias)
    shim::expect(row.position == TPosition::C2 && row.address % 128 == 0 && !params.cmatrixInitVal,
                 "a row of the bias table on 128 bytes", where);
  shim::work(PIPE_M, [=] {
    constexpr size_t width = fractalWidth<T>;
    const size_t rows = quotientUp(params.m, 16), columns = quotientUp(params.n, 16),
                 depth = quotientUp(params.k, width),
                 inA = params.kDirectionAlign ? quotientUp(params.k, 16) * 16 / width : depth;
#if __NPU_ARCH__ == 3510
    static_cast<void>(inA);
    const auto fractalOfA = [=](size_t row, size_t k) { return k * rows + row; };
#else
    const auto fractalOfA = [=](size_t row, size_t k) { return row * inA + k; };
#endif
    const T *left = a.access(0, (fractalOfA(rows - 1, depth - 1) + 1) * fractalElements<T>, where),
            *right = b.access(0, depth * columns * fractalElements<T>, where);
    Sum<T> *sums = c.access(0, rows * columns * 256, where);
    const Sum<T> *first = hasBias ? row.access(0, params.n, where) : nullptr;
    std::vector<Sum<T>> ofA(params.k), ofB(size_t(params.n) * params.k);
    for (size_t j = 0; j < params.n; ++j)
      for (size_t k = 0; k < params.k; ++k)
        ofB[j * params.k + k] =
            shim::wide(right[(k / width * columns + j / 16) * fractalElements<T> + j % 16 * width +
                             k % width]);
    for (size_t i = 0; i < params.m; ++i) {
      for (size_t k = 0; k < params.k; ++k)
        ofA[k] = shim::wide(
            left[fractalOfA(i / 16, k / width) * fractalElements<T> + i % 16 * width + k % width]);
      for (size_t j = 0; j < params.n; ++j) {
        Sum<T> &sum = sums[(j / 16 * rows * 16 + i) * 16 + j % 16];
        if (hasBias)
          sum = first[j];
        else if (params.cmatrixInitVal)
          sum = 0;
        sum = shim::multiplyAdd(ofA.data(), &ofB[j * params.k], params.k, sum);
      }
    }
  });
}

template <typename T>
void Mmad(const LocalTensor<Sum<T>> &c, const LocalTensor<T> &a, const LocalTensor<T> &b,
          const MmadParams &params, Where where = Where::current()) {
  multiply<T>(c, a, b, nullptr, params, where);
}
template <typename T>
void Mmad(const LocalTensor<Sum<T>> &c, const LocalTensor<T> &a, const LocalTensor<T> &b,
          const LocalTensor<Sum<T>> &bias, const MmadParams &params,
          Where where = Where::current()) {
  multiply<T>(c, a, b, &bias, params, where);
}

//===--- the way out -----------------------------------------------------------------------===//

enum class QuantMode_t { NoQuant = 0, F322F16 = 1, F322BF16 = 16 };

#if __NPU_ARCH__ == 3510
enum class CO2Layout : uint8_t { NZ, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
  CO2Layout format;
  bool isToUB = false;
};
inline constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};
struct Nz2NdParams {
  shim::Field<uint16_t, 0, shim::most16, "Nz2NdParams::ndNum"> ndNum = 1;
  shim::Field<uint16_t, 0, shim::most16, "Nz2NdParams::srcNdStride"> srcNdStride;
  shim::Field<uint32_t, 0, shim::most32, "Nz2NdParams::dstNdStride"> dstNdStride;
};
template <CO2Layout> struct FixpipeParamsArch3510 {
  shim::Field<uint16_t, 0, 4095, "FixpipeParamsArch3510::nSize"> nSize;
  shim::Field<uint16_t, 0, shim::most16, "FixpipeParamsArch3510::mSize"> mSize;
  shim::Field<uint16_t, 0, shim::most16, "FixpipeParamsArch3510::srcStride"> srcStride;
  shim::Field<uint32_t, 1, shim::most32, "FixpipeParamsArch3510::dstStride"> dstStride;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  bool reluEn = false;
  Nz2NdParams params;
  shim::Field<uint8_t, 0, 2, "FixpipeParamsArch3510::dualDstCtl"> dualDstCtl;
  bool subBlockId = false;
};
using SumsParams = FixpipeParamsArch3510<CO2Layout::ROW_MAJOR>;
constexpr int ndNumOf(const SumsParams &params) { return params.params.ndNum; }
#else
struct FixpipeParamsV220 {
  shim::Field<uint16_t, 0, 4095, "FixpipeParamsV220::nSize"> nSize;
  shim::Field<uint16_t, 0, 8192, "FixpipeParamsV220::mSize"> mSize;
  shim::Field<uint16_t, 0, shim::most16, "FixpipeParamsV220::srcStride"> srcStride;
  shim::Field<uint32_t, 1, shim::most32, "FixpipeParamsV220::dstStride"> dstStride;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  bool reluEn = false;
  shim::Field<uint16_t, 0, shim::most16, "FixpipeParamsV220::ndNum"> ndNum = 1;
  shim::Field<uint16_t, 0, 512, "FixpipeParamsV220::srcNdStride"> srcNdStride;
  shim::Field<uint16_t, 0, shim::most16, "FixpipeParamsV220::dstNdStride"> dstNdStride;
};
struct FixpipeConfig {};
inline constexpr FixpipeConfig CFG_ROW_MAJOR = {};
using SumsParams = FixpipeParamsV220;
constexpr int ndNumOf(const SumsParams &params) { return params.ndNum; }
#endif

/// Sums of a row of L0C.
template <typename T, typename U>
void takeSums(T *to, const LocalTensor<U> &from, size_t row, const SumsParams &params,
              Where where) {
  for (size_t j = 0; j < params.nSize; ++j) {
    U sum = *from.access((j / 16 * params.srcStride + row) * 16 + j % 16, 1, where);
    if (params.reluEn && sum <= 0) // not of NaN
      sum = 0;
    if constexpr (std::is_same_v<T, U>)
      to[j] = sum;
    else
      to[j] = shim::rounded<T>(sum);
  }
}

/// Sums of L0C as rows of a matrix in global memory.
template <typename T, typename U, const FixpipeConfig &config>
void Fixpipe(const GlobalTensor<T> &to, const LocalTensor<U> &from, const SumsParams &params,
             Where where = Where::current()) {
  constexpr QuantMode_t expected = std::is_same_v<T, half>         ? QuantMode_t::F322F16
                                   : std::is_same_v<T, bfloat16_t> ? QuantMode_t::F322BF16
                                                                   : QuantMode_t::NoQuant;
  static_assert(std::is_same_v<T, U> || (std::is_same_v<U, float> && sizeof(T) == 2),
                "integers leave as they are");
  shim::expect(from.position == TPosition::CO1 && ndNumOf(params) == 1, "one matrix of L0C", where);
  shim::expect(params.quantPre == expected, "the rounding to the type of the matrix", where);
  shim::expect(params.nSize > 0 && params.mSize > 0, "one element or more", where);
  shim::work(PIPE_FIX, [=] {
    for (size_t i = 0; i < params.mSize; ++i)
      takeSums(to.written(i * params.dstStride, params.nSize, where), from, i, params, where);
  });
}

#if __NPU_ARCH__ == 3510
/// Sums of L0C as rows in UB: the upper half in that of the first vector core, the other in that of
/// the second. Of no rows or columns nothing is to do.
template <typename T, typename U, const FixpipeConfig &config>
void Fixpipe(const LocalTensor<T> &to, const LocalTensor<U> &from, const SumsParams &params,
             Where where = Where::current()) {
  static_assert(config.isToUB && std::is_same_v<T, U>, "sums as they are, into UB");
  shim::expect(from.position == TPosition::CO1 && from.address % 64 == 0 && ndNumOf(params) == 1,
               "one matrix of L0C", where);
  shim::expect(to.position == TPosition::VECCALC && to.address % 32 == 0, "a target in UB", where);
  shim::expect(params.dualDstCtl == 1 && params.mSize % 2 == 0, "an even number of rows", where);
  shim::expect(params.nSize % 16 == 0, "whole fractals of columns", where);
  shim::work(PIPE_FIX, [=] {
    const size_t half = params.mSize / 2;
    for (size_t i = 0; i < params.mSize; ++i)
      takeSums(to.accessOf(i < half ? 1 : 2, i % half * params.dstStride, params.nSize, where),
               from, i, params, where);
  });
}

struct LoadData2DParamsV2 {
  shim::Field<uint32_t, 0, shim::most32, "LoadData2DParamsV2::mStartPosition"> mStartPosition;
  shim::Field<uint32_t, 0, shim::most32, "LoadData2DParamsV2::kStartPosition"> kStartPosition;
  shim::Field<uint16_t, 0, shim::most8, "LoadData2DParamsV2::mStep"> mStep;
  shim::Field<uint16_t, 0, shim::most8, "LoadData2DParamsV2::kStep"> kStep;
  shim::Field<int32_t, INT32_MIN, INT32_MAX, "LoadData2DParamsV2::srcStride"> srcStride;
  shim::Field<uint16_t, 0, shim::most16, "LoadData2DParamsV2::dstStride"> dstStride;
  bool ifTranspose = false;
  shim::Field<uint8_t, 0, 0, "LoadData2DParamsV2::sid"> sid;
};

/// Columns of fractals of L1 as such into L0A or L0B, each as it is or transposed: of one byte two
/// below each other, a square.
template <typename T>
void LoadData(const LocalTensor<T> &to, const LocalTensor<T> &from,
              const LoadData2DParamsV2 &params, Where where = Where::current()) {
  static_assert(sizeof(T) <= 4);
  expectIntoL0(to, from, where);
  shim::expect(params.mStep > 0 && params.kStep > 0, "one fractal or more", where);
  shim::expect(!params.ifTranspose || sizeof(T) == 2 || (sizeof(T) == 1 && params.mStep % 2 == 0),
               "transposed fractals of two bytes, or squares of one byte", where);
  shim::work(PIPE_MTE1, [=] {
    constexpr size_t width = fractalWidth<T>, elements = fractalElements<T>;
    const LocalTensor<T> start =
        from[(params.kStartPosition * size_t(params.srcStride) + params.mStartPosition) * elements];
    for (size_t m = 0; m < params.mStep; ++m)
      for (size_t k = 0; k < params.kStep; ++k) {
        const T *source = start.access((k * params.srcStride + m) * elements, elements, where);
        if (!params.ifTranspose) {
          T *target = to.access((k * params.dstStride + m) * elements, elements, where);
          shim::copy(target, source, elements * sizeof(T), elements * sizeof(T));
          continue;
        }
        // A fractal has 16 columns of the target, and `width` of its rows.
        for (size_t i = 0; i < 16; ++i)
          for (size_t j = 0; j < width; ++j) {
            const size_t row = k * width + j, column = m * 16 + i;
            *to.access((column / width * params.dstStride + row / 16) * elements +
                           row % 16 * width + column % width,
                       1, where) = source[i * width + j];
          }
      }
  });
}
#endif

} // namespace AscendC
