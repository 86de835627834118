// When a variant does not fit the machine: the variant closest to it that does.
#pragma once

#include "frontend/kernel.h"
#include "passes/passes.h"

#include <optional>

namespace mmk {

/// The fewest and smallest changes of tiles and stages that make a legal variant of the one that
/// `asked` chooses: first to alternatives that the schedule lists, then by halving. Found by
/// trying, so that it is legal for all rules there are; nothing when no candidate is.
std::optional<Choices> nearestLegal(const Kernel &kernel, const Machine &machine,
                                    mlir::MLIRContext &context, const Choices &asked);

} // namespace mmk
