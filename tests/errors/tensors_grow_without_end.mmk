// Each function calls the one before three times.
fn a(x[N])[i] = x[i] + 1;
fn b(x[N])[i] = a(x)[i] * a(a(x))[i];
fn c(x[N])[i] = b(x)[i] * b(b(x))[i];
fn d(x[N])[i] = c(x)[i] * c(c(x))[i];
fn e(x[N])[i] = d(x)[i] * d(d(x))[i];
fn f(x[N])[i] = e(x)[i] * e(e(x))[i];
fn g(x[N])[i] = f(x)[i] * f(f(x))[i];
fn h(x[N])[i] = g(x)[i] * g(g(x))[i];
fn l(x[N])[i] = h(x)[i] * h(h(x))[i];
fn m(x[N])[i] = l(x)[i] * l(l(x))[i];
fn n(x[N])[i] = m(x)[i] * m(m(x))[i];
kernel k(x: f32[N]) -> y: f32[N] {
  y = n(x);
}
