// A condition reads what a call binds, not the choices of a schedule.
kernel k(x: f32[Height]) -> y: f32[Height] {
  require Heigth % 2 == 0;
  require tile.Height > 2;
  y = x;
}
