#include "library/mmk.h"
#include "bench/attention/problem.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <vector>

namespace mmk::attention {
namespace {

std::string textOf(const Problem &problem) {
  const std::string_view type = spelling(problem.type);
  const std::string over = problem.isCausal ? "j | j <= i" : "j";
  const std::string weight =
      problem.type == ElementType::f32 ? "p[h, i, j]" : fmt::format("cast<{}>(p[h, i, j])", type);
  return fmt::format("kernel attention(q: {0}[H, M, D], k: {0}[H, N, D], v: {0}[H, N, D], "
                     "scale: f32) -> o: {0}[H, M, D] {{\n"
                     "  let s[h, i, j] = scale * sum[d](q[h, i, d] * k[h, j, d]);\n"
                     "  let p[h, i, j] = softmax[{1}](s[h, i, j]);\n"
                     "  o[h, i, d] = sum[{1}]({2} * v[h, j, d]);\n}}\n",
                     type, over, weight);
}

void check(mmk_error *error) {
  if (!error)
    return;
  std::fprintf(stderr, "%s\n", mmk_error_message(error));
  std::exit(1);
}

/// One kernel a text serves all sizes.
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

Run ofMmk(const Problem &problem, Operands &operands) {
  std::vector<mmk_tensor> tensors = {bound("q", operands.q), bound("k", operands.k),
                                     bound("v", operands.v), bound("o", operands.o)};
  const mmk_run_options options = {problem.threads, 0};
  const mmk_scalar scale = {"scale", problem.scale()};
  return [kernel = compiled(textOf(problem)), tensors, options, scale] {
    check(mmk_run(kernel, tensors.data(), tensors.size(), &scale, 1, &options));
  };
}

} // namespace mmk::attention
