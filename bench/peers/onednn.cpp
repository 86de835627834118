#include "bench/peers/contenders.h"
#include "bench/peers/second_pass.h"
#include "bench/peers/versions_of.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>

namespace mmk::peers {
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

memory::data_type typeOf(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return memory::data_type::f16;
  case ElementType::bf16:
    return memory::data_type::bf16;
  case ElementType::i8:
    return memory::data_type::s8;
  default:
    return memory::data_type::f32;
  }
}

class Matmul {
public:
  Matmul(const Problem &problem, const Operands &operands, float *c, bool prepacked)
      : problem_(problem), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    setThreads(problem.threads);
    // There are no f16 kernels for this CPU: it is given f32.
    if (problem.type == ElementType::f16)
      widened_.emplace(problem, operands);
    const auto type = typeOf(widened_ ? ElementType::f32 : problem.type);
    const memory::desc aDense = dense(problem.extents(problem.m, problem.k), type),
                       bDense = dense(problem.extents(problem.k, problem.n), type),
                       bAny(problem.extents(problem.k, problem.n), type, memory::format_tag::any),
                       cDense =
                           dense(problem.extents(problem.m, problem.n), memory::data_type::f32);
    std::vector<int64_t> ofBias(problem.batch ? 3 : 2, 1);
    ofBias.back() = problem.n;
    dnnl::primitive_attr attributes;
    dnnl::post_ops after;
    after.append_eltwise(1, dnnl::algorithm::eltwise_relu, Operands::alpha, 0);
    attributes.set_post_ops(after);
    bias_.assign(operands.bias.as<float>(), operands.bias.as<float>() + problem.n);
    if (problem.type == ElementType::i8) {
      // Its scales are applied to the sum with the bias.
      const float *scale = operands.scale.as<float>();
      attributes.set_output_scales(1 << (ofBias.size() - 1), {scale, scale + problem.n});
      for (int64_t i = 0; i < problem.n; ++i)
        bias_[i] /= scale[i];
    }
    const dnnl::matmul::primitive_desc description(
        dnnl::matmul::desc(aDense, prepacked ? bAny : bDense, dense(ofBias, memory::data_type::f32),
                           cDense),
        attributes, engine_);
    matmul_ = dnnl::matmul(description);

    const void *aData = widened_ ? widened_->a() : operands.a.data(),
               *bData = widened_ ? widened_->b() : operands.b.data();
    memory a(aDense, engine_, const_cast<void *>(aData)),
        b(bDense, engine_, const_cast<void *>(bData));
    isPrepacked_ = prepacked && description.weights_desc() != bDense;
    if (isPrepacked_) {
      memory packed(description.weights_desc(), engine_);
      dnnl::reorder(b, packed).execute(stream_, b, packed);
      stream_.wait();
      b = packed;
    }
    arguments_ = {
        {DNNL_ARG_SRC, a},
        {DNNL_ARG_WEIGHTS, b},
        {DNNL_ARG_BIAS, memory(dense(ofBias, memory::data_type::f32), engine_, bias_.data())},
        {DNNL_ARG_DST, memory(cDense, engine_, c)}};
  }

  bool isPrepacked() const { return isPrepacked_; }

  void run() {
    setThreads(problem_.threads);
    if (widened_)
      widened_->a();
    if (widened_ && !isPrepacked_)
      widened_->b();
    matmul_.execute(stream_, arguments_);
    stream_.wait();
  }

private:
  static memory::desc dense(const std::vector<int64_t> &extents, memory::data_type type) {
    return {extents, type, extents.size() == 3 ? memory::format_tag::abc : memory::format_tag::ab};
  }

  Problem problem_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<float> bias_;
  dnnl::matmul matmul_;
  bool isPrepacked_ = false;
  std::optional<Widened> widened_;
  std::unordered_map<int, memory> arguments_;
};

} // namespace

Contenders ofOneDnn(const Problem &problem, const Operands &operands) {
  Contenders made;
  for (bool prepacked : {false, true}) {
    Tensor result = problem.result();
    auto matmul = std::make_unique<Matmul>(problem, operands, result.as<float>(), prepacked);
    // When its layout of b is the plain one, there is nothing to prepack.
    if (prepacked && !matmul->isPrepacked())
      continue;
    made.push_back({"oneDNN", prepacked, std::move(result),
                    [matmul = std::move(matmul)]() mutable { matmul->run(); }});
  }
  return made;
}

std::string oneDnnVersion() {
  const dnnl_version_t *version = dnnl_version();
  return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

} // namespace mmk::peers
