'use strict';
// The counted effect of each directive alone.

function showChanges(each) {
  const root = document.getElementById('changes');
  if (!each.changes.length) { root.replaceChildren(); return; }
  const counted = each.changes.filter(change => change.cycles), impossible = each.changes.filter(change => !change.cycles);
  const differ = counted.filter(change => Math.abs(change.gain) >= 0.0005), equal = counted.filter(change => Math.abs(change.gain) < 0.0005);
  // By directive, the largest gain first; without a gain, the smallest loss first.
  const groups = d3.nest().key(change => change.directive).entries(differ)
    .sort((a, b) => d3.max(b.values, change => change.gain) - d3.max(a.values, change => change.gain));
  const rows = groups.flatMap(group => group.values.sort((a, b) => b.gain - a.gain).map((change, i) => ({...change, isFirst: i === 0})));
  const better = differ.filter(change => change.gain > 0).sort((a, b) => b.gain - a.gain);
  const best = better[0];
  const short = change => change.options.replace(/--set /g, '').replace(/'/g, '');
  root.replaceChildren(element('h2', {id: 'changes-title'}, 'What each directive changes alone'),
    element('p', {id: 'changes-text'}, `Each bar is this variant with one change, counted: the share of the time that it saves, or costs. ` +
      (best ? `The most is saved by ${short(best)}: ${percent(best.gain)}.` : differ.length ? 'None of them saves time.' : 'None of them changes the time.')),
    rows.length ? changeBars(rows, short) : '',
    equal.length ? element('p', {class: 'soft'}, `No difference: ${equal.map(short).join('; ')}.`) : '',
    impossible.length ? element('details', {}, element('summary', {}, `${impossible.length} that cannot be`),
      table(['change', 'why'], impossible.map(change => [element('span', {class: 'mono'}, short(change)), change.reason]))) : '');
}

function changeBars(rows, short) {
  const step = 21, left = 250, width = 660, height = rows.length * step + 34;
  // A change that doubles the time costs 100 %; a worse one is cut there, with a mark.
  const worst = Math.max(-1, d3.min(rows, row => row.gain)), most = Math.max(0, d3.max(rows, row => row.gain));
  const pad = 0.16 * (most - worst) || 1;
  const x = d3.scaleLinear().domain([Math.min(0, worst) - pad, most + pad]).range([left, width - 10]);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('role', 'list').attr('aria-labelledby', 'changes-text');
  svg.append('g').attr('class', 'grid').attr('transform', 'translate(0,24)')
    .call(d3.axisTop(x).ticks(6).tickFormat(share => `${Math.round(100 * share)} %`.replace('-', '\u2212')).tickSize(-(height - 24)));
  const row = svg.selectAll('.row').data(rows).join('g').attr('class', 'row').attr('role', 'listitem')
    .attr('transform', (_, i) => `translate(0,${30 + i * step})`);
  row.append('text').attr('x', left - 12).attr('y', 13).attr('text-anchor', 'end').attr('class', 'mono').text(short);
  const cut = gain => Math.max(worst, gain);
  row.append('rect').attr('x', change => Math.min(x(0), x(cut(change.gain)))).attr('y', 2).attr('height', step - 6).attr('rx', 2)
    .attr('width', change => Math.max(1, Math.abs(x(cut(change.gain)) - x(0))))
    .attr('fill', change => change.gain > 0 ? 'var(--pipe-vector)' : 'var(--pipe-fixpipe)');
  const isCut = change => change.gain < worst;
  row.append('text').attr('class', change => isCut(change) ? 'inside' : 'halo').attr('y', 13)
    .attr('x', change => x(cut(change.gain)) + (isCut(change) ? 8 : change.gain > 0 ? 6 : -6))
    .attr('text-anchor', change => change.gain > 0 || isCut(change) ? 'start' : 'end')
    .text(change => isCut(change) ? `\u2039 takes ${(1 - change.gain).toFixed(1)} times as long` : signedPercent(change.gain));
  row.append('title').text(change => `${change.options}: ${count(change.cycles)} cycles, ${signedPercent(change.gain)}`);
  svg.append('line').attr('x1', x(0)).attr('x2', x(0)).attr('y1', 24).attr('y2', height).attr('stroke', 'var(--ink)');
  return svg.node();
}
