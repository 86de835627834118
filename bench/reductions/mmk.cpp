#include "library/mmk.h"
#include "bench/reductions/problem.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <map>

namespace mmk::reductions {
namespace {

std::string textOf(const Problem &problem) {
  const std::string_view type = spelling(problem.type);
  const std::string large = fmt::format("kernel k(x: {0}[M, N]) -> y: {0}[M, N]", type);
  switch (problem.kernel) {
  case Kernel::softmax:
    return large + " { y = softmax[N](x); }";
  case Kernel::layerNorm:
    return fmt::format("kernel k(x: {0}[M, N], scale: f32[N], shift: f32[N]) -> y: {0}[M, N]"
                       " {{ y = layer_norm[N](x, scale, shift, {1:.6f}); }}",
                       type, epsilon);
  case Kernel::rmsNorm:
    return fmt::format("kernel k(x: {0}[M, N], scale: f32[N]) -> y: {0}[M, N]"
                       " {{ y = rms_norm[N](x, scale, {1:.6f}); }}",
                       type, epsilon);
  case Kernel::rowSums:
    return fmt::format("kernel k(x: {}[M, N]) -> y: f32[M] {{ y = sum[N](x); }}", type);
  case Kernel::columnSums:
    return fmt::format("kernel k(x: {}[M, N]) -> y: f32[N] {{ y = sum[M](x); }}", type);
  case Kernel::rowMaxima:
    return fmt::format("kernel k(x: {0}[M, N]) -> y: {0}[M] {{ y = max[N](x); }}", type);
  }
  return "";
}

void check(mmk_error *error) {
  if (!error)
    return;
  std::fprintf(stderr, "%s\n", mmk_error_message(error));
  std::exit(1);
}

/// One kernel a text serves all shapes.
const mmk_kernel *compiled(const std::string &text) {
  static std::map<std::string, mmk_kernel *> kernels;
  auto [found, isNew] = kernels.try_emplace(text, nullptr);
  if (isNew)
    check(mmk_compile(text.c_str(), "bench.mmk", nullptr, &found->second));
  return found->second;
}

mmk_type typeOf(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return MMK_F16;
  case ElementType::bf16:
    return MMK_BF16;
  default:
    return MMK_F32;
  }
}

mmk_tensor bound(const char *name, Tensor &tensor) {
  mmk_tensor made = {
      name, tensor.data(), typeOf(tensor.type), static_cast<int>(tensor.shape.size()), {}, {}};
  std::ranges::copy(tensor.shape, made.extents);
  return made;
}

} // namespace

Contenders ofMmk(const Problem &problem, Operands &operands, Tensor &result) {
  std::vector<mmk_tensor> tensors = {bound("x", operands.x)};
  if (problem.isNorm())
    tensors.push_back(bound("scale", operands.scale));
  if (problem.kernel == Kernel::layerNorm)
    tensors.push_back(bound("shift", operands.shift));
  tensors.push_back(bound("y", result));
  const mmk_run_options options = {problem.threads, 0};
  Contenders made;
  made.push_back({"mmk", [kernel = compiled(textOf(problem)), tensors, options] {
                    check(mmk_run(kernel, tensors.data(), tensors.size(), nullptr, 0, &options));
                  }});
  return made;
}

} // namespace mmk::reductions
