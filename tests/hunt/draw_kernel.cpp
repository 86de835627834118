// Random kernels: products in all their forms with an epilogue, elementwise ones, reductions, and
// statements in index notation.
#include "tests/hunt/draw_expression.h"
#include "tests/hunt/draw_indices.h"
#include "tests/hunt/draw_integers.h"
#include "tests/hunt/sample.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace mmk::hunt {
namespace {

using Dims = std::vector<std::string>;
constexpr ElementType allTypes[] = {ElementType::f32, ElementType::f16, ElementType::bf16,
                                    ElementType::i8, ElementType::i32};

Expression name(std::string word) { return {std::move(word), {}}; }
Expression transposed(Expression operand) { return {"transpose", {std::move(operand)}}; }
Dims swapped(Dims dims) {
  std::swap(dims.end()[-1], dims.end()[-2]);
  return dims;
}

/// A value that results may read, and its shape.
struct Available {
  Term term;
  Dims dims;
};

class KernelDraw {
public:
  KernelDraw(Random &random, Sample &sample) : random_(random), sample_(sample) {}

  void run() {
    const bool isProduct = random_.chance(60);
    batch();
    if (isProduct)
      productKernel();
    else if (random_.chance(20))
      integerKernel();
    else
      elementwiseKernel(/*reduces=*/random_.chance(60));
  }

  void runOfIntegers() {
    batch();
    random_.chance(30) ? integerProduct() : integerKernel();
  }

private:
  KernelText &kernel() { return sample_.kernel; }

  //--- dimensions -------------------------------------------------------------------------------

  int64_t bind(const std::string &dim, int64_t extent) {
    sample_.dims.emplace_back(dim, extent);
    return extent;
  }
  int64_t extentOf(const std::string &dim) const {
    for (const auto &[known, extent] : sample_.dims)
      if (known == dim)
        return extent;
    return std::stoll(dim);
  }
  int64_t elementsOf(const Dims &dims) const {
    int64_t elements = 1;
    for (const std::string &dim : dims)
      elements *= extentOf(dim);
    return elements;
  }
  /// Around the edges of tiles, and small.
  int64_t extent(int64_t maximum) {
    const int64_t extent =
        random_.chance(25)
            ? random_.oneOf({1, 1, 2, 3, 5, 7, 8})
            : random_.oneOf({9,  15, 16, 17, 23, 31,  32,  33,  40,  47,  48,  49, 63,
                             64, 65, 79, 80, 96, 100, 127, 128, 129, 160, 255, 257});
    return std::max<int64_t>(1, extent <= maximum ? extent : extent % maximum);
  }
  /// A dimension by name, or now and then as a number in the type itself.
  std::string dimension(const std::string &wanted, int64_t extent) {
    if (extent > 1 && random_.chance(10))
      return std::to_string(extent);
    bind(wanted, extent);
    return wanted;
  }

  void batch() {
    const int rank = random_.oneOf({0, 0, 0, 1, 1, 2});
    for (int i = 0; i < rank; ++i)
      batch_.push_back(dimension(i == 0 ? "B" : "H", random_.oneOf({1, 2, 3, 4})));
  }

  //--- parameters -------------------------------------------------------------------------------

  double boundOf(ElementType type) const {
    switch (sample_.fill) {
    case Fill::integers:
      return 4;
    case Fill::uniform:
      return isFloat(type) ? 1 : 128;
    case Fill::normal:
      return isFloat(type) ? 8 : 256;
    default:
      return std::numeric_limits<double>::infinity();
    }
  }

  Expression parameter(const std::string &wanted, ElementType type, Dims dims) {
    kernel().parameters.push_back({wanted, type, std::move(dims), {}, random_.chance(20)});
    return name(wanted);
  }

  /// A value that broadcasts to `target`: an existing one, or a new parameter.
  Term leaf(const Dims &target) {
    std::vector<const Available *> fitting;
    for (const Available &each : available_)
      if (broadcasts(each.dims, target))
        fitting.push_back(&each);
    if (!fitting.empty() && (random_.chance(70) || extras_ >= 4))
      return fitting[random_.below(static_cast<int64_t>(fitting.size()))]->term;
    if (extras_ >= 4)
      return {name("0.75"), 0.75, 0};
    return random_.chance(15) ? newScalar() : newTensor(target);
  }

