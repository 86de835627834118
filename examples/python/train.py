"""Trains a small network whose layers are kernels of mmk: a linear layer fused with its activation, and
attention. The task needs both: each sequence has one marked element, and its class is that element's sign
pattern. The same network of PyTorch's own operators is trained beside it, from the same weights.

    train.py [STEPS]
"""

import pathlib
import sys

import torch

import mmk
import mmk.torch

FILE = pathlib.Path(__file__).with_name("layers.mmk")
CLASSES, ELEMENTS, WIDTH, BATCH = 4, 16, 32, 128


def kernel(name):
    return mmk.compile(FILE, kernel=name)


linear = mmk.torch.op("example::linear", kernel("linear"), kernel("linear_gradients"))
attention = mmk.torch.op("example::attention", kernel("attention"),
                         [kernel("attention_queries"), kernel("attention_keys")])


def torch_linear(x, w, bias, slope):
    return torch.nn.functional.leaky_relu(x @ w + bias, slope)


def torch_attention(q, k, v, scale):
    return torch.softmax(scale * q @ k.transpose(1, 2), -1) @ v, None


class Network(torch.nn.Module):
    """A query that is learned attends to the elements of a sequence; two layers read what it finds."""

    def __init__(self, linear, attention):
        super().__init__()
        self.linear, self.attention = linear, attention
        self.query = torch.nn.Parameter(torch.randn(1, WIDTH) / 4)
        for name, rows, columns in (("keys", 3, WIDTH), ("values", 3, WIDTH), ("hidden", WIDTH, WIDTH),
                                    ("classes", WIDTH, CLASSES)):
            setattr(self, name, torch.nn.Parameter(torch.randn(rows, columns) / rows ** 0.5))
            setattr(self, f"{name}_bias", torch.nn.Parameter(torch.zeros(columns)))

    def forward(self, x):
        sequences, elements, features = x.shape
        flat = x.reshape(-1, features)
        k, v = (self.linear(flat, getattr(self, name), getattr(self, f"{name}_bias"), 0.1)
                .reshape(sequences, elements, WIDTH) for name in ("keys", "values"))
        q = self.query.expand(sequences, 1, WIDTH)
        o, _ = self.attention(q, k, v, WIDTH ** -0.5)
        y = self.linear(o.reshape(sequences, WIDTH), self.hidden, self.hidden_bias, 0.1)
        return self.linear(y, self.classes, self.classes_bias, 1.0)


def batch(generator):
    """Sequences of two numbers and a mark, and the class of the element that is marked."""
    x = torch.randn(BATCH, ELEMENTS, 3, generator=generator)
    marked = torch.randint(ELEMENTS, (BATCH,), generator=generator)
    x[:, :, 2] = 0
    x[torch.arange(BATCH), marked, 2] = 4
    found = x[torch.arange(BATCH), marked, :2] > 0
    return x, found[:, 0] * 2 + found[:, 1]


def train(network, steps):
    """The loss of each step, and the share of a last batch that is classified rightly."""
    generator = torch.Generator().manual_seed(7)
    optimizer = torch.optim.Adam(network.parameters(), 0.01)
    losses = []
    for _ in range(steps):
        x, wanted = batch(generator)
        loss = torch.nn.functional.cross_entropy(network(x), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    x, wanted = batch(generator)
    return losses, (network(x).argmax(1) == wanted).float().mean().item()


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    networks = {}
    for name, layers in (("mmk", (linear, attention)), ("PyTorch", (torch_linear, torch_attention))):
        torch.manual_seed(1)
        networks[name] = train(Network(*layers), steps)
        losses, right = networks[name]
        print(f"{name:8} loss {losses[0]:.4f} -> {losses[-1]:.4f}, {right:.0%} right")
    (ours, _), (theirs, _) = networks.values()
    print(f"the losses of the first 20 steps differ by at most "
          f"{max(abs(a - b) for a, b in zip(ours[:20], theirs)):.1e}")


if __name__ == "__main__":
    main()
