#include "runtime/traffic.h"

namespace mmk {

void TrafficMeter::enter(const CountedPhase &phase) {
  if (next_)
    next_->enter(phase);
}

bool TrafficMeter::accepts(int64_t block) {
  nextAccepts_ = next_ && next_->accepts(block);
  return true;
}

void TrafficMeter::see(const Event &event) {
  if (event.pipe != Pipe::mte2)
    report_.stores += event.bytes;
  else
    (event.unit > 0 ? report_.vectorLoads : report_.cubeLoads) += event.bytes;
  if (nextAccepts_)
    next_->see(event);
}

} // namespace mmk
