// A program as two modules: the driver module, loops and calls, of which each variant has its own,
// and the kernel module, the functions that compute, which hold most of the instructions and which
// variants share.
#pragma once

#include "llvm/IR/Module.h"

#include <memory>

namespace mmk {

/// Moves every internal function, and the constants that it reads, out of `program`:
///
///   define void @mmk_phase_0 { call @mmad }       define void @mmk_phase_0 { call @mmad }
///   define internal void @mmad { ... }       ->   declare void @mmad
///                                                 ----
///                                                 define void @mmad { ... }
std::unique_ptr<llvm::Module> extractKernelModule(llvm::Module &program);

/// An empty module for the same target.
std::unique_ptr<llvm::Module> emptyModuleLike(const llvm::Module &module, llvm::StringRef name);
/// Makes calls of functions in other modules calls of declarations.
void declareCallees(llvm::Module &module);
/// Erases declarations without uses.
void eraseUnusedDeclarations(llvm::Module &module);

} // namespace mmk
