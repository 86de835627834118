// A comma announces a parameter that does not come.
kernel k(a: f32[N],) -> c: f32[N] {
  c = a;
}
