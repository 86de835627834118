// Finds the legal variant nearest to one that does not fit the machine.
#pragma once

#include "frontend/kernel.h"
#include "passes/passes.h"

#include <optional>

namespace mmk {

/// The fewest and smallest changes of tiles and stages that make the variant of `requested` legal:
/// first to alternatives that the schedule lists, then by halving. Candidates are compiled, so the
/// result satisfies all rules; nothing when no candidate is legal.
std::optional<Choices> nearestLegal(const Kernel &kernel, const Machine &machine,
                                    mlir::MLIRContext &context, const Choices &requested);

} // namespace mmk
