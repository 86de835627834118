#include "tests/hunt/draw_convolution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmk::hunt {
namespace {

using Words = std::vector<std::string>;

class ConvolutionDraw {
public:
  ConvolutionDraw(Random &random, Sample &sample) : random_(random), sample_(sample) {}

  void run() {
    sample_.fill = random_.chance(10) ? Fill::strewn : Fill::integers;
    type_ = random_.oneOf(
        {ElementType::f16, ElementType::f16, ElementType::bf16, ElementType::f32, ElementType::i8});
    sample_.operandType = type_;
    isLast_ = random_.chance(30);
    drawExtents();
    drawResult(drawSum());
  }

private:
  KernelText &kernel() { return sample_.kernel; }

  /// A dimension by name, or now and then as a number in the type itself.
  std::string bind(const std::string &wanted, int64_t extent) {
    if (extent > 1 && random_.chance(20))
      return std::to_string(extent);
    sample_.dims.emplace_back(wanted, extent);
    return wanted;
  }

  void drawExtents() {
    const int64_t batch = random_.oneOf({1, 1, 2, 3}),
                  group = isLast_ || random_.chance(80) ? 1 : random_.oneOf({2, 3}),
                  channels = random_.oneOf({1, 2, 3, 7, 8, 15, 16, 17, 32, 33}),
                  results = random_.oneOf({1, 2, 7, 8, 15, 16, 17, 33, 64, 65});
    int64_t work = batch * group * channels * results;
    b_ = bind("B", batch), c_ = bind("C", channels), o_ = bind("O", results);
    if (group > 1)
      g_ = bind("G", group);
    const int rank = random_.oneOf({1, 2, 2, 2, 3});
    sample_.taps = rank < 3 || !g_.empty() ? 1 : 0;
    for (int axis = 0; axis < (g_.empty() ? rank : std::min(rank, 2)); ++axis)
      work *= drawAxis(axis, std::max<int64_t>(1, mostWork / work));
  }

  /// Its results times its taps, which are at most so many.
  int64_t drawAxis(int axis, int64_t most) {
    const int64_t taps = std::min(most,
                                  random_.oneOf({int64_t(1), int64_t(1), int64_t(2), int64_t(3),
                                                 int64_t(3), int64_t(4), int64_t(5), int64_t(7)})),
                  stride = random_.oneOf({1, 1, 1, 2, 2, 3}),
                  dilation = random_.oneOf({1, 1, 1, 2, 3}),
                  results = std::max<int64_t>(
                      1, std::min(most / taps, random_.oneOf({int64_t(1), int64_t(2), int64_t(5),
                                                              int64_t(7), int64_t(8), int64_t(15),
                                                              int64_t(17), int64_t(33)})));
    // The image that gives so many, some of it outside on one side or both.
    const int64_t read = stride * (results - 1) + dilation * (taps - 1) + 1;
    const int64_t before = std::min(read - 1, random_.oneOf({int64_t(0), int64_t(0), int64_t(1),
                                                             int64_t(2), int64_t(3)})),
                  behind = std::min(read - 1 - before, random_.below(3));
    isPadded_ |= before > 0 || behind > 0;
    images_.push_back(bind(fmt::format("X{}", axis), read - before - behind));
    taps_.push_back(bind(fmt::format("T{}", axis), taps));
    sample_.taps *= taps;
    extents_.push_back(std::to_string(results));
    at_.push_back(fmt::format("{}*p{} + {}*r{} - {}", stride, axis, dilation, axis, before));
    p_.push_back(fmt::format("p{}", axis));
    r_.push_back(fmt::format("r{}", axis));
    return results * taps;
  }

  /// In the order of an image: batch, group, channels and places, or channels last.
  Words image(const std::string &batch, const std::string &group, const std::string &channels,
              const Words &places) const {
    Words all = {batch};
    if (!g_.empty())
      all.push_back(group);
    if (!isLast_)
      all.push_back(channels);
    all.insert(all.end(), places.begin(), places.end());
    if (isLast_)
      all.push_back(channels);
    return all;
  }
  Words weights(const std::string &group, const std::string &results, const std::string &channels,
                const Words &places) const {
    Words all;
    if (isLast_) {
      all = places;
      all.insert(all.end(), {channels, results});
      return all;
    }
    if (!g_.empty())
      all.push_back(group);
    all.insert(all.end(), {results, channels});
    all.insert(all.end(), places.begin(), places.end());
    return all;
  }

  static std::string joined(const Words &words) {
    return fmt::format("[{}]", fmt::join(words, ", "));
  }

  void parameter(const std::string &name, ElementType type, Words dims, bool isConstant = false) {
    kernel().parameters.push_back({name, type, std::move(dims), {}, isConstant});
  }

