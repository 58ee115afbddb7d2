// Moving through a run: what is where (the record), where the user is (the frame), and every way from there to elsewhere.
// All text goes in by textContent. Between two steps everything is drawn here; Python is told at most every 110 ms.
// Marks, axis and bar are in the files that Python puts before this one.
const records = new Map(), views = new Map();
const LANES = ['few', 'all', 'none'];
const PACE_MS = 800, SAID_MS = 4000;

// Space presses the button that the keyboard has reached; after a click with the mouse it plays.
let tabbed = false;
window.addEventListener('keydown', (event) => { if (event.key === 'Tab') tabbed = true; }, true);
window.addEventListener('pointerdown', () => { tabbed = false; }, true);

class View {
  constructor(parent) {
    this.parent = parent;
    this.root = el('div', 'rt-timeline', undefined, { 'data-testid': 'timeline' });
    this.bar = new Bar(this);
    this.axis = new Axis(this);
    this.help = helpPanel();
    this.said = el('div', 'said', undefined, { role: 'status' });
    this.root.append(this.bar.root, this.axis.root, this.help, this.said);
    parent.append(this.root);
    this.wanted = null;
    this.sentAt = 0;
    new ResizeObserver(() => this.record && this.draw()).observe(this.root);
    this.axis.still.addEventListener('pointerdown', (event) => this.grab(event));
    const light = (id) => { // the tree lights what depends on the fact of a lane
      if (id !== (this.lighting || '')) window.dispatchEvent(new CustomEvent('retree:light', { detail: { id: this.lighting = id } }));
    };
    this.axis.still.addEventListener('pointerover', ({ target }) => light(target.closest('[data-lane]')?.dataset.lane || ''));
    this.axis.still.addEventListener('pointerleave', () => light(''));
    const listen = (event) => (this.root.isConnected ? this.onKey(event) : window.removeEventListener('keydown', listen));
    window.addEventListener('keydown', listen);
  }

  get unit() { return this.pace.unit; }
  get speed() { return this.pace.speed; }
  get total() { return this.record.total; }

  update(record, { data, send }) {
    if (record !== this.record) this.learn(record);
    Object.assign(this, { send, selected: data.selected, paused: data.paused });
    this.follow(data.pace);
    const settled = this.wanted === null || data.now === this.wanted || performance.now() - this.sentAt > 1500;
    if (settled) { this.now = Math.min(data.now, record.total); this.wanted = null; }
    this.draw();
  }

  // Unit, speed and lanes as the address has them, where that changed: here they are changed at once, there a moment later.
  follow(pace) {
    if (['unit', 'speed', 'lanes'].every((one) => pace[one] === this.told?.[one])) return;
    this.pace = { ...pace };
    this.told = pace;
  }

  // What is looked for again and again, found once.
  learn(record) {
    this.record = record;
    const of = (code) => [...record.codes].flatMap((one, at) => (one === code ? [at + 1] : []));
    this.places = {
      conflict: of('m'), repair: of('p'), prune: of('t'), refused: of('f'), error: record.errors,
      hit: record.hits, change: [...new Set((record.watch?.changes || []).filter(([, , , , contest]) => !contest).map(([moment]) => moment))],
    };
    this.calls = callsOf(record);
    const ends = [1, ...record.brackets.map((one) => one.last), record.total];
    this.stops = { search: sorted(ends), call: sorted(this.calls.map((one) => one.after)) };
  }

  watchable() { return /^(root$|[enc]\d)/.test(this.selected) ? this.selected : ''; }

  // The nearest of some moments ahead or behind; past the last one it begins anew, unless `around` is false.
  near(places, on, around = true) {
    const found = on ? places.find((one) => one > this.now) : places.filter((one) => one < this.now).pop();
    return found ?? (around ? places[on ? 0 : places.length - 1] : undefined);
  }

  step(unit, on) {
    if (unit === 'event') return this.now + (on ? 1 : -1);
    return on ? this.stops[unit].find((one) => one > this.now) : this.stops[unit].filter((one) => one < this.now).pop();
  }

  // As in a debugger: on to the next breakpoint, or the end; back to the one before, or the start.
  runTo(on) {
    const hits = this.places.hit;
    if (!hits.length) return undefined;
    return on ? hits.find((one) => one > this.now) ?? this.total : hits.filter((one) => one < this.now).pop() ?? 1;
  }

  jump(moment) { this.pause(); this.go(moment); }

