// How much a run moves between global memory and its cores: a view over the events of all blocks.
#pragma once

#include "runtime/events.h"

namespace mmk {

/// Bytes in whole packets, of all cores and phases.
struct TrafficReport {
  int64_t cubeLoads = 0;   ///< by the cube cores; on a coupled chip by the cores
  int64_t vectorLoads = 0; ///< by the vector cores
  int64_t stores = 0;

  int64_t all() const { return cubeLoads + vectorLoads + stores; }
};

/// Adds up the traffic, and forwards the events to another sink if there is one and it accepts the
/// block.
class TrafficMeter : public EventSink {
public:
  explicit TrafficMeter(EventSink *next = nullptr) : next_(next) {}

  const TrafficReport &report() const { return report_; }

  void enter(const CountedPhase &phase) override;
  bool accepts(int64_t block) override;
  void see(const Event &event) override;

private:
  EventSink *next_;
  bool nextAccepts_ = false;
  TrafficReport report_;
};

} // namespace mmk
