// The whole example of the language: every field of the checked kernel.
#include "frontend/compile.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

constexpr char example[] = R"(
// C = LeakyReLU(A x B + bias): the main example.
kernel matmul_bias_leakyrelu(
  a:     f16[M, K],
  b:     f16[K, N],
  bias:  f32[N],
  alpha: f32 = 0.001
) -> c: f32[M, N] {

  let acc = a @ b;
  c = leaky_relu(acc + bias, alpha);

  schedule {
    cores    = auto | 1 | 2 | 4;
    tile     M = 128 | 64 | 256, N = 256 | 128 | 64, K = 64 | 32 | 128;
    stage    K = 256 | 128 | 512;
    buffers  l1 = 2 | 1, l0 = 2 | 1, acc = 1 | 2, out = 2 | 1;
    order    = rows | columns | zigzag | swizzle(4);
    fuse     = all | none;
    require  tile.M * tile.N <= 32768;
  }

  case S1 { M = 2048; N = 2048; K = 2048; }
  case S4 { M = 512;  N = 128;  K = 512; }
  check   { rtol = 1e-3; atol = 1e-3; max_error_ratio = 1e-4; }
}
)";

class Example : public testing::Test {
protected:
  void SetUp() override {
    program = checkProgram("example.mmk", example, diagnostics, file);
    ASSERT_TRUE(program) << diagnostics.render();
    EXPECT_TRUE(diagnostics.all().empty()) << diagnostics.render();
    ASSERT_EQ(program->kernels.size(), 1u);
  }
  const Kernel &kernel() const { return *program->kernels.front(); }

  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  std::optional<Program> program;
};

TEST_F(Example, Signature) {
  EXPECT_EQ(kernel().name, "matmul_bias_leakyrelu");
  EXPECT_EQ(kernel().dimensions, (std::vector<std::string>{"M", "K", "N"}));
  ASSERT_EQ(kernel().parameters.size(), 4u);
  EXPECT_EQ(spelling(kernel().parameters[1].type, kernel().parameters[1].shape), "f16[K, N]");
  EXPECT_TRUE(kernel().parameters[3].isScalar());
  EXPECT_EQ(kernel().parameters[3].byDefault, 0.001);
  ASSERT_EQ(kernel().results.size(), 1u);
  EXPECT_EQ(spelling(kernel().results[0].type, kernel().results[0].shape), "f32[M, N]");
}

TEST_F(Example, BodyIsInlinedInOrder) {
  using enum Operation;
  std::vector<Operation> operations;
  for (const auto &value : kernel().values)
    operations.push_back(value->operation);
  // The sum is used twice and is one value.
  EXPECT_EQ(operations, (std::vector<Operation>{parameter, parameter, parameter, parameter, product,
                                                add, constant, greaterEqual, multiply, select}));
  const Value &acc = *kernel().values[4];
  EXPECT_EQ(acc.name, "acc");
  EXPECT_EQ(spelling(acc.type, acc.shape), "f32[M, N]");
  EXPECT_EQ(kernel().results[0].value, kernel().values.back().get());
}

TEST_F(Example, Schedule) {
  ASSERT_EQ(kernel().schedules.size(), 1u);
  const Schedule &schedule = kernel().schedules.front();
  std::vector<std::string> keys;
  for (const Directive &directive : schedule.directives)
    keys.push_back(directive.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"cores", "tile.M", "tile.N", "tile.K", "stage.K",
                                            "buffers.l1", "buffers.l0", "buffers.acc",
                                            "buffers.out", "order", "fuse"}));
  ASSERT_EQ(schedule.directives[9].alternatives.size(), 4u);
  EXPECT_EQ(schedule.directives[9].alternatives[3].word, "swizzle(4)");
  ASSERT_EQ(schedule.requirements.size(), 1u);
  EXPECT_EQ(schedule.requirements[0].text, "tile.M * tile.N <= 32768");
}

TEST_F(Example, CasesAndCheck) {
  ASSERT_EQ(kernel().cases.size(), 2u);
  EXPECT_EQ(kernel().cases[1].name, "S4");
  EXPECT_EQ(kernel().cases[1].dimensions,
            (std::vector<std::pair<std::string, int64_t>>{{"M", 512}, {"N", 128}, {"K", 512}}));
  EXPECT_EQ(kernel().check.rtol, 1e-3);
  EXPECT_EQ(kernel().check.atol, 1e-3);
  EXPECT_EQ(kernel().check.maxErrorRatio, 1e-4);
}

} // namespace
} // namespace mmk
