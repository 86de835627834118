"""The kernels that the choice of a variant is measured on: none has a schedule.

`products`: 60 kernels of fixed seeds: products of four element types with epilogues, batches and
transposes, kernels of several products, elementwise kernels. M, N and K are from 1 to 65536, uniform
in their logarithms; a shape of more than 4e12 multiply-adds, or of more than 2e9 elements of a
tensor, is drawn again.

`examples`: the kernels of examples/ with their cases, without what they have of a schedule.

`convolutions`: the same of examples/convolution/.
"""

import random
import re
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

MOST_MACS, MOST_ELEMENTS = 4e12, 2e9


def product(types, epilogue, a="M, K", b="K, N", batch="", extra=""):
    operand, result = types
    sign_a = f"{batch}{a}"
    sign_b = f"{batch}{b}"
    left = "transpose(a)" if a == "K, M" else "a"
    right = "transpose(b)" if b == "N, K" else "b"
    return (f"kernel k(a: {operand}[{sign_a}], b: {operand}[{sign_b}]{extra}) -> "
            f"c: {result}[{batch}M, N] {{\n  c = {epilogue.format(f'({left} @ {right})')};\n}}\n")


BIAS, RESIDUAL = ", bias: f32[N]", ", r: f16[M, N]"
PRODUCTS = [
    ("f16 -> f32", product(("f16", "f32"), "{}")),
    ("f16 -> f16", product(("f16", "f16"), "cast<f16>({})")),
    ("f16, bias", product(("f16", "f32"), "{} + bias", extra=BIAS)),
    ("f16, bias, relu", product(("f16", "f16"), "cast<f16>(relu({} + bias))", extra=BIAS)),
    ("f16, bias, gelu", product(("f16", "f16"), "cast<f16>(gelu({} + bias))", extra=BIAS)),
    ("f16, bias, residual", product(("f16", "f16"), "cast<f16>({} + bias + r)",
                                    extra=BIAS + RESIDUAL)),
    ("f16, B transposed", product(("f16", "f16"), "cast<f16>({})", b="N, K")),
    ("f16, A transposed", product(("f16", "f32"), "{}", a="K, M")),
    ("f16, both transposed, relu", product(("f16", "f16"), "cast<f16>(relu({}))", a="K, M",
                                           b="N, K")),
    ("bf16, sigmoid", product(("bf16", "bf16"), "cast<bf16>(sigmoid({}))")),
    ("bf16, bias", product(("bf16", "bf16"), "cast<bf16>({} + bias)", extra=BIAS)),
    ("f32", product(("f32", "f32"), "{}")),
    ("f32, bias, relu", product(("f32", "f32"), "relu({} + bias)", extra=BIAS)),
    ("i8 -> i32", product(("i8", "i32"), "{}")),
    ("i8, scaled", product(("i8", "f16"), "cast<f16>(cast<f32>({}) * s)", extra=", s: f32[N]")),
]
BATCHED = [
    ("f16, batches", product(("f16", "f32"), "{}", batch="B, ")),
    ("f16, batches, B transposed", product(("f16", "f16"), "cast<f16>({} * 0.125)", b="N, K",
                                           batch="B, ")),
]
SEVERAL = [
    ("gated MLP", """kernel k(x: f16[M, K], w1: f16[K, H], w3: f16[K, H], w2: f16[H, N]) -> y: f16[M, N] {
  let g = x @ w1;
  let u = x @ w3;
  y = cast<f16>(cast<f16>(g * sigmoid(g) * u) @ w2);
}
"""),
    ("MLP", """kernel k(x: f16[M, K], w1: f16[K, H], b1: f32[H], w2: f16[H, N]) -> y: f32[M, N] {
  y = cast<f16>(gelu(x @ w1 + b1)) @ w2;
}
"""),
    ("sum of two products", """kernel k(a: f16[M, K], b: f16[K, N], c: f16[M, H], d: f16[H, N]) -> y: f32[M, N] {
  y = relu(a @ b + c @ d);
}
"""),
]
ELEMENTWISE = [
    ("x * 2, f32", "kernel k(x: f32[M, N]) -> y: f32[M, N] { y = x * 2; }\n"),
    ("add, f16", "kernel k(a: f16[M, N], b: f16[M, N]) -> y: f16[M, N] { y = cast<f16>(a + b); }\n"),
    ("bias, relu", "kernel k(x: f32[M, N], bias: f32[N]) -> y: f32[M, N] { y = relu(x + bias); }\n"),
    ("gelu, f16", "kernel k(x: f16[M, N]) -> y: f16[M, N] { y = cast<f16>(gelu(x)); }\n"),
    ("vector", "kernel k(x: f32[N], y: f32[N]) -> z: f32[N] { z = x + 3 * y; }\n"),
]