  bool broadcasts(const Dims &dims, const Dims &target) const {
    return dims.size() <= target.size() &&
           std::equal(dims.rbegin(), dims.rend(), target.rbegin(),
                      [](const std::string &own, const std::string &other) {
                        return own == other || own == "1";
                      });
  }

  Term newScalar() {
    const std::string wanted = fmt::format("s{}", extras_++);
    const double value = random_.oneOf({-0.5, 0.0, 0.01, 1.0, 2.0, 3.5});
    kernel().parameters.push_back({wanted, ElementType::f32, {}, fmt::format("{}", value)});
    available_.push_back({{name(wanted), std::abs(value), 0}, {}});
    return available_.back().term;
  }

  Term newTensor(const Dims &target) {
    Dims dims = target;
    // A trailing part of the shape, some of it repeated.
    dims.erase(dims.begin(), dims.end() - random_.between(1, static_cast<int64_t>(dims.size())));
    for (std::string &dim : dims)
      if (random_.chance(20))
        dim = "1";
    const bool isTransposed = dims.size() >= 2 && random_.chance(15);
    const ElementType type = random_.oneOf({ElementType::f32, ElementType::f32, ElementType::f16,
                                            ElementType::bf16, ElementType::i8, ElementType::i32});
    Expression read =
        parameter(fmt::format("x{}", extras_++), type, isTransposed ? swapped(dims) : dims);
    if (isTransposed)
      read = transposed(std::move(read));
    available_.push_back({{std::move(read), boundOf(type), 0}, dims});
    return available_.back().term;
  }

  //--- products ---------------------------------------------------------------------------------

  /// Those of the batch dimensions that an operand has; the rest are 1, or not there.
  Dims batchOf(const std::vector<bool> &has) {
    Dims dims;
    for (size_t i = 0; i < batch_.size(); ++i)
      if (has[i] || !dims.empty() || random_.chance(50))
        dims.push_back(has[i] ? batch_[i] : "1");
    return dims;
  }

  /// [rows, columns] of `type`, perhaps transposed, perhaps made from something else.
  Expression operand(const std::string &wanted, ElementType type, const Dims &batch,
                     const std::string &rows, const std::string &columns) {
    Dims dims = batch;
    dims.push_back(rows);
    dims.push_back(columns);
    const bool isTransposed = random_.chance(25);
    const bool isMade = random_.chance(12);
    const ElementType from =
        isMade ? random_.oneOf(std::vector<ElementType>(std::begin(allTypes), std::end(allTypes)))
               : type;
    Expression read = parameter(wanted, from, isTransposed ? swapped(dims) : dims);
    if (isMade) {
      ExpressionDraw draw(random_, [&] { return Term{read, boundOf(from), 0}; });
      Term value = draw.over({read, boundOf(from), 0}, 1);
      if (value.error > 0)
        value = {read, boundOf(from), 0};
      read = {fmt::format("cast<{}>", spelling(type)),
              {ExpressionDraw::smallInteger(value).expression}};
    }
    return isTransposed ? transposed(std::move(read)) : read;
  }

  void let(const std::string &wanted, Expression value, const Dims &dims, double bound) {
    kernel().body.push_back({true, wanted, std::move(value)});
    available_.push_back({{name(wanted), bound, 0}, dims});
  }

  double sumBound(int64_t terms) const {
    return sample_.fill == Fill::integers ? 16.0 * static_cast<double>(terms)
                                          : std::numeric_limits<double>::infinity();
  }

  Dims batched(const std::string &rows, const std::string &columns) const {
    Dims dims = batch_;
    dims.push_back(rows);
    dims.push_back(columns);
    return dims;
  }

