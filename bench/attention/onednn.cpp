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

/// The products of a gradient, and elementwise passes between them, of one head.
class Gradient {
public:
  Gradient(const Problem &problem, Operands &operands)
      : problem_(problem), operands_(operands), engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_), type_(problem.type == ElementType::bf16 ? memory::data_type::bf16
                                                                  : memory::data_type::f32) {
    setThreads(problem.threads);
    const int64_t n = problem.length, d = problem.depth;
    const auto plain = memory::format_tag::ab, turned = memory::format_tag::ba;
    const memory::desc scores({n, n}, type_, plain), turnedScores({n, n}, type_, turned),
        turnedRows({d, n}, type_, turned);
    rows_ = {{n, d}, type_, plain};
    turnedRows_ = turnedRows;
    ofRow_ = {{n, 1}, memory::data_type::f32, plain};
    dnnl::primitive_attr scaled;
    scaled.set_output_scales(0, {problem.scale()});
    scores_ = dnnl::matmul({{rows_, turnedRows, scores}, scaled, engine_});
    product_ = dnnl::matmul({{rows_, turnedRows, scores}, engine_});
    result_ = dnnl::matmul({{scores, rows_, rows_}, engine_});
    turnedResult_ = dnnl::matmul({{turnedScores, rows_, rows_}, engine_});
    dnnl::post_ops exponential, weighted;
    exponential.append_eltwise(1, dnnl::algorithm::eltwise_exp, 0, 0);
    weighted.append_binary(dnnl::algorithm::binary_mul, scores);
    weighted.append_eltwise(1, dnnl::algorithm::eltwise_linear, problem.scale(), 0);
    weights_ = subtraction(scores, exponential);
    gradient_ = subtraction(scores, weighted);
    p_ = memory(scores, engine_);
    ds_ = memory(scores, engine_);
    turnedP_ = memory(turnedScores, engine_, p_.get_data_handle());
    turnedDs_ = memory(turnedScores, engine_, ds_.get_data_handle());
  }

  void run() {
    setThreads(problem_.threads);
    for (int64_t head = 0; head < problem_.heads; ++head) {
      auto of = [&](Tensor &tensor, const memory::desc &description) {
        const size_t bytes = tensor.bytes() / static_cast<size_t>(problem_.heads);
        return memory(description, engine_, tensor.as<char>() + static_cast<size_t>(head) * bytes);
      };
      auto multiply = [&](dnnl::matmul &product, const memory &x, const memory &y,
                          const memory &to) {
        product.execute(stream_, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, y}, {DNNL_ARG_DST, to}});
      };
      multiply(scores_, of(operands_.q, rows_), of(operands_.k, turnedRows_), p_);
      weights_.execute(
          stream_,
          {{DNNL_ARG_SRC_0, p_}, {DNNL_ARG_SRC_1, of(operands_.l, ofRow_)}, {DNNL_ARG_DST, p_}});
      multiply(product_, of(operands_.g, rows_), of(operands_.v, turnedRows_), ds_);
      gradient_.execute(stream_, {{DNNL_ARG_SRC_0, ds_},
                                  {DNNL_ARG_SRC_1, of(operands_.delta, ofRow_)},
                                  {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, p_},
                                  {DNNL_ARG_DST, ds_}});
      if (problem_.work == Work::queries) {
        multiply(result_, ds_, of(operands_.k, rows_), of(operands_.dq, rows_));
      } else {
        multiply(turnedResult_, turnedDs_, of(operands_.q, rows_), of(operands_.dk, rows_));
        multiply(turnedResult_, turnedP_, of(operands_.g, rows_), of(operands_.dv, rows_));
      }
    }
    stream_.wait();
  }

private:
  /// A number of each row is taken off scores.
  dnnl::binary subtraction(const memory::desc &scores, const dnnl::post_ops &behind) {
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(behind);
    return dnnl::binary(
        {{dnnl::algorithm::binary_sub, scores, ofRow_, scores}, attributes, engine_});
  }

  Problem problem_;
  Operands &operands_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  memory::data_type type_;
  memory::desc rows_, turnedRows_, ofRow_;
  memory p_, ds_, turnedP_, turnedDs_;
  dnnl::matmul scores_, product_, result_, turnedResult_;
  dnnl::binary weights_, gradient_;
};

} // namespace

// It has no f16 on this CPU.
std::optional<Run> ofOneDnn(const Problem &problem, Operands &operands) {
  if (problem.type == ElementType::f16 || problem.isCausal)
    return std::nullopt;
  if (problem.work != Work::forward) {
    auto gradient = std::make_unique<Gradient>(problem, operands);
    return [gradient = std::move(gradient)] { gradient->run(); };
  }
  auto attention = std::make_unique<Attention>(problem, operands);
  return [attention = std::move(attention)] { attention->run(); };
}

std::string oneDnnVersion() {
  const dnnl_version_t *version = dnnl_version();
  return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

} // namespace mmk::attention
