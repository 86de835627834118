// The gain of small changes of a session's variant at a case.
#pragma once

#include "cli/run_case.h"
#include "cli/terminal.h"
#include "driver/session.h"
#include "explain/what_if.h"

namespace mmk::driver {

/// Tries changes of the session's variant, with which the case takes `cycles`.
tune::WhatIfs tryChanges(Session &session, const Kernel &kernel, const RunCase &run, int64_t cycles,
                         Progress &progress);

} // namespace mmk::driver
