// The roofline of a kernel: lower bounds on its time by compute and by memory bandwidth.
#pragma once

#include "frontend/kernel.h"
#include "machines/machine.h"
#include "runtime/recording.h"

namespace mmk::tune {

struct Roofline {
  double operations = 0; ///< floating-point, of the products; without any, elementwise ones
  /// Bytes of all parameters, once each, and of the results the part that L2 cannot keep: the least
  /// traffic of HBM.
  double tensorBytes = 0;
  double peakOperations = 0;                              ///< a second, of all cores
  double memoryBytes = 0;                                 ///< a second, of HBM
  double computeMicroseconds = 0, memoryMicroseconds = 0; ///< at these rates
  /// The loads of the busiest core of the slowest block, repeated ones included, and the time of
  /// its port to L2 for them.
  bool portIsOfVectorCore = false;
  double portBytes = 0, portMicroseconds = 0;

  double intensity() const { return tensorBytes > 0 ? operations / tensorBytes : 0; }
  /// Intensity at which compute and memory take the same time.
  double ridge() const { return memoryBytes > 0 ? peakOperations / memoryBytes : 0; }
  bool isBoundByCompute() const { return computeMicroseconds >= memoryMicroseconds; }
  double microseconds() const { return std::max(computeMicroseconds, memoryMicroseconds); }
};

/// Of a kernel with products, the roof is the cube's for their operands; of one without, that of
/// the vector cores, an addition of f32 for each operation.
/// `dims`: the value of each dimension.
Roofline rooflineOf(const Kernel &kernel, const std::map<std::string, int64_t> &dims,
                    const Machine &machine, const std::deque<PhaseRecording> &phases);

} // namespace mmk::tune
