// Functions that are compiled at their first call. A product runs one of its code paths, mostly;
// compiling the others would be most of the time that the first variant waits.
//
// ORC's IRPartitionLayer splits a module as well, but when symbols are looked up and as long as the
// LLVM IR is kept. Here each lazy function is a module from the start, whose bitcode is the key of
// its object in the cache on disk.
#pragma once

#include "llvm/IR/Module.h"

#include <memory>
#include <string>
#include <vector>

namespace mmk {

/// Marks a function, which returns nothing, as lazy. In code that is linked in this process
/// extractLazyFunctions moves it out; in an object file it is an ordinary function.
void markLazy(llvm::Function &function);

/// A lazy function, with the functions that it alone calls.
struct LazyModule {
  std::string name;
  std::unique_ptr<llvm::Module> module;
};

/// Name of the pointer to a lazy function, through which it is called.
std::string lazyPointerName(llvm::StringRef function);

/// Moves lazy functions out of `functions`, except those that `driver` calls itself:
///
///   define void @blocks { call @sums }   define void @blocks { %f = load @sums.place; call %f }
///   define void @sums { ... }        ->  ----
///                                        define void @sums { ... }
std::vector<LazyModule> extractLazyFunctions(llvm::Module &functions, const llvm::Module &driver);

} // namespace mmk
