#include "bench/convolution/problem.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/version.h>

namespace mmk::convolution {

static at::Tensor viewOf(Tensor &tensor) {
  const at::ScalarType type = tensor.type == ElementType::bf16 ? at::kBFloat16 : at::kFloat;
  return at::from_blob(tensor.data(), tensor.shape, at::TensorOptions().dtype(type));
}

/// Where it multiplies by OpenBLAS, that counts its own threads.
static void setThreads(unsigned threads) {
  using Set = void(int);
  static Set *const set = reinterpret_cast<Set *>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (!set) {
    std::fprintf(stderr, "PyTorch here does not use OpenBLAS: its threads cannot be set\n");
    std::exit(2);
  }
  at::set_num_threads(static_cast<int>(threads));
  set(static_cast<int>(threads));
}

// A result of its own in each run, of which the first is copied to be checked.
Contender ofPyTorch(const Problem &problem, Operands &operands) {
  Contender made{"PyTorch", false, resultOf(problem), {}};
  at::Tensor x = viewOf(operands.x), w = viewOf(operands.w), y = viewOf(made.result);
  if (problem.channelsLast) {
    x = x.permute({0, 3, 1, 2});
    y = y.permute({0, 3, 1, 2});
    w = w.permute({3, 2, 0, 1}).contiguous(at::MemoryFormat::ChannelsLast);
  }
  made.run = [=, problem = problem, isShown = false]() mutable {
    setThreads(problem.threads);
    const c10::InferenceMode mode;
    const int64_t stride = problem.layer.stride, edge = problem.padding();
    const at::Tensor result = at::conv2d(x, w, {}, {stride, stride}, {edge, edge}, {1, 1},
                                         problem.layer.isDepthwise ? problem.layer.channels : 1);
    if (!isShown)
      y.copy_(result);
    isShown = true;
  };
  return made;
}

std::string pyTorchVersion() {
  return fmt::format("{}.{}.{}", TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR, TORCH_VERSION_PATCH);
}

} // namespace mmk::convolution
