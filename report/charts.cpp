#include "report/charts.h"

#include "report/article.h"
#include "support/units.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace mmk::report {
namespace {

/// A time in the unit in which it has few digits before the point.
struct Time {
  double value;
  const char *unit;
};
Time inItsUnit(double microseconds) {
  if (microseconds < 0.09995)
    return {microseconds * 1e3, "ns"};
  if (microseconds < 999.5)
    return {microseconds, "us"};
  return microseconds < 999.5e3 ? Time{microseconds / 1e3, "ms"} : Time{microseconds / 1e6, "s"};
}

/// "3.82 us", "21.2 ms": three digits.
std::string timeText(double microseconds) {
  const auto [value, unit] = inItsUnit(microseconds);
  if (value < 0.0995)
    return fmt::format("{:.2g} {}", value, unit);
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, unit);
}

/// "50 us", "0.5 us": as a mark of an axis, which has few digits.
std::string markText(double microseconds) {
  const auto [value, unit] = inItsUnit(microseconds);
  return fmt::format("{:g} {}", value, unit);
}

/// A logarithmic axis of a picture.
struct Axis {
  double low, high; ///< values
  double from, to;  ///< their places

  double at(double value) const {
    return from + (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low)) *
                      (to - from);
  }
  /// The powers of ten, and where these are few also their multiples.
  std::vector<double> ticks() const {
    std::vector<double> found;
    const bool isShort = high / low < 200;
    for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10)
      for (double factor : {1, 2, 5})
        if (const double value = power * factor;
            value >= low && value <= high && (factor == 1 || isShort))
          found.push_back(value);
    return found;
  }
};

std::string line(double x1, double y1, double x2, double y2, const std::string &attributes) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1,
                     x2, y2, attributes);
}

std::string label(double x, double y, const std::string &text, const std::string &attributes = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes,
                     escaped(text));
}

std::string svg(double width, double height, const std::string &title, const std::string &inside) {
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
                     "width=\"{0}\" role=\"img\">\n<title>{2}</title>\n{3}</svg>\n",
                     width, height, escaped(title), inside);
}

constexpr const char *gridLine = "stroke=\"var(--line)\"";
constexpr const char *softText = "class=\"soft\" text-anchor=\"middle\"";

/// The roofs and the points of one roofline.
class RooflinePicture {
public:
  RooflinePicture(const Roofs &roofs, const std::vector<Point> &points)
      : roofs_(roofs), points_(points) {
    double least = INFINITY, most = 0, slowest = roofs.operationsPerSecond / 10;
    const auto include = [&](double intensity) {
      least = std::min(least, intensity);
      most = std::max(most, intensity);
    };
    include(tensorIntensity());
    include(roofs.operationsPerSecond / roofs.hbmBytesPerSecond);
    for (const Point &point : points) {
      slowest = std::min(slowest, rateOf(point));
      if (hasPort(point))
        include(portIntensity(point));
    }
    x_ = {least / 3, most * 3, left, width - right};
    y_ = {slowest / 2.5, roofs.operationsPerSecond * 2.5, height - bottom, top};
  }

  std::string text() const {
    std::string inside = axes() + roofLines();
    std::string course;
    for (const Point &point : points_)
      if (hasPort(point))
        course += fmt::format("{:.1f},{:.1f} ", x_.at(portIntensity(point)), y_.at(rateOf(point)));
    inside += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"var(--soft)\" "
                          "stroke-dasharray=\"2 3\"/>\n",
                          course);
    for (const Point &point : points_)
      inside += marks(point);
    inside += labels();
    return svg(width, height, "Roofline", inside);
  }

