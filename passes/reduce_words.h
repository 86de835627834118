// `reduce` of single dimensions: whether the words of a variant agree with the kernel's reductions.
#pragma once

#include "ir/mmk.h"

namespace mmk {

/// An error where `reduce.N` names what nothing reduces, where the dimensions of one reduction have
/// different words, or where no row along the dimension alone can be whole.
llvm::LogicalResult checkReduceWord(ir::KernelOp kernel, ir::ChoiceOp choice);

} // namespace mmk
