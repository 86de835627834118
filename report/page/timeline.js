'use strict';
// The timeline: a lane for each pipe of each core, on one canvas behind the labels' column.

const laneHeight = 18, headingHeight = 24, axisHeight = 28, waitingAlpha = 0.2;

class TimelineView {
  constructor(each, lanes) {
    this.case = each;
    this.words = new Words(each.timeline, isSplit(each));
    this.lanes = lanes;
    this.worked = Math.max(1, each.timeline.end);
    this.end = this.worked + each.timeline.task;
    this.closed = new Set();
    this.showsCritical = true;
    this.chosen = null; // {lane, event}, pinned
    this.transform = d3.zoomIdentity;
    this.slowest = lanes.find(lane => lane.criticalBefore[lane.events] > 0) || lanes[0];
    // The slowest block first: it decides the time.
    this.blocks = [...new Set(lanes.map(lane => lane.block))].sort((a, b) =>
      (b === this.slowest.block) - (a === this.slowest.block) || a - b);
  }

  build() {
    this.canvas = element('canvas', {role: 'img', 'aria-label': this.spoken()});
    this.labels = element('div', {class: 'labels'});
    this.frame = element('div', {class: 'frame', tabindex: 0, role: 'group',
      'aria-label': 'Timeline; arrow keys move, plus and minus zoom', 'aria-describedby': 'timeline-keys'},
      this.labels, this.canvas);
    this.details = element('div', {class: 'details', 'aria-live': 'polite', id: 'timeline-details'});
    this.describe();
    this.label();
    this.zoom = d3.zoom().scaleExtent([1, Math.max(1, this.end / 20)])
      .wheelDelta(() => -d3.event.deltaY * (d3.event.deltaMode === 1 ? 0.05 : d3.event.deltaMode ? 1 : 0.002))
      .on('zoom', () => this.zoomed());
    d3.select(this.canvas).call(this.zoom);
    this.canvas.addEventListener('mousemove', event => this.hover(event));
    this.canvas.addEventListener('mouseleave', () => { hideTip(); this.under = null; this.draw(); });
    this.canvas.addEventListener('click', event => this.pin(this.find(event)));
    this.frame.addEventListener('scroll', () => this.draw());
    this.frame.addEventListener('keydown', event => this.key(event));
    new ResizeObserver(() => this.resize()).observe(this.frame);
    return [this.toolbar(), this.frame, this.details, this.help(), this.asTable()];
  }

  spoken() {
    const busiest = [...this.case.pipes].sort((a, b) => b.ratio - a.ratio)[0];
    return `Timeline of ${this.lanes.length} pipes over ${count(this.worked)} cycles. ` +
      (busiest ? `The busiest is ${nameOfPipe(this.case, busiest.core, busiest.pipe)}, ${percent(busiest.ratio)} of the time.` : '');
  }

  toolbar() {
    const zoomBy = factor => () => this.scaleBy(factor);
    const critical = element('button', {type: 'button', 'aria-pressed': 'true', onclick: () => {
      this.showsCritical = !this.showsCritical;
      critical.setAttribute('aria-pressed', this.showsCritical);
      this.draw();
    }}, 'Critical path');
    const only = element('button', {type: 'button', 'aria-pressed': 'false', onclick: () => {
      this.closed = new Set(this.closed.size ? [] : this.blocks.slice(1));
      only.setAttribute('aria-pressed', this.closed.size > 0);
      this.label();
      this.draw();
    }}, 'Slowest block only');
    const used = report.pipes.filter(pipe => this.lanes.some(lane => lane.pipe === pipe));
    return element('div', {class: 'toolbar'},
      element('button', {type: 'button', onclick: zoomBy(2), 'aria-label': 'Zoom in'}, '+'),
      element('button', {type: 'button', onclick: zoomBy(0.5), 'aria-label': 'Zoom out'}, '\u2212'),
      element('button', {type: 'button', onclick: () => this.fit()}, 'Fit'),
      critical, this.blocks.length > 1 ? only : '',
      element('ul', {class: 'legend', 'aria-label': 'Colours'},
        used.map(pipe => element('li', {}, chip(pipe), pipe)),
        element('li', {}, element('i', {class: 'waiting'}), 'waiting'),
        element('li', {}, element('i', {class: 'critical'}), 'critical path')));
  }

