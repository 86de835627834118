// Poolings of products, such as the largest of each 2 x 2 results of a convolution, as combinations
// of products: one for each tap of the window, of which all elements at one place are combined. The
// product is then never whole in memory, and what is combined lies side by side.
#pragma once

#include "frontend/typing/typing.h"

#include <vector>

namespace mmk {

/// The results of a kernel in that way, in order, made of `values`; adds the dimensions that they
/// have merged to the kernel. Nothing where no result pools a product, or where a product would be
/// computed more than once: its windows overlap, or others read it, too.
std::vector<const Value *> pooledProducts(Kernel &kernel, Values &values, Typing &typing);

} // namespace mmk
