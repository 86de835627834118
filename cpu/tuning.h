// The figures of the CPU's code that were chosen by measuring, each with its reason. Sizes follow
// from the caches where what was measured is a share of one. Measured on Zen 4 (1 MiB of L2) unless
// said otherwise.
#pragma once

#include "jit/target.h"

#include <array>
#include <cstdint>

namespace mmk {

struct CpuTuning {
  CpuTuning() = default;
  explicit CpuTuning(const CodeTarget &target) : l2Bytes(target.l2Bytes) {}

  /// The smallest L1 data cache of CPUs with AVX2.
  int64_t l1Bytes = 32 << 10;
  int64_t l2Bytes = 1 << 20;
  /// Between rows of packed operands and of sums, so that they lie on lines that share no set of a
  /// cache: a line.
  int64_t rowPadding = 64;

  //===--- shares of threads (fit_product_tile.cpp, fit_elementwise_tile.cpp) ---------------===//

  /// Rows and columns of the largest tile of a product, and the depth of what is packed at a time
  /// at most: its code is blocked for the caches by itself.
  int64_t largestTile = 2048, largestDepth = 4096;
  /// Both of the largest tile of elementwise work.
  int64_t largestElementwiseTile = 65536;
  /// Up to so many rows, a product takes the time of reading B, and memory is read fastest in long
  /// pieces of rows: its tile may have more columns.
  int64_t skinnyRows = 16, largestSkinnyColumns = 3 * 2048;
  /// Tiles end on whole register tiles, of any target.
  int64_t rowUnit = 8, columnUnit = 16;
  /// Multiply-adds of a row or column in the time that one more column of B takes to be packed, and
  /// one more row of A to be read.
  int64_t packingColumn = 16, readingRow = 8;
  /// Multiply-adds, times the bytes of an operand, that one thread does in the 2 to 4 us that it
  /// takes to share them: half a microsecond until another thread has begun, where the two have no
  /// cache in common, as much until it is seen to be done, and what both of them read and pack.
  int64_t sharedWork = int64_t(1) << 19;
  /// Elements that are done before another thread has begun, and those of a tile, at most.
  int64_t sharedElements = int64_t(1) << 15, largestTileElements = int64_t(1) << 18;
  /// Where a row is shared, its parts begin on pages.
  int64_t pageElements = 4096;

  //===--- scratch of a product (lower.cpp) -------------------------------------------------===//

  /// Rows of A that are packed at a time, at most, and the elements after each of the sums: rows on
  /// lines that share no set of a cache. Rows of A, which have four bytes an element here, may be
  /// twice as many with two; then there are twice as many lines after them.
  int64_t scratchRows = 16, scratchPadding = 16;

  //===--- operands in place or packed (product.cpp) ----------------------------------------===//

  /// Multiply-adds up to which a B of f32 is read in place: packing it would take a good part of
  /// the time of its product, and all of it is in a cache.
  int64_t smallProduct = int64_t(1) << 22;
  /// B is also read in place for so many rows at most, on so much memory. All of its pages are in
  /// the first-level TLB then, and panels of more rows earn their packing (1 row in 25 to 30, as
  /// against 2 to 3 % of the time of the others).
  int64_t rowsByBInPlace = 1024, bytesOfBInPlace = 256 << 10;
  /// And by fewer rows of A than this, where its own rows have fewer bytes: it is read in order
  /// then.
  int64_t readInOrder = 512;
  /// Elements of B up to which few rows of bf16 are faster packed for dot products than widened.
  int64_t soonPackedElements = int64_t(1) << 20;
  /// Rows of A in place that pass by all panels of B before the next ones: they are still in L1 for
  /// the last panels, which are narrower.
  int64_t rowsInPlace = 64;
  /// Rows of A that are packed for each block of B: the most of these that have room in
  /// packedRowsBytes, but the last, or a register tile, at least.
  std::array<int64_t, 3> packedRows = {64, 16, 8};
  /// They stay in L1 beside the panels that they meet.
  int64_t packedRowsBytes() const { return l1Bytes / 4; }
  /// Bytes up to which an output is likely in L1 when it is computed again. Lines of others are
  /// prefetched before their sums are known: stores that wait for them would hold up the next sums.
  int64_t outputBytesInL1() const { return l1Bytes / 2; }
  /// The next element of a batch is prefetched where both of its operands have at most this part of
  /// L2: the start of what is larger does not show.
  int64_t prefetchedBytes() const { return l2Bytes / 4; }