  void productKernel() {
    // Sums have to be exact in any order.
    sample_.fill = random_.chance(15) ? Fill::strewn : Fill::integers;
    const ElementType type = random_.oneOf({ElementType::f16, ElementType::f16, ElementType::f16,
                                            ElementType::bf16, ElementType::i8, ElementType::f32});
    sample_.operandType = type;
    int64_t batches = 1;
    for (const std::string &dim : batch_)
      batches *= extentOf(dim);
    const int64_t m = extent(260), n = extent(std::max<int64_t>(1, 20000 / m));
    const int64_t most = std::max<int64_t>(1, 1'000'000 / (m * n * batches));
    const int64_t k = random_.chance(10) ? std::min<int64_t>(most, random_.between(300, 3000))
                                         : extent(std::min<int64_t>(most, 600));
    const std::string rows = dimension("M", m), columns = dimension("N", n),
                      depth = dimension("K", k);
    std::vector<bool> left, right;
    for (size_t i = 0; i < batch_.size(); ++i) {
      const int64_t which = random_.below(4);
      left.push_back(which != 0);
      right.push_back(which != 1);
    }
    const Dims leftBatch = batchOf(left), rightBatch = batchOf(right);
    Expression a = operand("a", type, leftBatch, rows, depth);
    Expression b = operand("b", type, rightBatch, depth, columns);
    Dims out = batched(rows, columns);
    if (a.operands.empty() && b.operands.empty() && random_.chance(25)) {
      indexedProduct(leftBatch, rightBatch, {rows, columns, depth});
      available_.push_back({{name("acc"), sumBound(k), 0}, out});
    } else {
      let("acc", {"@", {std::move(a), b}}, out, sumBound(k));
    }
    const bool isPoisoned = sample_.poison.has_value();
    if (random_.chance(20))
      maskedReduction(type, {rows, columns}, sumBound(k));
    std::optional<Term> other;
    if (!isPoisoned && random_.chance(12)) {
      other = available_.back().term;
      Expression left = operand("e", type, leftBatch, rows, depth);
      let("second", {"@", {std::move(left), std::move(b)}}, out, sumBound(k));
    }
    if (random_.chance(other ? 40 : 15))
      chain(type, rows, columns, out, n, other);
    const Term last = available_.back().term;
    if (type == ElementType::i8 && !other && out.back() == columns && random_.chance(40))
      return integerResults(out, name("acc"));
    if (random_.chance(25))
      reductions(out, last, {out.back()});
    results(out, last);
  }

  /// Of batches, of which one operand may be read at computed indices.
  std::string indicesOf(const Dims &dims, bool isComputed) {
    std::string text;
    for (size_t i = 0; i < dims.size(); ++i) {
      const std::string c = fmt::format("c{}", i + batch_.size() - dims.size());
      std::string index = dims[i] == "1" ? "0" : c;
      if (isComputed && dims[i] != "1" && random_.chance(60))
        index = random_.oneOf(std::vector<std::string>{
            c + " / 2", c + " / 3", fmt::format("{} - 1 - {}", dims[i], c), "0"});
      text += index + ", ";
    }
    return text;
  }

  /// a and b as i0 x i2 and i2 x i1, mostly under a condition, and of matrices of other batches.
  /// `dims` of i0, i1 and i2.
  void indexedProduct(const Dims &leftBatch, const Dims &rightBatch, const Dims &dims) {
    std::vector<int64_t> extents;
    for (const std::string &dim : dims)
      extents.push_back(extentOf(dim));
    IndexDraw draw(random_, {"", dims, extents}, 0);
    // Where infinities and NaN are strewn, those that a condition excludes are excluded of both.
    const bool isExact = sample_.fill != Fill::strewn;
    std::string where;
    bool isComputed = true;
    if (!batch_.empty() && (isExact || (leftBatch == batch_ && rightBatch == batch_)) &&
        random_.chance(30)) {
      parameter("lengths", ElementType::i32, {batch_.front()});
      where = " | i2 < lengths[c0]";
      isComputed = isExact;
    } else if (!llvm::isDigit(dims[2][0]) && dims[2] != dims[0] && random_.chance(40)) {
      // Both operands are poisoned where the bound excludes their elements.
      where = " | " + drawPoison(random_, sample_, dims[2], extents[2], "i2");
      isComputed = true;
      if (isExact && random_.chance(70))
        where += " && " + draw.condition({0, 1, 2});
    } else if (random_.chance(70)) {
      const std::vector<size_t> on =
          random_.oneOf(std::vector<std::vector<size_t>>{{0, 2}, {1, 2}, {2}, {0, 1, 2}});
      where = " | " + draw.condition(isExact ? on : std::vector<size_t>{2});
    }
    const bool isOfLeft = random_.chance(50);
    std::string ranges;
    for (size_t i = 0; i < batch_.size(); ++i)
      ranges += fmt::format("c{}: {}, ", i, batch_[i]);
    kernel().body.push_back({true, "acc",
                             name(fmt::format("sum[i2{}](a[{}i0, i2] * b[{}i2, i1])", where,
                                              indicesOf(leftBatch, isComputed && isOfLeft),
                                              indicesOf(rightBatch, isComputed && !isOfLeft))),
                             fmt::format("[{}i0, i1]", ranges)});
  }

