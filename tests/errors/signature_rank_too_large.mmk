// No tensor needs nine dimensions.
kernel k(a: f32[A, B, C, D, E, F, G, H, I]) -> c: f32[A] {
  c = a;
}
