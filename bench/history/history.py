#!/usr/bin/env python3
"""Whether `mmk bench --history` finds a kernel that has become 10 % slower, and takes noise for none.

    history.py MMK [--rounds N] [--before N]

A product on one thread is measured N times for the history, and then in each round once as it is and once with
10 % more rows, under the same name. Prints how many of the slower ones, and how many of the others, were found slower.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

TEXT = """kernel product(a: f32[M, K], b: f32[K, N]) -> c: f32[M, N] {{
  c = a @ b;
  case layer {{ M = {rows}; K = 512; N = 512; }}
}}
"""
ROWS = 1000


def measure(mmk, folder, rows):
    """The last result of the history, after one more measurement."""
    path = pathlib.Path(folder) / "product.mmk"
    path.write_text(TEXT.format(rows=rows))
    done = subprocess.run([mmk, "bench", path, "--machine", "host", "--case", "layer", "--threads", "1", "--no-command",
                           "--history", pathlib.Path(folder) / "history"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    [row] = json.loads((pathlib.Path(folder) / "history/history.json").read_text())["rows"]
    return row["results"][-1], row["threshold"], row["computer"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mmk")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--before", type=int, default=10)
    arguments = parser.parse_args()
    found = {ROWS: 0, ROWS + ROWS // 10: 0}
    with tempfile.TemporaryDirectory() as folder:
        kept = [measure(arguments.mmk, folder, ROWS)[0]["value"] for _ in range(arguments.before)]
        for _ in range(arguments.rounds):
            for rows in found:
                result, threshold, computer = measure(arguments.mmk, folder, rows)
                found[rows] += result["slower"]
    print(f"before: {min(kept):.3f} to {max(kept):.3f} ms; threshold {threshold:.3f} ms")
    for rows, count in found.items():
        print(f"{'10 % slower' if rows > ROWS else 'as it was'}: {count} of {arguments.rounds} found slower")
    print(computer)


if __name__ == "__main__":
    main()
