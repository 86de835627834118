// A cast rounds numbers.
kernel k(a: f32[N]) -> c: i8[N] {
  c = cast<i8>(a > 0);
}
