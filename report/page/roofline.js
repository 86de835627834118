'use strict';
// The roofline: the kernel against the limits of the machine, before and after tuning.

function showRoofline(each) {
  const root = document.getElementById('roofline');
  const {operations, tensor_bytes, operations_per_second: peak, hbm_bytes_per_second: hbm,
    port_bytes_per_second: port} = each.roofs;
  if (!operations || !peak || !hbm) { root.replaceChildren(); return; }
  const points = [
    ...(each.before ? [{...each.before, name: 'default schedule', chosen: false}] : []),
    {...each.chosen, name: each.before ? 'chosen' : 'this run', chosen: true}];
  for (const point of points) {
    point.rate = 1e6 * operations / point.us;
    point.marks = [{kind: 'hbm', intensity: operations / tensor_bytes}];
    if (point.port_bytes && port) point.marks.push({kind: 'port', intensity: operations / point.port_bytes});
  }
  const marks = points.flatMap(point => point.marks.map(mark => ({...mark, point})));
  const roofs = [{name: 'HBM', rate: hbm, kind: 'hbm'}, ...(port ? [{name: 'L2 to the cores', rate: port, kind: 'port'}] : [])];

  const width = 660, height = 430, margin = {left: 88, right: 16, top: 18, bottom: 46};
  const intensities = [...marks.map(mark => mark.intensity), ...roofs.map(roof => peak / roof.rate)];
  const x = d3.scaleLog().domain([d3.min(intensities) / 4, d3.max(intensities) * 4]).range([margin.left, width - margin.right]);
  const y = d3.scaleLog().domain([Math.min(d3.min(points, point => point.rate) / 3, peak / 10), peak * 1.6]).range([height - margin.bottom, margin.top]);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('role', 'img')
    .attr('aria-labelledby', 'roofline-text');
  const decade = scale => scale.ticks(20).filter(tick => Math.abs(Math.log10(tick) % 1) < 1e-9 || scale.domain()[1] / scale.domain()[0] < 100 && /^[25]/.test(tick.toPrecision(1)));
  svg.append('g').attr('class', 'grid').attr('transform', `translate(0,${height - margin.bottom})`)
    .call(d3.axisBottom(x).tickValues(decade(x)).tickFormat(d3.format('~g')).tickSize(-(height - margin.top - margin.bottom)).tickPadding(8));
  svg.append('g').attr('class', 'grid').attr('transform', `translate(${margin.left},0)`)
    .call(d3.axisLeft(y).tickValues(decade(y)).tickFormat(value => withUnit(value, 'FLOP/s').replace(/\.0+ /, ' ')).tickSize(-(width - margin.left - margin.right)).tickPadding(8));
  svg.append('text').attr('class', 'soft').attr('x', width - margin.right).attr('y', height - 8).attr('text-anchor', 'end')
    .text('operations for each byte');

  const line = (from, to, dash) => svg.append('line').attr('x1', x(from[0])).attr('y1', y(from[1])).attr('x2', x(to[0])).attr('y2', y(to[1]))
    .attr('stroke', 'var(--ink)').attr('stroke-width', 2).attr('stroke-dasharray', dash);
  const right = x.domain()[1];
  const ridge = peak / d3.max(roofs, roof => roof.rate);
  line([Math.max(x.domain()[0], ridge), peak], [right, peak]);
  svg.append('text').attr('class', 'halo').attr('x', width - margin.right - 4).attr('y', y(peak) - 8).attr('text-anchor', 'end')
    .text(`compute: ${withUnit(peak, 'FLOP/s')}`);
  for (const roof of roofs) {
    const from = Math.max(x.domain()[0], y.domain()[0] / roof.rate);
    line([from, from * roof.rate], [peak / roof.rate, peak], roof.kind === 'port' ? '6 4' : null);
    // Along the line, at a third of its length.
    const at = from * Math.pow(peak / roof.rate / from, 0.38);
    const angle = -Math.atan2(y(from * roof.rate) - y(peak), x(peak / roof.rate) - x(from)) * 180 / Math.PI;
    svg.append('text').attr('class', 'halo').attr('transform', `translate(${x(at)},${y(at * roof.rate)}) rotate(${angle})`)
      .attr('dy', -8).attr('text-anchor', 'middle').text(`${roof.name}: ${withUnit(roof.rate, 'B/s')}`);
  }

  const shape = {hbm: d3.symbolCircle, port: d3.symbolDiamond};
  const colour = point => point.chosen ? 'var(--pipe-cube)' : 'var(--pipe-mte2)';
  if (points.length > 1)
    for (const kind of ['hbm', 'port']) {
      const [from, to] = marks.filter(mark => mark.kind === kind);
      if (to) svg.append('line').attr('x1', x(from.intensity)).attr('y1', y(from.point.rate)).attr('x2', x(to.intensity)).attr('y2', y(to.point.rate))
        .attr('stroke', 'var(--soft)').attr('stroke-dasharray', '2 3');
    }
  for (const mark of marks) {
    const node = svg.append('path').attr('d', d3.symbol().type(shape[mark.kind]).size(mark.kind === 'port' ? 150 : 130)()).attr('transform', `translate(${x(mark.intensity)},${y(mark.point.rate)})`)
      .attr('fill', mark.point.chosen ? colour(mark.point) : 'var(--page)').attr('stroke', colour(mark.point)).attr('stroke-width', 2.5)
      .attr('tabindex', 0).attr('data-point', mark.point.name);
    const tip = event => showTip(event, mark.point.name, [
      ['time', microseconds(mark.point.us)], ['rate', withUnit(mark.point.rate, 'FLOP/s')],
      ['intensity', `${mark.intensity.toFixed(1)} FLOP/B ${mark.kind === 'hbm' ? 'of the tensors' : 'that the cores load'}`],
      ['variant', mark.point.variant]]);
    node.on('mousemove', () => tip(d3.event)).on('mouseleave blur', hideTip)
      .on('focus', function () { const box = this.getBoundingClientRect(); tip({clientX: box.right, clientY: box.bottom}); });
  }
  for (const point of points) {
    const mark = point.marks[0];
    const isRight = x(mark.intensity) > width * 0.6;
    svg.append('text').attr('class', 'halo').attr('x', x(mark.intensity) + (isRight ? -13 : 13)).attr('y', y(point.rate) + 4)
      .attr('text-anchor', isRight ? 'end' : 'start').attr('font-weight', 600).text(`${point.name}: ${percent(reached(each, point))}`);
  }
  const legend = element('ul', {class: 'legend'},
    element('li', {}, '\u25cf bytes of the tensors, each once, from HBM'),
    port ? element('li', {}, '\u25c6 bytes that the cores load, from L2') : '');
  root.replaceChildren(element('h2', {id: 'roofline-title'}, 'Roofline'),
    element('p', {id: 'roofline-text'}, rooflineText(each, points)), legend, svg.node());
}

function rooflineText(each, points) {
  const {operations, tensor_bytes, operations_per_second: peak, hbm_bytes_per_second: hbm} = each.roofs;
  const bound = operations / peak >= tensor_bytes / hbm ? 'compute' : 'HBM';
  const now = points[points.length - 1];
  return `${withUnit(operations, 'FLOP')} on ${withUnit(tensor_bytes, 'B')} of tensors: ${bound} allows no variant to take less than ` +
    `${microseconds(leastTime(each))}. ` +
    (points.length > 1 ? `The default schedule reaches ${percent(reached(each, points[0]))} of that, the chosen variant ${percent(reached(each, now))}. `
      : `This run reaches ${percent(reached(each, now))} of that. `) +
    (now.traffic_bytes ? `Its cores move ${withUnit(now.traffic_bytes, 'B')} from and to global memory, ${(now.traffic_bytes / tensor_bytes).toFixed(1)} times the tensors` +
      (points.length > 1 && points[0].traffic_bytes ? `; the default ${withUnit(points[0].traffic_bytes, 'B')}.` : '.') : '');
}