  go(moment) {
    if (moment === undefined) return;
    moment = Math.max(Math.min(1, this.total), Math.min(this.total, moment));
    if (moment === this.now) return;
    this.now = this.wanted = moment;
    window.dispatchEvent(new CustomEvent('retree:go', { detail: { moment } })); // the tree may know it already
    this.drawing ??= requestAnimationFrame(() => this.draw());
    clearTimeout(this.later);
    const wait = Math.max(0, 110 - (performance.now() - this.sentAt));
    this.later = setTimeout(() => { this.sentAt = performance.now(); this.send(`go:${this.now}`); }, wait);
  }

  toggle() {
    if (this.playing) { this.pause(); return; }
    if (this.now >= this.total) this.go(1);
    this.steppedAt = performance.now();
    this.playing = setInterval(() => this.beat(), 40);
    this.bar.refresh();
  }

  pause() {
    if (!this.playing) return;
    clearInterval(this.playing);
    this.playing = null;
    this.bar.refresh();
  }

  // The next step of playing, once its time has come and the last one is on the screen.
  beat() {
    if (!this.root.isConnected || document.querySelector('[role=dialog]')) { this.pause(); return; }
    const drawn = this.wanted === null && !document.querySelector('[data-test-script-state="running"]');
    if (!drawn || performance.now() - this.steppedAt < PACE_MS / this.speed) return;
    const next = this.step(this.unit, true) ?? this.total, hit = this.places.hit.find((one) => one > this.now && one <= next);
    this.steppedAt = performance.now();
    this.go(hit ?? next);
    if (hit || this.now >= this.total) this.pause();
  }

  stepBy(unit) { this.pace.unit = unit; this.draw(); this.send(`unit:${unit}`); }
  playAt(speed) { this.pace.speed = speed; this.bar.show(); this.send(`speed:${speed}`); }
  faster(by) { this.playAt(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + by))]); }
  nextLanes() { this.pace.lanes = (this.pace.lanes + 1) % LANES.length; this.draw(); this.send(`lanes:${LANES[this.pace.lanes]}`); }
  toggleHelp() { this.help.hidden = !this.help.hidden; }

  onKey(event) {
    const at = event.composedPath()[0], { places } = this;
    const typing = at instanceof Element && (at.matches('input, textarea, select') || at.isContentEditable);
    const chord = (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState?.('AltGraph');
    if (typing || chord || !this.record || event.defaultPrevented || document.querySelector('[role=dialog]')) return;
    const key = /^[a-z]$/i.test(event.key) ? event.key.toLowerCase() : event.key, back = event.shiftKey;
    const to = (where, on = !back) => () => this.near(places[where], on, where !== 'change') ?? this.missing(where);
    const moves = {
      ArrowLeft: () => this.step(back ? 'search' : 'event', false), ArrowRight: () => this.step(back ? 'search' : 'event', true),
      ',': () => this.step('call', false), '.': () => this.step('call', true), Home: () => 1, End: () => this.total,
      '[': to('repair', false), ']': to('repair', true), '{': to('conflict', false), '}': to('conflict', true),
      p: to('prune'), s: to('refused'), e: to('error'),
      '(': to('change', false), ')': to('change', true), '<': () => this.runTo(false) ?? this.missing('hit'), '>': () => this.runTo(true) ?? this.missing('hit'),
    };
    const acts = {
      ' ': () => this.toggle(), '-': () => this.faster(-1), '+': () => this.faster(1), '=': () => this.faster(1),
      b: () => this.breakHere(), y: () => this.send('tab:why'), w: () => (back ? this.jump(to('change', false)()) : this.watch()),
      '?': () => this.toggleHelp(), Escape: () => (this.help.hidden ? this.send('select:') : this.toggleHelp()),
    };
    if (key === ' ' && tabbed && at instanceof Element && at.matches('button, a, summary')) return;
    if (!moves[key] && !acts[key]) return;
    event.preventDefault();
    this.said.textContent = '';
    if (moves[key]) this.jump(moves[key]());
    else acts[key]();
  }

  breakHere() {
    const kind = KINDS[this.record.codes[this.now - 1]];
    if (kind) this.send(`break:${kind}`);
  }

  // Why a key led nowhere.
  missing(where) {
    const { watch, points } = this.record, changes = this.places.change.length ? 'further changes' : 'changes';
    this.say({
      conflict: 'no conflicts in this run', repair: 'no repairs in this run', prune: 'nothing was pruned in this run',
      refused: 'no refused stops in this run', error: 'no errors in this run',
      hit: points.length ? 'no breakpoint is hit in this run' : 'no breakpoints; b sets one',
      change: watch ? `no ${changes} of ${cut(watch.id, 12)}` : 'nothing is watched; select a fact and press w',
    }[where]);
  }

  say(words) {
    this.said.textContent = words;
    clearTimeout(this.saying);
    this.saying = setTimeout(() => { this.said.textContent = ''; }, SAID_MS);
  }

  watch() {
    const id = this.watchable() || this.record.watch?.id;
    if (id) this.send(`watch:${id}`);
    else this.say('select a fact, node or claim to watch it');
  }

  grab(event) {
    const { still } = this.axis, at = (one) => this.axis.moment(one.clientX - still.getBoundingClientRect().left);
    const marked = event.target.closest('[data-at]'), lane = event.target.closest('[data-lane]');
    if (!marked && lane) { this.send(`select:${lane.dataset.lane}`); return; }
    still.setPointerCapture(event.pointerId);
    const move = (one) => { if (Math.abs(one.clientX - event.clientX) > 2) this.jump(at(one)); };
    const done = () => still.removeEventListener('pointermove', move);
    still.addEventListener('pointermove', move);
    still.addEventListener('pointerup', done, { once: true });
    still.addEventListener('pointercancel', done, { once: true });
    this.jump(marked ? Number(marked.dataset.at) : at(event));
  }

  lanes() {
    const most = [window.innerHeight < 880 ? 4 : 8, 24, 0][this.pace.lanes], { lanes, watch } = this.record;
    const shown = new Set(lanes.slice(0, most).map((one) => one.id));
    if (most) shown.add(this.selected).add(watch?.id);
    return lanes.filter((one) => shown.has(one.id)).sort((a, b) => a.born - b.born || a.id.length - b.id.length || (a.id < b.id ? -1 : 1));
  }

  draw() {
    const width = this.root.clientWidth;
    this.drawing = null;
    if (!width) return;
    this.bar.show();
    this.axis.draw(width);
    this.root.dataset.moment = this.now;
  }
}

