// A layer with constant weights through libmmk: packed once, kept in a file, and bound from it.
//
//   c++ -std=c++17 constant.cpp $(pkg-config --cflags --libs mmk) -o constant && ./constant FILE
#include <mmk.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

const char *text = R"(
kernel layer(x: f32[M, K], w: const f32[K, N], bias: f32[N]) -> y: f32[M, N] {
  y = relu(x @ w + bias);
})";

void check(mmk_error *error) {
  if (!error)
    return;
  std::fprintf(stderr, "%s\n", mmk_error_message(error));
  mmk_error_free(error);
  std::exit(1);
}

void expect(bool isTrue, const char *what) {
  if (isTrue)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

std::vector<char> readAll(const char *path, size_t bytes) {
  std::vector<char> all(bytes);
  FILE *file = std::fopen(path, "rb");
  expect(file && std::fread(all.data(), 1, bytes, file) == bytes, "the file cannot be read");
  std::fclose(file);
  return all;
}

} // namespace

int main(int count, char **words) {
  expect(count == 2, "usage: constant FILE");
  mmk_kernel *layer = nullptr;
  check(mmk_compile(text, "layer.mmk", nullptr, &layer));

  const int64_t m = 4, n = 200, k = 300;
  std::vector<float> x(m * k), weights(k * n), bias(n, 1), y(m * n), expected(m * n);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i % 7) - 3;
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<float>(i % 5) - 2;

  mmk_tensor w = {"w", weights.data(), MMK_F32, 2, {k, n}, {}};
  size_t bytes = 0;
  check(mmk_pack(layer, &w, nullptr, &bytes));
  std::vector<char> packed(bytes);
  check(mmk_pack(layer, &w, packed.data(), &bytes));
  std::printf("w: %s, %zu bytes packed\n",
              mmk_kernel_argument_is_constant(layer, 1) ? "constant" : "plain", bytes);
  FILE *file = std::fopen(words[1], "wb");
  expect(file && std::fwrite(packed.data(), 1, bytes, file) == bytes && std::fclose(file) == 0,
         "the file cannot be written");

  const auto run = [&](const mmk_tensor &constant, std::vector<float> &result) {
    const mmk_tensor tensors[] = {{"x", x.data(), MMK_F32, 2, {m, k}, {}},
                                  constant,
                                  {"bias", bias.data(), MMK_F32, 1, {constant.extents[1]}, {}},
                                  {"y", result.data(), MMK_F32, 2, {m, constant.extents[1]}, {}}};
    return mmk_run(layer, tensors, 4, nullptr, 0, nullptr);
  };
  check(run(w, expected));
  std::vector<char> kept = readAll(words[1], bytes);
  mmk_tensor bound = {"w", kept.data(), MMK_F32 | MMK_PACKED, 2, {k, n}, {}};
  check(run(bound, y));
  std::printf("equal to the run on plain weights: %s\n", y == expected ? "yes" : "no");

  bound.extents[1] = 100;
  mmk_error *error = run(bound, y);
  expect(error, "a pack of other extents was accepted");
  const std::string message = mmk_error_message(error);
  std::printf("refused: %s\n", message.substr(0, message.find(" as panels")).c_str());
  mmk_error_free(error);
  mmk_kernel_free(layer);
}
