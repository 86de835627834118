// A parameter needs a type.
kernel k(a) -> c: f32[N] {
  c = a;
}
