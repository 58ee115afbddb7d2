// The picture under the controls: searches, one tick an event, breakpoints, policy contexts, lanes, the playhead.
const LEFT = 58, RIGHT = 84, TICK = 42, DOTS = 56, CONTEXT = 84, HIGH = 20, LOW = 3, ROW = 11;
const BIN = 6; // pixels that share one tick where events are many
const MANY = 120; // of one thing: they are drawn as one path
const figures = new Intl.NumberFormat('en');

class Axis {
  constructor(view) {
    this.view = view;
    this.root = el('div', 'picture');
    this.still = svg('svg', { class: 'axis', role: 'slider', tabindex: 0, 'aria-label': 'Moment', 'aria-valuemin': 1 }); // what a step does not change
    this.now = svg('svg', { class: 'now', 'aria-hidden': 'true' });
    this.root.append(this.still, this.now);
    this.still.addEventListener('pointerup', () => this.still.blur()); // a ring is for the keyboard
  }

  moment(x) { return Math.round((x - LEFT) / this.dx + 0.5); }
  x(moment) { return LEFT + (moment - 0.5) * this.dx; }

  text(x, y, words, attributes = {}) { this.out.append(svg('text', { x, y, ...attributes }, words)); }
  line(d, attributes) { this.out.append(svg('path', { d, fill: 'none', ...attributes })); }

  draw(width) {
    const { view } = this, lanes = view.lanes();
    const drawn = [width, view.unit, view.selected, lanes.length];
    if (view.record !== this.record || String(drawn) !== this.drawn) this.drawStill(width, lanes);
    Object.assign(this, { record: view.record, drawn: String(drawn) });
    this.drawNow(width);
    const value = { max: view.total, now: view.now, text: this.words() };
    for (const name in value) this.still.setAttribute(`aria-value${name}`, value[name]);
  }

  drawStill(width, lanes) {
    const { record, total } = this.view, odd = record.watch && !lanes.some((one) => one.id === record.watch.id);
    const top = record.context.length ? 94 : 66;
    this.out = document.createDocumentFragment();
    this.dx = (width - LEFT - RIGHT) / Math.max(1, total);
    this.end = width - RIGHT;
    this.height = top + (lanes.length + (odd ? 1 : 0)) * ROW + 6;
    this.bands();
    this.brackets();
    this.text(12, TICK + 4, 'events');
    this.ticks();
    this.dots();
    this.notes();
    if (record.context.length) this.context();
    if (odd) this.watched(top + ROW / 2);
    lanes.forEach((lane, at) => this.lane(lane, top + (at + (odd ? 1 : 0)) * ROW + ROW / 2));
    this.show(this.still, width);
  }

  // All that is later is veiled; the head stands where the user is.
  drawNow(width) {
    const { now, places } = this.view, x = this.x(now), from = x + this.dx / 2;
    this.out = document.createDocumentFragment();
    this.out.append(svg('rect', { x: from, y: 28, width: Math.max(0, this.end - from), height: CONTEXT - 27, fill: 'var(--panel)', opacity: 0.5 }));
    this.out.append(svg('rect', { x: from, y: 0, width: Math.max(0, width - from), height: this.height, fill: 'var(--shade)' }));
    for (const [from, to, name] of this.names) {
      const wide = name.length * 6 + 5, under = x > from && x < from + wide; // beside the head's line, not under it
      const at = !under ? from : x + 5 + wide < to || x - wide < from - 5 ? x + 5 : x - wide;
      this.text(at, CONTEXT - 4, name, { class: 'repair' });
    }
    if (places.hit.includes(now)) this.out.append(svg('circle', { cx: x, cy: DOTS, r: 4, fill: 'var(--conflict)' }));
    this.head();
    this.show(this.now, width);
  }

  show(picture, width) {
    picture.setAttribute('height', this.height);
    picture.setAttribute('viewBox', `0 0 ${width} ${this.height}`);
    picture.replaceChildren(this.out);
  }

  words() {
    const { record, now, total, paused } = this.view;
    const said = [`${total} events, ${record.brackets.length} searches, ${record.bands.length} repairs; now at event ${now}: ${NAMES[record.codes[now - 1]] || 'nothing yet'}`];
    if (this.view.places.hit.includes(now)) said.push('at a breakpoint');
    if (paused) said.push(paused);
    return said.join('; ');
  }

