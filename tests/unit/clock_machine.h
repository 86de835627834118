// The machine for tests of the clock.
#pragma once

#include "machines/machine.h"

namespace mmk {

/// A block of a cube core (unit 0) and two vector cores (1, 2), on which every flag takes a cycle
/// and so does every issue.
inline Machine clockMachine() {
  Machine machine;
  machine.topology = Topology::split;
  machine.vectorCoresPerCube = 2;
  machine.megahertz = 1000;
  machine.flagCycles = 1;
  machine.issueCycles = 1;
  machine.queueDepth = 32;
  machine.eventIds = 6;
  machine.crossFlags = 16;
  machine.launchMicroseconds = 20;
  return machine;
}

} // namespace mmk
