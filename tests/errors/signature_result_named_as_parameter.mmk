// The result would overwrite the parameter.
kernel k(a: f32[N]) -> a: f32[N] {
  a = a;
}
