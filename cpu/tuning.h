// The figures of the CPU's code that were chosen by measuring, each with its reason. Figures that
// are a share of a cache are derived from its size. Measured on Zen 4 (1 MiB of L2) unless stated
// otherwise.
#pragma once

#include "jit/target.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace mmk {

struct CpuTuning {
  CpuTuning() = default;
  explicit CpuTuning(const CodeTarget &target)
      : l2Bytes(target.l2Bytes), l3Bytes(target.fastL3 ? target.l3Bytes : 0) {}

  /// The smallest L1 data cache of CPUs with AVX2.
  int64_t l1Bytes = 32 << 10;
  int64_t l2Bytes = 1 << 20;
  int64_t l3Bytes = 0; ///< of each CPU, if L3 bandwidth sustains the micro-kernel; else 0
  /// Padding between rows of packed operands and of sums, so that their lines share no set of a
  /// cache: one line.
  int64_t rowPadding = 64;

  //===--- shares of threads (fit_tile.cpp) --------------------------------------------------===//

  /// Rows and columns of the largest tile of a product, and the largest packed depth: its code does
  /// its own cache blocking.
  int64_t largestTile = 2048, largestDepth = 4096;
  /// Rows and columns of the largest tile of elementwise work.
  int64_t largestElementwiseTile = 65536;
  /// Up to so many rows, a product takes the time of reading B, and memory is read fastest in long
  /// pieces of rows: its tile may have more columns.
  int64_t skinnyRows = 16, largestSkinnyColumns = 3 * 2048;
  /// The granularity of tiles: whole register tiles of every target.
  int64_t rowUnit = 16, columnUnit = 16;
  /// The cost of packing one more column of B, and of reading one more row of A, in multiply-adds.
  int64_t packingColumn = 16, readingRow = 8;
  /// Multiply-adds, times the bytes of an operand, that one thread does in the 2 to 4 us that it
  /// takes to share them: half a microsecond until another thread without a common cache has begun,
  /// as much until its end is seen, and the data that both read and pack.
  int64_t sharedWork = int64_t(1) << 19;
  /// Elements computed before another thread has begun, of an operation or two, and the most
  /// elements of a tile.
  int64_t sharedElements = int64_t(1) << 15, largestTileElements = int64_t(1) << 18;
  /// Shares of columns that are kept by a reduction are multiples: whole lines of the narrowest
  /// type.
  int64_t columnsOfShare = 64;
  /// With fewer columns for each thread, threads share the rows that are reduced: long pieces of
  /// rows are read faster.
  int64_t columnsOfPart = 1024;
  /// Parts of a row that is shared by threads begin on pages.
  int64_t pageElements = 4096;

  /// Vectors of columns whose windows are reduced together, of one row; or of so many rows: their
  /// sums, and what the rows share, fit the registers.
  static constexpr int64_t vectorsOfWindow = 4, vectorsOfRows = 2, rowsOfWindow = 4;
  /// The most elements of a window: their sums are not compensated.
  static constexpr int64_t tapsOfWindow = 1024;
  /// The most taps whose code is repeated.
  static constexpr int64_t unrolledTaps = 27;

  //===--- scratch of a product (lower.cpp) -------------------------------------------------===//

  /// The most rows of A packed at a time, and the padding after each row of sums: rows on lines
  /// that share no set of a cache. Rows of A, which have four bytes an element here, may be twice
  /// as many with two; then there are twice as many lines after them.
  int64_t scratchRows = 16, scratchPadding = 16;

  //===--- operands in place or packed (product.cpp) ----------------------------------------===//

  /// Multiply-adds up to which a B of f32 is read in place: packing it would take a good part of
  /// the time of its product, and all of it is in a cache.
  int64_t smallProduct = int64_t(1) << 22;
  /// B is also read in place for so many rows at most, on so much memory. Its pages then fit the
  /// first-level TLB; for more rows, packing panels gains more than it costs.
  int64_t rowsByBInPlace = 1024, bytesOfBInPlace = 256 << 10;
  /// The same for fewer rows of A than this, if the rows of B are shorter than this many bytes: B
  /// is then read in order.
  int64_t readInOrder = 512;
  /// Elements of B up to which few rows of bf16 are faster packed for dot products than widened.
  int64_t soonPackedElements = int64_t(1) << 20;
  /// Rows of A in place that are multiplied by all panels of B before the next rows: they are still
  /// in L1 for the last panels, which are narrower.
  int64_t rowsInPlace = 64;
  /// Rows of A packed for each block of B: the largest of these that fits packedRowsBytes; at least
  /// the last, or a register tile.
  std::array<int64_t, 3> packedRows = {64, 16, 8};
  /// They are resident in L1 together with a panel of B.
  int64_t packedRowsBytes() const { return l1Bytes / 4; }
  /// Bytes up to which an output is likely in L1 when it is computed again. Lines of larger outputs
  /// are prefetched before their sums are known: stores that miss would delay the next sums.
  int64_t outputBytesInL1() const { return l1Bytes / 2; }
  /// The next element of a batch is prefetched where both of its operands have at most this part of
  /// L2: the start of what is larger does not show.
  int64_t prefetchedBytes() const { return l2Bytes / 4; }

