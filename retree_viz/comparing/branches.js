// The time axis of two runs: the trunk that both share, then a branch of each; it steps both.
// Marks and helpers are in timeline/marks.js, which Python puts before this file. All text goes in by textContent.
const views = new WeakMap();
const LEFT = 26, TRUNK = 66, ABOVE = 42, BELOW = 90, HEIGHT = 134;
ICONS.prevSearch = 'M8 3.500 3.500 8 8 12.500M13 3.500 8.500 8l4.500 4.500';
ICONS.nextSearch = 'M8 3.500 12.500 8 8 12.500M3 3.500 7.500 8 3 12.500';
const HELP = [
  ['← →', 'step both'], ['⇧← ⇧→', 'search'], ['Home End', 'ends'], ['[ ]', 'repair on either side'], ['{ }', 'conflict on either side'],
  ['d', 'where they part'], ['1 2 3', 'by search, event, claim'], ['⇧S', 'swap A and B'], ['v', 'another run'], ['⌫', 'back to A'], ['Esc', 'clear selection'], ['?', 'this list'],
];

class Branches {
  constructor(parent) {
    this.root = el('div', 'rt-branches', undefined, { 'data-testid': 'branches' });
    this.picture = svg('svg', { class: 'axis', role: 'img', height: HEIGHT });
    this.steps = el('div', 'steps', undefined, { role: 'group', 'aria-label': 'Step both' });
    this.help = el('div', 'help');
    this.help.hidden = true;
    for (const [key, what] of HELP) this.help.append(el('span', 'kbd', key), el('span', '', what));
    const ask = el('button', 'kbd ask', '?', { type: 'button', 'aria-label': 'Keys', title: 'Keys (?)' });
    ask.onclick = () => { this.help.hidden = !this.help.hidden; };
    this.root.append(this.steps, this.picture, ask, this.help);
    parent.append(this.root);
    this.wanted = null;
    this.sentAt = 0;
    this.buttons();
    new ResizeObserver(() => this.data && this.draw()).observe(this.root);
    this.picture.addEventListener('pointerdown', (event) => this.grab(event));
    const listen = (event) => (this.root.isConnected ? this.onKey(event) : window.removeEventListener('keydown', listen));
    window.addEventListener('keydown', listen);
  }

  update(data, send) {
    this.data = data;
    this.send = send;
    this.totals = data.codes.map((codes) => codes.length);
    this.stops = [...Array.from({ length: data.shared }, (_, at) => [at + 1, at + 1]), ...data.tail];
    const arrived = this.wanted && data.now[0] === this.wanted[0] && data.now[1] === this.wanted[1];
    if (!this.wanted || arrived || performance.now() - this.sentAt > 1500) { this.now = [...data.now]; this.wanted = null; }
    this.draw();
  }

  // --- moving ----------------------------------------------------------------------------------------------
  /** Place of the present pair among the stops; between two of them, the one before. */
  at() {
    const { stops } = this, exact = stops.findIndex(([a, b]) => a === this.now[0] && b === this.now[1]);
    if (exact >= 0) return exact;
    let found = 0;
    stops.forEach(([a, b], place) => { if (a < this.now[0] || (a === this.now[0] && b <= this.now[1])) found = place; });
    return found;
  }

  go(pair) {
    if (!pair || (pair[0] === this.now[0] && pair[1] === this.now[1])) return;
    this.now = this.wanted = [...pair];
    this.draw();
    clearTimeout(this.later);
    const wait = Math.max(0, 110 - (performance.now() - this.sentAt));
    this.later = setTimeout(() => { this.sentAt = performance.now(); this.send(`both:${this.now.join(',')}`); }, wait);
  }

  /** The next stop in a direction at which a test holds for the side that moved there; the end where there is none. */
  find(step, holds, end) {
    const { stops } = this;
    for (let place = this.at() + step; place >= 0 && place < stops.length; place += step) {
      const before = stops[place - 1] || [0, 0];
      if (stops[place].some((moment, side) => moment !== before[side] && holds(side, moment))) return stops[place];
    }
    return end;
  }

  isCode(codes) { return (side, moment) => codes.includes(this.data.codes[side][moment - 1]); }
  endsSearch() {
    const lasts = this.data.brackets.map((brackets) => new Set(brackets.map((one) => one.last)));
    return (side, moment) => lasts[side].has(moment);
  }

  moves() {
    const { stops } = this, last = stops[stops.length - 1], at = this.at();
    return {
      ArrowLeft: () => stops[at - 1], ArrowRight: () => stops[at + 1],
      'Shift+ArrowLeft': () => this.find(-1, this.endsSearch(), stops[0]), 'Shift+ArrowRight': () => this.find(1, this.endsSearch(), last),
      Home: () => stops[0], End: () => last,
      '[': () => this.find(-1, this.isCode('p')), ']': () => this.find(1, this.isCode('p')),
      '{': () => this.find(-1, this.isCode('m')), '}': () => this.find(1, this.isCode('m')),
    };
  }

