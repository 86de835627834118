// The caret counts characters, not bytes.
kernel k(a: f32[N]) -> c: f32[N] {
  /* größer als 北京 */ c = a + q;
}
