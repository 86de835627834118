#include "tests/hunt/draw_attention.h"

#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmk::hunt {
namespace {

using Words = std::vector<std::string>;

class AttentionDraw {
public:
  AttentionDraw(Random &random, Sample &sample) : random_(random), sample_(sample) {}

  void run() {
    sample_.fill = random_.oneOf({Fill::uniform, Fill::uniform, Fill::normal, Fill::integers});
    type_ = random_.oneOf({ElementType::f16, ElementType::f16, ElementType::f16, ElementType::bf16,
                           ElementType::bf16, ElementType::f32});
    sample_.operandType = type_;
    sample_.isRounded = true;
    drawDimensions();
    drawCondition();
    drawWeights(scores());
    drawResults();
  }

private:
  KernelText &kernel() { return sample_.kernel; }

  //--- dimensions -------------------------------------------------------------------------------

  int64_t extentOf(const std::string &dim) const {
    for (const auto &[known, extent] : sample_.dims)
      if (known == dim)
        return extent;
    return std::stoll(dim);
  }

  /// A dimension by name, or now and then as a number in the type itself.
  std::string bind(const std::string &wanted, int64_t extent) {
    if (extent > 1 && random_.chance(10))
      return std::to_string(extent);
    sample_.dims.emplace_back(wanted, extent);
    return wanted;
  }

  void drawDimensions() {
    int64_t batches = 1;
    if (random_.chance(50)) {
      batches *= random_.oneOf({1, 2, 3, 5});
      b_ = bind("B", batches);
    }
    if (random_.chance(65)) {
      const int64_t matrices = random_.oneOf({1, 2, 3, 4});
      group_ = random_.oneOf({1, 1, 1, 2, 3, 4});
      batches *= matrices * group_;
      h_ = bind("H", matrices * group_);
      g_ = group_ == 1 ? h_ : bind("G", matrices);
      if (group_ > 1 && random_.chance(70)) // rows of a group may be one tile then
        sample_.kernel.requirements = {fmt::format("{} == {} * {}", h_, g_, group_)};
    }
    const int64_t d = random_.oneOf(
                      {8, 16, 16, 24, 32, 40, 64, 64, 72, 80, 96, 128, 128, 160, 256}),
                  e = random_.chance(50) ? d : random_.oneOf({1, 8, 16, 24, 33, 64, 80, 128, 200});
    const auto atMost = [&](int64_t extent, int64_t work) {
      const int64_t most = std::max<int64_t>(1, mostWork / work);
      return extent <= most ? extent : most;
    };
    const int64_t m = atMost(
        random_.oneOf({1, 1, 2, 5, 8, 15, 16, 17, 31, 33, 48, 64, 65, 100, 127, 128, 129, 200}),
        batches * (d + e));
    const int64_t n = atMost(random_.oneOf({1, 3, 8, 16, 17, 33, 64, 65, 96, 100, 127, 128, 130,
                                            255, 257, 400, 700, 1500}),
                             batches * (d + e) * m);
    columns_ = bind("N", n);
    rows_ = random_.chance(8) ? columns_ : bind("M", m);
    depth_ = bind("D", d);
    width_ = e == d ? depth_ : bind("E", e);
    sample_.attention = {rows_, columns_, depth_, width_};
  }

  /// The batches that there are, then the others.
  Words batched(Words others, const std::string &heads) const {
    Words all;
    if (!b_.empty())
      all.push_back(b_);
    if (!h_.empty())
      all.push_back(heads);
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }
  /// Those of the batches that there are, then the others.
  Words indices(const Words &others) const {
    Words all;
    if (!b_.empty())
      all.push_back("b");
    if (!h_.empty())
      all.push_back("h");
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }
  std::string at(const Words &others) const {
    return fmt::format("[{}]", fmt::join(indices(others), ", "));
  }

  //--- parameters -------------------------------------------------------------------------------

  void parameter(const std::string &name, ElementType type, Words dims) {
    kernel().parameters.push_back({name, type, std::move(dims)});
  }

  /// An operand of a product, whose matrix may be transposed or lie between the heads; what reads
  /// an element of it.
  std::string operand(const std::string &name, Words dims, Words indices, const std::string &heads,
                      const std::string &head) {
    if (random_.chance(15)) {
      std::swap(dims[0], dims[1]);
      std::swap(indices[0], indices[1]);
    }
    Words all = batched(dims, heads), read;
    if (!b_.empty())
      read.push_back("b");
    if (!h_.empty())
      read.push_back(head);
    read.insert(read.end(), indices.begin(), indices.end());
    if (!h_.empty() && random_.chance(20)) {
      const size_t last = all.size() - 1;
      std::swap(all[last - 1], all[last - 2]);
      std::swap(read[last - 1], read[last - 2]);
    }
    parameter(name, type_, all);
    return fmt::format("{}[{}]", name, fmt::join(read, ", "));
  }

