#include "bench/adaptation/adaptation.h"

#include <algorithm>

namespace mmk::adaptation {
namespace {

constexpr double f16 = 2, f32 = 4;

/// What every tile has to do, spread evenly over the cores; cycles.
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
  /// A goes to L0A again for each column of tiles, B to L0B for each row.
  double mte1(double tileM, double tileN) const {
    return f16 * share * k * (1 / (tileN * rate("l1_l0a")) + 1 / (tileM * rate("l1_l0b")));
  }
  /// So do both from global memory to L1, but for an operand of which a whole row of tiles stays
  /// there: that comes once.
  double mte2(double tileM, double tileN) const {
    double perElement = 1 / tileM + 1 / tileN;
    const double l1 = static_cast<double>(machine.memory(Memory::l1).capacity());
    for (double tile : {tileM, tileN})
      if (tile * k * f16 <= l1)
        perElement = std::min(perElement, 1 / tile + tile / share);
    return f16 * share * k * perElement / port("gm_l1");
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
