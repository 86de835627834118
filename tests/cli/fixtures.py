"""The files that the cases work on, right ones and broken ones."""

import json
import shutil
import struct

import pathlib

SOURCE = pathlib.Path(__file__).resolve().parents[2]

TWO_KERNELS = """\
kernel twice(x: f32[N]) -> y: f32[N] { y = x + x; case a { N = 8; } }
kernel thrice(x: f32[N], by: f32) -> y: f32[N] { y = x * by; }
"""

REDUCTION = "kernel reduction(x: f32[M, N]) -> y: f32[M, N] { y = cumsum[N](x); }\n"

DERIVED = """\
kernel pool(x: f32[H], w: f32[R], stride: int = 2, seed: i32 = 0) -> y: f32[P], u: f32[H], v: f32[R] {
  dim P = (H - R) / stride + 1;
  require R <= 64;
  y = seed * P;
  u = x;
  v = w;
}
"""

INDEXED = """\
kernel window(x: f32[N]) -> y: f32[N] { y[i] = pad(x, 0)[i + 1]; }
kernel step(x: f32[N], z: f32[P]) -> y: f32[P] { y[p] = z[p] + x[2 * p]; }
kernel ramp(x: f32[N]) -> y: f32[N] { y[i] = x[i] * i; }
kernel noise(x: f32[N], seed: i32 = 1) -> y: f32[N] { y = dropout[N](x, 0.5, seed); }
kernel causal(x: f32[M, N]) -> y: f32[M] { y[i] = sum[j | x[i, j] > 0](x[i, j]); }
kernel wide(x: f32[M, N]) -> y: f32[M, N] { y[i, j] = x[i, j] + (65536*i + j) % 7; }
"""

# A machine that extends another, with one figure changed.
MACHINE = {
    "sources": {"mine": "for a test"},
    "extends": "ascend910b3",
    "description": "a chip of my own",
}


def npy(descr, shape, data, order="False", version=(1, 0), magic=b"\x93NUMPY"):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return magic + bytes(version) + struct.pack("<H", len(header)) + header + data


def make(folder):
    for example in (SOURCE / "examples").glob("*.mmk"):
        shutil.copy(example, folder)

    (folder / "two.mmk").write_text(TWO_KERNELS)
    (folder / "reduction.mmk").write_text(REDUCTION)
    (folder / "derived.mmk").write_text(DERIVED)
    (folder / "indexed.mmk").write_text(INDEXED)
    (folder / "empty.mmk").write_text("")
    (folder / "binary.mmk").write_bytes(bytes(range(256)) * 16)
    (folder / "zero.mmk").write_bytes(b"kernel k\0")
    (folder / "wrong.mmk").write_text("kernel k(x: f33[N]) -> y: f32[N] { y = x; }\n")
    (folder / "parentheses.mmk").write_bytes(b"(" * 10_000_000)
    (folder / "deep.mmk").write_bytes(
        b"kernel k(x: f32[N]) -> y: f32[N] { y = " + b"(" * 500_000 + b"x")
    (folder / "folder.mmk").mkdir()
    (folder / "taken").mkdir()

    (folder / "mine.json").write_text(json.dumps(MACHINE, indent=2))
    (folder / "broken.json").write_text('{"extends": "ascend910b3",\n')
    (folder / "unknown_field.json").write_text(json.dumps({**MACHINE, "wings": 2}, indent=2))
    (folder / "binary.json").write_bytes(bytes(range(256)))
    (folder / "nothing.json").write_text("")

    best = {"dims": "N=8", "variant": "cores=1", "cycles": 5, "time_us": -1.5, "cores": 1,
            "traffic_bytes": 64, "checked": True}
    tuned = {"kernel": "f", "semantics": "0" * 32, "machine": "ascend910b3",
             "machine_digest": "1" * 32, "build": "2" * 32, "best": {"8:f32": best}}
    (folder / "negative.json").write_text(json.dumps(
        {"format": "mmk tuned variants", "version": 1, "tuned": [tuned]}, indent=2))

    # Operands of a product of 2 x 3 by 3 x 2.
    half = struct.pack("<6e", *range(6))
    (folder / "a.npy").write_bytes(npy("<f2", (2, 3), half))
    (folder / "fortran.npy").write_bytes(npy("<f2", (2, 3), half, order="True"))
    (folder / "big_endian.npy").write_bytes(npy(">f2", (2, 3), half))
    (folder / "double.npy").write_bytes(npy("<f8", (2, 3), struct.pack("<6d", *range(6))))
    (folder / "whole.npy").write_bytes(npy("<i4", (2, 3), struct.pack("<6i", *range(6))))
    (folder / "wrong_shape.npy").write_bytes(npy("<f2", (3, 2), half))
    (folder / "vector.npy").write_bytes(npy("<f2", "(6,)", half))
    (folder / "truncated.npy").write_bytes(npy("<f2", (2, 3), half[:-2]))
    (folder / "too_long.npy").write_bytes(npy("<f2", (2, 3), half + b"more"))
    (folder / "magic.npy").write_bytes(npy("<f2", (2, 3), half, magic=b"\x93NUMPI"))
    (folder / "version.npy").write_bytes(npy("<f2", (2, 3), half, version=(9, 0)))
    (folder / "huge.npy").write_bytes(npy("<f2", (1 << 40, 1 << 40), half))
    (folder / "header.npy").write_bytes(b"\x93NUMPY\x01\x00\x04\x00{'de")
    (folder / "empty.npy").write_bytes(b"")
