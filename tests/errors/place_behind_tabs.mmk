// Tabs stay tabs, so that the caret stands right.
kernel k(a: f32[N]) -> c: f32[N] {
	c =	a + q;
}
