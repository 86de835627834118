// The rows of the comparison: what is computed, and how each is measured.
#pragma once

#include "bench/peers/turns.h"

#include <functional>

namespace mmk::peers {

/// A measured row.
struct Row {
  std::string group; ///< "f32", ... of products; "elementwise"; "emulated"
  std::string shape; ///< "512x128x512", "relu"
  unsigned threads = 1;
  double work = 0;              ///< operations of one run; bytes of an elementwise kernel
  double ceiling = 0;           ///< the most work a second on this machine, measured in between
  bool isBoundByMemory = false; ///< the ceiling is reading or copying, not computing
  bool sharesCore = false;      ///< its threads had to share a core (own_cores.h)
  std::vector<Measured> contenders = {}; ///< the first is mmk

  /// Median work a second; 0 when the result was wrong.
  double rate(const Measured &contender) const {
    return contender.seconds.median > 0 ? work / contender.seconds.median : 0;
  }
  /// The fastest that is not mmk, of those with, or without, prepacked operands; null for none.
  const Measured *bestPeer(bool prepacked) const;
};

/// A row to measure: its name, "512x128x512 f32 1 thread", and what measures it for about so long.
struct RowToMeasure {
  std::string name;
  unsigned threads = 1;
  std::function<Row(double seconds)> measure;
};
std::vector<RowToMeasure> allRows();

/// Products by shape, type and threads; elementwise kernels over 4096 x 4096.
std::vector<RowToMeasure> productRows();
std::vector<RowToMeasure> elementwiseRows();
/// The product on an emulated core, compared with the same on the host.
std::vector<RowToMeasure> emulatedRows();

/// The rate of oneDNN 3.8, or of OpenBLAS or BLIS where that was faster, on one core of a 2-core
/// AVX-512 Xeon with plain operands: work a second on a machine whose ceiling is that of `row`. 0
/// where it is not known.
double published(const Row &row);

} // namespace mmk::peers
