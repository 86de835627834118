// The convolution that every library computes in one row of the comparison, and what is wrong with
// a result.
#pragma once

#include "bench/peers/problem.h"

#include <optional>
#include <string>

namespace mmk::convolution {

/// One layer of a network: its square image, channels, results, and its square kernel.
struct Layer {
  const char *network;
  int64_t image, channels, results, size, stride = 1;
  bool isDepthwise = false;
};

struct Problem {
  Layer layer;
  ElementType type = ElementType::f32; ///< of all operands and the result
  int64_t batch = 1;
  bool channelsLast = false;
  unsigned threads = 1;

  int64_t padding() const { return layer.size / 2; }
  int64_t resultImage() const {
    return (layer.image + 2 * padding() - layer.size) / layer.stride + 1;
  }
  /// "resnet50 3x3/2 56 128-128 x1 nchw f32 1": size and stride, image, channels, batch, threads.
  std::string name() const;
  std::string layerName() const;
  /// Each a multiplication and an addition.
  double operations() const;
};

/// The same for all libraries. Images are in the problem's layout; weights are OIHW, or HWIO with
/// the channels last, and depthwise ones have one input channel.
struct Operands {
  explicit Operands(const Problem &problem);
  Tensor x, w;
};
Tensor resultOf(const Problem &problem);

/// Empty when the result is correct, else the error: some elements are computed again in double.
std::string whatIsWrong(const Problem &problem, const Operands &operands, const Tensor &result);

using peers::Contender;
/// `packs`: the weights are a constant, laid out beforehand.
Contender ofMmk(const Problem &problem, Operands &operands, bool packs);
/// In the problem's layout; or with images, weights and results in its own, laid out beforehand.
std::optional<Contender> ofOneDnn(const Problem &problem, Operands &operands, bool packs);
Contender ofPyTorch(const Problem &problem, Operands &operands);
std::string oneDnnVersion();
std::string pyTorchVersion();

} // namespace mmk::convolution
