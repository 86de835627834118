// Another value of an int parameter is another compilation.
kernel k(x: f32[H], stride: int = 2) -> y: f32[H] {
  y = stride * x;
  case a { H = 4; stride = 3; }
}
