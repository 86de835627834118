#include "bench/reductions/problem.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <torch/version.h>

namespace mmk::reductions {
namespace {

at::ScalarType typeOf(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return at::kHalf;
  case ElementType::bf16:
    return at::kBFloat16;
  default:
    return at::kFloat;
  }
}

at::Tensor viewOf(Tensor &tensor) {
  return at::from_blob(tensor.data(), tensor.shape, at::TensorOptions().dtype(typeOf(tensor.type)));
}

// It has no such kernel: as a user writes it.
llvm::unique_function<void()> rmsNorm(const Problem &problem, const at::Tensor &x,
                                      const at::Tensor &scale, at::Tensor y) {
  at::Tensor norm = at::empty({problem.m, 1}, x.options());
  return [x, scale, y, norm, n = static_cast<double>(problem.n)]() mutable {
    at::linalg_vector_norm_out(norm, x, 2, at::IntArrayRef{1}, /*keepdim=*/true);
    norm.square_().div_(n).add_(epsilon).rsqrt_();
    at::mul_out(y, x, norm);
    y.mul_(scale);
  };
}

llvm::unique_function<void()> runOf(const Problem &problem, Operands &operands, Tensor &result) {
  const at::Tensor x = viewOf(operands.x), scale = viewOf(operands.scale),
                   shift = viewOf(operands.shift);
  at::Tensor y = viewOf(result);
  switch (problem.kernel) {
  case Kernel::softmax:
    return [x, y]() mutable { at::_softmax_out(y, x, 1, /*half_to_float=*/false); };
  case Kernel::layerNorm:
    // Its form with results given allocates others and copies them. Here the heap keeps its pages.
    return
        [x, scale, shift, n = problem.n] { at::native_layer_norm(x, {n}, scale, shift, epsilon); };
  case Kernel::rmsNorm:
    return rmsNorm(problem, x, scale.to(x.scalar_type()), y);
  case Kernel::rowMaxima:
    return [x, y]() mutable { at::amax_out(y, x, {1}); };
  default:
    return [x, y, dim = problem.kernel == Kernel::rowSums ? 1 : 0]() mutable {
      at::sum_out(y, x, at::IntArrayRef{dim}, /*keepdim=*/false, at::kFloat);
    };
  }
}

} // namespace

Contenders ofPyTorch(const Problem &problem, Operands &operands, Tensor &result) {
  at::set_num_threads(static_cast<int>(problem.threads));
  auto run = runOf(problem, operands, result);
  auto inferring = [run = std::move(run)]() mutable {
    const c10::InferenceMode mode;
    run();
  };
  try {
    inferring();
  } catch (const c10::Error &) {
    return {}; // it has none of this type
  }
  Contenders made;
  made.push_back({"PyTorch", std::move(inferring)});
  if (problem.kernel == Kernel::layerNorm)
    made.back().show = [&operands, &result, n = problem.n] {
      const c10::InferenceMode mode;
      viewOf(result).copy_(std::get<0>(at::native_layer_norm(
          viewOf(operands.x), {n}, viewOf(operands.scale), viewOf(operands.shift), epsilon)));
    };
  return made;
}

std::string pyTorchVersion() {
  return fmt::format("{}.{}.{}", TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR, TORCH_VERSION_PATCH);
}

} // namespace mmk::reductions
