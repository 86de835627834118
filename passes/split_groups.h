// A dimension whose positions read a matrix in groups, as the heads of queries read keys, as two.
#pragma once

#include "ir/mmk.h"

namespace mmk {

/// Splits the dimension of `mmk.window %k at (.., h floordiv c, ..) grouped` that products multiply
/// into the groups and their c positions. The product multiplies %k itself, by the rows of all
/// positions of a group. Parameters and results with the dimension are read and returned through
/// tensor.expand_shape and tensor.collapse_shape. Whether there was one that could be split.
bool splitGroups(ir::KernelOp kernel);

/// Whether the positions of each group have been joined with the rows of products, and the groups
/// are outside of the dimensions that tiles extend along.
bool areGroupsJoined(ir::KernelOp kernel);

} // namespace mmk
