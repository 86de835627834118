// `mmk bench --history`: the last results of each measurement, and the threshold from which a new
// one counts as slower.
#pragma once

#include "print/bench_report.h"

#include <deque>

namespace mmk::driver {

/// A measurement that was kept.
struct KeptResult {
  double value = 0;      ///< milliseconds, the median of a run's samples; or cycles
  std::string time;      ///< "2026-11-26T06:10:00Z"
  std::string variant;   ///< of the kernel
  std::string build;     ///< of mmk
  bool isSlower = false; ///< it was beyond the threshold, which it then does not move
};

/// One figure of one case on one machine, and of one computer where it is a time.
struct HistoryRow {
  std::string kernel, machine, title, figure; ///< "S4"; "kernel ms", "command ms", "cycles"
  std::string computer;           ///< the fingerprint, without mmk's own fields; of cycles empty
  double threshold = 0;           ///< 0: there are too few results for one
  std::deque<KeptResult> results; ///< the oldest first

  bool isExact() const { return figure == "cycles"; }
  bool isSameAs(const HistoryRow &other) const;
};

/// The rows of a history.json; a UserError when it is none.
std::vector<HistoryRow> readHistory(const std::string &file);

/// What a new result means.
struct HistoryVerdict {
  std::string title, figure;
  double value = 0, threshold = 0;
  size_t results = 0; ///< that are kept, with the new one
  bool isExact = false;
  enum class Kind { collecting, within, slower } kind = Kind::collecting;
};

class History {
public:
  /// Results of a row that are kept, and those from which a threshold is set.
  static constexpr size_t mostResults = 100, fewestResults = 5;

  /// Reads the folder's history.json; empty where there is none. A UserError when it is no history.
  explicit History(std::string folder);

  /// Adds the figures of a report, and judges each by the threshold of its row: the mean of the
  /// results within it plus three standard deviations. It grows by itself as they spread. It
  /// becomes smaller, and takes in results beyond it, with `updatesThresholds` alone.
  std::vector<HistoryVerdict> add(const BenchReport &report, bool updatesThresholds);
  /// Writes history.json, and trend.html with a picture of each row.
  void write() const;

private:
  HistoryVerdict add(HistoryRow row, const KeptResult &result, bool updatesThresholds);

  std::string folder_;
  std::vector<HistoryRow> rows_;
};

std::string text(const std::string &folder, const std::vector<HistoryVerdict> &verdicts);
/// The page of all rows: the course of the results, and the threshold.
std::string trendPage(const std::vector<HistoryRow> &rows);

} // namespace mmk::driver