  /// A result that reduces the rows of the product `acc` under a condition.
  void maskedReduction(ElementType type, const Dims &matrix, double bound) {
    std::string batches, mask = "";
    for (size_t i = 0; i < batch_.size(); ++i)
      batches += fmt::format("c{}, ", i);
    const std::vector<int64_t> extents = {extentOf(matrix[0]), extentOf(matrix[1])};
    IndexDraw draw(random_, {"", matrix, extents}, 0);
    std::string where = draw.condition({0, 1});
    if (random_.chance(40)) {
      parameter("mask", ElementType::i8, matrix);
      where += " && mask[i0, i1] > 0";
    }
    const bool areSumsExact = bound * static_cast<double>(extents[1]) < 0x1p24;
    const std::string kind =
        random_.oneOf(areSumsExact ? Dims{"max", "min", "sum"} : Dims{"max", "min"});
    Dims dims = batch_;
    dims.push_back(matrix[0]);
    const ElementType sum = type == ElementType::i8 ? ElementType::i32 : ElementType::f32;
    kernel().results.push_back({"m0", sum, dims});
    kernel().body.push_back({false, "m0",
                             name(fmt::format("{}[i1 | {}](acc[{}i0, i1])", kind, where, batches)),
                             fmt::format("[{}i0]", batches)});
    sample_.errors.push_back(0);
  }

  /// The product, and another one of the same rows and columns if there is one, go into one or two
  /// other products.
  void chain(ElementType type, const std::string &rows, const std::string &columns, Dims &out,
             int64_t terms, const std::optional<Term> &other) {
    Term whole = available_.back().term;
    if (other && whole.error == 0 && other->error == 0)
      whole = {{"+", {whole.expression, other->expression}}, whole.bound + other->bound, 0};
    const Dims ofFirst = out;
    const std::string width = dimension("P", extent(100));
    const auto multiplied = [&](const std::string &weights, const std::string &right,
                                const std::string &result) {
      Term value = drawFor(ofFirst).over(whole, static_cast<int>(random_.below(3)));
      if (value.error > 0)
        value = whole;
      kernel().body.push_back({true,
                               weights,
                               {fmt::format("cast<{}>", spelling(type)),
                                {ExpressionDraw::smallInteger(value).expression}}});
      Expression values = operand(right, type, {}, columns, width);
      out = batched(rows, width);
      let(result, {"@", {name(weights), std::move(values)}}, out, sumBound(terms));
    };
    multiplied("h", "d", "chained");
    if (!random_.chance(30))
      return;
    multiplied("h2", "d2", "chained2");
    let("both", {"+", {name("chained"), name("chained2")}}, out, 2 * sumBound(terms));
  }

  //--- results ----------------------------------------------------------------------------------

  ExpressionDraw drawFor(const Dims &dims) {
    return ExpressionDraw(random_, [this, dims] { return leaf(dims); });
  }

  void results(const Dims &out, Term main) {
    const int64_t count = random_.oneOf({1, 1, 1, 2, 2, 3});
    for (int64_t i = 0; i < count; ++i) {
      ExpressionDraw draw = drawFor(out);
      Term value = i == 0 || random_.chance(60)
                       ? draw.over(main, static_cast<int>(random_.below(4)))
                       : draw.draw(static_cast<int>(random_.below(4)));
      Dims dims = out;
      const ElementType type =
          random_.oneOf({ElementType::f32, ElementType::f32, ElementType::f16, ElementType::bf16,
                         ElementType::i8, ElementType::i32});
      if (dims.size() >= 2 && value.error == 0 && random_.chance(10)) {
        // A transposed value has to have the whole shape.
        const std::string whole = fmt::format("t{}", i);
        value.expression = transposed({"+", {value.expression, parameter(whole, type, dims)}});
        value.bound += boundOf(type);
        dims = swapped(dims);
      }
      const std::string wanted = fmt::format("y{}", i);
      kernel().results.push_back({wanted, type, dims});
      kernel().body.push_back({false, wanted, value.expression});
      sample_.errors.push_back(errorOf(value, type));
    }
  }

  static double errorOf(const Term &value, ElementType type) {
    if (value.error == 0)
      return 0;
    const double unit = type == ElementType::f16 ? 0x1p-10 : type == ElementType::bf16 ? 0x1p-7 : 0;
    return 2 * value.error + (isFloat(type) ? unit * value.bound : 1);
  }

