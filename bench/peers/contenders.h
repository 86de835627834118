// The libraries, each with its implementations of one problem; none where it has none.
#pragma once

#include "bench/peers/problem.h"

namespace mmk::peers {

using Contenders = std::vector<Contender>;

Contenders ofMmk(const Problem &problem, const Operands &operands);
/// Matmul with bias and post-ops; b as given, and reordered beforehand into the primitive's layout.
/// f16 is widened in each run.
Contenders ofOneDnn(const Problem &problem, const Operands &operands);
/// A product, then one pass over its result. f16 and bf16 are widened in each run.
Contenders ofOpenBlas(const Problem &problem, const Operands &operands);
Contenders ofBlis(const Problem &problem, const Operands &operands);
/// One expression; with several threads each takes a part of the rows or columns.
Contenders ofEigen(const Problem &problem, const Operands &operands);
/// Generated kernels over blocks of rows; for right operands of at most some hundred rows and
/// columns, of f32.
Contenders ofLibxsmm(const Problem &problem, const Operands &operands);
/// Scheduled by hand and compiled ahead of time; of f32.
Contenders ofHalide(const Problem &problem, const Operands &operands);

/// The versions of all libraries, and the kernels that they have selected for this CPU.
std::vector<std::pair<std::string, std::string>> versions();

} // namespace mmk::peers
