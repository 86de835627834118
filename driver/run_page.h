// The page of a run or a search, report.html: what the clock knows of each case, and beside it the
// default schedule and what each directive alone would change.
#pragma once

#include "cli/terminal.h"
#include "driver/session.h"
#include "print/run_report.h"
#include "report/report.h"
#include "runtime/recording.h"
#include "runtime/traffic.h"

namespace mmk::driver {

class RunPage {
public:
  /// `title` names the command. All variants shown are of this kernel, on the session's machine.
  RunPage(std::string title, const Session &session, const Kernel &kernel);

  /// A case, run as the variant that `session` chooses. `phases` holds its events; `traffic` is
  /// what its blocks moved in all. Counts the variants around it. The case can be added to.
  report::Case &add(Session &session, const RunHeader &header, const CaseReport &report,
                    const std::deque<PhaseRecording> &phases, const TrafficReport &traffic,
                    Progress &progress);
  std::string html() const { return report::htmlOf(page_); }

private:
  std::optional<report::Point> defaultPoint(const RunHeader &header, const RunCase &run,
                                            bool portIsOfVectorCore);

  const Kernel &kernel_;
  Session defaults_; ///< of the same program and machine, with no choice made
  Lowering default_; ///< null when it does not exist there
  report::Report page_;
};

} // namespace mmk::driver
