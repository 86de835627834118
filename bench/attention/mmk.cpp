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

/// A value rounded to the type of the operands.
std::string rounded(const Problem &problem, const std::string &value) {
  return problem.type == ElementType::f32
             ? value
             : fmt::format("cast<{}>({})", spelling(problem.type), value);
}

/// Also with the logarithm of the sum of exponentials as a result.
std::string textOfForward(const Problem &problem, bool saves) {
  const std::string over = problem.isCausal ? "j | j <= i" : "j";
  return fmt::format("kernel attention(q: {0}[H, M, D], k: {0}[H, N, D], v: {0}[H, N, D], "
                     "scale: f32) -> o: {0}[H, M, D]{3} {{\n"
                     "  let s[h, i, j] = scale * sum[d](q[h, i, d] * k[h, j, d]);\n"
                     "  let p[h, i, j] = softmax[{1}](s[h, i, j]);\n"
                     "  o[h, i, d] = sum[{1}]({2} * v[h, j, d]);\n{4}}}\n",
                     spelling(problem.type), over, rounded(problem, "p[h, i, j]"),
                     saves ? ", l: f32[H, M]" : "",
                     saves ? fmt::format("  l[h, i] = logsumexp[{}](s[h, i, j]);\n", over) : "");
}

std::string textOfGradient(const Problem &problem) {
  const bool isOfQueries = problem.work == Work::queries;
  const std::string over =
      fmt::format("{}{}", isOfQueries ? "j" : "i", problem.isCausal ? " | j <= i" : "");
  const char *const at = isOfQueries ? "[h, i, j]" : "[h, j, i]";
  std::string text = fmt::format(
      "kernel {1}(q: {0}[H, M, D], k: {0}[H, N, D], v: {0}[H, N, D], g: {0}[H, M, D], "
      "l: f32[H, M], delta: f32[H, M], scale: f32) -> {2} {{\n",
      spelling(problem.type), isOfQueries ? "dq" : "dkv",
      isOfQueries ? fmt::format("dq: {}[H, M, D]", spelling(problem.type))
                  : fmt::format("dk: {0}[H, N, D], dv: {0}[H, N, D]", spelling(problem.type)));
  text += fmt::format("  let s{0} = scale * sum[d]({1});\n"
                      "  let p{0} = exp(s{0} - l[h, i]);\n"
                      "  let dp{0} = sum[d]({2});\n"
                      "  let ds{0} = scale * p{0} * (dp{0} - delta[h, i]);\n",
                      at, isOfQueries ? "q[h, i, d] * k[h, j, d]" : "k[h, j, d] * q[h, i, d]",
                      isOfQueries ? "g[h, i, d] * v[h, j, d]" : "v[h, j, d] * g[h, i, d]");
  const std::string ds = rounded(problem, fmt::format("ds{}", at)),
                    p = rounded(problem, fmt::format("p{}", at));
  if (isOfQueries)
    return text + fmt::format("  dq[h, i, d] = sum[{}]({} * k[h, j, d]);\n}}\n", over, ds);
  return text + fmt::format("  dk[h, j, d] = sum[{0}]({1} * q[h, i, d]);\n"
                            "  dv[h, j, d] = sum[{0}]({2} * g[h, i, d]);\n}}\n",
                            over, ds, p);
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

Run runOf(const std::string &text, std::vector<mmk_tensor> tensors, const Problem &problem,
          bool isScaled = true) {
  const mmk_run_options options = {problem.threads, 0};
  const mmk_scalar scale = {"scale", problem.scale()};
  return [kernel = compiled(text), tensors = std::move(tensors), options, scale, isScaled] {
    check(mmk_run(kernel, tensors.data(), tensors.size(), &scale, isScaled, &options));
  };
}

} // namespace

Run ofMmk(const Problem &problem, Operands &operands) {
  std::vector<mmk_tensor> tensors = {bound("q", operands.q), bound("k", operands.k),
                                     bound("v", operands.v)};
  if (problem.work == Work::forward) {
    tensors.push_back(bound("o", operands.o));
    return runOf(textOfForward(problem, /*saves=*/false), std::move(tensors), problem);
  }
  tensors.insert(tensors.end(),
                 {bound("g", operands.g), bound("l", operands.l), bound("delta", operands.delta)});
  if (problem.work == Work::queries)
    tensors.push_back(bound("dq", operands.dq));
  else
    tensors.insert(tensors.end(), {bound("dk", operands.dk), bound("dv", operands.dv)});
  return runOf(textOfGradient(problem), std::move(tensors), problem);
}

void computeSaved(const Problem &problem, Operands &operands) {
  runOf(textOfForward(problem, /*saves=*/true),
        {bound("q", operands.q), bound("k", operands.k), bound("v", operands.v),
         bound("o", operands.o), bound("l", operands.l)},
        problem)();
  runOf(fmt::format("kernel delta(o: {0}[H, M, D], g: {0}[H, M, D]) -> delta: f32[H, M] {{\n"
                    "  delta[h, i] = sum[d](o[h, i, d] * g[h, i, d]);\n}}\n",
                    spelling(problem.type)),
        {bound("o", operands.o), bound("g", operands.g), bound("delta", operands.delta)}, problem,
        /*isScaled=*/false)();
}

} // namespace mmk::attention
