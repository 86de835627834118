// Two kernels share a name, so that neither can be selected.
kernel k(a: f32[N]) -> c: f32[N] {
  c = a;
}

kernel k(a: f32[N]) -> c: f32[N] {
  c = 2 * a;
}
