// Dimensions are written as declared; a lower-case name is an index variable.
kernel rows(x: f32[M, N]) -> s: f32[M] {
  s = sum[n](x);
}
