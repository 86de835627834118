#include "bench/convolution/problem.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

namespace mmk::convolution {
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

class Convolution {
public:
  Convolution(const Problem &problem, Operands &operands, Tensor &result, bool packs)
      : problem_(problem), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    setThreads(problem.threads);
    using tag = memory::format_tag;
    const Layer &layer = problem.layer;
    const auto type =
        problem.type == ElementType::bf16 ? memory::data_type::bf16 : memory::data_type::f32;
    const int64_t extent = problem.resultImage(), edge = problem.padding();
    const tag image = problem.channelsLast ? tag::nhwc : tag::nchw;
    const memory::dims x = {problem.batch, layer.channels, layer.image, layer.image},
                       y = {problem.batch, layer.results, extent, extent};
    memory::dims w = {layer.results, layer.channels, layer.size, layer.size};
    tag weights = problem.channelsLast ? tag::hwio : tag::oihw;
    if (layer.isDepthwise) {
      w = {layer.results, 1, 1, layer.size, layer.size};
      weights = problem.channelsLast ? tag::hwigo : tag::goihw;
    }
    const memory given[] = {memory({x, type, image}, engine_, operands.x.data()),
                            memory({w, type, weights}, engine_, operands.w.data()),
                            memory({y, type, image}, engine_, result.data())};
    auto described = [&](const memory::dims &dims, tag plain) {
      return memory::desc(dims, type, packs ? tag::any : plain);
    };
    using Forward = dnnl::convolution_forward;
    const Forward::desc description(dnnl::prop_kind::forward_inference,
                                    dnnl::algorithm::convolution_direct, described(x, image),
                                    described(w, weights), described(y, image),
                                    {layer.stride, layer.stride}, {edge, edge}, {edge, edge});
    const Forward::primitive_desc chosen(description, engine_);
    primitive_ = Forward(chosen);
    x_ = own(given[0], chosen.src_desc());
    w_ = own(given[1], chosen.weights_desc());
    y_ = chosen.dst_desc() == given[2].get_desc() ? given[2] : memory(chosen.dst_desc(), engine_);
    given_ = given[2];
  }

  void run() {
    setThreads(problem_.threads);
    primitive_.execute(stream_, {{DNNL_ARG_SRC, x_}, {DNNL_ARG_WEIGHTS, w_}, {DNNL_ARG_DST, y_}});
    // The first result is shown in the layout in which it is checked.
    if (!isShown_ && y_.get_data_handle() != given_.get_data_handle())
      dnnl::reorder(y_, given_).execute(stream_, y_, given_);
    isShown_ = true;
    stream_.wait();
  }

private:
  memory own(memory given, const memory::desc &wanted) {
    if (wanted == given.get_desc())
      return given;
    memory made(wanted, engine_);
    dnnl::reorder(given, made).execute(stream_, given, made);
    stream_.wait();
    return made;
  }

  Problem problem_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::convolution_forward primitive_;
  memory x_, w_, y_, given_;
  bool isShown_ = false;
};

} // namespace

// Nothing where it has no implementation for these layouts.
std::optional<Contender> ofOneDnn(const Problem &problem, Operands &operands, bool packs) {
  Contender made{packs ? "oneDNN, prepacked" : "oneDNN", packs, resultOf(problem), {}};
  std::unique_ptr<Convolution> convolution;
  try {
    convolution = std::make_unique<Convolution>(problem, operands, made.result, packs);
  } catch (const dnnl::error &) {
    return std::nullopt;
  }
  made.run = [convolution = std::move(convolution)] { convolution->run(); };
  return made;
}

std::string oneDnnVersion() {
  const dnnl_version_t *version = dnnl_version();
  return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

} // namespace mmk::convolution