  /// A tensor that is the same along some of the dimensions; what reads an element of it.
  std::string tensor(const std::string &name, ElementType type, const Words &dims,
                     const Words &indices) {
    Words own, read;
    for (size_t i = 0; i < dims.size(); ++i)
      if (random_.chance(60)) {
        own.push_back(dims[i]);
        read.push_back(indices[i]);
      }
    if (own.empty()) {
      own.push_back(dims.back());
      read.push_back(indices.back());
    }
    parameter(name, type, own);
    return fmt::format("{}[{}]", name, fmt::join(read, ", "));
  }
  std::string ofScores(const std::string &name, ElementType type) {
    return tensor(name, type, batched({rows_, columns_}, h_), indices({"i", "j"}));
  }
  ElementType floatType() {
    return random_.oneOf({ElementType::f32, ElementType::f16, ElementType::bf16});
  }

  //--- between the products ---------------------------------------------------------------------

  std::string let(const std::string &name, const Words &indices, std::string value) {
    kernel().body.push_back({true, name, {std::move(value), {}}, at(indices)});
    return name + at(indices);
  }

  /// Those of another product of the same rows and columns, which has an operand of a second one.
  std::string otherScores() {
    const std::string g = operand("g", {rows_, width_}, {"i", "e"}, h_, "h");
    return let("z", {"i", "j"}, fmt::format("0.125 * sum[e]({} * {})", g, v_));
  }

  /// The scores; what reads one.
  std::string scores() {
    const std::string heads = group_ == 1 ? h_ : g_,
                      head = group_ == 1 ? "h" : fmt::format("h / {}", group_);
    const std::string q = operand("q", {rows_, depth_}, {"i", "d"}, h_, "h"),
                      k = operand("k", {columns_, depth_}, {"j", "d"}, heads, head);
    k_ = k;
    v_ = operand("v", {columns_, width_}, {"j", "e"}, heads, head);
    const double scale = 1 / std::sqrt(static_cast<double>(extentOf(depth_)));
    std::string t = let("s", {"i", "j"}, fmt::format("{} * sum[d]({} * {})", scale, q, k));
    const int64_t steps = random_.oneOf({0, 0, 1, 1, 2, 3});
    for (int64_t step = 0; step < steps; ++step)
      t = let(fmt::format("t{}", step), {"i", "j"}, changed(t, step));
    return t;
  }

  std::string changed(const std::string &t, int64_t step) {
    switch (random_.below(6)) {
    case 0:
    case 1:
      return fmt::format("{} + {}", t, ofScores(fmt::format("bias{}", step), floatType()));
    case 2: {
      const double cap = random_.oneOf({0.5, 3.0, 30.0});
      return fmt::format("{0} * tanh({1} / {0})", cap, t);
    }
    case 3:
      return fmt::format("{} + {} * (j - i)", t,
                         h_.empty() || random_.chance(50) ? "0.0625"
                                                          : tensor(fmt::format("slopes{}", step),
                                                                   ElementType::f32, {h_}, {"h"}));
    case 4:
      return fmt::format("select({} > 0, {}, {})",
                         ofScores(fmt::format("mask{}", step), ElementType::i8), t,
                         random_.oneOf({where_.empty() ? "-inf" : "-1000", "-10000", "-2"}));
    default:
      return fmt::format("{} * {}", t, random_.oneOf({"0.5", "2", "-1"}));
    }
  }

  /// Of the reductions over j.
  void drawCondition() {
    const std::string ahead = random_.oneOf(Words{fmt::format("i + {} - {}", columns_, rows_), "i",
                                                  fmt::format("i + {}", random_.below(40))});
    Words all;
    // What the rows have is poisoned, too, where they are the columns.
    if (rows_ != columns_ && !std::isdigit(columns_[0]) && random_.chance(25))
      all.push_back(drawPoison(random_, sample_, columns_, extentOf(columns_), "j"));
    if (random_.chance(8)) // of the first rows nothing is left
      all.push_back(fmt::format("j + {} <= i", random_.between(1, 40)));
    if (random_.chance(35))
      all.push_back("j <= " + ahead);
    if (random_.chance(12))
      all.push_back(fmt::format("j > {} - {}", ahead, random_.between(1, 90)));
    if (!b_.empty() && random_.chance(30)) {
      parameter("lengths", ElementType::i32, {b_});
      all.push_back(fmt::format("j {} lengths[b] + {}", random_.oneOf({"<", "<", "<", ">="}),
                                random_.below(extentOf(columns_) + 1)));
    }
    if (random_.chance(6))
      all.push_back(fmt::format("{} > 0", ofScores("keep", ElementType::i8)));
    if (random_.chance(6))
      all.push_back(random_.oneOf(Words{"(i + 2*j) % 3 != 1", "2*j >= i - 5", "j == i", "j != 7"}));
    if (!all.empty())
      where_ = fmt::format(" | {}", fmt::join(all, " && "));
  }

