"""The host's reductions beside those of PyTorch, in turns, with results allocated beforehand.

compare.py LIBMMK [--threads 1,2] [--types f32,bf16] [--kernels softmax,...] [--shapes 8x64,...]

Prints for each kernel, type and shape the medians in microseconds and their ratio, PyTorch's to
mmk's, and the rate of all bytes that are read once and written once. At the end the geometric mean
and the least ratio.
"""

import argparse
import ctypes
import math
import statistics
import time

import torch

TYPES = {"f32": (0, torch.float32), "f16": (1, torch.float16), "bf16": (2, torch.bfloat16)}
# The least time is the steadier one where other programs take a part of the CPUs.
STATISTICS = {"median": statistics.median, "least": min}
SHAPES = "8x64,64x512,512x64,1000x1000,256x4096,4096x256,2048x8192,16384x1024,64x131072,16384x8192"


class Tensor(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("extents", ctypes.c_int64 * 8),
        ("strides", ctypes.c_int64 * 8),
    ]


class Options(ctypes.Structure):
    _fields_ = [("threads", ctypes.c_uint), ("max_memory", ctypes.c_size_t)]


class Kernel:
    def __init__(self, library, text):
        self.library = library
        self.kernel = ctypes.c_void_p()
        self.check(
            library.mmk_compile(text.encode(), b"bench.mmk", None, ctypes.byref(self.kernel))
        )

    def check(self, error):
        if error:
            raise RuntimeError(self.library.mmk_error_message(ctypes.c_void_p(error)).decode())

    def bind(self, tensors, threads):
        views = (Tensor * len(tensors))()
        for view, (name, tensor) in zip(views, tensors.items()):
            view.name = name.encode()
            view.data = tensor.data_ptr()
            view.type = next(t for t, d in TYPES.values() if d == tensor.dtype)
            view.rank = tensor.dim()
            for i, (extent, stride) in enumerate(zip(tensor.shape, tensor.stride())):
                view.extents[i], view.strides[i] = extent, stride
        options = Options(threads, 0)
        call = self.library.mmk_run
        arguments = (self.kernel, views, len(tensors), None, 0, ctypes.byref(options))

        def run():
            error = call(*arguments)
            if error:
                self.check(error)

        return run


def softmax(name, kind, m, n, x):
    y = torch.empty_like(x)
    text = f"kernel k(x: {name}[M, N]) -> y: {name}[M, N] {{ y = softmax[N](x); }}"
    peer = lambda: torch.ops.aten._softmax.out(x, -1, False, out=y)
    return text, {"x": x, "y": y}, peer, 2 * x.numel() * x.element_size()


def layer_norm(name, kind, m, n, x):
    w, v, y = torch.rand(n).to(kind), torch.rand(n).to(kind), torch.empty_like(x)
    mean, rstd = (torch.empty(m, 1, dtype=kind) for _ in range(2))
    text = (
        f"kernel k(x: {name}[M, N], w: {name}[N], v: {name}[N]) -> y: {name}[M, N] "
        "{ y = layer_norm[N](x, w, v, 0.00001); }"
    )
    peer = lambda: torch.ops.aten.native_layer_norm.out(
        x, [n], w, v, 1e-5, out0=y, out1=mean, out2=rstd
    )
    return text, {"x": x, "w": w, "v": v, "y": y}, peer, 2 * x.numel() * x.element_size()


def rms_norm(name, kind, m, n, x):
    w, y = torch.rand(n).to(kind), torch.empty_like(x)
    text = (
        f"kernel k(x: {name}[M, N], w: {name}[N]) -> y: {name}[M, N] "
        "{ y = rms_norm[N](x, w, 0.00001); }"
    )

    def peer():
        norm = torch.linalg.vector_norm(x, dim=1, keepdim=True) / math.sqrt(n)
        torch.mul(x, 1 / (norm + 1e-5), out=y)
        y.mul_(w)

    return text, {"x": x, "w": w, "y": y}, peer, 2 * x.numel() * x.element_size()


def row_sums(name, kind, m, n, x):
    y = torch.empty(m)
    text = f"kernel k(x: {name}[M, N]) -> y: f32[M] {{ y = sum[N](x); }}"
    peer = lambda: torch.sum(x, 1, dtype=torch.float32, out=y)
    return text, {"x": x, "y": y}, peer, x.numel() * x.element_size()


def column_sums(name, kind, m, n, x):
    y = torch.empty(n)
    text = f"kernel k(x: {name}[M, N]) -> y: f32[N] {{ y = sum[M](x); }}"
    peer = lambda: torch.sum(x, 0, dtype=torch.float32, out=y)
    return text, {"x": x, "y": y}, peer, x.numel() * x.element_size()


def row_maxima(name, kind, m, n, x):
    y = torch.empty(m, dtype=kind)
    text = f"kernel k(x: {name}[M, N]) -> y: {name}[M] {{ y = max[N](x); }}"
    peer = lambda: torch.amax(x, 1, out=y)
    return text, {"x": x, "y": y}, peer, x.numel() * x.element_size()


KERNELS = {
    f.__name__: f for f in (softmax, layer_norm, rms_norm, row_sums, column_sums, row_maxima)
}


def seconds_of(run, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - start) / repeats


def times_of(runs, budget, threads, statistic):
    """The statistic of each run, in turns of some repeats; a pause lets the threads of the other go to sleep."""
    for run in runs:
        run(), run()
    repeats = [max(1, int(0.002 / max(seconds_of(run, 3), 1e-7))) for run in runs]
    samples = [[] for _ in runs]
    end = time.perf_counter() + budget
    while time.perf_counter() < end or len(samples[0]) < 5:
        for run, count, into in zip(runs, repeats, samples):
            if threads > 1:
                time.sleep(0.004)
                run()
            into.append(seconds_of(run, count))
    return [statistic(each) for each in samples]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--types", default="f32,bf16")
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--budget", type=float, default=0.3, help="seconds for each line")
    parser.add_argument("--statistic", default="median", choices=STATISTICS)
    given = parser.parse_args()
    library = ctypes.CDLL(given.library)
    library.mmk_error_message.restype = ctypes.c_char_p
    for function in (library.mmk_compile, library.mmk_run):
        function.restype = ctypes.c_void_p
    ratios = []
    compiled = {}
    for threads in map(int, given.threads.split(",")):
        torch.set_num_threads(threads)
        for kernel in given.kernels.split(","):
            for name in given.types.split(","):
                for shape in given.shapes.split(","):
                    m, n = map(int, shape.split("x"))
                    kind = TYPES[name][1]
                    x = torch.randn(m, n).to(kind)
                    text, tensors, peer, moved = KERNELS[kernel](name, kind, m, n, x)
                    if text not in compiled:
                        compiled[text] = Kernel(library, text)
                    own = compiled[text].bind(tensors, threads)
                    try:
                        peer()
                    except RuntimeError:
                        continue  # PyTorch has none of this type
                    mine, theirs = times_of(
                        [own, peer], given.budget, threads, STATISTICS[given.statistic]
                    )
                    ratio = theirs / mine
                    ratios.append(ratio)
                    print(
                        f"{threads} {kernel:12} {name:5} {shape:12} {mine * 1e6:10.1f} "
                        f"{theirs * 1e6:10.1f} {ratio:6.2f} {moved / mine / 1e9:7.1f} GB/s",
                        flush=True,
                    )
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean {mean:.2f}, least {min(ratios):.2f}, of {len(ratios)}")


main()
