'use strict';
// Words, numbers and elements. Text reaches the page as text nodes only, never as markup.

const report = JSON.parse(document.getElementById('report').textContent);

/** element('p', {class: 'soft'}, 'text', otherElement) */
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name === 'style') Object.assign(made.style, value);
    else if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value);
  made.append(...children.flat().filter(child => child !== undefined && child !== null && child !== ''));
  return made;
}

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
const pipeColor = pipe => color(`pipe-${pipe}`);

const count = d3.format(',');
const percent = share => `${(100 * share).toFixed(1)} %`;
const signedPercent = share => `${share < 0 ? '\u2212' : '+'}${Math.abs(100 * share).toFixed(1)} %`;

/** 33.6 MB, 295 TFLOP/s: three digits. */
function withUnit(value, unit) {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let prefix = 0;
  while (value >= 999.5 && prefix + 1 < prefixes.length) { value /= 1000; ++prefix; }
  const decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return `${value.toFixed(prefix === 0 && Number.isInteger(value) ? 0 : decimals)} ${prefixes[prefix]}${unit}`;
}

function microseconds(value) {
  if (value >= 1e4) return `${(value / 1000).toFixed(value >= 1e5 ? 0 : 1)} ms`;
  return `${value.toFixed(value < 10 ? 2 : value < 1000 ? 1 : 0)} \u00b5s`;
}
const microsecondsOf = cycles => cycles / report.megahertz;

function capital(text) { return text.charAt(0).toUpperCase() + text.slice(1); }

/** "a, b and c" */
function listed(words) {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

const nameOfCase = each => each.name || each.dims.map(([name, size]) => `${name}=${size}`).join(' ');
const caseDims = each => each.dims.map(([name, size]) => `${name} = ${count(size)}`).join(', ');

/** A chip has two kinds of cores, or one that does it all. */
function isSplit(each) { return each.pipes.some(pipe => pipe.core === 'vector'); }
function nameOfPipe(each, core, pipe) { return isSplit(each) ? `${pipe} of the ${core} core` : pipe; }

/** The least time that any roof allows, in microseconds. */
function leastTime(each) {
  const roofs = each.roofs;
  return 1e6 * Math.max(roofs.operations / roofs.operations_per_second || 0,
                        roofs.tensor_bytes / roofs.hbm_bytes_per_second || 0);
}
const reached = (each, point) => leastTime(each) / point.us;

/** What the pointer is over, beside it; gone when `rows` is nothing. */
function showTip(event, title, rows) {
  const tip = document.getElementById('tip');
  if (!title) { tip.hidden = true; return; }
  tip.replaceChildren(element('strong', {}, title), definitions(rows));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = event.clientX + 16 + box.width > innerWidth ? event.clientX - 16 - box.width : event.clientX + 16;
  const top = Math.min(event.clientY + 16, innerHeight - box.height - 8);
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${Math.max(8, top)}px`;
}
function hideTip() { showTip(null, null); }

function definitions(rows) {
  return element('dl', {}, rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
}

function table(head, rows, numbers = []) {
  const kind = column => ({class: numbers.includes(column) ? 'number' : undefined});
  return element('div', {class: 'scroll'}, element('table', {},
    element('thead', {}, element('tr', {}, head.map((name, i) => element('th', {scope: 'col', ...kind(i)}, name)))),
    element('tbody', {}, rows.map(row => element('tr', {}, row.map((cell, i) => element('td', kind(i), cell)))))));
}

function chip(pipe) { return element('i', {style: {background: `var(--pipe-${pipe})`}, 'aria-hidden': 'true'}); }