  std::string over(const char *reduction, const std::string &value) const {
    return fmt::format("{}[j{}]({})", reduction, where_, value);
  }

  void drawWeights(const std::string &t) {
    t_ = t;
    std::string weight;
    switch (random_.below(14)) {
    case 0: // without a division
      weight = fmt::format("exp({} - {})", t, over("max", t));
      break;
    case 1: {
      const std::string positive = let("r", {"i", "j"}, fmt::format("relu({})", t));
      weight = fmt::format("{} / (1 + {})", positive, over("sum", positive));
      break;
    }
    case 2:
      weight = fmt::format("{}({})", random_.oneOf({"relu", "sigmoid", "abs"}), t);
      break;
    case 3:
      weight = fmt::format("{} / sqrt(1 + {})", t, over("sum", fmt::format("square({})", t)));
      break;
    case 4:
      weight = fmt::format("abs({0}) / max({1}, 1)", t, over("sum", fmt::format("abs({})", t)));
      break;
    case 5: { // with one more weight, of a score of 0
      const std::string top = let("most", {"i"}, fmt::format("max({}, 0)", over("max", t)));
      const std::string e = let("x", {"i", "j"}, fmt::format("exp({} - {})", t, top));
      weight = fmt::format("{} / (exp(-{}) + {})", e, top, over("sum", e));
      break;
    }
    case 6: // which takes two passes
      weight = fmt::format("{} - {} / {}", t, over("sum", t), extentOf(columns_));
      break;
    default:
      weight = over("softmax", t);
    }
    if (random_.chance(20)) // as in the gradient of a softmax
      weight = fmt::format("{} * ({} - {})", weight, otherScores(),
                           tensor("delta", ElementType::f32, batched({rows_}, h_), indices({"i"})));
    if (random_.chance(12))
      weight = fmt::format("dropout{}({}, 0.25, 7)", at({"i", "j"}), weight);
    if (random_.chance(10))
      weight = fmt::format("{} * {}", weight, ofScores("gate", floatType()));
    p_ = let("p", {"i", "j"}, weight);
  }

  //--- results ----------------------------------------------------------------------------------

  void result(const std::string &name, ElementType type, const Words &others, const Words &indices,
              std::string value) {
    kernel().results.push_back({name, type, batched(others, h_)});
    kernel().body.push_back({false, name, {std::move(value), {}}, at(indices)});
    sample_.errors.push_back(0);
  }

  void drawResults() {
    const std::string product = let(
        "o", {"i", "e"}, over("sum", fmt::format("cast<{}>({}) * {}", spelling(type_), p_, v_)));
    std::string value = product;
    if (random_.chance(30)) {
      const std::string other =
          tensor("other", floatType(), batched({rows_, width_}, h_), indices({"i", "e"}));
      value = random_.oneOf(Words{fmt::format("{} * {}", value, other),
                                  fmt::format("{} + {}", value, other),
                                  fmt::format("relu({}) - {}", value, other)});
    }
    result("y", random_.chance(50) ? type_ : floatType(), {rows_, width_}, {"i", "e"}, value);
    if (random_.chance(20)) { // another product, of the same weights or others
      const std::string weights =
          random_.chance(50) ? p_ : let("p2", {"i", "j"}, fmt::format("0.5 * {}", p_));
      result("y2", floatType(), {rows_, depth_}, {"i", "d"},
             over("sum", fmt::format("cast<{}>({}) * {}", spelling(type_), weights, k_)));
    }
    if (random_.chance(25))
      result("l", ElementType::f32, {rows_}, {"i"}, over("logsumexp", t_));
    if (random_.chance(10))
      result("top", ElementType::f32, {rows_}, {"i"}, over("max", t_));
    if (random_.chance(4) && !sample_.poison) // which no loop over both products has
      result("w", ElementType::f32, {rows_, columns_}, {"i", "j"}, t_);
  }

  Random &random_;
  Sample &sample_;
  ElementType type_ = ElementType::f16;
  std::string b_, h_, g_; ///< batches, heads, heads of keys and values; empty: there are none
  int64_t group_ = 1;     ///< of heads that share keys and values
  std::string rows_, columns_, depth_, width_;
  std::string k_, v_; ///< what reads an element of the right operands of the products, ...
  std::string t_, p_; ///< ... of what is reduced, and of the weights
  std::string where_; ///< the condition of all reductions over j, or nothing
};

} // namespace

void drawAttention(Random &random, Sample &sample) { AttentionDraw(random, sample).run(); }

} // namespace mmk::hunt