  onKey(event) {
    const at = event.composedPath()[0];
    const typing = at instanceof Element && (at.matches('input, textarea, select') || at.isContentEditable);
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !this.data || event.defaultPrevented) return;
    if (document.querySelector('[role=dialog]')) return;
    const move = this.moves()[event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key];
    if (move) { event.preventDefault(); this.go(move()); }
    if (event.key === '?') this.help.hidden = !this.help.hidden;
    if (event.key === 'Escape') { if (this.help.hidden) this.send('select:'); else this.help.hidden = true; }
  }

  buttons() {
    const all = [
      ['first', 'Both to the first event (Home)', 'Home'], ['prevSearch', 'Previous search (Shift+Left)', 'Shift+ArrowLeft'], ['prev', 'Step back (Left)', 'ArrowLeft'],
      ['next', 'Step on (Right)', 'ArrowRight'], ['nextSearch', 'Next search (Shift+Right)', 'Shift+ArrowRight'], ['last', 'Both to the end (End)', 'End'],
    ];
    for (const [name, label, key] of all) {
      const made = el('button', 'ic', undefined, { type: 'button', 'aria-label': label, title: label });
      made.append(icon(name));
      made.onclick = () => this.go(this.moves()[key]());
      this.steps.append(made);
    }
  }

  grab(event) {
    const box = this.picture.getBoundingClientRect(), y = event.clientY - box.top;
    const moment = (one) => {
      const x = one.clientX - box.left, trunk = Math.round((x - LEFT) / this.dx + 0.5);
      return trunk <= this.data.shared ? trunk : Math.round((x - LEFT - this.gap) / this.dx + 0.5);
    };
    const side = moment(event) <= this.data.shared || this.data.shared === Math.max(...this.totals) ? -1 : y < TRUNK ? 0 : 1;
    const clamped = (wanted, which) => Math.max(Math.min(1, this.totals[which]), Math.min(this.totals[which], wanted));
    const move = (one) => {
      const wanted = moment(one);
      this.go(side < 0 ? [clamped(wanted, 0), clamped(wanted, 1)] : this.now.map((now, which) => (which === side ? clamped(wanted, which) : now)));
    };
    this.picture.setPointerCapture(event.pointerId);
    const done = () => this.picture.removeEventListener('pointermove', move);
    this.picture.addEventListener('pointermove', move);
    this.picture.addEventListener('pointerup', done, { once: true });
    this.picture.addEventListener('pointercancel', done, { once: true });
    move(event);
  }

  // --- drawing ---------------------------------------------------------------------------------------------
  draw() {
    const { data } = this, width = this.picture.clientWidth, most = Math.max(...this.totals, 1);
    if (!width) return;
    const right = Math.min(240, width * 0.2), parts = data.shared < most;
    this.gap = parts && data.shared ? 22 : 0;
    this.dx = (width - LEFT - right - this.gap) / most;
    const out = document.createDocumentFragment();
    this.lines(out, parts);
    this.brackets(out);
    if (data.shared) this.marks(out, 0, 1, data.shared, TRUNK);
    if (parts) [0, 1].forEach((side) => this.marks(out, side, data.shared + 1, this.totals[side], side ? BELOW : ABOVE));
    this.heads(out);
    this.names(out, parts);
    this.picture.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    this.picture.setAttribute('aria-label', `${data.shared} events that both share, then A with ${this.totals[0] - data.shared} more and B with ${this.totals[1] - data.shared} more; A at event ${this.now[0]}, B at event ${this.now[1]}`);
    this.picture.replaceChildren(out);
    this.root.dataset.a = this.now[0];
    this.root.dataset.b = this.now[1];
  }

  x(moment) { return LEFT + (moment - 0.5) * this.dx + (moment > this.data.shared ? this.gap : 0); }
  y(side, moment) { return moment <= this.data.shared ? TRUNK : side ? BELOW : ABOVE; }

  lines(out, parts) {
    const { shared } = this.data, start = shared ? this.x(shared) : LEFT - 14;
    if (shared) out.append(svg('path', { d: `M${this.x(1)} ${TRUNK}H${start}`, stroke: 'var(--line-3)', 'stroke-width': 1.5, fill: 'none' }));
    if (!parts) return;
    [0, 1].forEach((side) => {
      const y = side ? BELOW : ABOVE, from = start + 6, first = LEFT + shared * this.dx + this.gap;
      const bend = `M${from} ${TRUNK}C${from + 14} ${TRUNK} ${first - 14} ${y} ${first} ${y}`;
      const look = side ? { stroke: 'var(--ink)', 'stroke-dasharray': '5 3' } : { stroke: 'var(--focus)' };
      if (this.totals[side] > shared) out.append(svg('path', { d: `${bend}H${this.x(this.totals[side])}`, fill: 'none', 'stroke-width': 2, ...look }));
      else out.append(svg('path', { d: bend, fill: 'none', 'stroke-width': 2, ...look }));
    });
  }

  brackets(out) {
    const { shared, brackets } = this.data;
    const draw = (one, y, words, below = false) => {
      const from = this.x(Math.max(one.first, one.from)) - this.dx * 0.36, to = this.x(one.to) + this.dx * 0.36, room = Math.floor((to - from) / 6) - 2;
      if (to - from < 4) return;
      const label = svg('text', { x: from, y: below ? y + 11 : y - 4, class: 'query' }), tick = below ? -5 : 5;
      out.append(svg('path', { d: `M${from} ${y + tick}v${-tick}H${to}v${tick}`, fill: 'none', stroke: 'var(--line-3)' }));
      if (room < 0) return;
      label.append(svg('tspan', { 'font-weight': 700 }, String(one.number)));
      const letters = [...words];
      if (room > 2) label.append(svg('tspan', {}, ` ${letters.length > room ? letters.slice(0, room - 1).join('') + '…' : words}`));
      label.append(svg('title', {}, `search ${one.number}: ${one.query}`));
      out.append(label);
    };
    const words = (one) => (one.forced ? 'forced: question' : one.query);
    for (const one of brackets[0]) if (one.first <= shared) draw({ ...one, from: 1, to: Math.min(one.last, shared) }, 48, words(one));
    [0, 1].forEach((side) => {
      for (const one of brackets[side]) {
        if (one.last > shared && shared < this.totals[side]) draw({ ...one, from: shared + 1, to: one.last }, side ? 118 : 20, words(one), side === 1);
      }
    });
  }

  marks(out, side, first, last, y) {
    const codes = this.data.codes[side], dense = this.dx < 5, scale = Math.min(1, Math.max(0.55, this.dx / 13));
    let drawn = -99;
    for (let moment = first; moment <= last; moment++) {
      const code = codes[moment - 1], x = this.x(moment);
      if (dense && (!NOTABLE.includes(code) || (code !== 'p' && x - drawn < 4))) continue;
      drawn = x;
      const group = mark(code, x, y);
      group.setAttribute('transform', `translate(${x} ${y}) scale(${code === 'p' ? Math.max(scale, 0.8) : scale})`);
      if (moment > this.now[side]) group.setAttribute('opacity', '.55');
      group.append(svg('title', {}, `${moment <= this.data.shared ? '' : side ? 'B ' : 'A '}${moment} ${NAMES[code] || 'unknown'}`));
      out.append(group);
    }
  }

  heads(out) {
    const { shared } = this.data, [a, b] = this.now;
    const together = a === b && a <= shared;
    [0, 1].forEach((side) => {
      const now = this.now[side];
      if (now < 1 || (together && side)) return;
      const x = this.x(now), y = this.y(side, now), words = together ? String(now) : `${side ? 'B' : 'A'} ${now}`;
      const half = words.length * 3.2 + 5, label = y + (side && now > shared ? 10 : side ? 22 : 9);
      out.append(svg('path', { d: `M${x} ${y - 13}V${y + 13}`, stroke: 'var(--ink)', 'stroke-width': 1.5 }));
      out.append(svg('rect', { x: x - half, y: label, width: 2 * half, height: 13, rx: 3, fill: 'var(--ink)' }));
      out.append(svg('text', { x, y: label + 10, 'text-anchor': 'middle', class: 'head' }, words));
    });
  }

  names(out, parts) {
    const { shared, ends } = this.data;
    const write = (x, y, name, end, cls) => {
      const room = Math.max(6, Math.floor((this.picture.clientWidth - x - 14) / 6.4)), whole = [name, end].filter(Boolean).join(' ');
      const shown = [...whole].length > room ? [...whole].slice(0, room - 1).join('') + '…' : whole;
      const label = svg('text', { x, y: y + 4, class: `name ${cls}` }, shown);
      label.append(svg('title', {}, whole));
      out.append(label);
    };
    if (!parts) { write(this.x(shared) + 14, TRUNK, 'A and B', ends[0], 'a'); return; }
    [0, 1].forEach((side) => {
      const last = Math.max(this.totals[side], shared), x = this.totals[side] > shared ? this.x(last) : LEFT + shared * this.dx + this.gap;
      write(x + 14, side ? BELOW : ABOVE, side ? 'B' : 'A', ends[side], side ? 'b' : 'a');
    });
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  if (!views.has(parentElement)) views.set(parentElement, new Branches(parentElement));
  views.get(parentElement).update(data, (what) => setTriggerValue('do', what));
}
