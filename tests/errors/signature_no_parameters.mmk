// A kernel has at least one parameter.
kernel k() -> c: f32[4] {
  c = 1;
}
