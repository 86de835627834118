// The chips for which source is written, as the toolkit's compiler names them.
#pragma once

#include "ir/aicore.h"
#include "machines/machine.h"

namespace mmk::ascendc {

/// Of Ascend 910B, and of Ascend 950, whose vector unit works on registers.
enum class Architecture { dav2201, dav3510 };

Architecture architectureOf(mlir::Operation *op);
Architecture architectureOf(const Machine &machine);

/// "3510": as __NPU_ARCH__ has it.
const char *numberOf(Architecture architecture);
/// "910B"
const char *seriesOf(Architecture architecture);

} // namespace mmk::ascendc
