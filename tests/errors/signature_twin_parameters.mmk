// Two parameters share a name.
kernel k(a: f32[N], a: f32[N]) -> c: f32[N] {
  c = a;
}
