'use strict';
// The events of a case, unpacked: see report/timeline.h for how they are packed.

async function unpack(text) {
  const packed = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The events of one pipe, in order. */
class Lane {
  constructor([block, unit, pipe, events]) {
    this.block = block;
    this.unit = unit;
    this.pipe = report.pipes[pipe];
    this.events = events;
    this.start = new Float64Array(events);
    this.waited = new Uint32Array(events);
    this.length = new Uint32Array(events);
    this.symbol = new Uint32Array(events);
    this.critical = new Uint8Array(events);
    // Cycles of all events before each, so that the share of a span takes two look-ups.
    this.busyBefore = new Float64Array(events + 1);
    this.waitedBefore = new Float64Array(events + 1);
    this.criticalBefore = new Uint32Array(events + 1);
  }

  sum() {
    for (let i = 0; i < this.events; ++i) {
      this.busyBefore[i + 1] = this.busyBefore[i] + this.length[i];
      this.waitedBefore[i + 1] = this.waitedBefore[i] + this.waited[i];
      this.criticalBefore[i + 1] = this.criticalBefore[i] + this.critical[i];
    }
  }

  get busy() { return this.busyBefore[this.events]; }
  get waiting() { return this.waitedBefore[this.events]; }
  begin(i) { return this.start[i] - this.waited[i]; }
  end(i) { return this.start[i] + this.length[i]; }

  /** How many events begin before `time`. */
  before(time, low = 0) {
    let high = this.events;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.begin(middle) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  /** The event at `time`, with its wait, or the nearest not further away than `slack`; or -1. */
  at(time, slack = 0) {
    const next = this.before(time);
    const last = next - 1;
    if (last >= 0 && time <= this.end(last)) return last;
    const toLast = last >= 0 ? time - this.end(last) : Infinity;
    const toNext = next < this.events ? this.begin(next) - time : Infinity;
    if (Math.min(toLast, toNext) > slack) return -1;
    return toLast <= toNext ? last : next;
  }
  /** Cycles up to `time` that the pipe is busy, and that it waits; `n` events begin before. */
  busyUntil(time, n) {
    if (n === 0) return 0;
    return this.busyBefore[n - 1] + Math.max(0, Math.min(this.length[n - 1], time - this.start[n - 1]));
  }
  waitedUntil(time, n) {
    if (n === 0) return 0;
    return this.waitedBefore[n - 1] + Math.min(this.waited[n - 1], time - this.begin(n - 1));
  }
}

async function lanesOf(timeline) {
  const bytes = await unpack(timeline.data);
  let at = 0;
  const number = () => {
    let value = 0, scale = 1, byte;
    do {
      byte = bytes[at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte & 128);
    return value;
  };
  return timeline.lanes.map(packed => {
    const lane = new Lane(packed);
    const gaps = new Float64Array(lane.events);
    for (let i = 0; i < lane.events; ++i) gaps[i] = number();
    for (let i = 0; i < lane.events; ++i) lane.waited[i] = number();
    for (let i = 0; i < lane.events; ++i) lane.length[i] = number();
    for (let i = 0, end = 0; i < lane.events; ++i) {
      lane.start[i] = end + gaps[i] + lane.waited[i];
      end = lane.start[i] + lane.length[i];
    }
    for (let i = 0; i < lane.events; ++i) {
      const symbol = number();
      lane.symbol[i] = symbol >> 1;
      lane.critical[i] = symbol & 1;
    }
    lane.sum();
    return lane;
  });
}

/** What an event is, in words. */
class Words {
  constructor(timeline, split) {
    this.timeline = timeline;
    this.split = split;
  }
  symbol(lane, i) {
    const [work, cause, text, file, line, buffers, bytes, byUnit, byPipe] = this.timeline.symbols[lane.symbol[i]];
    const word = number => number < 0 ? '' : this.timeline.texts[number];
    return {work: report.works[work], cause: report.causes[cause], text: word(text), file: word(file), line,
      buffers: word(buffers), bytes, byUnit, byPipe: byPipe < 0 ? '' : report.pipes[byPipe]};
  }
  core(unit) { return !this.split ? 'core' : unit === 0 ? 'cube core' : `vector core ${unit - 1}`; }
  title(lane, i) {
    const it = this.symbol(lane, i);
    if (it.work === 'issue') return `issue ${it.text}`;
    if (it.work === 'set') return it.text ? `set: ${it.text}` : 'set flag';
    return it.text || it.work;
  }
  /** Of a wait: "312 cycles, until mte1 of the cube core set the flag". */
  wait(lane, i) {
    const it = this.symbol(lane, i);
    const by = it.byPipe && `, ended by ${it.byPipe}${this.split ? ` of ${this.core(it.byUnit)}` : ''}`;
    return `${count(lane.waited[i])} cycles${by || ''}`;
  }
  why(it) {
    return {nothing: 'it begins with its phase', pipe: 'the instruction before it on this pipe',
      issue: 'the scalar unit, which issued it only then', queue: 'the queue of its pipe, which was full',
      flag: 'a flag, which was set only then'}[it.cause];
  }
  rows(lane, i) {
    const it = this.symbol(lane, i);
    const start = lane.start[i], took = lane.length[i];
    const rows = [
      ['place', `block ${lane.block}, ${this.core(lane.unit)}, ${lane.pipe}`],
      ['cycles', `${count(start)} to ${count(start + took)}: ${count(took)}, ${microseconds(microsecondsOf(took))}`]];
    if (it.file) rows.push(['line', `${it.file}:${it.line}`]);
    if (it.buffers) rows.push(['buffers', it.buffers]);
    if (it.bytes) rows.push(['bytes', `${count(it.bytes)} of global memory, ${(it.bytes / Math.max(1, took)).toFixed(1)} a cycle`]);
    if (lane.waited[i]) rows.push(['waited', this.wait(lane, i)]);
    // The event before an instruction on its pipe is what it waited for.
    for (let j = i - 1; j >= 0 && this.isFlag(lane, j) && !this.isFlag(lane, i); --j)
      if (lane.waited[j]) rows.push(['waited', `${this.wait(lane, j)}: ${this.title(lane, j)}`]);
    rows.push(['held by', this.why(it)]);
    if (lane.critical[i]) rows.push(['critical', 'on the critical path']);
    return rows;
  }
  isFlag(lane, i) { return ['set', 'wait', 'barrier'].includes(this.symbol(lane, i).work); }
}
