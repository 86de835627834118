// There is no such type.
kernel k(a: f32[N]) -> c: f32[N] {
  c = cast<fp16>(a);
}