  //===--- cache blocking (blocks.cpp) ------------------------------------------------------===//

  /// Bytes of a packed operand that is resident in a cache while the other one streams: in L2; and
  /// in L3, where that is fast. On Zen 4, 4 MiB in L3 are 3 to 8 % faster than 512 KiB, and 8 MiB
  /// no faster than 4.
  int64_t l2BlockBytes() const { return l2Bytes / 2; }
  int64_t blockBytes() const {
    return std::max(l2BlockBytes(), std::min(l3Bytes / 4, int64_t(4) << 20));
  }

  /// The fewest panels for which a row is packed at a time: packing it again for the next ones
  /// costs more than partial sums between passes along k (a tenth of the time of f16 by three
  /// panels).
  int64_t panelsByPackedRows = 4;
  /// Rows of A from which on blocks of B are sized for L3, if that is fast: with half as many that
  /// is 2 % slower, with twice as many 4 % faster.
  int64_t rowsByL3Block = 768;
  /// Depth of a block that is packed for fewer rows: packing takes much of their time, and gains
  /// more by long pieces of the rows of B than partial sums cost (64 x 768 x 3072 by 9 % in f32, 14
  /// % in bf16, 8 % in i8; half of it is as good, a quarter too little).
  int64_t depthByFewRows = 1024;
  /// The most columns of a block with partial sums between passes: the scratch then holds about as
  /// many rows of them (480 in a mebibyte); fewer rows mean that B is packed more often.
  int64_t columnsOfWaitingSums = 480;
  /// Rows of them that the scratch of a small tile holds, too: those of the highest register tile.
  int64_t rowsOfWaitingSums = 32;

  //===--- dot products (dots.cpp) ----------------------------------------------------------===//

  /// Columns of a product by dot products, at most; wider ones take two passes over the rows.
  int64_t dotColumns = 16;
  /// Bytes of the columns packed at a time, resident in L2: longer pieces of rows are read faster.
  /// And bytes of a single column, which leave room in L1 for the rows.
  int64_t dotColumnBytes = 128 << 10;
  int64_t dotSingleColumnBytes() const { return l1Bytes / 2; }
  /// Prefetch distance in bytes, for one row after the other.
  int64_t dotPrefetchBytes = 32 << 10;
  /// The least elements of A, as a smaller one is in a cache; the least depth, as the horizontal
  /// sum of a vector takes longer than a few steps; and the least rows for each column, or packing
  /// the columns would take too long.
  int64_t dotElements = 256 * 256, dotDepth = 128, dotRowsByColumn = 16;
  /// A tail of columns after whole vectors is computed by dot products up to this part of a vector,
  /// if that saves each row so many steps along k: with more columns or fewer steps nothing is
  /// gained.
  int64_t tailPartOfVector = 4, tailSteps = 64;
  /// Bytes of A up to which it is read once more for the tail: reading it from L3 takes less time
  /// than is saved.
  int64_t tailBytes() const { return 4 * l2Bytes; }

  //===--- skinny GEMM and GEMV (skinny_floats.cpp, skinny_int8.cpp, gemv.cpp) --------------===//

  /// Bytes of the sums of a pass of floats, resident in L2: they are updated once for several rows
  /// of B, so L1 is not needed; more sums mean longer pieces of those rows.
  int64_t skinnySumBytes = 64 << 10;
  /// The least elements of B of int8: a smaller one is in a cache.
  int64_t skinnyInt8Elements = 256 * 256;
  /// Rows of A of int8 up to which the current rows of B fill L1: a prefetched line would evict one
  /// that is needed.
  int64_t skinnyInt8RowsByReading = 4;
  /// The block of B for a single row of int8: as many columns as fit L1 together with their sums,
  /// and enough rows to amortise loading those sums.
  int64_t gemvInt8Columns = 2048, gemvInt8Depth = 64;
  /// Rows of B multiplied at a time, so that the sums are updated once for several: of floats, and
  /// of int8, where it is a multiple of four.
  static constexpr int64_t skinnyFloatDepth = 8, skinnyInt8Depth = 16;
  /// Parts of B along k that a GEMV reads side by side: with so many rows for each update of the
  /// sums, the updates cost little.
  static constexpr unsigned gemvParts = 8;
  /// The prefetch distance of a GEMV, in bytes of a row.
  int64_t gemvPrefetchBytes = 2048;