  //===--- cache blocking (blocks.cpp) ------------------------------------------------------===//

  /// Panels that a row is packed for at a time, at least: packing it anew for the next ones costs
  /// more than sums that wait for the next pass along k (a tenth of the time of f16 by three
  /// panels).
  int64_t panelsByPackedRows = 4;
  /// Rows of A from which on a block of B is made for L3, where that is fast: half as many are 2 %
  /// slower by it, twice as many 4 % faster.
  int64_t rowsByL3Block = 768;
  /// Depth of a block that is packed for fewer rows: packing takes a good part of their time, and
  /// is faster by long pieces of the rows of B, than sums that wait are slower (64 x 768 x 3072 by
  /// 9 % in f32, 14 % in bf16, 8 % in i8; half of it is as good, a quarter too little).
  int64_t depthByFewRows = 1024;
  /// The most columns of a block where sums wait between two passes: there is room for about as
  /// many rows of them then (480 in a mebibyte), and the fewer rows, the more often B is packed.
  int64_t columnsOfWaitingSums = 480;

  //===--- dot products (dots.cpp) ----------------------------------------------------------===//

  /// Columns of a product by dot products, at most; wider ones take two passes over the rows.
  int64_t dotColumns = 16;
  /// Bytes of the columns that are packed at a time, which stay in L2: longer pieces of rows come
  /// faster. And of a single column that rows meet one after the other, which leaves L1 room for
  /// them.
  int64_t dotColumnBytes = 128 << 10;
  int64_t dotSingleColumnBytes() const { return l1Bytes / 2; }
  /// Bytes of one row after the other that are prefetched ahead of their use.
  int64_t dotPrefetchBytes = 32 << 10;
  /// The least elements of A, as what is smaller is in a cache; the least depth, as the horizontal
  /// sum of a vector takes longer than a few steps; and the least rows for each column, or packing
  /// the columns would show.
  int64_t dotElements = 256 * 256, dotDepth = 128, dotRowsByColumn = 16;
  /// A tail of columns behind whole vectors goes by dot products up to this part of a vector, where
  /// it spares each row so many steps along k: with more columns or fewer steps nothing is gained.
  int64_t tailPartOfVector = 4, tailSteps = 64;
  /// Bytes of A up to which it is read once more for the tail: from L3 it still comes in less time
  /// than is spared.
  int64_t tailBytes() const { return 4 * l2Bytes; }

  //===--- skinny GEMM and GEMV (skinny_floats.cpp, skinny_int8.cpp, gemv.cpp) --------------===//

  /// Bytes of the sums of a pass of floats, which stay in L2: touched once for so many rows of B,
  /// they need not be nearer, and the more there are, the longer are the pieces of those rows.
  int64_t skinnySumBytes = 64 << 10;
  /// The least elements of B of int8: what is smaller is in a cache.
  int64_t skinnyInt8Elements = 256 * 256;
  /// Rows of A of int8 up to which the rows of B at hand are all that L1 has room for: a line that
  /// is prefetched takes the place of one that is waited for.
  int64_t skinnyInt8RowsByReading = 4;
  /// What a single row of int8 is multiplied with before the next columns: as many columns as leave
  /// L1 room beside their sums, and rows enough for those sums to be worth loading.
  int64_t gemvInt8Columns = 2048, gemvInt8Depth = 64;
  /// Bytes of a row that a GEMV prefetches ahead.
  int64_t gemvPrefetchBytes = 2048;

  //===--- epilogues and elementwise work (epilogue.cpp) ------------------------------------===//

  /// Instructions of a region, roughly, up to which it is repeated for every register of a tile.
  int64_t lightRegion = 12;
  /// Results of this size evict everything else from the caches, and are read again from memory
  /// anyway: their stores are non-temporal.
  int64_t streamedBytes = int64_t(8) << 20;
  /// How far ahead of such a pass its inputs are prefetched: a page, at the end of which the
  /// hardware prefetcher stops.
  int64_t streamPrefetchBytes = 4096;
  /// A row that all others share is read again for each of them, from L2 where the others pass
  /// through L1, and takes the CPUs that read one long stream fastest from that stream. There rows
  /// are interleaved, one of each of so many bands, as pairs of lines that are prefetched a little
  /// ahead: as fast as one stream.
  int64_t bands = 4, storesOfBand = 2, bandPrefetchBytes = 256;
};

} // namespace mmk
