// C = LeakyReLU(A x B + bias) through libmmk from C++: compile once, run at two shapes, the second
// one on a submatrix in place.
//
//   c++ -std=c++17 fused.cpp $(pkg-config --cflags --libs mmk) -o fused && ./fused
#include <mmk.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

const char *text = R"(
kernel fused(a: f32[M, K], b: f32[K, N], bias: f32[N], alpha: f32 = 0.01) -> c: f32[M, N] {
  c = leaky_relu(a @ b + bias, alpha);
})";

void check(mmk_error *error) {
  if (!error)
    return;
  std::fprintf(stderr, "%s\n", mmk_error_message(error));
  mmk_error_free(error);
  std::exit(1);
}

struct FreeKernel {
  void operator()(mmk_kernel *kernel) const { mmk_kernel_free(kernel); }
};
using Kernel = std::unique_ptr<mmk_kernel, FreeKernel>;

mmk_tensor matrix(const char *name, float *data, int64_t rows, int64_t columns, int64_t pitch) {
  return {name, data, MMK_F32, 2, {rows, columns}, {pitch, 1}};
}

} // namespace

int main() {
  mmk_kernel *compiled = nullptr;
  check(mmk_compile(text, "fused.mmk", nullptr, &compiled));
  const Kernel kernel(compiled);
  std::printf("%s: %s\n", mmk_kernel_name(compiled), mmk_kernel_variant(compiled));

  const int64_t m = 100, n = 80, k = 60;
  std::vector<float> a(m * k, 1), b(k * n, 0.5f), bias(n, -40), c(m * n);
  mmk_tensor tensors[] = {matrix("a", a.data(), m, k, k),
                          matrix("b", b.data(), k, n, n),
                          {"bias", bias.data(), MMK_F32, 1, {n}, {}},
                          matrix("c", c.data(), m, n, n)};
  check(mmk_run(compiled, tensors, 4, nullptr, 0, nullptr));
  std::printf("c[0][0] = %g\n", c[0]); // 0.01 * (60 * 0.5 - 40)

  // The upper left quarter of the matrices, in place; another alpha, one thread.
  mmk_tensor quarter[] = {matrix("a", a.data(), m / 2, k / 2, k),
                          matrix("b", b.data(), k / 2, n / 2, n),
                          {"bias", bias.data(), MMK_F32, 1, {n / 2}, {}},
                          matrix("c", c.data(), m / 2, n / 2, n)};
  const mmk_scalar alpha[] = {{"alpha", 2}};
  const mmk_run_options oneThread = {1};
  check(mmk_run(compiled, quarter, 4, alpha, 1, &oneThread));
  std::printf("c[0][0] = %g, c[0][%d] = %g\n", c[0], int(n / 2), c[n / 2]);
}
