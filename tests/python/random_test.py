"""Random kernels on random views of arrays, equal to PyTorch: 200 of them, half with tensors of PyTorch.

    random_test.py [COUNT [SEED]]
"""

import sys

import numpy
import torch
from package import main as _  # noqa: F401, the cache of the tests

import mmk

TYPES = {"f32": torch.float32, "f16": torch.float16}

# The text of an expression, and the same in PyTorch; {} are operands.
UNARY = [("relu({})", torch.relu), ("abs({})", torch.abs), ("-{}", torch.neg),
         ("max({}, -1)", lambda x: torch.clamp(x, min=-1)), ("{} * 0.5", lambda x: x * 0.5)]
BINARY = [("{} + {}", torch.add), ("{} - {}", torch.sub), ("{} * {}", torch.mul),
          ("max({}, {})", torch.maximum), ("min({}, {})", torch.minimum)]


class Generator:
    """Draws kernels over integers that every type holds exactly, so that results are equal to the bit."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)

    def draw(self, *choices):
        return choices[self.random.integers(len(choices))]

    def view(self, shape, kind, holds):
        """Small whole numbers in a view with random strides; `holds` makes the memory writable rows."""
        order = [*range(len(shape))]
        if not holds:
            self.random.shuffle(order)
        room = [shape[d] * int(self.random.integers(1, 4)) + int(self.random.integers(0, 3)) for d in order]
        if holds:
            room[-1] = shape[-1] + int(self.random.integers(0, 5))
        memory = torch.from_numpy(self.random.integers(-2, 3, room).astype(numpy.float32)).to(TYPES[kind])
        slices = []
        for d, extent in zip(order, room):
            most = 1 if holds and d == len(shape) - 1 else extent // shape[d]
            step = int(self.random.integers(1, most + 1))
            start = int(self.random.integers(0, extent - (shape[d] - 1) * step))
            slices.append(slice(start, start + (shape[d] - 1) * step + 1, step))
        tensor = memory[tuple(slices)].permute(*numpy.argsort(order))
        if not holds and self.draw(0, 0, 0, 1):
            flipped = int(self.random.integers(len(shape)))
            return tensor.numpy()[tuple(slice(None, None, -1 if d == flipped else 1) for d in range(len(shape)))]
        return tensor

    def kernel(self):
        """The text, operands, and the result that PyTorch gives."""
        m, n, k, b = (int(each) for each in self.random.integers(1, 24, 4))
        kind = self.draw("f32", "f16")
        form = self.draw("product", "batched", "rows", "elementwise")
        batch, dims = ((b,), "B, ") if form == "batched" else ((), "")
        if form in ("product", "batched"):
            turned = self.draw(False, True)
            declared = [("a", f"{dims}M, K", (*batch, m, k)),
                        ("b", f"{dims}N, K" if turned else f"{dims}K, N",
                         (*batch, n, k) if turned else (*batch, k, n))]
            text = "a @ transpose(b)" if turned else "a @ b"
            value = lambda a, b: a @ (b.transpose(-1, -2) if turned else b)  # noqa: E731
        else:
            declared = [("a", "M, N", (m, n)), ("b", self.draw("M, N", "N"), None)]
            declared[1] = ("b", declared[1][1], (m, n) if declared[1][1] == "M, N" else (n,))
            text, function = self.draw(*BINARY)
            text = text.format("cast<f32>(a)", "cast<f32>(b)")
            value = lambda a, b: function(a, b)  # noqa: E731
        operands = [self.view(shape, kind, False) for _, _, shape in declared]
        as_float = [torch.as_tensor(each.copy() if isinstance(each, numpy.ndarray) else each).float()
                    for each in operands]
        expected = value(*as_float)
        for _ in range(int(self.random.integers(0, 3))):
            wrap, function = self.draw(*UNARY)
            text, expected = wrap.format(f"({text})"), function(expected)
        result = f"{dims}M, N"
        if form == "rows":
            reduction = self.draw("sum", "max")
            body = f"let t = {text};\n  c[i] = {reduction}[j](t[i, j]);"
            expected = expected.sum(1) if reduction == "sum" else expected.amax(1)
            result = "M"
        else:
            body = f"c = {text};"
        parameters = ", ".join(f"{name}: {kind}[{shape}]" for name, shape, _ in declared)
        return f"kernel drawn({parameters}) -> c: f32[{result}] {{\n  {body}\n}}\n", operands, expected

    def check(self):
        text, operands, expected = self.kernel()
        kernel = mmk.compile(text, cache=False)
        if self.draw(False, True):  # of NumPy
            operands = [each if isinstance(each, numpy.ndarray) else each.numpy() for each in operands]
        out = self.view(tuple(expected.shape), "f32", True) if self.draw(False, True) else None
        found = kernel(*operands, out=out)
        if not numpy.array_equal(numpy.asarray(found), expected.numpy()):
            views = "\n".join(f"{each.shape} {each.strides if isinstance(each, numpy.ndarray) else each.stride()}"
                              for each in operands)
            raise SystemExit(f"{text}{views}\nfound\n{found}\nexpected\n{expected}")


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 11
    for number in range(count):
        Generator([seed, number]).check()
    print(f"{count} kernels of seed {seed} equal PyTorch")


if __name__ == "__main__":
    main()
