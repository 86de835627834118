#include "bench/reductions/problem.h"

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.hpp>

namespace mmk::reductions {
namespace {

using dnnl::memory;

memory::data_type typeOf(ElementType type) {
  return type == ElementType::bf16 ? memory::data_type::bf16 : memory::data_type::f32;
}

/// A primitive with its operands.
struct Primitive {
  dnnl::primitive primitive;
  std::unordered_map<int, memory> arguments;
};

memory::desc ofRows(const Problem &problem) {
  return {{problem.m, problem.n}, typeOf(problem.type), memory::format_tag::ab};
}

Primitive norm(const Problem &problem, Operands &operands, const dnnl::engine &engine) {
  using Forward = dnnl::layer_normalization_forward;
  const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
  const Forward::desc description(dnnl::prop_kind::forward_inference, ofRows(problem),
                                  static_cast<float>(epsilon), flags);
  const memory::desc vector({problem.n}, memory::data_type::f32, memory::format_tag::a);
  return {Forward({description, engine}),
          {{DNNL_ARG_SCALE, memory(vector, engine, operands.scale.data())},
           {DNNL_ARG_SHIFT, memory(vector, engine, operands.shift.data())}}};
}

Primitive softmax(const Problem &problem, const dnnl::engine &engine) {
  using Forward = dnnl::softmax_forward;
  const Forward::desc description(dnnl::prop_kind::forward_inference, ofRows(problem), 1);
  return {Forward({description, engine}), {}};
}

memory::desc resultOf(const Problem &problem) {
  if (problem.isLarge())
    return ofRows(problem);
  const bool areColumns = problem.kernel == Kernel::columnSums;
  return {{areColumns ? 1 : problem.m, areColumns ? problem.n : 1},
          typeOf(problem.resultType()),
          memory::format_tag::ab};
}

Primitive reduction(const Problem &problem, const dnnl::engine &engine) {
  const auto algorithm = problem.kernel == Kernel::rowMaxima ? dnnl::algorithm::reduction_max
                                                             : dnnl::algorithm::reduction_sum;
  const dnnl::reduction::desc description(algorithm, ofRows(problem), resultOf(problem), 0, 0);
  return {dnnl::reduction({description, engine}), {}};
}

} // namespace

// It has no RMS norm, and no f16 on this CPU.
Contenders ofOneDnn(const Problem &problem, Operands &operands, Tensor &result) {
  if (problem.kernel == Kernel::rmsNorm || problem.type == ElementType::f16)
    return {};
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  Primitive made;
  if (problem.kernel == Kernel::softmax)
    made = softmax(problem, engine);
  else if (problem.kernel == Kernel::layerNorm)
    made = norm(problem, operands, engine);
  else
    made = reduction(problem, engine);
  made.arguments[DNNL_ARG_SRC] = memory(ofRows(problem), engine, operands.x.data());
  made.arguments[DNNL_ARG_DST] = memory(resultOf(problem), engine, result.data());
  Contenders contenders;
  contenders.push_back(
      {"oneDNN", [made = std::move(made), stream = dnnl::stream(engine)]() mutable {
         made.primitive.execute(stream, made.arguments);
         stream.wait();
       }});
  return contenders;
}

std::string oneDnnVersion() {
  const dnnl_version_t *version = dnnl_version();
  return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

} // namespace mmk::reductions