  //===--- constant operands (constants/skinny.cpp)
  //--------------------------------------------===//

  /// Rows of A up to which a product with a constant B is bound by reading it, and the steps of a
  /// panel that all of them take before the next: those stay in L1, and the next are prefetched.
  int64_t constantRows = 32, constantSteps = 64;
  /// What transposing and storing a vector of sums takes more than storing it, in steps along k of
  /// a vector: by the times of both forms for images of 14 x 14, at depths of 256 and 2304, on
  /// Zen 4.
  int64_t transposedSteps = 30;

  //===--- epilogues and elementwise work (epilogue.cpp) ------------------------------------===//

  /// Instructions of a region, roughly, up to which it is repeated for every register of a tile.
  int64_t lightRegion = 12;
  /// Results of this size evict everything else from the caches, and are read again from memory
  /// anyway: their stores are non-temporal.
  int64_t streamedBytes = int64_t(8) << 20;
  /// The prefetch distance of the inputs of such a pass: a page, at the end of which the hardware
  /// prefetcher stops.
  int64_t streamPrefetchBytes = 4096;
  /// A row that all others use (a bias) is read again for each of them, from L2 if the others evict
  /// it from L1. On CPUs that read one long stream fastest this interrupts the stream. There rows
  /// are interleaved, one of each of so many bands, as pairs of lines that are prefetched a little
  /// ahead: as fast as one stream.
  int64_t bands = 4, storesOfBand = 2, bandPrefetchBytes = 256;

  //===--- chains of products (chain/) -------------------------------------------------------===//

  /// The most products of a chain: more would leave each too little depth at a time.
  static constexpr size_t chainProducts = 8;
  /// Columns of the scores that are computed at a time, whole panels: with more, the scores of a
  /// few rows leave no room in L1.
  static constexpr int64_t chainPart = 192;
  /// The deepest part of a row of A, and the most columns of a product of weights, at a time:
  /// together as much for any number of products.
  static constexpr int64_t chainDepth(size_t products) {
    return 1024 / static_cast<int64_t>(products) / 16 * 16;
  }
  /// Rows for which the operands of a part are packed: packing then takes some percent of the time.
  static constexpr int64_t chainRows = 512;
  /// Rows up to which B and V are read in place, and how far ahead these are prefetched into L2.
  static constexpr int64_t chainRowsInPlace = 8;
  int64_t chainPrefetchBytes = 8192;
  /// Tiles for each thread, if each then has at least so many rows: shares are equal then, also
  /// where a condition leaves later rows more columns.
  int64_t chainTilesOfThread = 4, chainFewRows = 64;
  /// Elements of the packed operands of a part, and of those rows of A and C: together most of L2.
  static constexpr int64_t chainPackedElements = 96 << 10, chainRowElements = 128 << 10;
  /// Bytes from one row of scores, or of weights in their place, to the next.
  static constexpr int64_t chainScoreRowBytes = (chainPart + 16) * 4;
  /// Elements of the scratch of a tile: also the scores of 16 rows, in so many matrices, what these
  /// rows have of each reduction before it is combined, and the ranges of columns of all rows.
  static constexpr int64_t chainScratchElements(size_t matrices, size_t reductions) {
    return chainPackedElements + chainRowElements + chainRows +
           static_cast<int64_t>(matrices) * 16 * chainScoreRowBytes / 4 +
           static_cast<int64_t>(reductions) * 2 * 16 * 16;
  }

  //===--- reductions (lower_rows.cpp, reduced_columns.cpp, kept_columns.cpp) ---------------===//

  /// Elements of the scratch of a tile with reductions: half of an L2 of 1 MiB, and some vectors.
  int64_t rowScratchElements = 132 << 10;
  /// Vectors of a row that are combined side by side, so that one need not wait for the other; and
  /// columns after which their sums are added to a total, so that rounding stays small.
  int64_t vectorsOfRow = 4, columnsOfState = 16 << 10;
  /// Columns of a row that is short (short_rows.cpp), also where reading takes longer than
  /// computing, as rows side by side are several streams; the rows that are computed side by side,
  /// and vectors of each.
  int64_t shortRow = 1024, shortRowRead = 256, vectorsOfShortRow = 2;
  static constexpr int64_t shortRowsTogether = 4;
  /// Rows that are combined before the states of their columns are updated: the updates then cost
  /// little.
  int64_t rowsOfState = 8;
  /// The most rows that are combined before, in a narrow strip, and their elements.
  int64_t rowsOfBlock = 128, elementsOfBlock = 1024;
  /// Bytes of a row in a strip: their states stay in L1, and rows side by side are a few streams of
  /// whole pages (on Zen 5, 16 KiB are slower by a fifth, and so is prefetching them).
  int64_t stripBytes = 4096;
};

} // namespace mmk
