// The room in UB that instructions of the interface need beside the plan. The last 8 KiB are taken:
// by Select of dav-2201 (asc-devkit: TMP_UB_OFFSET), and by registers and repeat forms of dav-3510
// (docs/zh/api: MaskReg, ReduceRepeat). In front of them are pieces of 1 KiB for what one call
// leaves to the next where the plan has one instruction and the interface several.
#pragma once

#include "ascendc/architecture.h"

namespace mmk::ascendc {

inline constexpr int64_t selectBytes = 8 * 1024, sparePieces = 8, pieceBytes = 1024;
/// Bytes that an emitted plan leaves.
inline constexpr int64_t roomBytes = selectBytes + sparePieces * pieceBytes;
/// Bytes from which on the plan may use nothing.
constexpr int64_t planBytesOf(Architecture architecture) {
  return (architecture == Architecture::dav3510 ? 256 : 192) * 1024 - roomBytes;
}
/// Elements of four bytes in a piece.
inline constexpr int64_t pieceElements = pieceBytes / 4;

} // namespace mmk::ascendc
