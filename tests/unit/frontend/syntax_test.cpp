// The parser: its tree as text, and the precedence of operators.
#include "frontend/compile.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

std::string tree(std::string text) {
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  return printSyntaxTree("test.mmk", std::move(text), diagnostics, file)
      .value_or(diagnostics.render());
}

TEST(Syntax, WholeTree) {
  EXPECT_EQ(tree(R"(
fn twice(x) = 2 * x; // a comment
kernel k(a: f16[M, 64], s: f32 = -0.5) -> c: f32[M, 64], d: i8[M, 1] {
  let x = cast<f16>(a) + s; /* another */
  c = twice(x);
  schedule for ascend910b* {
    cores = auto | 2;
    buffers l1.a = 3, acc = 1;
    order = swizzle( 4 );
    require tile.M <= 64 && !(cores == 2);
  }
  case S { M = 7; s = -inf; }
  check { rtol = 1e-3; }
}
)"),
            R"(fn twice(x)
  *
    2
    x
kernel k
  parameter a: f16[M, 64]
  parameter s: f32 = -0.5
  result c: f32[M, 64]
  result d: i8[M, 1]
  let x
    +
      cast<f16>
        a
      s
  assign c
    twice()
      x
  schedule for ascend910b*
    cores = auto | 2
    buffers.l1.a = 3
    buffers.acc = 1
    order = swizzle(4)
    require
      &&
        <=
          tile.M
          64
        !
          ==
            cores
            2
  case S
    M = 7
    s = -inf
  check
    rtol = 1e-3
)");
}

/// An expression with parentheses around every operation.
std::string grouped(const std::string &expression) {
  const std::string text = tree("fn f() = " + expression + ";");
  // Each line of the tree is a node; its indent is its depth.
  struct Node {
    std::string text;
    size_t depth;
  };
  std::vector<Node> nodes;
  for (size_t begin = text.find('\n') + 1; begin < text.size();) {
    const size_t end = text.find('\n', begin), word = text.find_first_not_of(' ', begin);
    nodes.push_back({text.substr(word, end - word), word - begin});
    begin = end + 1;
  }
  size_t next = 0;
  const auto print = [&](auto &&self) -> std::string {
    const Node node = nodes[next++];
    std::vector<std::string> operands;
    while (next < nodes.size() && nodes[next].depth > node.depth)
      operands.push_back(self(self));
    if (operands.empty())
      return node.text;
    return operands.size() == 1 ? "(" + node.text + operands[0] + ")"
                                : "(" + operands[0] + node.text + operands[1] + ")";
  };
  return print(print);
}

TEST(Syntax, Precedence) {
  EXPECT_EQ(grouped("a + b * c"), "(a+(b*c))");
  EXPECT_EQ(grouped("a - b - c"), "((a-b)-c)");
  EXPECT_EQ(grouped("a / b / c"), "((a/b)/c)");
  // As in Python, `@` has the precedence of `*` and `/` and groups from the left.
  EXPECT_EQ(grouped("a @ b @ c"), "((a@b)@c)");
  EXPECT_EQ(grouped("2 * a @ b"), "((2*a)@b)");
  EXPECT_EQ(grouped("a @ b * 2 + c"), "(((a@b)*2)+c)");
  EXPECT_EQ(grouped("-a @ b"), "((-a)@b)");
  EXPECT_EQ(grouped("a - -b"), "(a-(-b))");
  EXPECT_EQ(grouped("- - a"), "(-(-a))");
  EXPECT_EQ(grouped("a + b < c * d"), "((a+b)<(c*d))");
  EXPECT_EQ(grouped("a < b == c < d"), "((a<b)==(c<d))");
  EXPECT_EQ(grouped("a == b && c || d && !e"), "(((a==b)&&c)||(d&&(!e)))");
  EXPECT_EQ(grouped("a % b * c"), "((a%b)*c)");
  EXPECT_EQ(grouped("(a + b) * c"), "((a+b)*c)");
}

TEST(Syntax, Numbers) {
  for (const char *number :
       {"0", "1", "007", "1.5", "1.", ".5", "1e3", "1E-3", "1.5e+7", "inf", "nan"})
    EXPECT_EQ(grouped(number), number);
}

TEST(Syntax, EveryEndOfLineAndAByteOrderMark) {
  const std::string expected = tree("kernel k(a: f32[N]) -> c: f32[N] { c = a; }");
  EXPECT_EQ(tree("\xEF\xBB\xBFkernel k(a: f32[N])\r\n-> c: f32[N] {\r\n// x\r\nc = a;\r\n}\r\n"),
            expected);
  EXPECT_EQ(tree("kernel k(a: f32[N])\r-> c: f32[N] {\r// x\rc = a;\r}\r"), expected);
}

TEST(Syntax, PlacesAreRightBehindAByteOrderMark) {
  EXPECT_EQ(tree("\xEF\xBB\xBFkernel größe"),
            "test.mmk:1:11: error: expected '(', found '\xC3\xB6'\n"
            "    1 | \xEF\xBB\xBFkernel größe\n"
            "      |           ^\n");
}

// What index notation and derived dimensions add to the tree.
TEST(Syntax, IndexNotation) {
  EXPECT_EQ(tree(R"(
kernel k(x: f32[M, N], s: int = 2) -> y: f32[P] {
  dim P = M / s;
  require M % s == 0;
  y[p: P] = sum[j, r: 2 | j <= p](pad(x, 0)[s*p + r, j]) + x[0, 1];
}
)"),
            R"(kernel k
  parameter x: f32[M, N]
  parameter s: int = 2
  result y: f32[P]
  dim P
    /
      M
      s
  require
    ==
      %
        M
        s
      0
  assign y[p]
    range of p
      P
    +
      sum[j, r]()
        range of r
          2
        where
          <=
            j
            p
        element
          pad()
            x
            0
          +
            *
              s
              p
            r
          j
      element
        x
        0
        1
)");
}

// The words that these bring are names everywhere else, and a text may define the functions.
TEST(Syntax, NewWordsStayNames) {
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  const auto program = checkProgram("test.mmk", R"(
fn random(x) = x;
fn index(x) = x;
fn pad(x, y) = x + y;
fn dropout(x) = x;
kernel dim(dim: f32[N], int: f32[N], const: f32[N], s: f32) -> out: f32[N] {
  let sum = dim + int;
  out = random(sum) + index(const) + pad(s, 1) + dropout(dim);
}
kernel two(x: f32[N], random: f32[N], index: f32[N], pad: f32[N]) -> dim: f32[N], int: f32[N] {
  dim = x + random + index + pad;
  int[i] = x[i] + random[i] + index[i] + pad[i];
}
)",
                                    diagnostics, file);
  EXPECT_TRUE(program) << diagnostics.render();
  EXPECT_TRUE(diagnostics.all().empty()) << diagnostics.render();
}

} // namespace
} // namespace mmk
