// The page of a run, report.html: what the clock knows of each case, and beside it the default
// schedule and what each directive alone would change.
#pragma once

#include "driver/run_report.h"
#include "driver/session.h"
#include "driver/terminal.h"
#include "report/report.h"
#include "runtime/recording.h"
#include "runtime/traffic.h"

namespace mmk::driver {

class RunPage {
public:
  /// `title` names the command. All but the title are read until the last `add`.
  RunPage(std::string title, Session &session, const RunHeader &header);

  /// A case whose events `phases` holds, and what its blocks moved in all. Counts its neighbours.
  void add(const CaseReport &report, const std::deque<PhaseRecording> &phases,
           const TrafficReport &traffic, Progress &progress);
  std::string html() const { return report::htmlOf(page_); }

private:
  std::optional<report::Point> defaultPoint(const RunCase &run, bool portIsOfVectorCore);

  Session &session_;
  const RunHeader &header_;
  Session defaults_; ///< of the same program and machine, with no choice made
  Lowering default_; ///< null when it does not exist there
  report::Report page_;
};

} // namespace mmk::driver
