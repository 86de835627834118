// Sample 62 of seed 77 does not keep to: nothing ends the process
// ended by signal 11 (Segmentation fault)
// mmk run hunt-77-62/sample.mmk B=1 H=1 M=1 N=1 K=1 P=1 --machine ascend910b3 --data integers --seed 62
kernel sample(a: f32[B, H, K, M], b: f32[K, N], s0: f32 = 1, d: i32[N, P], x1: f32[M, P]) -> y0: i8[B, H, M, P] {
  let acc = (transpose(a) @ b);
  let h = cast<f32>(clamp(floor((acc - select((acc >= s0), acc, s0))), -4, 4));
  let chained = (h @ cast<f32>(clamp(floor((d - select((d != d), d, d))), -4, 4)));
  let r1 = sum[P](clamp(floor((chained + (chained * (chained * x1)))), -4, 4));
  y0 = (clamp(sqrt((chained / max(s0, r1))), -8, 8) - gelu(x1));
}
