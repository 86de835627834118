"""Whole messages: of programs, with their place, and of calls with wrong arguments."""

import ctypes
import os
import subprocess
import sys
import unittest

import numpy
import torch
from package import FUSED, main

import mmk


class ErrorsTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.fused = mmk.compile(FUSED)
        cls.a, cls.b, cls.bias = (numpy.zeros(shape, numpy.float32) for shape in ((2, 3), (3, 4), 4))

    def refused(self, kind, *values, kernel=None, **named):
        with self.assertRaises(kind) as context:
            (kernel or self.fused)(*values, **named)
        return str(context.exception)

    def test_programs(self):
        with self.assertRaises(mmk.Error) as context:
            mmk.compile("kernel f(a: f32[M]) -> c: f32[M] {\n  c = a + d;\n}")
        error = context.exception
        self.assertEqual(error.place, ("kernel.mmk", 2, 11))
        self.assertEqual(error.message.splitlines()[:3],
                         ["kernel.mmk:2:11: error: unknown name 'd'; known here: a and M", "    2 |   c = a + d;",
                          "      |           ^"])
        with self.assertRaises(mmk.Error) as context:
            mmk.compile(FUSED, tile_M=17, machine="ascend910b3")
        self.assertIn("tile.M = 17 is not a multiple of 16", str(context.exception))
        with self.assertRaises(mmk.Error) as context:
            mmk.compile(FUSED, machine="ascend910b")
        self.assertIn("ascend910b", str(context.exception))
        self.assertIsNone(context.exception.place)
        with self.assertRaises(FileNotFoundError):
            mmk.compile("none.mmk")

    def test_arguments(self):
        a, b, bias = self.a, self.b, self.bias
        for message, values, named in [
                ("fused() needs 'bias': f32[N]", (a, b), {}),
                ("fused() takes 4 arguments by place, the parameters of the kernel; 5 were given",
                 (a, b, bias, 1, 2), {}),
                ("fused() got two values for 'a'", (a, b, bias), {"a": a}),
                ("fused() has no argument 'beta'; it has a, b, bias, alpha, c, out and threads", (a, b, bias),
                 {"beta": 1}),
                ("'a' is f32[M, K], found a list, which is no array", ([1.0], b, bias), {}),
                ("'a' is f32[M, K], found an array of float64", (a.astype(numpy.float64), b, bias), {}),
                ("'a' is f32[M, K], found an array of >f4", (a.astype(">f4"), b, bias), {}),
                ("'a' is f32[M, K], found a tensor of torch.float64", (torch.zeros(2, 3).double(), b, bias), {}),
                ("must be real number, not str", (a, b, bias, "1"), {}),
        ]:
            with self.subTest(message):
                self.assertEqual(self.refused(TypeError, *values, **named), message)

    def test_arrays(self):
        """What has no place in the library: ranks beyond 8, strides within elements, other devices, bf16 of NumPy."""
        b, bias = self.b, self.bias
        self.assertEqual(self.refused(TypeError, numpy.zeros([1] * 9, numpy.float32), b, bias),
                         "'a' is f32[M, K], found an array of rank 9")
        memory = numpy.zeros(100, numpy.uint8)
        odd = numpy.ndarray((2, 3), numpy.float32, memory, strides=(14, 4))
        self.assertEqual(self.refused(TypeError, odd, b, bias),
                         "'a' is f32[M, K], found a stride of 14 bytes, no multiple of an element")
        doubled = mmk.compile("kernel doubled(x: bf16[M]) -> y: f32[M] { y = x + x; }")
        self.assertEqual(self.refused(TypeError, numpy.zeros(4, numpy.uint16), kernel=doubled),
                         "'x' is bf16[M], found an array of uint16; NumPy has no bf16: give a tensor of PyTorch, or "
                         "any with DLPack")

    def test_devices(self):
        """A tensor of a device that this computer lacks is made by hand."""
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        words = (ctypes.c_int64 * 16)()
        ctypes.cast(words, ctypes.POINTER(ctypes.c_int32))[2] = 2  # behind the address: of CUDA

        class OfDevice:
            def __dlpack__(self):
                return make(ctypes.addressof(words), b"dltensor", None)

        self.assertEqual(self.refused(TypeError, OfDevice(), self.b, self.bias),
                         "'a' is f32[M, K], found a tensor on another device (DLPack's number 2)")

    def test_results(self):
        a, b, bias = self.a, self.b, self.bias
        c = numpy.zeros((2, 4), numpy.float32)
        c.flags.writeable = False
        self.assertEqual(self.refused(TypeError, a, b, bias, out=c),
                         "'c' is f32[M, N], found an array that is read-only")
        element = numpy.lib.stride_tricks.as_strided(numpy.zeros(1, numpy.float32), (2, 4), (0, 0))
        self.assertEqual(self.refused(TypeError, a, b, bias, out=element),
                         "'c' is f32[M, N], found an array whose elements are one in memory")
        self.assertEqual(self.refused(TypeError, a, b, bias, out=(a, b)), "out= of fused() is a tuple of 1 arrays")
        bf16 = mmk.compile("kernel f(x: f32[M]) -> y: bf16[M] { y = cast<bf16>(x); }")
        self.assertEqual(self.refused(TypeError, bias, kernel=bf16),
                         "the result 'y' is bf16, which NumPy does not have: give tensors of PyTorch, or memory "
                         "by out=")
        self.assertEqual(bf16(bias, out=torch.zeros(4, dtype=torch.bfloat16)).sum().item(), 0)

    def test_of_the_library(self):
        a, b, bias = self.a, self.b, self.bias
        self.assertEqual(self.refused(mmk.Error, a, b[1:], bias), "K is 3 in 'a' and 2 in 'b'")
        self.assertEqual(self.refused(mmk.Error, a.astype(numpy.float16), b, bias), "'a' is f32, found f16")
        self.assertEqual(self.refused(mmk.Error, a[0], b, bias),
                         "'a' is f32[M, K], of rank 2, found rank 1")
        self.assertEqual(self.refused(mmk.Error, a, b, bias, out=numpy.zeros((2, 5), numpy.float32)),
                         "N is 4 in 'b' and 5 in 'c'")
        with self.assertRaises(mmk.Error) as context:
            self.fused.count(M=1, N=1, K=1)
        self.assertEqual(str(context.exception),
                         "the host has no clock but the real one; compile for an AI core to count")

    def test_gradients(self):
        a = torch.zeros(2, 3, requires_grad=True)
        self.assertEqual(self.refused(TypeError, a, self.b, self.bias),
                         "'a' is f32[M, K], found a tensor that requires gradients, which a call does not record: "
                         "use mmk.torch.op, torch.no_grad() or detach()")
        with torch.no_grad():
            self.assertEqual(self.fused(a, self.b, self.bias).sum().item(), 0)

    def test_without_the_command(self):
        script = f"import mmk; mmk.compile({FUSED!r}, machine='ascend910b3').explain(M=1, N=1, K=1)"
        environment = dict(os.environ, PATH="", PYTHONPATH=os.environ["PYTHONPATH"])
        del environment["MMK"]
        done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
        self.assertEqual(done.stderr.splitlines()[-1],
                         "mmk.errors.Error: the command mmk is needed for this report: it is not in PATH, and the "
                         "environment variable MMK does not name it")


if __name__ == "__main__":
    main()
