#include "ascendc/architecture.h"

namespace mmk::ascendc {

Architecture architectureOf(mlir::Operation *op) {
  return aicore::machineOf(op).getRegisters() > 0 ? Architecture::dav3510 : Architecture::dav2201;
}

Architecture architectureOf(const Machine &machine) {
  return machine.hasVectorRegisters() ? Architecture::dav3510 : Architecture::dav2201;
}

const char *numberOf(Architecture architecture) {
  return architecture == Architecture::dav3510 ? "3510" : "2201";
}

const char *seriesOf(Architecture architecture) {
  return architecture == Architecture::dav3510 ? "950" : "910B";
}

} // namespace mmk::ascendc
