'use strict';
// Builds the page, and rebuilds it for another case.

let view = null, latest = 0;

async function choose(number) {
  const current = ++latest;
  const each = report.cases[number];
  for (const button of document.querySelectorAll('[data-case]'))
    button.setAttribute('aria-selected', String(button.dataset.case === String(number)));
  showSummary(each);
  showPipes(each);
  showRoofline(each);
  showVariants(each);
  showChanges(each);
  const lanes = await lanesOf(each.timeline);
  if (current !== latest) return; // another case was chosen meanwhile
  view = showTimeline(each, lanes);
  document.documentElement.dataset.ready = number;
}

showHead(choose);
showShapes();
choose(0);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => view && view.draw());
addEventListener('keydown', event => { if (event.key === 'Escape') hideTip(); });
