// The memory of tuning, as the commands use it: without it everything works, only slower.
#pragma once

#include "driver/environment.h"
#include "driver/run_case.h"
#include "tune/store.h"
#include "tune/verifier.h"

namespace mmk::driver {

std::vector<tune::RunShape> runShapes(const Kernel &kernel, const std::vector<RunCase> &runs);

/// Folder of the memory, below that of compiled code; empty when there can be none.
std::string memoryFolder();

/// Opens the memory and reads what it knows of these shapes. Null, with a warning, where it cannot
/// be used.
std::unique_ptr<tune::Store> openMemory(const Kernel &kernel, const Machine &machine,
                                        const std::vector<tune::RunShape> &shapes,
                                        tune::Known &known);

} // namespace mmk::driver
