// The time axis: step controls, one tick an event, searches as brackets, repairs as bands, evidence lanes.
// All text goes in by textContent. Python sends the whole run once a step; everything between is drawn here.
// Helpers and shapes are in marks.js, which Python puts before this file.
const views = new WeakMap();
let lanesMode = 0;

class View {
  constructor(parent) {
    this.root = el('div', 'rt-timeline', undefined, { 'data-testid': 'timeline' });
    this.bar = el('div', 'bar');
    this.picture = svg('svg', { class: 'axis', role: 'img' });
    this.help = el('div', 'help');
    this.help.hidden = true;
    this.root.append(this.bar, this.picture, this.help);
    parent.append(this.root);
    this.wanted = null;
    this.sentAt = 0;
    this.fillHelp();
    new ResizeObserver(() => this.data && this.draw()).observe(this.root);
    this.picture.addEventListener('pointerdown', (event) => this.grab(event));
    const listen = (event) => (this.root.isConnected ? this.onKey(event) : window.removeEventListener('keydown', listen));
    window.addEventListener('keydown', listen);
  }

  update(data, send) {
    this.data = data;
    this.send = send;
    const settled = this.wanted === null || data.now === this.wanted || performance.now() - this.sentAt > 1500;
    if (settled) { this.now = data.now; this.wanted = null; }
    this.stops = [...new Set([1, ...data.brackets.map((one) => one.last), data.total])].filter((one) => one > 0).sort((a, b) => a - b);
    this.fillBar();
    this.draw();
  }

  places(codes) { return [...this.data.codes].flatMap((code, at) => (codes.includes(code) ? [at + 1] : [])); }
  after(places) { return places.find((one) => one > this.now) ?? places[0]; }
  before(places) { return places.filter((one) => one < this.now).pop() ?? places[places.length - 1]; }

  go(moment) {
    if (!this.data || moment === undefined) return;
    moment = Math.max(Math.min(1, this.data.total), Math.min(this.data.total, moment));
    if (moment === this.now) return;
    this.now = this.wanted = moment;
    this.draw();
    this.fillBar();
    clearTimeout(this.later);
    const wait = Math.max(0, 110 - (performance.now() - this.sentAt));
    this.later = setTimeout(() => { this.sentAt = performance.now(); this.send(`go:${this.now}`); }, wait);
  }

