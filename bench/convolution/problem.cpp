#include "bench/convolution/problem.h"

#include "runtime/data.h"
#include "runtime/threads.h"

#include <cmath>
#include <fmt/format.h>
#include <random>

namespace mmk::convolution {

std::string Problem::layerName() const {
  const std::string stride = layer.stride > 1 ? fmt::format("/{}", layer.stride) : "";
  return fmt::format("{} {}x{}{} {} {}", layer.isDepthwise ? "depthwise" : "dense", layer.size,
                     layer.size, stride, layer.image,
                     layer.isDepthwise ? std::to_string(layer.channels)
                                       : fmt::format("{}-{}", layer.channels, layer.results));
}

std::string Problem::name() const {
  return fmt::format("{} {} x{} {} {} {}", layer.network, layerName(), batch,
                     channelsLast ? "nhwc" : "nchw", spelling(type), threads);
}

double Problem::operations() const {
  const int64_t channels = layer.isDepthwise ? 1 : layer.channels;
  return 2 * static_cast<double>(batch * layer.results * resultImage() * resultImage()) *
         static_cast<double>(channels * layer.size * layer.size);
}

static std::vector<int64_t> imagesOf(const Problem &problem, int64_t channels, int64_t extent) {
  return problem.channelsLast ? std::vector{problem.batch, extent, extent, channels}
                              : std::vector{problem.batch, channels, extent, extent};
}

Operands::Operands(const Problem &problem) {
  const Layer &layer = problem.layer;
  const int64_t inputs = layer.isDepthwise ? 1 : layer.channels;
  const std::vector<int64_t> weights =
      problem.channelsLast ? std::vector{layer.size, layer.size, inputs, layer.results}
                           : std::vector{layer.results, inputs, layer.size, layer.size};
  x = llvm::cantFail(
      Tensor::allocate(problem.type, imagesOf(problem, layer.channels, layer.image)));
  w = llvm::cantFail(Tensor::allocate(problem.type, weights));
  fillWithData(x, DataKind::normal, 1, availableThreads());
  fillWithData(w, DataKind::normal, 2, availableThreads());
}

Tensor resultOf(const Problem &problem) {
  return llvm::cantFail(Tensor::allocate(
      problem.type, imagesOf(problem, problem.layer.results, problem.resultImage())));
}

std::string whatIsWrong(const Problem &problem, const Operands &operands, const Tensor &result) {
  if (!result.canariesIntact())
    return "wrote beyond its result";
  const Layer &layer = problem.layer;
  const int64_t extent = problem.resultImage(), inputs = layer.isDepthwise ? 1 : layer.channels;
  const auto place = [&](int64_t n, int64_t c, int64_t h, int64_t w, int64_t channels,
                         int64_t image) {
    return problem.channelsLast ? ((n * image + h) * image + w) * channels + c
                                : ((n * channels + c) * image + h) * image + w;
  };
  const double tolerance = problem.type == ElementType::f32 ? 1e-5 : 1e-2;
  std::mt19937_64 random(1);
  for (int sample = 0; sample < 400; ++sample) {
    const auto any = [&](int64_t count) {
      return sample == 0 ? count - 1 : static_cast<int64_t>(random() % count);
    };
    const int64_t n = any(problem.batch), o = any(layer.results), p = any(extent), q = any(extent);
    double expected = 0, terms = 0;
    for (int64_t c = 0; c < inputs; ++c)
      for (int64_t r = 0; r < layer.size; ++r)
        for (int64_t s = 0; s < layer.size; ++s) {
          const int64_t h = layer.stride * p + r - problem.padding(),
                        w = layer.stride * q + s - problem.padding();
          if (h < 0 || w < 0 || h >= layer.image || w >= layer.image)
            continue;
          const int64_t weight = problem.channelsLast
                                     ? ((r * layer.size + s) * inputs + c) * layer.results + o
                                     : ((o * inputs + c) * layer.size + r) * layer.size + s;
          const double term =
              operands.x[place(n, layer.isDepthwise ? o : c, h, w, layer.channels, layer.image)] *
              operands.w[weight];
          expected += term;
          terms += std::fabs(term);
        }
    const double found = result[place(n, o, p, q, layer.results, extent)];
    if (!(std::fabs(found - expected) <= tolerance * terms + 1e-6))
      return fmt::format("result {} of image {} at {}, {} is {}, expected {}", o, n, p, q, found,
                         expected);
  }
  return "";
}

} // namespace mmk::convolution
