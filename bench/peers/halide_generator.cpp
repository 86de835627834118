// The product with its epilogue in Halide, scheduled by hand.
#include <Halide.h>

using namespace Halide;

namespace {

Var x("x"), y("y"), panel("panel"), yo("yo"), xo("xo"), yi("yi"), xi("xi"), xv("xv"),
    block("block");

/// leaky_relu(a @ b + bias, alpha); Halide's first dimension is the innermost.
class Gemm : public Generator<Gemm> {
public:
  /// Vectors of columns in a tile.
  GeneratorParam<int> vectors{"vectors", 4};
  Input<Buffer<float>> a{"a", 2}; // k, m
  Input<Buffer<float>> b{"b", 2}; // n, k
  Input<Buffer<float>> bias{"bias", 1};
  Input<float> alpha{"alpha"};
  Output<Buffer<float>> c{"c", 2}; // n, m

  void generate() {
    const int lanes = natural_vector_size<float>();
    const bool wide = get_target().has_feature(Target::AVX512);
    // 24 accumulators, or 8, and most widths a multiple of the tile's.
    const int rows = wide ? 6 : 4, columns = (wide ? int(vectors) : 2) * lanes,
              blockRows = 16 * rows;
    const Expr depth = a.dim(0).extent();
    RDom k(0, depth, "k");

    // b in panels as wide as the tile of accumulators, zero beyond its last column.
    Func inside =
        BoundaryConditions::constant_exterior(b, 0.0f, {{0, b.dim(0).extent()}, {Expr(), Expr()}});
    Func packed("packed");
    packed(x, y, panel) = inside(panel * columns + x, y);
    Func product("product");
    // a in panels as high as the tile; the last row again below it.
    Func panels("panels");
    panels(y, x, panel) = a(x, min(panel * rows + y, a.dim(1).extent() - 1));
    product(x, y) += panels(y % rows, k, y / rows) * packed(x % columns, k, x / columns);
    const Expr sum = product(x, y) + bias(min(x, bias.dim(0).extent() - 1));
    c(x, y) = select(sum < 0, sum * alpha, sum);

    c.tile(x, y, xo, yo, x, y, columns, blockRows, TailStrategy::GuardWithIf)
        .split(y, yi, y, rows, TailStrategy::GuardWithIf)
        .reorder(x, y, yi, xo, yo)
        .vectorize(x, lanes, TailStrategy::GuardWithIf)
        .parallel(yo);
    product.bound_extent(x, columns)
        .bound_extent(y, rows)
        .compute_at(c, yi)
        .store_in(MemoryType::Register)
        .vectorize(x, lanes)
        .unroll(x)
        .unroll(y);
    product.update().reorder(x, y, k).vectorize(x, lanes).unroll(x).unroll(y);
    panels.compute_at(c, yo).bound_extent(y, rows).reorder(y, x, panel).unroll(y);
    packed.compute_root()
        .bound_extent(x, columns)
        .reorder(x, y, panel)
        .vectorize(x, lanes)
        .unroll(x)
        .parallel(panel);
    for (auto *buffer : {&a, &b})
      buffer->dim(0).set_min(0).dim(1).set_min(0).set_stride(buffer->dim(0).extent());
    c.dim(0).set_min(0).dim(1).set_min(0).set_stride(c.dim(0).extent());
    bias.dim(0).set_min(0);
  }
};

/// The same for few rows: b is read once, in place.
class Gemv : public Generator<Gemv> {
public:
  Input<Buffer<float>> a{"a", 2};
  Input<Buffer<float>> b{"b", 2};
  Input<Buffer<float>> bias{"bias", 1};
  Input<float> alpha{"alpha"};
  Output<Buffer<float>> c{"c", 2};

  void generate() {
    const int lanes = natural_vector_size<float>(), strip = 64 * lanes, deep = 8;
    RDom k(0, a.dim(0).extent(), "k");
    Func product("product");
    product(x, y) += a(k, y) * b(x, k);
    const Expr sum = product(x, y) + bias(x);
    c(x, y) = select(sum < 0, sum * alpha, sum);

    RVar ko("ko"), ki("ki");
    c.split(x, xo, xi, strip, TailStrategy::ShiftInwards)
        .reorder(xi, y, xo)
        .vectorize(xi, lanes)
        .parallel(xo);
    product.compute_at(c, xo).vectorize(x, lanes);
    product.update()
        .split(k, ko, ki, deep, TailStrategy::GuardWithIf)
        .split(x, xi, xv, 2 * lanes, TailStrategy::RoundUp)
        .reorder(xv, ki, y, xi, ko)
        .vectorize(xv, lanes)
        .unroll(xv)
        .unroll(ki);
    for (auto *buffer : {&a, &b})
      buffer->dim(0).set_min(0).dim(1).set_min(0).set_stride(buffer->dim(0).extent());
    c.dim(0).set_min(0).dim(1).set_min(0).set_stride(c.dim(0).extent());
    bias.dim(0).set_min(0);
  }
};

} // namespace

HALIDE_REGISTER_GENERATOR(Gemm, gemm)
HALIDE_REGISTER_GENERATOR(Gemv, gemv)