  onKey(event) {
    const at = event.composedPath()[0];
    const typing = at instanceof Element && (at.matches('input, textarea, select') || at.isContentEditable);
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !this.data || event.defaultPrevented) return;
    if (document.querySelector('[role=dialog]')) return;
    const moves = {
      ArrowLeft: () => (event.shiftKey ? this.before([-1, ...this.stops].filter((one) => one < this.now)) : this.now - 1),
      ArrowRight: () => (event.shiftKey ? this.stops.find((one) => one > this.now) : this.now + 1),
      Home: () => 1, End: () => this.data.total,
      '[': () => this.before(this.places('p')), ']': () => this.after(this.places('p')),
      '{': () => this.before(this.places('m')), '}': () => this.after(this.places('m')),
    };
    if (moves[event.key]) { event.preventDefault(); this.go(moves[event.key]()); }
    if (event.key === '?') this.help.hidden = !this.help.hidden;
    if (event.key === 'Escape') { if (!this.help.hidden) this.help.hidden = true; else this.send('select:'); }
  }

  grab(event) {
    const lane = event.target.closest('[data-lane]');
    if (lane) { this.send(`select:${lane.dataset.lane}`); return; }
    const at = (one) => Math.round((one.clientX - this.picture.getBoundingClientRect().left - this.left) / this.dx + 0.5);
    this.picture.setPointerCapture(event.pointerId);
    const move = (one) => this.go(at(one));
    const done = () => this.picture.removeEventListener('pointermove', move);
    this.picture.addEventListener('pointermove', move);
    this.picture.addEventListener('pointerup', done, { once: true });
    this.picture.addEventListener('pointercancel', done, { once: true });
    move(event);
  }

  button(parent, name, label, act, cls = 'ic', more = []) {
    const made = el('button', cls, undefined, { type: 'button', 'aria-label': label, title: label });
    made.append(icon(name), ...more);
    made.onclick = act;
    parent.append(made);
    return made;
  }

  fillBar() {
    const key = `${this.data.codes.length}:${this.data.codes.slice(-40)}:${this.data.lanes.length}:${lanesMode}:${this.now <= 1}:${this.now >= this.data.total}`;
    if (key === this.barKey) return;
    this.barKey = key;
    const focused = this.root.getRootNode().activeElement?.getAttribute?.('aria-label');
    this.bar.replaceChildren();
    const steps = el('span', 'steps', undefined, { role: 'group', 'aria-label': 'Step' });
    const stepped = [
      ['first', 'First event (Home)', () => 1, true], ['prevSearch', 'Previous search (Shift+Left)', () => this.stops.filter((one) => one < this.now).pop(), true],
      ['prev', 'Previous event (Left)', () => this.now - 1, true], ['next', 'Next event (Right)', () => this.now + 1, false],
      ['nextSearch', 'Next search (Shift+Right)', () => this.stops.find((one) => one > this.now), false], ['last', 'Last event (End)', () => this.data.total, false],
    ];
    for (const [name, label, to, back] of stepped) {
      this.button(steps, name, label, () => this.go(to())).disabled = back ? this.now <= 1 : this.now >= this.data.total;
    }
    this.bar.append(steps, el('span', 'vr'));
    const jumps = el('span', 'jumps', undefined, { role: 'group', 'aria-label': 'Jump' });
    this.jump(jumps, 'conflict', 'Conflict', 'm', 'conflict');
    this.jump(jumps, 'repair', 'Repair', 'p', 'repair');
    this.jump(jumps, 'cut', 'Prune', 't', '');
    this.jump(jumps, 'stop', 'Refused', 'f', 'refuse');
    this.bar.append(jumps, el('span', 'sp'), this.lanesButton());
    const help = el('button', 'kbd', '?', { type: 'button', 'aria-label': 'Keys and marks', title: 'Keys and marks (?)' });
    help.onclick = () => { this.help.hidden = !this.help.hidden; };
    this.bar.append(help);
    if (focused) this.bar.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  }

  jump(parent, name, label, code, tone) {
    const places = this.places(code);
    if (!places.length) return;
    const group = el('span', `jump ${tone}`);
    this.button(group, 'prev', `Previous ${label.toLowerCase()}`, () => this.go(this.before(places)), 'mini');
    this.button(group, name, `Next ${label.toLowerCase()}`, () => this.go(this.after(places)), 'main', [el('span', 'word', label), el('span', 'n', String(places.length))]);
    this.button(group, 'next', `Next ${label.toLowerCase()} `, () => this.go(this.after(places)), 'mini');
    parent.append(group);
  }

  lanes() {
    const most = [window.innerHeight < 880 ? 4 : 8, 24, 0][lanesMode];
    const chosen = new Set(this.data.lanes.slice(0, most).map((one) => one.id));
    if (most && this.data.selected) this.data.lanes.filter((one) => one.id === this.data.selected).forEach((one) => chosen.add(one.id));
    return this.data.lanes.filter((one) => chosen.has(one.id)).sort((a, b) => a.born - b.born || a.id.length - b.id.length || (a.id < b.id ? -1 : 1));
  }

  lanesButton() {
    const shown = this.lanes().length;
    const made = el('button', 'lanes', `Lanes ${shown} of ${this.data.lanes_total}`, { type: 'button', title: 'Few, all or no evidence lanes' });
    made.onclick = () => { lanesMode = (lanesMode + 1) % 3; this.barKey = null; this.fillBar(); this.draw(); };
    return made;
  }

  draw() {
    const { data } = this, width = this.root.clientWidth;
    if (!width) return;
    const left = 58, right = 84, total = Math.max(1, data.total), lanes = this.lanes();
    const dx = (width - left - right) / total, x = (moment) => left + (moment - 0.5) * dx;
    const tick = 42, context = 84, laneTop = data.context.length ? 94 : 66, height = laneTop + lanes.length * 11 + 6;
    Object.assign(this, { left, dx });
    const out = document.createDocumentFragment();
    const text = (at, y, words, attributes = {}) => out.append(svg('text', { x: at, y, ...attributes }, words));
    const rect = (at, y, w, h, attributes) => out.append(svg('rect', { x: at, y, width: Math.max(0, w), height: h, ...attributes }));
    const line = (d, attributes) => out.append(svg('path', { d, fill: 'none', ...attributes }));
    rect(x(this.now) + dx / 2, 0, width - x(this.now) - dx / 2, height, { fill: 'var(--shade)' });
    for (const band of data.bands) {
      const from = x(band.first) - dx / 2, to = x(band.last) + dx / 2;
      rect(from, 0, to - from, height, { fill: 'var(--repair-bg)' });
      line(`M${from} 0V${height}M${to} 0V${height}`, { stroke: 'var(--repair-line)' });
    }
    this.drawBrackets(out, x, dx);
    text(12, tick + 4, 'events');
    this.drawTicks(out, x, dx, tick);
    if (data.context.length) this.drawContext(out, x, dx, context, width - right, text);
    lanes.forEach((lane, at) => this.drawLane(out, lane, x, laneTop + at * 11 + 5.5, width - right));
    for (const band of data.bands.slice(0, 40)) {
      if (x(band.last) - x(band.first) > 60) text(x(band.first) - dx / 2 + 5, context - 4, `repair of ${band.evidence}`, { class: 'repair' });
    }
    this.drawHead(out, x(this.now), height);
    this.picture.setAttribute('height', height);
    this.picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.picture.setAttribute('aria-label', `${data.total} events, ${data.brackets.length} searches, ${data.bands.length} repairs; now at event ${this.now}: ${NAMES[data.codes[this.now - 1]] || 'nothing yet'}`);
    this.picture.replaceChildren(out);
    this.root.dataset.moment = this.now;
  }

  drawBrackets(out, x, dx) {
    for (const one of this.data.brackets) {
      const from = x(one.first) - dx * 0.36, to = x(one.last) + dx * 0.36, room = Math.floor((to - from) / 6) - 2;
      out.append(svg('path', { d: `M${from} 27v-5H${to}v5`, fill: 'none', stroke: 'var(--line-3)' }));
      if (room < 0) continue;
      const words = one.forced ? 'forced: question' : one.query, label = svg('text', { x: from, y: 18, class: 'query' });
      label.append(svg('tspan', { 'font-weight': 700 }, String(one.number)));
      const letters = [...words];
      if (room > 2) label.append(svg('tspan', {}, ` ${letters.length > room ? letters.slice(0, room - 1).join('') + '…' : words}`));
      label.append(svg('title', {}, `search ${one.number}: ${one.query}`));
      out.append(label);
    }
  }

  drawTicks(out, x, dx, y) {
    const codes = this.data.codes, dense = dx < 5;
    if (dense) out.append(svg('path', { d: `M${x(1)} ${y}H${x(codes.length)}`, stroke: 'var(--line-3)', 'stroke-dasharray': '1 2' }));
    const scale = Math.min(1, Math.max(0.55, dx / 13));
    let last = -99;
    [...codes].forEach((code, at) => {
      const notable = NOTABLE.includes(code);
      if (dense && (!notable || (code !== 'p' && x(at + 1) - last < 4))) return;
      last = x(at + 1);
      const group = mark(code, x(at + 1), y);
      group.setAttribute('transform', `translate(${x(at + 1)} ${y}) scale(${code === 'p' ? Math.max(scale, 0.8) : scale})`);
      if (at + 1 > this.now) group.setAttribute('opacity', '.5');
      group.append(svg('title', {}, `${at + 1} ${NAMES[code] || 'unknown'}`));
      out.append(group);
    });
  }

  drawContext(out, x, dx, base, end, text) {
    const most = Math.max(...this.data.context.map(([, size]) => size), 1), high = 20;
    text(12, base - 4, 'context');
    out.append(svg('path', { d: `M${this.left} ${base - high}H${end}`, stroke: 'var(--line-3)', 'stroke-dasharray': '2 3' }));
    text(end + 6, base - high + 4, `max ${most.toLocaleString('en')}`);
    for (const [moment, size] of this.data.context) {
      const bar = svg('rect', { x: x(moment) - Math.min(dx * 0.36, 8), y: base - (size / most) * high, width: Math.max(1, Math.min(dx * 0.72, 16)), height: (size / most) * high, fill: 'var(--ink-3)', opacity: moment > this.now ? 0.4 : 0.75 });
      bar.append(svg('title', {}, `policy context at event ${moment}: ${size.toLocaleString('en')} characters`));
      out.append(bar);
    }
  }

  drawLane(out, lane, x, y, end) {
    const group = svg('g', { 'data-lane': lane.id, class: lane.id === this.data.selected ? 'lane on' : 'lane' });
    const repaired = lane.marks.filter(([, code]) => code === 'p').map(([moment]) => moment), from = x(lane.born), to = lane.gone ? x(lane.gone) : end;
    const strong = repaired.length > 0, colour = lane.gone ? 'ghost' : 'focus';
    group.append(svg('rect', { x: 0, y: y - 5.5, width: end + 84, height: 11, fill: 'transparent' }));
    group.append(svg('text', { x: 12, y: y + 3.5, class: strong || lane.id === this.data.selected ? 'id strong' : 'id' }, lane.id.slice(0, 7)));
    group.append(svg('path', { d: `M${from} ${y}H${lane.gone ? to - 5 : to}`, stroke: `var(--${colour})`, 'stroke-width': strong ? 2.5 : 1.5 }));
    if (strong) group.append(svg('path', { d: `M${x(repaired[0])} ${y}H${lane.gone ? to - 5 : to}`, stroke: 'var(--repair)', 'stroke-width': 4 }));
    if (lane.gone) group.append(svg('path', { d: `M${to - 3} ${y - 3}l6 6M${to + 3} ${y - 3}l-6 6`, stroke: 'var(--ink)', 'stroke-width': 1.5 }));
    group.append(svg('circle', { cx: from, cy: y, r: 3, fill: `var(--${colour})` }));
    for (const [moment, code] of lane.marks) {
      if (code === 'p') group.append(svg('circle', { cx: x(moment), cy: y, r: 4.5, fill: 'var(--repair)' }));
      else { const made = mark(code, x(moment), y); made.setAttribute('transform', `translate(${x(moment)} ${y}) scale(.72)`); group.append(made); }
    }
    group.append(svg('text', { x: end + 6, y: y + 3.5, class: lane.end.startsWith('cited') ? 'end claim' : 'end' }, lane.end));
    group.append(svg('title', {}, `${lane.id}: from event ${lane.born}${lane.gone ? `, pruned at ${lane.gone}` : ''}${repaired.length ? `, repaired at ${repaired.join(', ')}` : ''}. Click to select.`));
    out.append(group);
  }

  drawHead(out, x, height) {
    if (this.now < 1) return;
    out.append(svg('path', { d: `M${x} 0V${height}`, stroke: 'var(--ink)', 'stroke-width': 1.5 }));
    const label = String(this.now), half = Math.max(9, label.length * 3.2 + 4);
    out.append(svg('path', { d: `M${x - half} 0h${2 * half}v9l-${half} 6-${half}-6z`, fill: 'var(--ink)' }));
    out.append(svg('text', { x, y: 9.5, 'text-anchor': 'middle', class: 'head' }, label));
  }

  fillHelp() {
    this.help.append(el('h4', '', 'Keys'));
    const keys = el('div', 'keys');
    for (const [key, what] of KEYS) keys.append(el('span', 'kbd', key), el('span', '', what));
    this.help.append(keys, el('h4', '', 'Marks on the timeline'));
    const marks = el('div', 'marks');
    for (const code of 'dgiwrlbmnoptfvuyskx') {
      const line = el('span'), picture = svg('svg', { width: 18, height: 18, viewBox: '-9 -9 18 18', 'aria-hidden': 'true' });
      picture.append(mark(code, 0, 0));
      if (code === 'p') picture.firstChild.setAttribute('transform', 'scale(.9)');
      line.append(picture, el('span', '', NAMES[code]));
      marks.append(line);
    }
    this.help.append(marks);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  if (!views.has(parentElement)) views.set(parentElement, new View(parentElement));
  views.get(parentElement).update(data, (what) => setTriggerValue('do', what));
}