  help() {
    const keys = [['+ \u2212', 'zoom'], ['\u2190 \u2192', 'pan'], ['\u2191 \u2193', 'choose a lane'],
      [', .', 'previous and next instruction of it'], ['Enter', 'zoom to the instruction'], ['0', 'fit'], ['Esc', 'let go']];
    return element('details', {},
      element('summary', {}, 'How to read and move it'),
      element('p', {}, 'The wheel zooms, dragging moves, a click keeps an instruction below. Over the names at the left, ' +
        'the wheel scrolls. Zoomed out, the height of a bar is the share of time in which the pipe is busy, and the ' +
        'hatched part above it the share in which it stands still for a flag; zoomed in, each bar is one instruction.'),
      element('p', {id: 'timeline-keys'}, 'Keys, with the timeline in focus: ',
        keys.flatMap(([key, what], i) => [i ? '; ' : '', element('kbd', {}, key), ` ${what}`]), '.'));
  }

  /** The same for those who do not see it. */
  asTable() {
    return element('details', {}, element('summary', {}, `The ${this.lanes.length} lanes as a table`),
      table(['block', 'core', 'pipe', 'instructions', 'busy', 'waiting'], this.lanes.map(lane =>
        [lane.block, this.words.core(lane.unit), lane.pipe, count(lane.events),
          percent(lane.busy / this.worked), percent(lane.waiting / this.worked)].map(String)), [3, 4, 5]));
  }

  /** The column of names, and where on the page each lane is. */
  label() {
    this.rows = [];
    let top = axisHeight;
    this.labels.replaceChildren(element('div', {class: 'axis'}, 'core and pipe, busy'));
    for (const block of this.blocks) {
      const isOpen = !this.closed.has(block);
      const name = `block ${block}${block === this.slowest.block && this.blocks.length > 1 ? ', the slowest' : ''}`;
      this.labels.append(element('h3', {}, element('button', {type: 'button', 'aria-expanded': String(isOpen),
        onclick: () => this.toggle(block)}, name)));
      this.rows.push({block, top, height: headingHeight, lane: null});
      top += headingHeight;
      for (const lane of this.lanes.filter(lane => lane.block === block)) {
        const label = element('div', {class: 'lane', 'data-lane': `${block}/${lane.unit}/${lane.pipe}`, hidden: !isOpen},
          chip(lane.pipe), element('span', {}, element('em', {}, this.words.split ? `${this.words.core(lane.unit)} ` : ''), lane.pipe),
          element('b', {}, percent(lane.busy / this.worked)));
        this.labels.append(label);
        if (!isOpen) continue;
        this.rows.push({block, top, height: laneHeight, lane, label});
        top += laneHeight;
      }
    }
    this.height = top;
  }
  toggle(block) {
    if (!this.closed.delete(block)) this.closed.add(block);
    this.label();
    this.draw();
    this.labels.querySelectorAll('h3 button')[this.blocks.indexOf(block)].focus();
  }

  resize() {
    const height = Math.min(this.frame.clientHeight, this.height + 1);
    const width = this.canvas.clientWidth;
    if (!width) return;
    const ratio = devicePixelRatio || 1;
    // Keeps the view, in shares of the time.
    const from = this.width ? this.transform.invertX(0) / this.width : 0;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    this.ratio = ratio;
    this.width = width;
    this.zoom.extent([[0, 0], [width, height]]).translateExtent([[0, -Infinity], [width, Infinity]]);
    const k = this.transform.k;
    d3.select(this.canvas).call(this.zoom.transform, d3.zoomIdentity.translate(-from * width * k, 0).scale(k));
  }

  // Time to pixels and back.
  x(time) { return this.transform.applyX(time / this.end * this.width); }
  time(x) { return this.transform.invertX(x) / this.width * this.end; }

  zoomed() {
    const source = d3.event.sourceEvent;
    this.transform = d3.event.transform;
    if (source && source.type === 'mousemove') this.frame.scrollTop -= source.movementY;
    hideTip();
    this.draw();
  }
  scaleBy(factor) {
    const at = this.chosen ? this.x(this.chosen.lane.start[this.chosen.event]) : this.width / 2;
    const inside = at >= 0 && at <= this.width ? at : this.width / 2;
    d3.select(this.canvas).call(this.zoom.scaleBy, factor, [inside, 0]);
  }
  fit() { d3.select(this.canvas).call(this.zoom.transform, d3.zoomIdentity); }
  show(from, to) {
    const k = Math.min(this.zoom.scaleExtent()[1], this.end / Math.max(1, to - from));
    const middle = (from + to) / 2 / this.end * this.width;
    d3.select(this.canvas).call(this.zoom.transform, d3.zoomIdentity.translate(this.width / 2 - middle * k, 0).scale(k));
  }

