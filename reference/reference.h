// The reference evaluation: the body of a kernel as written, without schedule and compiler, to
// compare every result with.
#pragma once

#include "frontend/kernel.h"
#include "runtime/tensor.h"

#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace mmk {

/// Every product, reduction and cumulative sum of a kernel, as the reference has it.
using Evaluated = std::map<const Value *, Tensor>;

/// The results of `kernel`, in order. `dims` binds every dimension; `scalars` and `tensors` have
/// one entry for each parameter, of which the one that fits its kind is read (a null tensor stands
/// for a scalar).
///
/// `@` accumulates in double and rounds once, to f32, or is exact modulo 2^32, for i32. Every
/// elementwise operation is done in f32. A result is rounded once to its declared type; integers
/// saturate. Sums, also those of reductions, are in double. `evaluated`, if not null, takes every
/// product and reduction; else each lives up to its last reader.
llvm::Expected<std::vector<Tensor>>
evaluateReference(const Kernel &kernel, const std::map<std::string, int64_t> &dims,
                  const std::vector<double> &scalars, const std::vector<const Tensor *> &tensors,
                  unsigned threads, Evaluated *evaluated = nullptr);

} // namespace mmk
