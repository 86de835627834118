// A program in two: what counts and calls, of which each variant has its own, and the functions
// that compute, in which most of the instructions are and which other variants call as well.
#pragma once

#include "llvm/IR/Module.h"

#include <memory>

namespace mmk {

/// Moves every internal function, and what it needs, out of `program`:
///
///   define void @mmk_phase_0 { call @mmad }       define void @mmk_phase_0 { call @mmad }
///   define internal void @mmad { ... }       ->   declare void @mmad
///                                                 ----
///                                                 define void @mmad { ... }
std::unique_ptr<llvm::Module> takeFunctions(llvm::Module &program);

/// What moving functions from module to module is made of: a module for the same target; calls of
/// what is in another module, made calls of a declaration; and without those that nobody calls.
std::unique_ptr<llvm::Module> emptyLike(const llvm::Module &module, llvm::StringRef name);
void declareCallees(llvm::Module &module);
void dropUnused(llvm::Module &module);

} // namespace mmk
