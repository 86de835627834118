// A stage of 24 f32 ends inside of a fractal of L1, which a load fills with zeros to its end.
// mmk run stage_inside_of_a_fractal.mmk M=33 N=50 K=41 --set stage.K=24
kernel sample(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N] {
  y = a @ b;
  schedule {
    tile K = 24 | 8;
  }
}