private:
  static constexpr double width = 960, height = 460, left = 96, right = 18, top = 16, bottom = 48;

  double rateOf(const Point &point) const { return 1e6 * roofs_.operations / point.microseconds; }
  double tensorIntensity() const { return roofs_.operations / roofs_.tensorBytes; }
  double portIntensity(const Point &point) const {
    return roofs_.operations / static_cast<double>(point.portBytes);
  }
  bool hasPort(const Point &point) const {
    return point.portBytes > 0 && roofs_.portBytesPerSecond > 0;
  }

  std::string axes() const {
    std::string text;
    for (double tick : x_.ticks()) {
      text += line(x_.at(tick), top, x_.at(tick), height - bottom, gridLine);
      text += label(x_.at(tick), height - bottom + 18, fmt::format("{:g}", tick), softText);
    }
    for (double tick : y_.ticks()) {
      text += line(left, y_.at(tick), width - right, y_.at(tick), gridLine);
      text += label(left - 8, y_.at(tick) + 4, withUnit(tick, "FLOP/s"),
                    "class=\"soft\" text-anchor=\"end\"");
    }
    return text + label(width - right, height - 8, "operations for each byte",
                        "class=\"soft\" text-anchor=\"end\"");
  }

  std::string roofLines() const {
    const double peak = roofs_.operationsPerSecond;
    const double ridge = peak / std::max(roofs_.hbmBytesPerSecond, roofs_.portBytesPerSecond);
    std::string text = line(x_.at(std::max(x_.low, ridge)), y_.at(peak), x_.to, y_.at(peak),
                            "stroke=\"var(--ink)\" stroke-width=\"2\"");
    text += label(x_.to - 4, y_.at(peak) - 7, "compute: " + withUnit(peak, "FLOP/s"),
                  "class=\"halo\" text-anchor=\"end\"");
    const bool isHbmHigher = roofs_.hbmBytesPerSecond > roofs_.portBytesPerSecond;
    text += memoryRoof("HBM", roofs_.hbmBytesPerSecond, "", isHbmHigher);
    if (roofs_.portBytesPerSecond > 0)
      text += memoryRoof("L2 to the cores", roofs_.portBytesPerSecond, "stroke-dasharray=\"6 4\"",
                         !isHbmHigher);
    return text;
  }

  /// `isHigher`: than the other one, so that its name stands above it, not below.
  std::string memoryRoof(const std::string &name, double rate, const std::string &dash,
                         bool isHigher) const {
    const double peak = roofs_.operationsPerSecond;
    const double begin = std::max(x_.low, y_.low / rate), end = std::min(x_.high, peak / rate);
    if (begin >= end)
      return "";
    const double x1 = x_.at(begin), y1 = y_.at(begin * rate), x2 = x_.at(end),
                 y2 = y_.at(end * rate);
    // The name lies along the line, in its upper part, where no points are.
    const double part = 0.62, x = x1 + part * (x2 - x1), y = y1 + part * (y2 - y1);
    const double angle = std::atan2(y2 - y1, x2 - x1) * 180 / std::numbers::pi;
    return line(x1, y1, x2, y2, "stroke=\"var(--ink)\" stroke-width=\"2\" " + dash) +
           fmt::format("<text class=\"halo\" text-anchor=\"middle\" dy=\"{}\" "
                       "transform=\"translate({:.1f},{:.1f}) rotate({:.1f})\">{}</text>\n",
                       isHigher ? -7 : 17, x, y, angle,
                       escaped(name + ": " + withUnit(rate, "B/s")));
  }

  bool isLast(const Point &point) const { return &point == &points_.back(); }

  std::string marks(const Point &point) const {
    const double y = y_.at(rateOf(point));
    const std::string colour = isLast(point) ? "var(--pipe-cube)" : "var(--pipe-mte2)";
    const std::string style =
        fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"2.5\"",
                    isLast(point) ? colour : std::string("var(--page)"), colour);
    const std::string tip = fmt::format("<title>{}\n{}, {}\n{}</title>", escaped(point.label),
                                        timeText(point.microseconds),
                                        withUnit(rateOf(point), "FLOP/s"), escaped(point.variant));
    std::string text;
    double at = x_.at(tensorIntensity());
    if (isLast(point) || &point == &points_.front() || !hasPort(point))
      text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" {}>{}</circle>\n", at, y,
                          style, tip);
    if (hasPort(point)) {
      at = x_.at(portIntensity(point));
      text += fmt::format("<path d=\"M{:.1f} {:.1f}l8 8l-8 8l-8-8z\" {}>{}</path>\n", at, y - 8,
                          style, tip);
    }
    return text;
  }

  /// Where the name of a point relates to: its diamond, or its circle.
  double placeOf(const Point &point) const {
    return x_.at(hasPort(point) ? portIntensity(point) : tensorIntensity());
  }

  struct Name {
    const Point *point;
    double x, y, at; ///< of the point; and where the name stands
  };

  /// Each name beside its point, or far enough below the one above it to be read.
  std::vector<Name> places() const {
    std::vector<Name> names;
    for (const Point &point : points_)
      names.push_back({&point, placeOf(point), y_.at(rateOf(point)), 0});
    std::ranges::stable_sort(names, {}, &Name::y);
    for (size_t i = 0; i < names.size(); ++i)
      names[i].at = i > 0 && areClose(names[i], names[i - 1])
                        ? std::max(names[i].y, names[i - 1].at + 17)
                        : names[i].y;
    double lowest = height - bottom - 6;
    for (size_t i = names.size(); i-- > 0;) {
      names[i].at = std::min(names[i].at, lowest);
      lowest = i > 0 && areClose(names[i], names[i - 1]) ? names[i].at - 17 : height - bottom - 6;
    }
    return names;
  }
  static bool areClose(const Name &a, const Name &b) { return std::abs(a.x - b.x) <= 160; }

  std::string labels() const {
    std::string text;
    for (const Name &name : places()) {
      const double side = name.x > 0.72 * width ? -1 : 1;
      const bool isBeside = std::abs(name.at - name.y) < 1;
      if (!isBeside)
        text +=
            line(name.x + side * 9, name.y, name.x + side * 30, name.at, "stroke=\"var(--soft)\"");
      text += label(name.x + side * (isBeside ? 15 : 34), name.at + 4, name.point->label,
                    fmt::format("class=\"halo\" font-weight=\"{}\" text-anchor=\"{}\"",
                                isLast(*name.point) ? 600 : 400, side < 0 ? "end" : "start"));
    }
    return text;
  }

  const Roofs &roofs_;
  const std::vector<Point> &points_;
  Axis x_, y_;
};

} // namespace