  /// What reads an element of the image: the parameter, or what is made from it.
  std::string drawImage() {
    parameter("x", type_, image(b_, g_, c_, images_));
    const bool isMade = random_.chance(10) && sample_.fill == Fill::integers;
    if (isMade)
      kernel().body.push_back(
          {true, "made", {fmt::format("cast<{}>(max(x, -1))", spelling(type_)), {}}});
    const std::string name = isMade ? "made" : "x", indices = joined(image("n", "g", "c", at_));
    const bool pads = isPadded_ || random_.chance(50);
    return pads ? fmt::format("pad({}, {})", name, random_.oneOf(Words{"0", "0", "0", "1"})) +
                      indices
                : name + indices;
  }

  std::string drawSum() {
    const std::string read = drawImage();
    parameter("w", type_, weights(g_, o_, c_, taps_), random_.chance(30));
    Words over = {"c"};
    over.insert(over.end(), r_.begin(), r_.end());
    if (random_.chance(30))
      std::rotate(over.begin(), over.begin() + 1, over.end());
    std::string where;
    if (random_.chance(8) && sample_.fill == Fill::integers)
      where = random_.oneOf(Words{" | c < 3", " | r0 != 1", " | (c + r0) % 2 == 0"});
    std::string left = read, right = "w" + joined(weights("g", "o", "c", r_));
    if (random_.chance(30))
      std::swap(left, right);
    return fmt::format("sum[{}{}]({} * {})", fmt::join(over, ", "), where, left, right);
  }

  /// The extents of the sum, as ranges of the variables of a `let`.
  std::string ranges() const {
    Words all = image("n: " + b_, "g: " + g_, "o: " + o_, {}), spatial;
    for (size_t axis = 0; axis < p_.size(); ++axis)
      spatial.push_back(p_[axis] + ": " + extents_[axis]);
    all.insert(all.end() - (isLast_ ? 1 : 0), spatial.begin(), spatial.end());
    return joined(all);
  }

  /// The greatest or the least of windows of what the convolution computes.
  void drawPooling(const std::string &value) {
    kernel().body.push_back({true, "whole", {value, {}}, ranges()});
    Words taps, read, extents;
    for (size_t axis = 0; axis < p_.size(); ++axis) {
      const int64_t extent = std::stoll(extents_[axis]),
                    length = std::min<int64_t>(extent, random_.oneOf({1, 2, 2, 2, 3})),
                    step = std::max<int64_t>(1, length + random_.oneOf({0, 0, 0, 1, -1}));
      taps.push_back(fmt::format("i{}: {}", axis, length));
      read.push_back(fmt::format("{}*{} + i{}", step, p_[axis], axis));
      extents.push_back(std::to_string((extent - length) / step + 1));
    }
    kernel().results.push_back({"y", ElementType::f32, image(b_, g_, o_, extents)});
    kernel().body.push_back(
        {false,
         "y",
         {fmt::format("{}[{}](whole{})", random_.oneOf(Words{"max", "max", "min"}),
                      fmt::join(taps, ", "), joined(image("n", "g", "o", read))),
          {}},
         joined(image("n", "g", "o", p_))});
    sample_.errors.push_back(0);
  }

  void drawResult(std::string value) {
    const Words dims = image(b_, g_, o_, extents_), places = image("n", "g", "o", p_);
    if (random_.chance(20)) {
      kernel().body.push_back({true, "acc", {value, {}}, ranges()});
      value = "acc" + joined(places);
    }
    if (random_.chance(40)) {
      parameter("bias", random_.oneOf({ElementType::f32, type_}), {o_});
      value += " + bias[o]";
    }
    if (random_.chance(25)) {
      parameter("residual", random_.oneOf({ElementType::f32, type_}), dims);
      value += " + residual" + joined(places);
    }
    if (random_.chance(40))
      value = fmt::format("max({}, 0)", value);
    if (random_.chance(25)) {
      drawPooling(value);
      return;
    }
    const ElementType type = type_ == ElementType::i8
                                 ? random_.oneOf({ElementType::i32, ElementType::f32})
                                 : random_.oneOf({ElementType::f32, ElementType::f32, type_});
    kernel().results.push_back({"y", type, dims});
    kernel().body.push_back({false, "y", {value, {}}, joined(places)});
    sample_.errors.push_back(0);
  }

  Random &random_;
  Sample &sample_;
  ElementType type_ = ElementType::f16;
  bool isLast_ = false, isPadded_ = false; ///< channels; some windows
  std::string b_, g_, c_, o_;              ///< `g_` empty: there are no groups
  Words images_, taps_, extents_;          ///< by axis: of the image, of the weights, of the result
  Words at_, p_, r_;                       ///< by axis: the index of the image, and its variables
};

} // namespace

void drawConvolution(Random &random, Sample &sample) { ConvolutionDraw(random, sample).run(); }

} // namespace mmk::hunt
