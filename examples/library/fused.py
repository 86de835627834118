"""C = LeakyReLU(A x B + bias) on NumPy arrays through libmmk, by ctypes: arrays are bound in place,
with their strides. The library is found by the system's search path, or by the environment variable
MMK_LIBRARY."""

import ctypes
import os

import numpy

TEXT = b"""
kernel fused(a: f16[M, K], b: f16[N, K], bias: f32[N], alpha: f32 = 0.01) -> c: f32[M, N] {
  c = leaky_relu(a @ transpose(b) + bias, alpha);
}
"""

MAX_RANK = 8
TYPES = {"float32": 0, "float16": 1, "int8": 3, "int32": 4}


class Tensor(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("extents", ctypes.c_int64 * MAX_RANK),
        ("strides", ctypes.c_int64 * MAX_RANK),
    ]


class Scalar(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_double)]


library = ctypes.CDLL(os.environ.get("MMK_LIBRARY", "libmmk.so.0"))
for function in (library.mmk_compile, library.mmk_run):
    function.restype = ctypes.c_void_p
library.mmk_error_message.restype = ctypes.c_char_p


def check(error):
    if error:
        message = library.mmk_error_message(ctypes.c_void_p(error)).decode()
        library.mmk_error_free(ctypes.c_void_p(error))
        raise RuntimeError(message)


class Kernel:
    """A kernel compiled from its text; called with arrays by name, and scalars as numbers."""

    def __init__(self, text, name=b"kernel.mmk"):
        self.handle = ctypes.c_void_p()
        check(library.mmk_compile(text, name, None, ctypes.byref(self.handle)))

    def __del__(self):
        library.mmk_kernel_free(self.handle)

    def __call__(self, **values):
        tensors, scalars = [], []
        for name, value in values.items():
            if not isinstance(value, numpy.ndarray):
                scalars.append(Scalar(name.encode(), value))
                continue
            strides = [stride // value.itemsize for stride in value.strides]
            tensors.append(
                Tensor(
                    name.encode(),
                    value.ctypes.data,
                    TYPES[value.dtype.name],
                    value.ndim,
                    (ctypes.c_int64 * MAX_RANK)(*value.shape),
                    (ctypes.c_int64 * MAX_RANK)(*strides),
                )
            )
        check(
            library.mmk_run(
                self.handle,
                (Tensor * len(tensors))(*tensors),
                ctypes.c_size_t(len(tensors)),
                (Scalar * len(scalars))(*scalars),
                ctypes.c_size_t(len(scalars)),
                None,
            )
        )


def main():
    random = numpy.random.default_rng(0)
    m, n, k = 100, 70, 50
    a = random.integers(-4, 5, (k, m)).astype(numpy.float16).T  # a transposed view
    b = random.integers(-4, 5, (2 * n, k)).astype(numpy.float16)[::2]  # every second row
    bias = random.integers(-4, 5, n).astype(numpy.float32)
    c = numpy.full((m, n), numpy.nan, numpy.float32)

    fused = Kernel(TEXT, b"fused.mmk")
    fused(a=a, b=b, bias=bias, alpha=0.5, c=c)

    y = a.astype(numpy.float32) @ b.astype(numpy.float32).T + bias
    expected = numpy.where(y >= 0, y, 0.5 * y)
    print("equal to NumPy:", bool((c == expected).all()))

    try:
        fused(a=a, b=b[:, 1:], bias=bias, c=c)
    except RuntimeError as error:
        print("refused:", error)


if __name__ == "__main__":
    main()
