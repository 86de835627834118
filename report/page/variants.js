'use strict';
// Every variant as a point: time against traffic, and the Pareto front.

/** Marks the variants of which no other is both faster and moves less. */
function frontOf(variants) {
  const sorted = [...variants].sort((a, b) => a.us - b.us || a.traffic_bytes - b.traffic_bytes);
  const front = [];
  let least = Infinity;
  for (const variant of sorted)
    if (variant.traffic_bytes < least) { front.push(variant); least = variant.traffic_bytes; }
  return front;
}

function showVariants(each) {
  const root = document.getElementById('variants');
  if (each.variants.length < 2) { root.replaceChildren(); return; }
  const wrong = each.variants.filter(variant => variant.passed === false);
  const front = frontOf(each.variants.filter(variant => variant.passed !== false));
  const isOnFront = new Set(front);
  const width = 660, height = 430, margin = {left: 74, right: 16, top: 14, bottom: 46};
  const wide = (values, scale) => scale.domain([d3.min(values) / 1.12, d3.max(values) * 1.12]);
  const x = wide(each.variants.map(variant => variant.us), d3.scaleLog()).range([margin.left, width - margin.right]);
  const y = wide(each.variants.map(variant => Math.max(1, variant.traffic_bytes)), d3.scaleLog()).range([height - margin.bottom, margin.top]);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('role', 'img').attr('aria-labelledby', 'variants-text');
  const few = scale => { const all = scale.ticks(8); return all.length > 9 ? all.filter(tick => /^[125]/.test(tick.toPrecision(1))) : all; };
  svg.append('g').attr('class', 'grid').attr('transform', `translate(0,${height - margin.bottom})`)
    .call(d3.axisBottom(x).tickValues(few(x)).tickFormat(value => microseconds(value).replace(/\.0+ /, ' ')).tickSize(-(height - margin.top - margin.bottom)).tickPadding(8));
  svg.append('g').attr('class', 'grid').attr('transform', `translate(${margin.left},0)`)
    .call(d3.axisLeft(y).tickValues(few(y)).tickFormat(value => withUnit(value, 'B').replace(/\.0+ /, ' ')).tickSize(-(width - margin.left - margin.right)).tickPadding(8));
  svg.append('text').attr('class', 'soft').attr('x', width - margin.right).attr('y', height - 8).attr('text-anchor', 'end').text('kernel time');
  svg.append('text').attr('class', 'soft').attr('x', margin.left + 6).attr('y', margin.top + 10).text('traffic to global memory');
  svg.append('path').attr('fill', 'none').attr('stroke', 'var(--pipe-cube)').attr('stroke-width', 2)
    .attr('d', d3.line().x(variant => x(variant.us)).y(variant => y(variant.traffic_bytes)).curve(d3.curveStepAfter)(front));
  const order = [...each.variants].sort((a, b) => isOnFront.has(a) - isOnFront.has(b));
  const tip = (event, variant) => showTip(event, variant.label || 'variant', [['variant', variant.variant],
    ['time', `${microseconds(variant.us)}, ${count(variant.cycles)} cycles`], ['traffic', withUnit(variant.traffic_bytes, 'B')],
    ...(variant.memory_bytes ? [['on chip', withUnit(variant.memory_bytes, 'B')]] : []),
    ['check', variant.passed === undefined ? 'counted, not run' : variant.passed ? 'passed' : 'failed']]);
  svg.append('g').selectAll('path').data(order).join('path')
    .attr('d', variant => variant.passed === false ? d3.symbol().type(d3.symbolCross).size(60)() : d3.symbol().size(isOnFront.has(variant) ? 90 : 34)())
    .attr('transform', variant => `translate(${x(variant.us)},${y(Math.max(1, variant.traffic_bytes))})`)
    .attr('fill', variant => variant.passed === false ? 'var(--bad)' : isOnFront.has(variant) ? 'var(--pipe-cube)' : 'var(--pipe-mte1)')
    .attr('fill-opacity', variant => isOnFront.has(variant) ? 1 : 0.55)
    .attr('tabindex', variant => isOnFront.has(variant) ? 0 : null)
    .on('mousemove', variant => tip(d3.event, variant)).on('mouseleave blur', hideTip)
    .on('focus', function (variant) { const box = this.getBoundingClientRect(); tip({clientX: box.right, clientY: box.bottom}, variant); });
  const named = [each.before && {...each.before, label: 'default schedule'}, {...each.chosen, label: 'chosen'}].filter(Boolean);
  for (const point of named) {
    const px = x(point.us), py = y(Math.max(1, point.traffic_bytes));
    if (!(px >= margin.left && px <= width - margin.right)) continue;
    svg.append('circle').attr('cx', px).attr('cy', py).attr('r', 9).attr('fill', 'none').attr('stroke', 'var(--ink)').attr('stroke-width', 2);
    svg.append('text').attr('class', 'halo').attr('x', px + (px > width * 0.7 ? -14 : 14)).attr('y', point.label === 'chosen' ? py - 12 : py + 24)
      .attr('text-anchor', px > width * 0.7 ? 'end' : 'start').attr('font-weight', 600).text(point.label);
  }
  root.replaceChildren(element('h2', {id: 'variants-title'}, 'Variants'),
    element('p', {id: 'variants-text'}, `${count(each.variants_in_all)} variants, from ${microseconds(d3.min(each.variants, variant => variant.us))} to ` +
      `${microseconds(d3.max(each.variants, variant => variant.us))}. ${front.length === 1 ? 'One is' : `${front.length} are`} on the front: no other is both faster and moves less.` +
      (wrong.length ? ` ${wrong.length} gave a wrong result, marked by a cross.` : '')),
    each.variants_in_all > each.variants.length ? element('p', {class: 'note'}, `Not every one is in the picture: it shows the ${count(each.variants.length)} fastest and the front.`) : '',
    svg.node(),
    element('h3', {}, 'The front'),
    table(['variant', 'time', 'traffic', 'check'], front.map(variant => [element('span', {class: 'mono'}, variant.variant),
      microseconds(variant.us), withUnit(variant.traffic_bytes, 'B'),
      variant.passed === undefined ? 'counted' : 'passed']), [1, 2]));
}
