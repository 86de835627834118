// Other languages say `half` for f16.
kernel k(a: half[N], b: floaty[N]) -> c: int8[N] {
  c = a + b;
}
