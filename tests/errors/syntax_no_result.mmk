// A kernel without a result computes nothing.
kernel k(a: f32[N]) {
}
