// A function sees its arguments only, not the values of the kernel that calls it.
fn shifted(x) = x + bias;

kernel k(a: f32[N], bias: f32[N]) -> c: f32[N] {
  c = shifted(a) + bias;
}
