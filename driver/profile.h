// `mmk run --profile DIR`: profile files, made from the clock's events.
#pragma once

#include "driver/run_page.h"
#include "runtime/recording.h"

namespace mmk::driver {

class Profile {
public:
  /// Makes the folder; a UserError when it cannot be. `cases` is how many there will be.
  Profile(std::string folder, Session &session, const RunHeader &header, size_t cases);

  /// The recording of the events of one case.
  static Recorder recorder();
  /// Writes the trace of a case, and adds it to the other files.
  void add(const CaseReport &report, const Recorder &recorder, const TrafficReport &traffic,
           Progress &progress);
  /// Writes op_summary.csv, summary.json and report.html; returns a line with their places.
  std::string finish();

private:
  std::string pathOf(const std::string &file) const;

  std::string folder_;
  const RunHeader &header_;
  Session &session_;
  RunPage page_;
  bool hasOneCase_;
  std::string table_, summaries_, notes_;
};

/// Names and values of the columns of op_summary.csv.
using ProfileRow = std::vector<std::pair<std::string, std::string>>;
ProfileRow profileRow(const RunHeader &header, const CaseReport &report);

} // namespace mmk::driver
