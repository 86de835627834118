// The part of mmk-tile-cores for row groups: tiles of the dimensions that a group keeps, over the
// whole of those that it reduces.
#pragma once

#include "ir/aicore.h"
#include "ir/mmk.h"

namespace mmk {

mlir::LogicalResult tileRows(ir::KernelOp kernel, ir::FusionGroupOp group,
                             aicore::MachineAttr machine);

} // namespace mmk
