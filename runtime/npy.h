// Tensors in NumPy's .npy files: what `--input` and `--output` name.
#pragma once

#include "runtime/tensor.h"

namespace mmk {

/// Reads versions 1.0, 2.0 and 3.0: little-endian, in C order, f32, f16, i8 and i32, and bf16 as
/// its bits ('<u2'). Anything else is refused with the reason and, where possible, a remedy. The
/// file's shape is the tensor's. If a shape is given, any other is refused before memory is
/// allocated; `expectShape` compares later.
llvm::Expected<Tensor> readNpy(const std::string &path, ElementType expected,
                               const std::vector<int64_t> *wanted = nullptr);

/// The shape alone, from the header.
llvm::Expected<std::vector<int64_t>> readNpyShape(const std::string &path);

/// Fails when `tensor`, read from `path`, does not have the shape that the kernel expects.
llvm::Error expectShape(const Tensor &tensor, const std::string &path,
                        const std::vector<int64_t> &shape);

/// Writes version 1.0 beside `path` and renames, so that `path` never holds half a tensor.
llvm::Error writeNpy(const Tensor &tensor, const std::string &path);

} // namespace mmk
