"""Custom operators of PyTorch: forward, backward by kernels, autograd, and the messages to wrong ones."""

import unittest

import numpy
import torch
from package import main

import mmk
import mmk.torch

LINEAR = """\
kernel linear(x: f32[M, K], w: f32[K, N], bias: f32[N], alpha: f32) -> y: f32[M, N] {
  y = leaky_relu(x @ w + bias, alpha);
}

kernel of_operands(x: f32[M, K], w: f32[K, N], y: f32[M, N], grad_y: f32[M, N], alpha: f32)
  -> grad_x: f32[M, K], grad_w: f32[K, N] {
  let g = select(y > 0, grad_y, alpha * grad_y);
  grad_x = g @ transpose(w);
  grad_w = transpose(x) @ g;
}

kernel of_bias(y: f32[M, N], grad_y: f32[M, N], alpha: f32) -> grad_bias: f32[N] {
  let g = select(y > 0, grad_y, alpha * grad_y);
  grad_bias[j] = sum[i](g[i, j]);
}
"""
MOMENTS = """\
kernel moments(x: f32[M, N]) -> total: f32[M], squares: f32[M] {
  total[i] = sum[j](x[i, j]);
  squares[i] = sum[j](x[i, j] * x[i, j]);
}

kernel of_moments(x: f32[M, N], grad_total: f32[M], grad_squares: f32[M]) -> grad_x: f32[M, N] {
  grad_x[i, j] = grad_total[i] + 2 * x[i, j] * grad_squares[i];
}
"""


class TorchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kernels = {name: mmk.compile(LINEAR, kernel=name) for name in ("linear", "of_operands", "of_bias")}
        cls.linear = staticmethod(mmk.torch.op("mmk_test::linear", cls.kernels["linear"],
                                               [cls.kernels["of_operands"], cls.kernels["of_bias"]]))
        torch.manual_seed(5)

    def operands(self, m=6, k=5, n=7):
        return [torch.randn(*shape, requires_grad=True) for shape in ((m, k), (k, n), (n,))]

    def test_forward(self):
        x, w, bias = self.operands()
        expected = torch.nn.functional.leaky_relu(x @ w + bias, 0.25)
        for y in (self.linear(x, w, bias, 0.25), torch.ops.mmk_test.linear(x, w, bias, 0.25)):
            torch.testing.assert_close(y, expected)
            self.assertTrue(y.requires_grad)
        with torch.no_grad():
            self.assertFalse(self.linear(x, w, bias, 0.25).requires_grad)

    def test_gradients(self):
        x, w, bias = self.operands(33, 20, 47)
        torch.nn.functional.leaky_relu(x @ w + bias, 0.25).square().sum().backward()
        expected = [each.grad for each in (x, w, bias)]
        for each in (x, w, bias):
            each.grad = None
        self.linear(x, w, bias, 0.25).square().sum().backward()
        for found, wanted in zip((x, w, bias), expected):
            torch.testing.assert_close(found.grad, wanted, rtol=1e-4, atol=1e-4)

    def test_gradcheck(self):
        """Finite differences, of numbers for which f32 is exact; no step crosses the kink at 0."""
        x, w, bias = (each.detach().mul(2).round() for each in self.operands())
        operands = [each.requires_grad_() for each in (x, w, bias + 0.5)]
        self.assertTrue(torch.autograd.gradcheck(lambda *each: self.linear(*each, 0.25), operands, eps=1 / 64,
                                                 atol=0, rtol=0, nondet_tol=0))

    def test_some_gradients(self):
        x, w, bias = self.operands()
        x.requires_grad_(False)
        w.requires_grad_(False)
        self.linear(x, w, bias, 0.5).sum().backward()
        self.assertIsNone(x.grad)
        self.assertIsNone(w.grad)
        self.assertIsNotNone(bias.grad)

    def test_several_results(self):
        moments = mmk.torch.op("mmk_test::moments", mmk.compile(MOMENTS, kernel="moments"),
                               mmk.compile(MOMENTS, kernel="of_moments"))
        x = torch.randn(4, 9, requires_grad=True)
        total, squares = moments(x)
        torch.testing.assert_close(total, x.sum(1))
        (total * 3 + squares).sum().backward()
        torch.testing.assert_close(x.grad, 3 + 2 * x.detach())

    def test_views_and_modules(self):
        """Tensors in other layouts, and parameters of a module under an optimiser."""

        class Layer(torch.nn.Module):
            def __init__(layer):
                super().__init__()
                layer.w = torch.nn.Parameter(torch.randn(7, 5))
                layer.bias = torch.nn.Parameter(torch.zeros(7))

            def forward(layer, x):
                return self.linear(x, layer.w.t(), layer.bias, 0.1)

        layer = Layer()
        optimizer = torch.optim.SGD(layer.parameters(), 0.05)
        x, wanted = torch.randn(5, 64).t(), torch.randn(64, 7).abs()
        losses = []
        for _ in range(30):
            optimizer.zero_grad()
            loss = (layer(x) - wanted).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        self.assertLess(losses[-1], 0.8 * losses[0])

    def test_messages(self):
        def refused(name, *kernels):
            with self.assertRaises(mmk.Error) as context:
                mmk.torch.op(name, *kernels)
            return str(context.exception)

        linear, of_bias = self.kernels["linear"], self.kernels["of_bias"]
        self.assertEqual(refused("linear", linear), "an operator's name is 'namespace::operator', found 'linear'")
        other = mmk.compile("kernel g(z: f32[M]) -> grad_x: f32[M] { grad_x = z; }")
        self.assertEqual(refused("mmk_test::other", linear, other),
                         "g of mmk_test::other has the parameter 'z'; known are x, w, bias, alpha, y, grad_y")
        other = mmk.compile("kernel g(x: f32[M]) -> grad_alpha: f32[M] { grad_alpha = x; }")
        self.assertEqual(refused("mmk_test::other", linear, [of_bias, other]),
                         "g of mmk_test::other has the result 'grad_alpha'; gradients are grad_x, grad_w, grad_bias")

    def test_numbers_equal_numpy(self):
        """The operator and a call with arrays give the same bits."""
        operands = self.operands(33, 20, 47)
        found = self.linear(*operands, 0.25).detach().numpy()
        arrays = [each.detach().numpy() for each in operands]
        numpy.testing.assert_array_equal(found, self.kernels["linear"](*arrays, 0.25))


if __name__ == "__main__":
    main()
