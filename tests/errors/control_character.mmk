// A control character.
kernel k(a: f32[N]) -> c: f32[N] {
  c = a  a;
}