  key(event) {
    if (event.target !== this.frame || event.ctrlKey || event.metaKey || event.altKey) return;
    const pan = share => d3.select(this.canvas).call(this.zoom.translateBy, share * this.width / this.transform.k, 0);
    const actions = {
      '+': () => this.scaleBy(1.6), '=': () => this.scaleBy(1.6), '-': () => this.scaleBy(1 / 1.6),
      ArrowLeft: () => pan(0.15), ArrowRight: () => pan(-0.15), 0: () => this.fit(), Home: () => this.fit(),
      ArrowUp: () => this.step(-1, 0), ArrowDown: () => this.step(1, 0), ',': () => this.step(0, -1),
      '.': () => this.step(0, 1), Escape: () => this.pin(null),
      Enter: () => {
        if (!this.chosen) return;
        const {lane, event: i} = this.chosen;
        const span = Math.max(40, 6 * (lane.end(i) - lane.begin(i)));
        this.show(lane.begin(i) - span / 2, lane.end(i) + span / 2);
      },
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
  /** Another lane, at about the same time, or another instruction of the same. */
  step(lanes, events) {
    const open = this.rows.filter(row => row.lane);
    if (!this.chosen) {
      const first = open[0].lane;
      this.pin({lane: first, event: Math.min(first.events - 1, first.before(this.time(this.width / 2)))});
      return;
    }
    const row = open.findIndex(row => row.lane === this.chosen.lane);
    const lane = open[Math.max(0, Math.min(open.length - 1, row + lanes))].lane;
    const time = this.chosen.lane.start[this.chosen.event];
    const event = lanes ? Math.max(0, lane.before(time + 1) - 1) : this.chosen.event + events;
    this.pin({lane, event: Math.max(0, Math.min(lane.events - 1, event))});
    const top = open.find(row => row.lane === lane).top;
    if (top < this.frame.scrollTop + axisHeight) this.frame.scrollTop = top - axisHeight;
    if (top + laneHeight > this.frame.scrollTop + this.frame.clientHeight)
      this.frame.scrollTop = top + laneHeight - this.frame.clientHeight;
    const x = this.x(lane.start[this.chosen.event]);
    if (x < 0 || x > this.width)
      d3.select(this.canvas).call(this.zoom.translateBy, (this.width / 2 - x) / this.transform.k, 0);
  }

  find(event) {
    const box = this.canvas.getBoundingClientRect();
    const y = event.clientY - box.top;
    if (y < axisHeight) return null;
    if (this.time(event.clientX - box.left) > this.worked) return null;
    const row = this.rows.find(row => y + this.frame.scrollTop >= row.top && y + this.frame.scrollTop < row.top + row.height);
    if (!row || !row.lane) return null;
    const found = row.lane.at(this.time(event.clientX - box.left), 3 * this.end / this.width / this.transform.k);
    return found < 0 ? null : {lane: row.lane, event: found};
  }
  hover(event) {
    if (event.buttons) return;
    this.under = this.find(event);
    if (this.under)
      showTip(event, this.words.title(this.under.lane, this.under.event), this.words.rows(this.under.lane, this.under.event));
    else hideTip();
    this.draw();
  }
  pin(what) {
    this.chosen = what;
    this.describe();
    for (const row of this.rows)
      if (row.label) row.label.classList.toggle('chosen', !!what && row.lane === what.lane);
    this.draw();
  }
  describe() {
    if (!this.chosen)
      this.details.replaceChildren(element('span', {class: 'soft'}, 'Point at an instruction to read it, click it to keep it here.'));
    else
      this.details.replaceChildren(element('strong', {}, this.words.title(this.chosen.lane, this.chosen.event)),
        definitions(this.words.rows(this.chosen.lane, this.chosen.event)));
  }

  draw() {
    if (this.pending || !this.width) return;
    this.pending = requestAnimationFrame(() => { this.pending = 0; this.paint(); });
  }

  paint() {
    const context = this.canvas.getContext('2d');
    const height = this.canvas.height / this.ratio;
    this.palette = {page: color('page'), lane: color('lane'), panel: color('panel'), ink: color('ink'), line: color('line'),
      soft: color('soft'), accent: color('accent')};
    for (const pipe of report.pipes) this.palette[pipe] = {fill: pipeColor(pipe), text: color(`on-${pipe}`)};
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, height);
    context.font = '11px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif';
    context.textBaseline = 'middle';
    const ticks = d3.scaleLinear().domain([this.time(0), this.time(this.width)].map(microsecondsOf)).ticks(Math.max(2, this.width / 110));
    this.drawn = {instructions: 0, aggregated: 0};
    const rows = this.rows.map(row => ({...row, top: row.top - this.frame.scrollTop}))
      .filter(row => row.top <= height && row.top + row.height >= axisHeight);
    for (const row of rows) {
      context.fillStyle = row.lane ? this.palette.lane : this.palette.panel;
      if (row.lane) context.fillRect(this.x(0), row.top + 2, this.x(this.worked) - this.x(0), laneHeight - 4);
      else context.fillRect(0, row.top, this.width, row.height);
    }
    this.paintTicks(context, ticks, height);
    for (const row of rows)
      if (row.lane) this.paintLane(context, row.lane, row.top + 2, laneHeight - 4);
    this.paintPhases(context, height);
    this.paintTask(context, height);
    for (const what of [this.under, this.chosen]) if (what) this.mark(context, what);
    this.paintAxis(context, ticks);
  }

  paintLane(context, lane, top, height) {
    const from = Math.max(0, lane.before(this.time(0)) - 1), to = lane.before(this.time(this.width));
    const {fill, text} = this.palette[lane.pipe];
    if (to - from > 0.6 * this.width) { this.paintShares(context, lane, top, height, fill); return; }
    ++this.drawn.instructions;
    for (let i = from; i < to; ++i) {
      const left = Math.max(-2, this.x(lane.start[i])), right = Math.min(this.width + 2, this.x(lane.end(i)));
      if (lane.waited[i]) this.hatch(context, Math.max(-2, this.x(lane.begin(i))), left, top, height, fill);
      context.fillStyle = fill;
      const width = Math.max(0.8, right - left - (right - left > 3 ? 1 : 0));
      context.fillRect(left, top, width, height);
      if (this.showsCritical && lane.critical[i]) this.underline(context, left, width, top + height);
      if (width > 34) this.paintText(context, this.words.title(lane, i), left, width, top + height / 2, text);
    }
  }
  paintText(context, title, left, width, middle, text) {
    const room = width - 8;
    let shown = title;
    if (context.measureText(shown).width > room) {
      shown = shown.slice(0, Math.floor(room / 5.2));
      if (shown.length < 3) return;
      shown += '\u2026';
      if (context.measureText(shown).width > room) return;
    }
    context.fillStyle = text;
    context.fillText(shown, left + 4, middle + 0.5);
  }
  underline(context, left, width, bottom) {
    context.fillStyle = this.palette.ink;
    context.fillRect(left, bottom - 1, width, 2);
  }

  /** Many instructions a pixel: the shares of its time, not the instructions. */
  paintShares(context, lane, top, height, fill) {
    ++this.drawn.aggregated;
    let n = lane.before(this.time(0)), time = this.time(0);
    let busy = lane.busyUntil(time, n), waited = lane.waitedUntil(time, n);
    context.fillStyle = fill;
    const step = 1 / Math.min(2, this.ratio);
    for (let x = 0; x < this.width; x += step) {
      const nextTime = this.time(x + step), next = lane.before(nextTime, n);
      const nextBusy = lane.busyUntil(nextTime, next), nextWaited = lane.waitedUntil(nextTime, next);
      const span = nextTime - time;
      const share = Math.min(1, (nextBusy - busy) / span), still = Math.min(1 - share, (nextWaited - waited) / span);
      if (share > 0.004) context.fillRect(x, top + height * (1 - share), step + 0.05, height * share);
      if (still > 0.004) {
        context.globalAlpha = waitingAlpha;
        context.fillRect(x, top + height * (1 - share - still), step + 0.05, height * still);
        context.globalAlpha = 1;
      }
      if (this.showsCritical && lane.criticalBefore[next] > lane.criticalBefore[n]) {
        context.fillStyle = this.palette.ink;
        context.fillRect(x, top + height - 1, step + 0.05, 2);
        context.fillStyle = fill;
      }
      n = next; time = nextTime; busy = nextBusy; waited = nextWaited;
    }
  }

  hatch(context, left, right, top, height, fill) {
    const width = right - left;
    if (width < 0.4) return;
    context.globalAlpha = waitingAlpha;
    context.fillStyle = fill;
    context.fillRect(left, top, width, height);
    context.globalAlpha = 1;
    if (width < 5) return;
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    context.beginPath();
    for (let x = Math.floor(left / 6) * 6 - height; x < right; x += 6) {
      context.moveTo(x, top + height);
      context.lineTo(x + height, top);
    }
    context.strokeStyle = fill;
    context.globalAlpha = 0.45;
    context.lineWidth = 0.8;
    context.stroke();
    context.restore();
  }

  /** Outlines an instruction, and leads to it from the pipe that it waited for. */
  mark(context, {lane, event}) {
    const row = this.rows.find(row => row.lane === lane);
    if (!row) return;
    const top = row.top - this.frame.scrollTop;
    const left = this.x(lane.begin(event)), right = Math.max(left + 2, this.x(lane.end(event)));
    context.strokeStyle = this.palette.ink;
    context.lineWidth = 2;
    context.strokeRect(left - 1, top + 1, right - left + 2, laneHeight - 2);
    // Of an instruction, the waits that stand right before it.
    for (let i = event; i >= 0; --i) {
      if (i < event && (!this.words.isFlag(lane, i) || this.words.isFlag(lane, event))) break;
      const it = this.words.symbol(lane, i);
      const from = it.byPipe && this.rows.find(other => other.lane && other.lane.block === lane.block &&
        other.lane.unit === it.byUnit && other.lane.pipe === it.byPipe);
      if (from) this.arrow(context, this.x(lane.start[i]), from.top - this.frame.scrollTop + laneHeight / 2, top + laneHeight / 2);
    }
  }
  arrow(context, x, from, to) {
    const head = Math.sign(to - from) * 6;
    context.strokeStyle = this.palette.ink;
    context.fillStyle = this.palette.ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(x, from, 3, 0, 7);
    context.fill();
    context.beginPath();
    context.moveTo(x, from);
    context.lineTo(x, to - head);
    context.stroke();
    context.beginPath();
    context.moveTo(x, to);
    context.lineTo(x - 4, to - head);
    context.lineTo(x + 4, to - head);
    context.fill();
  }

  paintTicks(context, ticks, height) {
    context.fillStyle = this.palette.line;
    context.globalAlpha = 0.7;
    for (const tick of ticks) context.fillRect(Math.round(this.x(tick * report.megahertz)), axisHeight, 1, height);
    context.globalAlpha = 1;
  }
  paintPhases(context, height) {
    if (this.case.timeline.phases.length < 2) return;
    context.strokeStyle = this.palette.ink;
    context.setLineDash([4, 3]);
    for (const [from] of this.case.timeline.phases.slice(1)) {
      context.beginPath();
      context.moveTo(this.x(from), axisHeight);
      context.lineTo(this.x(from), height);
      context.stroke();
    }
    context.setLineDash([]);
  }
  /** What a task takes beside its instructions, after the last of them. */
  paintTask(context, height) {
    const left = this.x(this.worked), right = Math.min(this.width, this.x(this.end));
    if (right - left < 0.4) return;
    this.hatch(context, left, right, axisHeight, height - axisHeight, this.palette.soft);
    this.paintText(context, this.nameOfTask(), left, right - left, axisHeight + headingHeight / 2, this.palette.ink);
  }
  nameOfTask() {
    const kinds = this.case.timeline.kinds;
    return `fixed cost of a task${kinds ? ` of ${kinds}` : ''}: ${(this.case.timeline.task / report.megahertz).toFixed(2)} \u00b5s`;
  }
  paintAxis(context, ticks) {
    context.fillStyle = this.palette.panel;
    context.fillRect(0, 0, this.width, axisHeight);
    context.fillStyle = this.palette.line;
    context.fillRect(0, axisHeight - 1, this.width, 1);
    context.fillStyle = this.palette.soft;
    const decimals = ticks.length > 1 ? Math.max(0, Math.ceil(-Math.log10(ticks[1] - ticks[0]) - 1e-9)) : 0;
    for (const tick of ticks) {
      const x = this.x(tick * report.megahertz);
      context.fillStyle = this.palette.line;
      context.fillRect(Math.round(x), axisHeight - 6, 1, 6);
      context.fillStyle = this.palette.soft;
      context.fillText(`${tick.toFixed(decimals)} \u00b5s`, x + 4, axisHeight / 2);
    }
  }
}

function showTimeline(each, lanes) {
  const root = document.getElementById('timeline');
  const view = new TimelineView(each, lanes);
  const shown = each.timeline.shown;
  const blocks = view.blocks.length;
  root.replaceChildren(
    element('h2', {id: 'timeline-title'}, 'Timeline'),
    element('p', {}, `${count(lanes.length)} pipes of ${blocks === 1 ? 'one block' : `${blocks} blocks`}, ` +
      `${count(d3.sum(lanes, lane => lane.events))} instructions in ${count(each.timeline.end)} cycles` +
      `${each.timeline.phases.length > 1 ? `, ${each.timeline.phases.length} phases` : ''}, then ${view.nameOfTask()}.`),
    shown ? element('p', {class: 'note'}, `Not everything is in the picture: it shows ${shown}.`) : '',
    ...view.build());
  view.resize();
  return view;
}
