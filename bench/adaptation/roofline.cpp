#include "bench/adaptation/adaptation.h"

#include <algorithm>
#include <cmath>

namespace mmk::adaptation {
namespace {

constexpr double f16 = 2, f32 = 4;

/// The work of all tiles, spread evenly over the cores; cycles.
struct Work {
  const Machine &machine;
  const Shape &shape;
  double cores = static_cast<double>(machine.cubeCores);
  double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
         k = static_cast<double>(shape.k);
  double share = m * n / cores; ///< elements of the result

  double rate(const char *link) const { return machine.links.at(link).bytesPerCycle; }
  /// Through the port of a core to global memory.
  double port(const char *link) const { return std::min(rate(link), machine.l2BytesPerCycle); }

  double cube() const {
    return share * k / static_cast<double>(machine.cube.macsPerCycle.at(ElementType::f16));
  }
  /// Both operands once, and the result, at the rate of the whole chip.
  double hbm() const {
    const double bytes = f16 * (m * k + k * n) + f32 * m * n;
    return bytes / (machine.hbmBytesPerSecond / (machine.megahertz * 1e6));
  }
  /// How often A is read, once for each column of tiles, the last of which may be narrower; B for
  /// each row.
  double columns(double tileN) const { return std::ceil(n / tileN); }
  double rows(double tileM) const { return std::ceil(m / tileM); }
  double elementsOfA() const { return m * k / cores; }
  double elementsOfB() const { return k * n / cores; }
  /// Columns of B that are moved when its rows are loaded tile by tile, in whole packets.
  double movedColumns(double tileN) const {
    const double packet = static_cast<double>(machine.packetBytes) / f16;
    const auto moved = [&](double width) { return std::ceil(width / packet) * packet; };
    return std::floor(n / tileN) * moved(tileN) + moved(std::fmod(n, tileN));
  }

  double mte1(double tileM, double tileN) const {
    return f16 * (elementsOfA() * columns(tileN) / rate("l1_l0a") +
                  elementsOfB() * rows(tileM) / rate("l1_l0b"));
  }
  /// From global memory to L1 in whole packets of each row of memory, which run along k for A and
  /// along n for B. An operand whose panel stays in L1, with a step of the other, is loaded once
  /// for all tiles of a line; at least one panel for each core.
  double mte2(double tileM, double tileN) const {
    const double onceB = k * movedColumns(tileN) / cores;
    const double l1 = static_cast<double>(machine.memory(Memory::l1).capacity());
    const double depth = static_cast<double>(machine.cube.depth.at(ElementType::f16));
    const double ofA = elementsOfA() * columns(tileN), ofB = onceB * rows(tileM);
    double elements = ofA + ofB;
    if ((tileM * k + depth * tileN) * f16 <= l1)
      elements = std::min(elements, std::max(tileM * k, elementsOfA()) + ofB);
    if ((tileN * k + depth * tileM) * f16 <= l1)
      elements = std::min(elements, ofA + std::max(tileN * k, onceB));
    return f16 * elements / port("gm_l1");
  }
  double fixpipe() const { return f32 * share / port("l0c_gm"); }
  double vectorMte2() const { return f32 * share / vectorCores() / port("gm_ub"); }
  double mte3() const { return f32 * share / vectorCores() / port("ub_gm"); }
  double vectorCores() const { return static_cast<double>(machine.vectorCoresPerCube); }
};

} // namespace

Roofline rooflineOf(const Machine &machine, const Shape &shape) {
  const Work work{machine, shape};
  const auto bytes = [&](Memory memory) {
    return static_cast<double>(machine.memory(memory).capacity());
  };
  const double depth = static_cast<double>(machine.cube.depth.at(ElementType::f16));
  std::optional<std::pair<double, std::string>> least;
  for (double m = 16; m * depth * f16 <= bytes(Memory::l0a); m += 16)
    for (double n = 16; n * depth * f16 <= bytes(Memory::l0b); n += 16) {
      if (m * n * f32 > bytes(Memory::l0c))
        break;
      const std::pair<double, std::string> most =
          std::max<std::pair<double, std::string>>({{work.cube(), "cube"},
                                                    {work.hbm(), "HBM"},
                                                    {work.mte1(m, n), "MTE1"},
                                                    {work.mte2(m, n), "MTE2"},
                                                    {work.fixpipe(), "fixpipe"},
                                                    {work.vectorMte2(), "MTE2 of the vector cores"},
                                                    {work.mte3(), "MTE3"}});
      if (!least || most.first < least->first)
        least = most;
    }
  return {static_cast<int64_t>(least->first), least->second};
}

} // namespace mmk::adaptation
