// Figures of libraries that are not packaged here, as measured elsewhere.
#include "bench/peers/rows.h"

namespace mmk::peers {
namespace {

/// Fractions of the ceiling of the type; below the line of the few rows, 1e9 operations a second.
struct Published {
  const char *shape;
  double f32, bf16, f16, i8;
};
constexpr Published fractions[] = {
    {"2048x2048x2048", .89, .45, .88, .65}, {"4096x1024x4096", .88, .47, .90, .65},
    {"1024x512x1024", .87, .48, .91, .72},  {"512x128x512", .99, .50, .91, .72},
    {"1000x1000x1000", .89, .47, .90, .69}, {"127x129x131", .82, .42, .73, .45},
    {"64x64x64", .76, .43, .65, .33},       {"4096x64x4096", .89, .44, .75, .73}};
constexpr Published rates[] = {{"16x4096x4096", 55, 55, 84, 199}, {"1x4096x4096", 14, 8, 10, 19}};

double of(const Published &published, const std::string &type) {
  return type == "f32"    ? published.f32
         : type == "bf16" ? published.bf16
         : type == "f16"  ? published.f16
         : type == "i8"   ? published.i8
                          : 0;
}

} // namespace

double published(const Row &row) {
  if (row.threads != 1)
    return 0;
  for (const Published &each : fractions)
    if (each.shape == row.shape)
      return of(each, row.group) * row.ceiling;
  for (const Published &each : rates)
    if (each.shape == row.shape)
      return of(each, row.group) * 1e9;
  return 0;
}

} // namespace mmk::peers
