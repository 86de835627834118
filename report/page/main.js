'use strict';
// Puts the page together, and again for another case.

let view = null, asked = 0;

async function choose(number) {
  const asking = ++asked;
  const each = report.cases[number];
  for (const button of document.querySelectorAll('[data-case]'))
    button.setAttribute('aria-selected', String(button.dataset.case === String(number)));
  showSummary(each);
  showPipes(each);
  showRoofline(each);
  showVariants(each);
  showChanges(each);
  const lanes = await lanesOf(each.timeline);
  if (asking !== asked) return; // another case was chosen meanwhile
  view = showTimeline(each, lanes);
  document.documentElement.dataset.ready = number;
}

showHead(choose);
showShapes();
choose(0);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => view && view.draw());
addEventListener('keydown', event => { if (event.key === 'Escape') hideTip(); });
