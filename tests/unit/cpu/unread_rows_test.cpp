// What the condition of a reduction excludes is not read on this CPU: it lies in pages that may not
// be.
#include "tests/unit/compiled.h"

#include <fmt/format.h>

#include <sys/mman.h>

namespace mmk {
namespace {

/// Pages of ones, of which only some may be read.
class Pages {
public:
  static constexpr int64_t bytes = 65536, elements = bytes / sizeof(float);

  Pages(int64_t count, int64_t first, int64_t end)
      : bytes_(count * bytes),
        memory_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    std::fill_n(static_cast<float *>(memory_), count * elements, 1.0f);
    mprotect(memory_, bytes_, PROT_NONE);
    mprotect(static_cast<char *>(memory_) + first * bytes, (end - first) * bytes, PROT_READ);
  }
  ~Pages() { munmap(memory_, bytes_); }
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;

  const void *data() const { return memory_; }

private:
  size_t bytes_;
  void *memory_;
};

/// y of `text` over x, whose first dimension has a page for each index, of which those from `first`
/// to `end` may be read.
std::vector<float> run(const std::string &text, const std::map<std::string, int64_t> &dims,
                       int64_t first, int64_t end, int64_t results) {
  Compiled compiled(text, "host");
  if (!compiled.ready())
    return {};
  const Pages x(dims.at("A"), first, end);
  std::vector<float> y(results);
  Arguments arguments;
  for (const std::string &name : compiled.kernel().dimensions)
    arguments.dims.push_back(dims.at(name));
  arguments.tensors = {x.data()};
  arguments.scalars = {0};
  arguments.results = {y.data()};
  for (unsigned threads : {1u, 2u})
    EXPECT_FALSE(compiled.executable().run(arguments, threads)) << text;
  return y;
}

constexpr int64_t pages = 50, first = 5, end = 30;
const std::string condition = "a >= 5 && a < 30";

TEST(UnreadRows, ofKeptColumns) {
  const int64_t n = Pages::elements;
  for (const char *type : {"sum", "max"}) {
    const std::vector<float> y =
        run(fmt::format("kernel k(x: f32[A, N]) -> y: f32[N] {{ y[j] = {}[a | {}](x[a, j]); }}",
                        type, condition),
            {{"A", pages}, {"N", n}}, first, end, n);
    EXPECT_EQ(y, std::vector<float>(n, type == std::string("sum") ? end - first : 1));
  }
}

TEST(UnreadRows, ofColumnsThatBoundThem) {
  const int64_t n = Pages::elements;
  // A row more for each of the first columns.
  const std::vector<float> y =
      run("kernel k(x: f32[A, N]) -> y: f32[N] { y[j] = sum[a | a >= 5 && a < 30 && a <= j + 5]"
          "(x[a, j]); }",
          {{"A", pages}, {"N", n}}, first, end, n);
  for (int64_t j = 0; j < n; ++j)
    ASSERT_EQ(y[j], std::min(j + 1, end - first)) << j;
}

TEST(UnreadRows, ofOuterDimensions) {
  const int64_t rows = 16, n = Pages::elements / rows;
  const std::map<std::string, int64_t> dims = {{"A", pages}, {"M", rows}, {"N", n}};
  const std::string parameters = "kernel k(x: f32[A, M, N]) -> ";
  // Columns that are kept, and columns that are reduced.
  EXPECT_EQ(run(parameters + "y: f32[N] { y[j] = sum[a, i | " + condition + "](x[a, i, j]); }",
                dims, first, end, n),
            std::vector<float>(n, (end - first) * rows));
  EXPECT_EQ(run(parameters + "y: f32[M] { y[i] = sum[a, j | " + condition + "](x[a, i, j]); }",
                dims, first, end, rows),
            std::vector<float>(rows, (end - first) * n));
}

} // namespace
} // namespace mmk
