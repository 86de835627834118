// Upper-case names are dimensions.
kernel k(x: f32[M]) -> y: f32[M] {
  y[I] = x[I];
}
