// Trampolines: addresses to call in place of functions that are not compiled yet.
//
// ORC's trampoline pool does the machine's part. Its LazyCallThroughManager and lazy reexports are
// not used: they never release a trampoline, and a process that compiles and frees kernels would
// grow with each; LazyReexportsManager, which does, needs LLVM's ORC runtime in the process.
#pragma once

#include "llvm/Support/Error.h"

#include <functional>

namespace mmk {

/// Whether this kind of CPU has them.
bool hasTrampolines();

/// An address that may be called with any arguments: it calls `resolve`, and then, with the same
/// arguments, the function that `resolve` returned. Several threads may call it at once, until it
/// is released.
llvm::Expected<void *> addTrampoline(std::function<void *()> resolve);
void releaseTrampoline(void *address);

} // namespace mmk
