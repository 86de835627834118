// Lines that are too long, and rows in columns.
fn short(x) = x;
fn a_function_with_a_long_name_and_arguments(first_argument, second_argument, third, fourth_argument) = first_argument * second_argument + third;
fn window[D](x[B, C, H, W], k: int)[n, c, p: (H + 2 * k - 1) / k + 1, q: (W + 2 * k - 1) / k + 1, other: (W + 2 * k) / k] = sum[r: k](x[n, c, k * p + r, k * q + r]);
kernel long_head(first_operand: f16[M, K], second: f16[K, N], factor: f32 = 0.5) -> result_with_name: f32[M, N] { result_with_name = factor * (first_operand @ second); }
kernel columns(x: f32[M, N], y: f32[M, N]) -> a: f32[M, N], bcd: f32[M, N], ef: f32[M, N] {
  dim P = 2 * M + (N - 1) % 3;
  require M % 2 == 0 && N * 2 < 4096;
  let total = x + y + select(x > y && x < 1000 || y != x, x - y, y - x) * select(x >= 0, 1, -1) - 0.5 * x * y;
  let nested = max(max(max(x, y), exp(x - max[N](x)) / sum[N](exp(x - max[N](x)))), min(min(x, y), total + total));
  a = x;
  bcd = total;

  ef = nested;
  schedule { cores = auto; tile M = 128 | 64 | 32 | 16, N = 256 | 128 | 64 | 32 | 16; buffers ub = 2 | 1, out = 2 | 1; order = rows | columns | zigzag | swizzle(2) | swizzle(3) | swizzle(4) | swizzle(5) | swizzle(6);
  require tile.M * tile.N <= 32768; }
  case one { M = 1; N = 1; }
  case with_a_long_name_of_a_case { M = 1000000; N = 1000000; alpha = 0.000001; beta = 0.000002; gamma = 3; }

  case two { M = 2; N = 2; }
  check {}
}
