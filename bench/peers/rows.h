// The rows of the comparison: what is computed, and how each is measured.
#pragma once

#include "bench/peers/turns.h"

#include <functional>

namespace mmk::peers {

/// A row once it has been measured.
struct Row {
  std::string group; ///< "f32", ... of products; "elementwise"; "emulated"
  std::string shape; ///< "512x128x512", "relu"
  unsigned threads = 1;
  double work = 0;    ///< operations of one run; bytes of an elementwise kernel
  double ceiling = 0; ///< work a second that this machine can do at most, measured in between
  bool isBoundByMemory = false;          ///< the ceiling is reading or copying, not computing
  bool sharesCore = false;               ///< of its threads not each had a core (own_cores.h)
  std::vector<Measured> contenders = {}; ///< the first is mmk

  /// Work a second, in the median; 0 for one that was wrong.
  double rate(const Measured &contender) const {
    return contender.seconds.median > 0 ? work / contender.seconds.median : 0;
  }
  /// The fastest that is not mmk, of those with, or without, prepacked operands; null for none.
  const Measured *bestPeer(bool prepacked) const;
};

/// A row to be: its name, "512x128x512 f32 1 thread", and what measures it for about so long.
struct RowToMeasure {
  std::string name;
  unsigned threads = 1;
  std::function<Row(double seconds)> measure;
};
std::vector<RowToMeasure> allRows();

/// Products by shape, type and threads; elementwise kernels over 4096 x 4096.
std::vector<RowToMeasure> productRows();
std::vector<RowToMeasure> elementwiseRows();
/// The product that a core emulates, beside the same on the host.
std::vector<RowToMeasure> emulatedRows();

/// What oneDNN 3.8, or where it was faster OpenBLAS or BLIS, reached on a 2-core AVX-512 Xeon of
/// the same kind, on one core with operands as they are: work a second on a machine whose ceiling
/// is that of `row`. 0 where nothing is known.
double published(const Row &row);

} // namespace mmk::peers
