#include "library/mmk.h"
#include "bench/convolution/problem.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <vector>

namespace mmk::convolution {
namespace {

/// Window and stride are those of the layer, all else is a dimension.
std::string textOf(const Problem &problem, bool packs) {
  const Layer &layer = problem.layer;
  const std::string at =
      fmt::format("{0}*p + r - {1}, {0}*q + s - {1}", layer.stride, problem.padding());
  std::string x = "B, C, H, W", w = fmt::format("O, C, {0}, {0}", layer.size), y = "B, O, P, Q";
  std::string read = fmt::format("pad(x, 0)[n, c, {}]", at), weight = "w[o, c, r, s]";
  std::string place = "n, o, p, q", sum = "c, r, s";
  if (problem.channelsLast) {
    x = "B, H, W, C", w = fmt::format("{0}, {0}, C, O", layer.size), y = "B, P, Q, O";
    read = fmt::format("pad(x, 0)[n, {}, c]", at), weight = "w[r, s, c, o]";
    place = "n, p, q, o", sum = "r, s, c";
  }
  if (layer.isDepthwise) {
    w = problem.channelsLast ? fmt::format("{0}, {0}, 1, O", layer.size)
                             : fmt::format("O, 1, {0}, {0}", layer.size);
    std::ranges::replace(x, 'C', 'O');
    read = problem.channelsLast ? fmt::format("pad(x, 0)[n, {}, o]", at)
                                : fmt::format("pad(x, 0)[n, o, {}]", at);
    weight = problem.channelsLast ? "w[r, s, 0, o]" : "w[o, 0, r, s]";
    sum = "r, s";
  }
  std::string derived;
  if (layer.stride == 1) {
    std::ranges::replace(y, 'P', 'H');
    std::ranges::replace(y, 'Q', 'W');
  } else {
    derived = fmt::format("  dim P = (H + {1}) / {0} + 1;\n  dim Q = (W + {1}) / {0} + 1;\n",
                          layer.stride, 2 * problem.padding() - layer.size);
  }
  return fmt::format("kernel k(x: {0}[{1}], w: {2}{0}[{3}]) -> y: {0}[{4}] {{\n{5}"
                     "  y[{6}] = sum[{7}]({8} * {9});\n}}\n",
                     spelling(problem.type), x, packs ? "const " : "", w, y, derived, place, sum,
                     read, weight);
}

void check(mmk_error *error) {
  if (!error)
    return;
  std::fprintf(stderr, "%s\n", mmk_error_message(error));
  std::exit(1);
}

/// One kernel serves all extents.
const mmk_kernel *compiled(const std::string &text) {
  static std::map<std::string, mmk_kernel *> kernels;
  auto [found, isNew] = kernels.try_emplace(text, nullptr);
  if (isNew)
    check(mmk_compile(text.c_str(), "bench.mmk", nullptr, &found->second));
  return found->second;
}

mmk_tensor bound(const char *name, Tensor &tensor) {
  const int type = tensor.type == ElementType::bf16 ? MMK_BF16 : MMK_F32;
  mmk_tensor made = {name, tensor.data(), type, static_cast<int>(tensor.shape.size()), {}, {}};
  std::ranges::copy(tensor.shape, made.extents);
  return made;
}

struct Freed {
  void operator()(void *memory) const { std::free(memory); }
};

} // namespace

Contender ofMmk(const Problem &problem, Operands &operands, bool packs) {
  const mmk_kernel *kernel = compiled(textOf(problem, packs));
  Contender made{packs ? "mmk, constant" : "mmk", packs, resultOf(problem), {}};
  std::vector<mmk_tensor> tensors = {bound("x", operands.x), bound("w", operands.w),
                                     bound("y", made.result)};
  std::unique_ptr<void, Freed> packed;
  size_t bytes = 0;
  if (packs)
    check(mmk_pack(kernel, &tensors[1], nullptr, &bytes));
  if (bytes > 0) {
    packed.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
    check(mmk_pack(kernel, &tensors[1], packed.get(), &bytes));
    tensors[1].data = packed.get();
    tensors[1].type |= MMK_PACKED;
  }
  const mmk_run_options options = {problem.threads, 0};
  made.run = [kernel, tensors, options, packed = std::move(packed)] {
    check(mmk_run(kernel, tensors.data(), tensors.size(), nullptr, 0, &options));
  };
  return made;
}

} // namespace mmk::convolution
