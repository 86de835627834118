#include "bench/attention/problem.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/version.h>
#include <vector>

namespace mmk::attention {
namespace {

at::Tensor viewOf(Tensor &tensor) {
  const at::ScalarType type = tensor.type == ElementType::bf16 ? at::kBFloat16 : at::kFloat;
  return at::from_blob(tensor.data(), tensor.shape, at::TensorOptions().dtype(type));
}

/// Its products are those of OpenBLAS in Debian, which counts its own threads.
void setThreads(unsigned threads) {
  using Set = void(int);
  static Set *const set = reinterpret_cast<Set *>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (!set) {
    std::fprintf(stderr, "PyTorch here does not use OpenBLAS: its threads cannot be set\n");
    std::exit(2);
  }
  at::set_num_threads(static_cast<int>(threads));
  set(static_cast<int>(threads));
}

/// What autograd computes backwards from attention, which has run before: the weights are saved.
Run gradientOf(const Problem &problem, Operands &operands) {
  setThreads(problem.threads);
  const bool isOfQueries = problem.work == Work::queries;
  const at::Tensor q = viewOf(operands.q).requires_grad_(isOfQueries),
                   k = viewOf(operands.k).requires_grad_(!isOfQueries),
                   v = viewOf(operands.v).requires_grad_(!isOfQueries), g = viewOf(operands.g);
  const at::Tensor p = at::softmax(at::bmm(q, k.transpose(1, 2)) * problem.scale(), 2),
                   o = at::bmm(p, v);
  std::vector<at::Tensor> inputs = {q}, results = {viewOf(operands.dq)};
  if (!isOfQueries) {
    inputs = {k, v};
    results = {viewOf(operands.dk), viewOf(operands.dv)};
  }
  return [=, threads = problem.threads] {
    setThreads(threads);
    const auto found = torch::autograd::grad({o}, inputs, {g}, /*retain_graph=*/true);
    const c10::InferenceMode mode;
    for (size_t i = 0; i < results.size(); ++i)
      at::Tensor(results[i]).copy_(found[i]);
  };
}

} // namespace

// Its products on the CPU have no f16.
std::optional<Run> ofPyTorch(const Problem &problem, Operands &operands) {
  if (problem.type == ElementType::f16 || problem.isCausal)
    return std::nullopt;
  if (problem.work != Work::forward)
    return gradientOf(problem, operands);
  const at::Tensor q = viewOf(operands.q), k = viewOf(operands.k), v = viewOf(operands.v);
  at::Tensor o = viewOf(operands.o);
  at::Tensor scores = at::empty({problem.queries, problem.length}, q.options()),
             weights = at::empty_like(scores);
  return [=, scale = problem.scale(), threads = problem.threads]() mutable {
    setThreads(threads);
    const c10::InferenceMode mode;
    for (int64_t head = 0; head < q.size(0); ++head) {
      at::Tensor out = o[head];
      at::mm_out(scores, q[head], k[head].t());
      scores.mul_(scale);
      at::_softmax_out(weights, scores, 1, /*half_to_float=*/false);
      at::mm_out(out, weights, v[head]);
    }
  };
}

std::string pyTorchVersion() {
  return fmt::format("{}.{}.{}", TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR, TORCH_VERSION_PATCH);
}

} // namespace mmk::attention