std::string ladderChart(const std::vector<Step> &steps, double boundMicroseconds) {
  constexpr double width = 960, left = 150, right = 190, row = 30, top = 28, bottom = 30;
  const double height = top + row * static_cast<double>(steps.size()) + bottom;
  double least = boundMicroseconds, most = boundMicroseconds;
  for (const Step &step : steps) {
    least = std::min(least, step.microseconds);
    most = std::max(most, step.microseconds);
  }
  const Axis x = {least, std::max(most, least * 1.5), left, width - right};
  std::string inside;
  for (double tick : x.ticks()) {
    inside += line(x.at(tick), top, x.at(tick), height - bottom, gridLine);
    inside += label(x.at(tick), height - bottom + 18, markText(tick), softText);
  }
  double y = top;
  for (const Step &step : steps) {
    const bool isLast = &step == &steps.back();
    const double from = x.at(boundMicroseconds), to = x.at(step.microseconds);
    inside += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\" "
                          "fill=\"var(--{})\"/>\n",
                          std::min(from, to), y + 6, std::max(2.0, std::abs(to - from)), row - 12,
                          isLast ? "pipe-cube" : "pipe-mte1");
    inside += label(left - 12, y + 20, step.name,
                    fmt::format("text-anchor=\"end\" font-weight=\"{}\"", isLast ? 600 : 400));
    inside += label(std::max(from, to) + 8, y + 20,
                    fmt::format("{}, {} of the bound", timeText(step.microseconds),
                                percent(boundMicroseconds / step.microseconds)),
                    "class=\"halo\"");
    y += row;
  }
  const double bound = x.at(boundMicroseconds);
  inside += line(bound, top - 6, bound, height - bottom,
                 "stroke=\"var(--ink)\" stroke-width=\"2\" stroke-dasharray=\"6 4\"");
  inside += label(bound, top - 12, "bound: " + timeText(boundMicroseconds),
                  "class=\"halo\" text-anchor=\"start\"");
  return svg(width, height, "Time of each version", inside);
}

std::string rooflineChart(const Roofs &roofs, const std::vector<Point> &points) {
  return RooflinePicture(roofs, points).text();
}

} // namespace mmk::report
