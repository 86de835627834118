// report.html of a search: the winner of each case beside the default schedule, and every variant
// as a point.
#pragma once

#include "cli/run_case.h"
#include "driver/session.h"
#include "store/result.h"

namespace mmk::driver {

/// The page. The winners are counted again, with their events. `runs`: the cases of the result, in
/// its order.
std::string pageOf(Session &session, const tune::TuneResult &result,
                   const std::vector<RunCase> &runs);

} // namespace mmk::driver
