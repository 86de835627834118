// The pictures of an article, as SVG: the steps of a ladder against their bound, and the roofline.
#pragma once

#include "report/report.h"

#include <string>
#include <vector>

namespace mmk::report {

/// A step of a ladder.
struct Step {
  std::string name;        ///< "v2 double-buffered"
  double microseconds = 0; ///< above 0
};

/// The times on a logarithmic scale, each beside the least time that any variant needs.
std::string ladderChart(const std::vector<Step> &steps, double boundMicroseconds);

/// The points under the roofs. A diamond counts the bytes that the cores load, a circle, of the
/// first point and the last, the bytes of every tensor once. `label` names a point.
std::string rooflineChart(const Roofs &roofs, const std::vector<Point> &points);

} // namespace mmk::report
