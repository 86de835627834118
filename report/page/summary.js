'use strict';
// The figures at the top, and the distribution of the time.

function showHead(choose) {
  document.getElementById('head').replaceChildren(
    element('h1', {}, report.kernel, element('span', {class: 'soft'}, ` on ${report.machine}`)),
    element('p', {class: 'variant mono', id: 'variant'}),
    report.cases.length < 2 ? '' : element('div', {class: 'cases', role: 'tablist', 'aria-label': 'Cases'},
      report.cases.map((each, i) => element('button', {type: 'button', role: 'tab', 'data-case': i,
        'aria-selected': 'false', onclick: () => choose(i)}, nameOfCase(each)))));
  document.getElementById('foot').replaceChildren(
    `Written by ${report.title}, mmk ${report.version}, from ${report.file}. Times are those of the emulated core, ` +
    'counted; they are the same on every computer. Drawn with D3, whose licence is in this file.');
}

function figure(name, value, more) {
  return element('div', {}, element('dt', {}, name), element('dd', {}, value, more ? element('small', {}, more) : ''));
}

function showSummary(each) {
  document.getElementById('variant').textContent = each.variant;
  const busiest = [...each.pipes].sort((a, b) => b.ratio - a.ratio)[0];
  const compute = each.roofs.operations / each.roofs.operations_per_second;
  const memory = each.roofs.tensor_bytes / each.roofs.hbm_bytes_per_second;
  const saved = each.before && (each.before.us - each.us) / each.before.us;
  document.getElementById('summary').replaceChildren(
    element('h2', {id: 'summary-title'}, each.name ? `${each.name}: ${caseDims(each)}` : caseDims(each)),
    element('dl', {class: 'figures'},
      figure('kernel time', microseconds(each.us), `${count(each.cycles)} cycles at ${report.megahertz} MHz`),
      each.before ? figure('against the default schedule', signedPercent(-saved), `from ${microseconds(each.before.us)}`) : '',
      figure('of the roof', percent(reached(each, each.chosen)), `bound by ${compute >= memory ? 'compute' : 'memory'}`),
      busiest ? figure('busiest pipe', busiest.pipe, `${isSplit(each) ? `of the ${busiest.core} core, ` : ''}${percent(busiest.ratio)} of the time`) : '',
      figure('cores', `${each.cores} of ${report.cores}`, `launch ${microseconds(each.launch_us)} beside`),
      figure('check', each.passed === undefined ? 'not run' : each.passed ? 'passed' : 'failed',
        each.passed === undefined ? 'counted only' : 'against the reference')));
  const check = document.querySelector('#summary .figures > div:last-child dd');
  if (each.passed !== undefined) check.classList.add(each.passed ? 'good' : 'bad');
}

function bar(share, pipe) {
  return element('span', {class: 'track', role: 'img', 'aria-label': percent(share)},
    element('span', {class: 'bar', style: {width: `${Math.min(100, 100 * share)}%`, background: `var(--pipe-${pipe})`}}));
}

function showPipes(each) {
  const split = isSplit(each);
  const onPath = d3.nest().key(part => `${part.core} ${part.pipe}`)
    .rollup(parts => d3.sum(parts, part => part.cycles)).object(each.path.parts);
  const pipes = each.pipes.map(({core, pipe, cycles, ratio}) => [
    [...(split ? [`${core} `] : []), pipe], bar(ratio, pipe), percent(ratio), count(cycles),
    percent((onPath[`${core} ${pipe}`] || 0) / Math.max(1, each.path.cycles))]);
  const [first] = each.path.parts;
  const buffers = wait => wait.buffers.length ? `${listed(wait.buffers)} to be ${wait.for}` : 'a flag';
  // A pipe with little work waits most of the time, at no loss.
  const busy = wait => (each.pipes.find(pipe => pipe.core === wait.core && pipe.pipe === wait.pipe) || {ratio: 0}).ratio;
  const waits = [...each.waits].sort((a, b) => busy(b) - busy(a) || b.cycles - a.cycles).slice(0, 8).map(wait => [
    `${split ? `${wait.core} ` : ''}${wait.pipe}`, `${buffers(wait)} by ${wait.by}`,
    percent(wait.cycles / each.cycles), count(wait.count), count(wait.longest)]);
  const parts = each.path.parts.slice(0, 8).map(part => [
    `${split ? `${part.core} ` : ''}${part.pipe}`, part.text, part.file ? `${part.file}:${part.line}` : '',
    percent(part.cycles / each.path.cycles)]);
  document.getElementById('pipes').replaceChildren(
    element('h2', {id: 'pipes-title'}, 'Where the time goes'),
    first ? element('p', {}, `The critical path${each.path.whole ? '' : ' of the part that was recorded'} is mostly ` +
      `${first.text} on ${nameOfPipe(each, first.core, first.pipe)}: ${percent(first.cycles / each.path.cycles)} of it. ` +
      'Making anything faster that is not on the path saves no time.') : '',
    element('div', {class: 'columns'},
      element('div', {}, element('h3', {}, 'Pipes, mean over the cores that have work'),
        table(['pipe', '', 'busy', 'cycles', 'of the critical path'], pipes, [2, 3, 4])),
      element('div', {}, element('h3', {}, 'The critical path, by instruction'),
        table(['pipe', 'instruction', 'line', 'of it'], parts, [3])),
      waits.length ? element('div', {}, element('h3', {}, 'Waits of the slowest block, those of busy pipes first'),
        table(['pipe', 'waits for', 'of the time', 'times', 'longest'], waits, [2, 3, 4])) : ''));
}
