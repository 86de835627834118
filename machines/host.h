// Figures of the host CPU, for fields of a description with the value "detected".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mmk {

/// Of one CPU's data cache of that level; 0 when the system does not say.
int64_t cacheBytes(unsigned level);

/// The CPUs that this process may use, which is fewer than there are under taskset or in a
/// container.
int64_t availableCores();

/// The figure that belongs at `path`, or none when it cannot be detected.
std::optional<double> detectFigure(const std::string &path);
std::vector<std::string> detectableFigures();

} // namespace mmk