function sorted(moments) { return [...new Set(moments)].filter((one) => one > 0).sort((a, b) => a - b); }

// Each call with its name, the moment it was made before and the one it led to; after the last event there is none, so that one stands for it.
function callsOf({ calls, total, led }) {
  const to = new Map(led);
  const found = [];
  let moment = 0, beside = false;
  for (const letter of calls) {
    if (letter === '.') moment += 1;
    else if (letter === '+') beside = true;
    else {
      const number = found.length + 1, before = Math.min(moment + 1, total);
      found.push({ number, before, after: to.get(number) ?? before, name: CALLS[letter.toLowerCase()] || 'call', failed: letter !== letter.toLowerCase(), beside });
      beside = false;
    }
  }
  return found;
}

function helpPanel() {
  const panel = el('div', 'help', undefined, { role: 'region', 'aria-label': 'Keys and marks' });
  panel.hidden = true;
  for (const [title, rows] of KEYS) {
    const keys = el('div', 'keys');
    for (const [key, what] of rows) keys.append(el('span', 'kbd', key), el('span', '', what));
    panel.append(el('h4', '', title), keys);
  }
  const marks = el('div', 'marks');
  for (const code of 'dgiwrlbmnoptfvuysCkxchqjBA') {
    const line = el('span'), picture = svg('svg', { width: 18, height: 18, viewBox: '-9 -9 18 18', 'aria-hidden': 'true' });
    picture.append(mark(code, 0, 0));
    if (code === 'p') picture.firstChild.setAttribute('transform', 'scale(.9)');
    line.append(picture, el('span', '', NAMES[code]));
    marks.append(line);
  }
  panel.append(el('h4', '', 'Marks on the timeline'), marks);
  return panel;
}

// Record and frame arrive in any order.
globalThis.retreeTimeline = (of) => {
  const record = records.get(of), frame = globalThis.retreeFrames?.get(of);
  if (!record || !frame || !frame.parent.isConnected) return;
  if (views.get(of)?.parent !== frame.parent) views.set(of, new View(frame.parent));
  views.get(of).update(record, frame);
};

export default function (component) {
  const data = JSON.parse(new TextDecoder().decode(component.data));
  records.set(data.of, data);
  globalThis.retreeTimeline(data.of);
}