  bands() {
    const { bands } = this.view.record, edges = bands.map((one) => [this.x(one.first) - this.dx / 2, this.x(one.last) + this.dx / 2]);
    this.out.append(svg('path', { d: edges.map(([from, to]) => `M${from} 0H${to}V${this.height}H${from}z`).join(''), fill: 'var(--repair-bg)' }));
    this.line(edges.map(([from, to]) => (to - from > 2 ? `M${from} 0V${this.height}M${to} 0V${this.height}` : '')).join(''), { stroke: 'var(--repair-line)' });
    this.names = edges.flatMap(([from, to], at) => (to - from > 60 ? [[from + 5, to, `repair of ${bands[at].evidence}`]] : []));
  }

  brackets() {
    let free = 0; // where the next label may begin
    for (const one of this.view.record.brackets) {
      const from = this.x(one.first) - this.dx * 0.36, to = this.x(one.last) + this.dx * 0.36, room = Math.floor((to - from) / 6) - 2;
      if (to - from < 3) continue;
      this.line(`M${from} 27v-5H${to}v5`, { stroke: 'var(--line-3)' });
      if (from < free) continue;
      free = from + String(one.number).length * 6 + 5;
      const words = one.forced ? 'forced: question' : one.query, label = svg('text', { x: from, y: 18, class: 'query' });
      label.append(svg('tspan', { 'font-weight': 700 }, String(one.number)));
      const letters = [...words];
      if (room > 2) label.append(svg('tspan', {}, ` ${letters.length > room ? letters.slice(0, room - 1).join('') + '…' : words}`));
      label.append(svg('title', {}, `search ${one.number}: ${one.query}`));
      this.out.append(label);
    }
  }

  ticks() {
    const { record, places } = this.view;
    if (this.dx >= BIN * 0.7) {
      const scale = Math.min(1, Math.max(0.55, this.dx / 13));
      [...record.codes].forEach((code, at) => this.tick(code, at + 1, scale, `${at + 1} ${NAMES[code] || 'unknown'}`));
      return;
    }
    this.bins(record.codes);
    if (places.repair.length > MANY) this.line(places.repair.map((one) => `M${this.x(one)} ${TICK - 12}v24`).join(''), { stroke: 'var(--repair)' });
    else for (const at of places.repair) this.tick('p', at, 0.8, `${at} ${NAMES.p}`);
  }

  tick(code, moment, scale, title) {
    const group = mark(code, 0, 0);
    group.setAttribute('transform', `translate(${this.x(moment)} ${TICK}) scale(${code === 'p' ? Math.max(scale, 0.8) : scale})`);
    group.dataset.at = moment;
    group.append(svg('title', {}, title));
    this.out.append(group);
  }

  // Every stretch of a few pixels is one tick: the mark of the weightiest event in it, or a stroke in the colour of the first.
  bins(codes) {
    const width = Math.ceil(BIN / this.dx);
    for (let from = 0; from < codes.length; from += width) {
      const inside = codes.slice(from, from + width), code = [...NOTABLE].find((one) => inside.includes(one)) || inside[0];
      const moment = from + 1 + inside.indexOf(code), counts = {};
      for (const one of inside) counts[one] = (counts[one] || 0) + 1;
      const title = `${from + 1} to ${from + inside.length}: ${Object.keys(counts).map((one) => `${counts[one]} × ${NAMES[one] || 'unknown'}`).join(', ')}`;
      if (NOTABLE.includes(code)) { this.tick(code, moment, 0.55, title); continue; }
      const stroke = svg('path', { d: `M${this.x(moment)} ${TICK - 4}v8`, stroke: `var(--${(SHAPES[code] || SHAPES['?'])[0][2]})`, 'stroke-width': 1.5, 'data-at': moment });
      stroke.append(svg('title', {}, title));
      this.out.append(stroke);
    }
  }

