// The part of the C interface that mmk writes: the way out of L0C with leaky ReLU. From the
// published prototypes and parameters (asc-devkit, docs: asc_copy_l0c2gm of both chips,
// asc_set_l0c2gm_lrelu_alpha, asc_set_l0c2gm_nz2nd). It proves that reading of them, and no chip.
#pragma once

#include "kernel_operator.h"

#include <bit>

namespace shim {

/// What the scalar unit has set before an instruction is issued.
struct FixpipeRegisters {
  bool isOneMatrix = false, hasAlpha = false;
  float alpha = 0;
};
inline FixpipeRegisters fixpipeRegisters;

/// Rows of L0C as rows of a matrix, `sourceStride` rows from a column of fractals to the next.
inline void storeLeakyRelu(half *to, const float *from, size_t columns, size_t rows,
                           size_t targetStride, size_t sourceStride, Where where) {
  constexpr int64_t mostRows = __NPU_ARCH__ == 3510 ? most16 : 8192;
  expectWithin(int64_t(columns), 0, 4095, "asc_copy_l0c2gm::n_size", where);
  expectWithin(int64_t(rows), 0, mostRows, "asc_copy_l0c2gm::m_size", where);
  expectWithin(int64_t(targetStride), 1, most32, "asc_copy_l0c2gm::dst_stride", where);
  expectWithin(int64_t(sourceStride), 0, most16, "asc_copy_l0c2gm::src_stride", where);
  const FixpipeRegisters registers = fixpipeRegisters;
  const size_t inside = bytesOfTensor(from) / sizeof(float);
  expect(registers.isOneMatrix && registers.hasAlpha, "one matrix and the slope to be set before",
         where);
  expect(columns > 0 && rows > 0, "one element or more", where);
  expect(((columns - 1) / 16 * sourceStride + rows - 1) * 16 + (columns - 1) % 16 < inside,
         "sums inside of the tensor", where);
  float alpha = registers.alpha;
#if __NPU_ARCH__ == 3510
  alpha = std::bit_cast<float>(std::bit_cast<uint32_t>(alpha) & 0xFFFFE000);
#endif
  noteWrite(to);
  work(AscendC::PIPE_FIX, [=] {
    for (size_t i = 0; i < rows; ++i) {
      half *row = static_cast<half *>(global(to + i * targetStride, columns * sizeof(half), where));
      for (size_t j = 0; j < columns; ++j) {
        const float sum = from[(j / 16 * sourceStride + i) * 16 + j % 16];
        row[j] = rounded<half>(sum >= 0 ? sum : alpha * sum);
      }
    }
  });
}

} // namespace shim

inline void asc_set_l0c2gm_nz2nd(uint64_t matrices, uint64_t, uint64_t) {
  shim::fixpipeRegisters.isOneMatrix = matrices == 1;
}
inline void asc_set_l0c2gm_lrelu_alpha(float &alpha) {
  shim::fixpipeRegisters.hasAlpha = true;
  shim::fixpipeRegisters.alpha = alpha;
}

#if __NPU_ARCH__ == 3510
inline void asc_copy_l0c2gm(half *to, float *from, int64_t columns, int64_t rows,
                            int64_t targetStride, int64_t sourceStride, uint8_t cacheMode,
                            uint8_t clipRelu, uint8_t unitFlag, uint64_t quantPre, uint8_t reluPre,
                            bool channelSplit, bool nz2nd, uint64_t quantPost, uint8_t reluPost,
                            bool clipReluPost, uint8_t eltwise, bool eltwiseAntq, bool c0Pad,
                            bool broadcast, bool nz2dn,
                            shim::Where where = shim::Where::current()) {
  shim::expect(cacheMode == 0 && clipRelu == 0 && quantPost == 0 && reluPost == 0 &&
                   !clipReluPost && eltwise == 0 && !eltwiseAntq && !c0Pad && !broadcast && !nz2dn,
               "nothing beside leaky ReLU", where);
#else
inline void asc_copy_l0c2gm(half *to, float *from, int64_t columns, int64_t rows,
                            int64_t targetStride, int64_t sourceStride, uint8_t unitFlag,
                            uint64_t quantPre, uint8_t reluPre, bool channelSplit, bool nz2nd,
                            shim::Where where = shim::Where::current()) {
#endif
  shim::expect(unitFlag == 0 && !channelSplit && nz2nd, "rows of a matrix", where);
  shim::expect(quantPre == static_cast<uint64_t>(AscendC::QuantMode_t::F322F16),
               "the rounding to the type of the matrix", where);
  shim::expect(reluPre == 2, "leaky ReLU with one slope", where);
  shim::storeLeakyRelu(to, from, columns, rows, targetStride, sourceStride, where);
}
