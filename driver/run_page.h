// The page of a run or a search, report.html: the clock's figures of each case, with the default
// schedule and the effect of each directive alone for comparison.
#pragma once

#include "cli/terminal.h"
#include "driver/session.h"
#include "explain/roofline.h"
#include "print/run_report.h"
#include "report/report.h"
#include "runtime/recording.h"
#include "runtime/traffic.h"

namespace mmk::driver {

/// The roofs over a case.
report::Roofs roofsOf(const tune::Roofline &roof, const Machine &machine);
/// A variant that was counted; `portIsOfVectorCore`: as in its Roofline.
report::Point pointOf(const std::string &variant, const ClockReport &clock,
                      const TrafficReport &traffic, bool portIsOfVectorCore);

class RunPage {
public:
  /// `title` names the command. All variants shown are of this kernel, on the session's machine.
  RunPage(std::string title, const Session &session, const Kernel &kernel);

  /// A case, run as the variant that `session` chooses. `phases` holds its events; `traffic` is the
  /// bytes that its blocks moved. Counts the variants around it. The case can be added to.
  report::Case &add(Session &session, const RunHeader &header, const CaseReport &report,
                    const std::deque<PhaseRecording> &phases, const TrafficReport &traffic,
                    Progress &progress);
  std::string html() const { return report::htmlOf(page_); }

private:
  std::optional<report::Point> defaultPoint(const RunHeader &header, const RunCase &run,
                                            bool portIsOfVectorCore);

  const Kernel &kernel_;
  Session defaults_; ///< of the same program and machine, without choices
  Lowering default_; ///< null when it is not legal there
  report::Report page_;
};

} // namespace mmk::driver