  // Above the tick of an event that somebody wrote a note on or labelled.
  notes() {
    let last = -9;
    for (const [moment, sign, words] of this.view.record.notes) {
      const x = this.x(moment), [d, colour] = NOTES[sign] || NOTES.note;
      if (x - last < 6) continue;
      last = x;
      const group = svg('g', { transform: `translate(${x} 29.5)`, class: 'note', 'data-at': moment });
      group.append(svg('circle', { r: 5, fill: 'var(--panel)' }));
      group.append(svg('path', { d, fill: 'none', stroke: `var(--${colour})`, 'stroke-width': 1.8, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }));
      group.append(svg('title', {}, `${moment} ${sign === 'note' ? 'note' : `labelled ${sign}`}: ${words}`));
      this.out.append(group);
    }
  }

  dots() {
    const { places, unit, calls } = this.view;
    let last = -9;
    for (const at of places.hit) {
      if (this.x(at) - last < 3) continue;
      last = this.x(at);
      const dot = svg('circle', { cx: last, cy: DOTS, r: 2.5, fill: 'var(--conflict)', 'data-at': at, class: 'dot' });
      dot.append(svg('title', {}, `breakpoint at event ${at}`));
      this.out.append(dot);
    }
    if (unit !== 'call') return;
    last = -9;
    for (const { before, after, name, failed, number, beside } of calls) {
      const place = this.x(before) - this.dx / 2, x = beside ? place + 3 : place; // made at the same time: two strokes close together
      if (x - last < 2) continue;
      last = x;
      const stroke = svg('path', { d: `M${x} ${TICK + 8}v5`, stroke: `var(--${failed ? 'conflict' : 'ink-3'})`, 'stroke-width': 1.5, class: 'call', 'data-at': after });
      stroke.append(svg('title', {}, `call ${number}: ${name}${beside ? `, beside call ${number - 1}` : ''}${failed ? ', failed' : ''}`));
      this.out.append(stroke);
    }
  }

  context() {
    const { record } = this.view, most = record.context.reduce((high, [, size]) => Math.max(high, size), 1);
    const full = Math.max(most, record.bound || 0), y = CONTEXT - ((record.bound || most) / full) * HIGH;
    this.text(12, CONTEXT - 4, 'context');
    this.line(`M${LEFT} ${y}H${this.end}`, { stroke: 'var(--line-3)', 'stroke-dasharray': '2 3', class: 'bound' });
    this.text(this.end + 6, y + 4, `${record.bound ? 'bound' : 'max'} ${figures.format(record.bound || most)}`);
    const high = new Map(); // the highest of each pixel
    for (const [moment, size] of record.context) {
      const pixel = Math.round(this.x(moment));
      if (size > (high.get(pixel)?.[1] ?? -1)) high.set(pixel, [moment, size]);
    }
    const wide = Math.max(1, Math.min(this.dx * 0.72, 16)), tall = (size) => Math.max(LOW, (size / full) * HIGH);
    const shape = ([moment, size]) => `M${this.x(moment) - wide / 2} ${CONTEXT}v${-tall(size)}h${wide}v${tall(size)}z`;
    const bars = [...high.values()].map((one) => [one, record.bound && one[1] > record.bound ? 'conflict' : 'ink-3']);
    if (bars.length > MANY) {
      for (const colour of ['ink-3', 'conflict']) {
        const d = bars.filter(([, own]) => own === colour).map(([one]) => shape(one)).join('');
        this.out.append(svg('path', { d, fill: `var(--${colour})` }));
      }
      return;
    }
    for (const [one, colour] of bars) {
      const bar = svg('path', { d: shape(one), fill: `var(--${colour})` }), of = record.bound ? ` of at most ${figures.format(record.bound)}` : '';
      bar.append(svg('title', {}, `policy context at event ${one[0]}: ${figures.format(one[1])} characters${of}`));
      this.out.append(bar);
    }
  }

