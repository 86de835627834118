// The room in UB that instructions of the interface need beside the plan. Select of dav-2201 keeps
// the last 8 KiB to itself (asc-devkit: TMP_UB_OFFSET); in front of it are pieces of 1 KiB for what
// one call leaves to the next where the plan has one instruction and the interface several.
#pragma once

#include <cstdint>

namespace mmk::ascendc {

inline constexpr int64_t ubBytes = 192 * 1024, selectBytes = 8 * 1024, sparePieces = 8,
                         pieceBytes = 1024;
/// Bytes from which on the plan may use nothing.
inline constexpr int64_t planBytes = ubBytes - selectBytes - sparePieces * pieceBytes;
/// Elements of four bytes in a piece.
inline constexpr int64_t pieceElements = pieceBytes / 4;

} // namespace mmk::ascendc
