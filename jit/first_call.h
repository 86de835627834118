// Addresses to call in the place of functions that are not compiled yet.
#pragma once

#include "llvm/Support/Error.h"

#include <functional>

namespace mmk {

/// Whether there are such addresses on this kind of CPU.
bool hasFirstCalls();

/// An address that may be called with any arguments: it calls `find`, and then, with the same
/// arguments, what that returned. May be called by several threads at once, until given back.
llvm::Expected<void *> addFirstCall(std::function<void *()> find);
void giveBackFirstCall(void *address);

} // namespace mmk
