// What a row group computes, as one operation of the mmk dialect. See Rows.td.
#pragma once

#include "ir/aicore.h"
#include "ir/mmk.h"

#define GET_OP_CLASSES
#include "ir/RowsOps.h.inc"

namespace mmk::ir {

/// The program of a row group; null for another group.
RowsOp rowsOf(FusionGroupOp group);

} // namespace mmk::ir