  /// Reductions of values over some of these dimensions, which later ones and the results read. All
  /// are exact: extremes, and sums of small integers. `whole`: a value of the whole shape.
  void reductions(const Dims &out, const Term &whole, const Dims &reduced) {
    const int64_t count = random_.oneOf({1, 1, 2, 2, 3});
    for (int64_t i = 0; i < count; ++i) {
      Dims kept = out;
      std::string over;
      for (std::string &dim : kept)
        if (!llvm::isDigit(dim[0]) && llvm::is_contained(reduced, dim) &&
            random_.chance(reduced.size() == 1 ? 90 : 50)) {
          over += (over.empty() ? "" : ", ") + dim;
          dim = "1";
        }
      if (over.empty())
        continue;
      ExpressionDraw draw = drawFor(out);
      Term value = draw.over(whole, static_cast<int>(random_.below(3)));
      if (value.error > 0)
        value = whole;
      // Others may lack the dimension that is reduced.
      value.expression = {"+", {whole.expression, value.expression}};
      value.bound += whole.bound;
      const std::string kind = random_.oneOf(std::vector<std::string>{"max", "min", "sum", "sum"});
      if (kind == "sum") {
        value = ExpressionDraw::smallInteger(value);
        value.bound = 4 * static_cast<double>(elementsOf(out));
      }
      const std::string wanted = fmt::format("r{}", i);
      let(wanted, {fmt::format("{}[{}]", kind, over), {value.expression}}, kept, value.bound);
    }
  }

  /// Statements in index notation on the first parameter.
  void indexed(const Dims &out) {
    const auto tensorOf = [&](std::string name, Dims dims) {
      IndexedTensor tensor{std::move(name), std::move(dims), {}};
      for (const std::string &dim : tensor.dims)
        tensor.extents.push_back(extentOf(dim));
      return tensor;
    };
    const double bound = available_.front().term.bound;
    std::optional<IndexedTensor> lengths;
    if (out.size() > 1 && random_.chance(40)) {
      const Dims dims(out.begin(), out.end() - 1);
      parameter("lengths", ElementType::i32, dims);
      lengths = tensorOf("lengths", dims);
    }
    const int64_t count = random_.oneOf({1, 1, 2, 3});
    for (int64_t i = 0; i < count; ++i) {
      IndexDraw draw(random_, tensorOf("a", out), bound);
      IndexedValue value = draw.draw(fmt::format("g{}", i), lengths);
      kernel().body.push_back(value.statement);
      available_.push_back({{name(value.statement.name),
                             value.bound.value_or(std::numeric_limits<double>::infinity()), 0},
                            value.dims});
    }
  }

  /// Dimensions of a few elements inside of the others, such as the pixels of small images.
  Dims smallDims(bool mayBeUnits) {
    Dims dims;
    if (random_.chance(35))
      for (const char *wanted : {"X", "Y"})
        if (random_.chance(70))
          dims.push_back(mayBeUnits && random_.chance(25)
                             ? "1"
                             : dimension(wanted, random_.oneOf({1, 1, 2, 3, 7, 8})));
    return dims;
  }

  void elementwiseKernel(bool reduces) {
    sample_.fill =
        random_.oneOf({Fill::integers, Fill::uniform, Fill::normal, Fill::special, Fill::strewn});
    Dims out = batch_;
    const Dims inner = smallDims(/*mayBeUnits=*/!reduces);
    if (random_.chance(85))
      out.push_back(dimension("M", extent(260)));
    const int64_t others = elementsOf(out) * elementsOf(inner);
    out.push_back(dimension("N", extent(std::max<int64_t>(1, 20000 / others))));
    out.insert(out.end(), inner.begin(), inner.end());
    const ElementType type =
        random_.oneOf(std::vector<ElementType>(std::begin(allTypes), std::end(allTypes)));
    available_.push_back({{parameter("a", type, out), boundOf(type), 0}, out});
    if (reduces)
      reductions(out, Term(available_.front().term), out);
    if (!llvm::is_contained(out, "1") && random_.chance(50))
      indexed(out);
    results(out, available_.front().term);
  }

  //--- integers -------------------------------------------------------------------------------

