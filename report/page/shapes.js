'use strict';
// Efficiency over the shapes: the share of its roof that each case reaches.

function showShapes() {
  const root = document.getElementById('shapes');
  if (report.cases.length < 2) { root.replaceChildren(); return; }
  const hasBefore = report.cases.some(each => each.before);
  const width = 660, step = 46, left = 190, height = report.cases.length * step + 34;
  const x = d3.scaleLinear().domain([0, 1]).range([left, width - 110]);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('role', 'list').attr('aria-labelledby', 'shapes-text');
  svg.append('g').attr('class', 'grid').attr('transform', 'translate(0,24)')
    .call(d3.axisTop(x).ticks(5).tickFormat(share => `${Math.round(100 * share)} %`).tickSize(-(height - 24)));
  const row = svg.selectAll('.row').data(report.cases).join('g').attr('class', 'row').attr('role', 'listitem')
    .attr('transform', (_, i) => `translate(0,${30 + i * step})`);
  row.append('text').attr('x', left - 12).attr('y', 15).attr('text-anchor', 'end').attr('font-weight', 600).text(nameOfCase);
  row.append('text').attr('x', left - 12).attr('y', 31).attr('text-anchor', 'end').attr('class', 'soft')
    .text(each => each.name ? each.dims.map(([name, size]) => `${name}=${size}`).join(' ') : '');
  const bars = (get, y, thick, fill) => {
    row.append('rect').attr('x', left).attr('y', y).attr('height', thick).attr('rx', 2).attr('fill', fill)
      .attr('width', each => get(each) ? x(Math.min(1, reached(each, get(each)))) - left : 0);
    row.append('text').attr('class', 'halo').attr('y', y + thick / 2 + 4)
      .attr('x', each => get(each) ? x(Math.min(1, reached(each, get(each)))) + 6 : left)
      .text(each => get(each) ? `${percent(reached(each, get(each)))}, ${microseconds(get(each).us)}` : '');
  };
  bars(each => each.chosen, 2, hasBefore ? 17 : 24, 'var(--pipe-cube)');
  if (hasBefore) bars(each => each.before, 21, 13, 'var(--pipe-mte1)');
  const sorted = [...report.cases].sort((a, b) => reached(b, b.chosen) - reached(a, a.chosen));
  const best = sorted[0], least = sorted[sorted.length - 1];
  root.replaceChildren(element('h2', {id: 'shapes-title'}, 'Efficiency over the shapes'),
    element('p', {id: 'shapes-text'}, 'How much of the least time that its roof allows each case reaches. ' +
      `${nameOfCase(best)} reaches most, ${percent(reached(best, best.chosen))}; ${nameOfCase(least)} least, ${percent(reached(least, least.chosen))}.`),
    hasBefore ? element('ul', {class: 'legend'}, element('li', {}, chip('cube'), 'chosen'), element('li', {}, chip('mte1'), 'default schedule')) : '',
    svg.node());
}
