// Whether a kernel is computed with `fuse = products` where its schedule leaves that open.
#pragma once

#include "ir/mmk.h"

namespace mmk::cpu {

/// Whether the kernel, in fusion groups, has a chain of products, and code for each.
bool hasChain(ir::KernelOp kernel);

} // namespace mmk::cpu