  /// An integer that broadcasts to `target`: an existing one, or a new parameter.
  Expression integerLeaf(const Dims &target) {
    std::vector<const Available *> fitting;
    for (const Available &each : integers_)
      if (broadcasts(each.dims, target))
        fitting.push_back(&each);
    if (!fitting.empty() && (random_.chance(65) || extras_ >= 4))
      return fitting[random_.below(static_cast<int64_t>(fitting.size()))]->term.expression;
    const std::string wanted = fmt::format("x{}", extras_++);
    Dims dims;
    if (random_.chance(15)) {
      kernel().parameters.push_back({wanted,
                                     ElementType::i32,
                                     {},
                                     random_.oneOf({"0", "3", "-7", "2147483647", "-2147483648"})});
    } else {
      dims.assign(target.end() - random_.between(1, static_cast<int64_t>(target.size())),
                  target.end());
      for (std::string &dim : dims)
        if (random_.chance(20))
          dim = "1";
      parameter(wanted, random_.oneOf({ElementType::i32, ElementType::i32, ElementType::i8}), dims);
    }
    integers_.push_back({{name(wanted), 0, 0}, dims});
    return name(wanted);
  }

  IntegerDraw integersFor(const Dims &dims) {
    return IntegerDraw(random_, [this, dims] { return integerLeaf(dims); });
  }

  void integerReductions(const Dims &out, const Expression &whole) {
    for (int64_t i = random_.below(3); i > 0; --i) {
      Dims kept = out;
      const size_t at = random_.below(static_cast<int64_t>(out.size()));
      if (llvm::isDigit(out[at][0]))
        continue;
      kept[at] = "1";
      const std::string kind = random_.oneOf(
          std::vector<std::string>{"sum", "sum", "prod", "max", "min", "argmax", "argmin"});
      Expression value = integersFor(out).over(whole, static_cast<int>(random_.below(3)));
      // Others may lack the dimension that is reduced.
      value = {"+", {whole, std::move(value)}};
      const std::string wanted = fmt::format("r{}", i);
      kernel().body.push_back(
          {true, wanted, {fmt::format("{}[{}]", kind, out[at]), {std::move(value)}}});
      integers_.push_back({{name(wanted), 0, 0}, kept});
    }
  }

  void integerResults(const Dims &out, const Expression &main) {
    integerReductions(out, main);
    for (int64_t i = random_.oneOf({1, 1, 2, 3}) - 1; i >= 0; --i) {
      IntegerDraw draw = integersFor(out);
      const auto depth = static_cast<int>(random_.below(4));
      Expression value = i == 0 || random_.chance(60) ? draw.over(main, depth) : draw.draw(depth);
      const std::string wanted = fmt::format("y{}", i);
      const ElementType type =
          random_.oneOf({ElementType::i32, ElementType::i32, ElementType::i8, ElementType::f32});
      kernel().results.push_back({wanted, type, out});
      kernel().body.push_back({false, wanted, std::move(value)});
      sample_.errors.push_back(0);
    }
  }

  /// A product of i8, and integers behind it.
  void integerProduct() {
    sample_.fill = random_.oneOf({Fill::whole, Fill::uniform});
    sample_.operandType = ElementType::i8;
    const int64_t m = extent(130), n = extent(10000 / m);
    const std::string rows = dimension("M", m), columns = dimension("N", n),
                      depth = dimension("K", extent(1'000'000 / (m * n)));
    Expression a = parameter("a", ElementType::i8, {rows, depth}),
               b = parameter("b", ElementType::i8, {depth, columns});
    kernel().body.push_back({true, "acc", {"@", {std::move(a), std::move(b)}}});
    integers_.push_back({{name("acc"), 0, 0}, {rows, columns}});
    integerResults({rows, columns}, name("acc"));
  }

  void integerKernel() {
    sample_.fill = random_.oneOf({Fill::whole, Fill::whole, Fill::integers, Fill::uniform});
    Dims out = batch_;
    if (random_.chance(85))
      out.push_back(dimension("M", extent(260)));
    out.push_back(dimension("N", extent(std::max<int64_t>(1, 20000 / elementsOf(out)))));
    const ElementType type = random_.oneOf({ElementType::i32, ElementType::i32, ElementType::i8});
    integerResults(out, parameter("a", type, out));
  }

  Random &random_;
  Sample &sample_;
  Dims batch_;
  std::vector<Available> integers_; ///< without bounds
  std::vector<Available> available_;
  int extras_ = 0;
};

} // namespace

void drawKernel(Random &random, Sample &sample) { KernelDraw(random, sample).run(); }
void drawIntegerKernel(Random &random, Sample &sample) {
  KernelDraw(random, sample).runOfIntegers();
}

} // namespace mmk::hunt
