// Without a parameter nothing goes in.
kernel k() -> c: f32[4] {
  c = 1;
}
