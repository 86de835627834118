// Brackets without dimensions are no shape.
kernel k(a: f32[]) -> c: f32[N] {
  c = a;
}