  lane(lane, y) {
    const x = (moment) => this.x(moment), { view, end } = this, { selected } = view, watched = view.record.watch?.id === lane.id;
    const group = svg('g', { 'data-lane': lane.id, class: lane.id === selected ? 'lane on' : 'lane' });
    const repaired = lane.marks.filter(([, code]) => code === 'p').map(([moment]) => moment), from = x(lane.born), to = lane.gone ? x(lane.gone) : end;
    const strong = repaired.length > 0, colour = lane.gone ? 'ghost' : 'focus', stop = lane.gone ? to - 5 : to;
    group.append(svg('rect', { x: 0, y: y - 5.5, width: end + RIGHT, height: ROW, fill: 'transparent' }));
    this.label(group, lane.id, y, strong || lane.id === selected, watched);
    group.append(svg('path', { d: `M${from} ${y}H${stop}`, stroke: `var(--${colour})`, 'stroke-width': strong ? 2.5 : 1.5 }));
    if (strong) group.append(svg('path', { d: `M${x(repaired[0])} ${y}H${stop}`, stroke: 'var(--repair)', 'stroke-width': 4 }));
    if (lane.gone) group.append(svg('path', { d: `M${to - 3} ${y - 3}l6 6M${to + 3} ${y - 3}l-6 6`, stroke: 'var(--ink)', 'stroke-width': 1.5 }));
    group.append(svg('circle', { cx: from, cy: y, r: 3, fill: `var(--${colour})` }));
    if (watched) this.changes(group, y);
    for (const [moment, code] of lane.marks) {
      if (code === 'p') group.append(svg('circle', { cx: x(moment), cy: y, r: 4.5, fill: 'var(--repair)', class: 'mark' }));
      else { const made = mark(code, x(moment), y); made.setAttribute('class', 'mark'); made.setAttribute('transform', `translate(${x(moment)} ${y}) scale(.72)`); group.append(made); }
    }
    group.append(svg('text', { x: end + 6, y: y + 3.5, class: lane.end.startsWith('cited') ? 'end claim' : 'end' }, lane.end));
    group.append(svg('title', {}, `${lane.id}: from event ${lane.born}${lane.gone ? `, pruned at ${lane.gone}` : ''}${repaired.length ? `, repaired at ${repaired.join(', ')}` : ''}. Click to select.`));
    this.out.append(group);
  }

  label(group, id, y, strong, watched) {
    group.append(svg('text', { x: 12, y: y + 3.5, class: strong || watched ? 'id strong' : 'id' }, cut(id, 7)));
    if (!watched) return;
    const eye = svg('svg', { x: 1, y: y - 5, width: 10, height: 10, viewBox: '0 0 16 16' });
    eye.append(svg('path', { d: ICONS.eye, fill: 'none', stroke: 'var(--focus)', 'stroke-width': 1.8 }));
    group.append(eye);
  }

  // A watched node or claim, or a fact that has no lane, gets a row of its own.
  watched(y) {
    const { watch } = this.view.record, moments = this.view.places.change, group = svg('g', { 'data-lane': watch.id, class: 'lane' });
    group.append(svg('rect', { x: 0, y: y - 5.5, width: this.end + RIGHT, height: ROW, fill: 'transparent' }));
    this.label(group, watch.id, y, true, true);
    if (moments.length) group.append(svg('path', { d: `M${this.x(moments[0])} ${y}H${this.end}`, stroke: 'var(--line-3)', 'stroke-width': 1.5 }));
    this.changes(group, y);
    group.append(svg('text', { x: this.end + 6, y: y + 3.5, class: 'end' }, moments.length ? '' : 'no changes'));
    this.out.append(group);
  }

  changes(group, y) {
    for (const [moment, code, words, lost] of this.view.record.watch.changes) {
      const bar = svg('rect', { x: this.x(moment) - 1.5, y: y - 4.5, width: 3, height: 9, rx: 1, fill: `var(--${lost ? 'conflict' : 'ink'})`, 'data-at': moment, class: 'change' });
      bar.append(svg('title', {}, `${moment} ${NAMES[code] || ''}: ${words}`));
      group.append(bar);
    }
  }

  head() {
    const { now, paused } = this.view, x = this.x(now), colour = paused ? 'conflict' : 'ink';
    if (now < 1) return;
    this.line(`M${x} 0V${this.height}`, { stroke: `var(--${colour})`, 'stroke-width': paused ? 2.5 : 1.5 });
    const label = String(now), half = Math.max(9, label.length * 3.2 + 4), left = x > this.end - 180;
    this.out.append(svg('path', { d: `M${x - half} 0h${2 * half}v9l-${half} 6-${half}-6z`, fill: `var(--${colour})` }));
    this.text(x, 9.5, label, { 'text-anchor': 'middle', class: 'head' });
    if (paused) this.text(x + (left ? -half - 5 : half + 5), 9, paused.slice(0, 70), { class: 'paused', 'text-anchor': left ? 'end' : 'start' });
  }
}