def size(draw, low=1, high=65536):
    return max(low, round(low * (high / low) ** draw.random()))


def products():
    """Each: a title, the text of the kernel, its dimensions."""
    draw = random.Random(18)
    rows = []

    def add(title, text, names, limits=None):
        while True:
            dims = {name: size(draw, 1, (limits or {}).get(name, 65536)) for name in names}
            m, n, k, b, h = (dims.get(name, 1) for name in "MNKBH")
            elements = b * max(m * k, k * n, m * n, m * h, k * h, h * n)
            if b * m * n * max(k, h) <= MOST_MACS and b * m * max(h, 1) * k <= MOST_MACS and \
                    elements <= MOST_ELEMENTS:
                break
        rows.append((title, text, dims))

    for title, text in PRODUCTS * 2 + PRODUCTS[:5]:
        add(title, text, "MNK")
    for title, text in BATCHED * 4:
        add(title, text, "BMNK", {"B": 256, "M": 4096, "N": 4096, "K": 4096})
    rows.append(("gated MLP", SEVERAL[0][1], {"M": 512, "K": 1024, "H": 4096, "N": 1024}))
    for title, text in SEVERAL * 2:
        add(title, text, "MNKH", {"M": 16384, "N": 16384, "K": 16384, "H": 16384})
    for title, text in ELEMENTWISE * 2:
        add(title, text, "N" if title == "vector" else "MN", {"N": 1 << 20} if title == "vector"
            else None)
    return rows


def bodies(text):
    """The name of each kernel of a file, with its text from there on."""
    starts = [match.start() for match in re.finditer(r"^kernel \w+", text, re.M)]
    return [(re.match(r"kernel (\w+)", text[start:])[1], text[start:end])
            for start, end in zip(starts, starts[1:] + [len(text)])]


def cases(paths):
    """Each: a title, the text of a file, the dimensions of a case."""
    rows = []
    for path in paths:
        text = re.sub(r"\n *schedule \{[^}]*\}\n", "\n", path.read_text())
        for name, body in bodies(text):
            own = body if len(bodies(text)) == 1 else re.sub(r"^kernel (?!" + name + r"\b)[\s\S]*?^\}\n",
                                                             "", text, flags=re.M)
            for case, words in re.findall(r"case +(\w+) *\{([^}]*)\}", body):
                dims = dict(re.findall(r"(\w+) *= *([\w.]+)", words))
                rows.append((f"{path.stem}: {name}, {case}" if name != path.stem else
                             f"{name}, {case}", own, dims))
    return rows


def examples():
    return cases(sorted(EXAMPLES.glob("*.mmk")) + sorted((EXAMPLES / "attention").glob("*.mmk")))


def convolutions():
    return cases(sorted((EXAMPLES / "convolution").glob("*.mmk")))


SETS = {"products": products, "examples": examples, "convolutions": convolutions}

if __name__ == "__main__":
    for name, kernels in SETS.items():
        for row in kernels():
            print(name, row[0], row[2])
        print(len(kernels()))
