// A file of functions alone describes nothing to run.
fn twice(x) = 2 * x;
