// Functions that are compiled when they are first called: most products take but one of the ways
// that there are for them, and the others would be most of what the first variant waits for.
#pragma once

#include "llvm/IR/Module.h"

#include <memory>
#include <string>
#include <vector>

namespace mmk {

/// Marks a function that returns nothing. Where code is linked in this process it may be taken out
/// (takeLater); in an object for others it is one like all.
void compileLater(llvm::Function &function);

/// Such a function, with those that it alone calls.
struct LaterPart {
  std::string name;
  std::unique_ptr<llvm::Module> module;
};

/// Where the address of a function is kept, by the function's name.
std::string placeName(llvm::StringRef function);

/// Moves them out of `functions`, but for those that `program` calls itself:
///
///   define void @blocks { call @sums }   define void @blocks { %f = load @sums.place; call %f }
///   define void @sums { ... }        ->  ----
///                                        define void @sums { ... }
std::vector<LaterPart> takeLater(llvm::Module &functions, const llvm::Module &program);

} // namespace mmk
