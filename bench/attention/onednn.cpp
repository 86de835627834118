#include "bench/attention/problem.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

namespace mmk::attention {
namespace {

using dnnl::memory;

/// The Debian package counts its threads by OpenMP.
void setThreads(unsigned threads) {
  using Set = void(int);
  static Set *const set = reinterpret_cast<Set *>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (!set) {
    std::fprintf(stderr, "oneDNN here does not use OpenMP: its threads cannot be set\n");
    std::exit(2);
  }
  set(static_cast<int>(threads));
}

/// Both products and the softmax of one head.
class Attention {
public:
  Attention(const Problem &problem, Operands &operands)
      : problem_(problem), operands_(operands), engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_), type_(problem.type == ElementType::bf16 ? memory::data_type::bf16
                                                                  : memory::data_type::f32) {
    setThreads(problem.threads);
    const int64_t m = problem.queries, n = problem.length, d = problem.depth;
    const auto plain = memory::format_tag::ab;
    const memory::desc rows({m, d}, type_, plain), keys({d, n}, type_, memory::format_tag::ba),
        values({n, d}, type_, plain), scores({m, n}, type_, plain);
    dnnl::primitive_attr scaled;
    scaled.set_output_scales(0, {problem.scale()});
    first_ = dnnl::matmul({{rows, keys, scores}, scaled, engine_});
    using Softmax = dnnl::softmax_forward;
    softmax_ = Softmax({{dnnl::prop_kind::forward_inference, scores, 1}, engine_});
    second_ = dnnl::matmul({{scores, values, rows}, engine_});
    scores_ = memory(scores, engine_);
    rows_ = rows;
    keys_ = keys;
    values_ = values;
  }

  void run() {
    setThreads(problem_.threads);
    for (int64_t head = 0; head < problem_.heads; ++head) {
      auto of = [&](Tensor &tensor, const memory::desc &description) {
        const size_t bytes = tensor.bytes() / static_cast<size_t>(problem_.heads);
        return memory(description, engine_, tensor.as<char>() + static_cast<size_t>(head) * bytes);
      };
      const memory q = of(operands_.q, rows_), k = of(operands_.k, keys_),
                   v = of(operands_.v, values_), o = of(operands_.o, rows_);
      first_.execute(stream_, {{DNNL_ARG_SRC, q}, {DNNL_ARG_WEIGHTS, k}, {DNNL_ARG_DST, scores_}});
      softmax_.execute(stream_, {{DNNL_ARG_SRC, scores_}, {DNNL_ARG_DST, scores_}});
      second_.execute(stream_, {{DNNL_ARG_SRC, scores_}, {DNNL_ARG_WEIGHTS, v}, {DNNL_ARG_DST, o}});
    }
    stream_.wait();
  }

private:
  Problem problem_;
  Operands &operands_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  memory::data_type type_;
  memory::desc rows_, keys_, values_;
  memory scores_;
  dnnl::matmul first_, second_;
  dnnl::softmax_forward softmax_;
};

} // namespace

// It has no f16 on this CPU.
std::optional<Run> ofOneDnn(const Problem &problem, Operands &operands) {
  if (problem.type == ElementType::f16 || problem.isCausal)
    return std::nullopt;
  auto attention = std::make_unique<Attention>(problem, operands);
  return [attention = std::move(attention)] { attention->run(); };
}

std::string oneDnnVersion() {
  const dnnl_version_t *version = dnnl_version();
  return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

} // namespace mmk::attention
