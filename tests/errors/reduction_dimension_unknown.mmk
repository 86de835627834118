// No dimension has this name.
kernel k(a: f32[Rows, N]) -> c: f32[N] {
  c = sum[Row](a);
}
