// The picture under the controls: searches, one tick an event, breakpoints, policy contexts, lanes, the playhead.
const LEFT = 58, RIGHT = 84, TICK = 42, DOTS = 56, CONTEXT = 84, HIGH = 20, ROW = 11;
const BIN = 6; // pixels that share one tick where events are many

class Axis {
  constructor(view) {
    this.view = view;
    this.root = svg('svg', { class: 'axis', role: 'img' });
  }

  moment(x) { return Math.round((x - LEFT) / this.dx + 0.5); }
  x(moment) { return LEFT + (moment - 0.5) * this.dx; }

  text(x, y, words, attributes = {}) { this.out.append(svg('text', { x, y, ...attributes }, words)); }
  rect(x, y, width, height, attributes) { this.out.append(svg('rect', { x, y, width: Math.max(0, width), height, ...attributes })); }
  line(d, attributes) { this.out.append(svg('path', { d, fill: 'none', ...attributes })); }

  draw(width) {
    const { view } = this, { record, now, total } = view, lanes = view.lanes();
    this.out = document.createDocumentFragment();
    this.dx = (width - LEFT - RIGHT) / Math.max(1, total);
    this.end = width - RIGHT;
    const odd = record.watch && !lanes.some((one) => one.id === record.watch.id);
    const top = record.context.length ? 94 : 66, rows = lanes.length + (odd ? 1 : 0), height = top + rows * ROW + 6;
    this.rect(this.x(now) + this.dx / 2, 0, width - this.x(now) - this.dx / 2, height, { fill: 'var(--shade)' });
    this.bands(height);
    this.brackets();
    this.text(12, TICK + 4, 'events');
    this.ticks();
    this.dots();
    if (record.context.length) this.context();
    if (odd) this.watched(top + ROW / 2);
    lanes.forEach((lane, at) => this.lane(lane, top + (at + (odd ? 1 : 0)) * ROW + ROW / 2));
    this.head(height);
    this.root.setAttribute('height', height);
    this.root.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.root.setAttribute('aria-label', this.words());
    this.root.replaceChildren(this.out);
  }

  words() {
    const { record, now, total, paused } = this.view;
    const said = [`${total} events, ${record.brackets.length} searches, ${record.bands.length} repairs; now at event ${now}: ${NAMES[record.codes[now - 1]] || 'nothing yet'}`];
    if (this.view.places.hit.includes(now)) said.push('at a breakpoint');
    if (paused) said.push(paused);
    return said.join('; ');
  }

  bands(height) {
    for (const band of this.view.record.bands) {
      const from = this.x(band.first) - this.dx / 2, to = this.x(band.last) + this.dx / 2;
      this.rect(from, 0, to - from, height, { fill: 'var(--repair-bg)' });
      this.line(`M${from} 0V${height}M${to} 0V${height}`, { stroke: 'var(--repair-line)' });
      if (to - from > 60) this.text(from + 5, CONTEXT - 4, `repair of ${band.evidence}`, { class: 'repair' });
    }
  }

  brackets() {
    for (const one of this.view.record.brackets) {
      const from = this.x(one.first) - this.dx * 0.36, to = this.x(one.last) + this.dx * 0.36, room = Math.floor((to - from) / 6) - 2;
      if (to - from < 3) continue;
      this.line(`M${from} 27v-5H${to}v5`, { stroke: 'var(--line-3)' });
      if (room < 0) continue;
      const words = one.forced ? 'forced: question' : one.query, label = svg('text', { x: from, y: 18, class: 'query' });
      label.append(svg('tspan', { 'font-weight': 700 }, String(one.number)));
      const letters = [...words];
      if (room > 2) label.append(svg('tspan', {}, ` ${letters.length > room ? letters.slice(0, room - 1).join('') + '…' : words}`));
      label.append(svg('title', {}, `search ${one.number}: ${one.query}`));
      this.out.append(label);
    }
  }

  ticks() {
    const { record } = this.view;
    if (this.dx < BIN * 0.7) this.bins(record.codes);
    else [...record.codes].forEach((code, at) => this.tick(code, at + 1, Math.min(1, Math.max(0.55, this.dx / 13)), `${at + 1} ${NAMES[code] || 'unknown'}`));
    if (this.dx < BIN * 0.7) for (const at of this.view.places.repair) this.tick('p', at, 0.8, `${at} ${NAMES.p}`);
  }

  tick(code, moment, scale, title) {
    const group = mark(code, 0, 0);
    group.setAttribute('transform', `translate(${this.x(moment)} ${TICK}) scale(${code === 'p' ? Math.max(scale, 0.8) : scale})`);
    group.dataset.at = moment;
    if (moment > this.view.now) group.setAttribute('opacity', '.5');
    group.append(svg('title', {}, title));
    this.out.append(group);
  }

  // Every stretch of a few pixels is one tick: the mark of the weightiest event in it, or a stroke in the colour of the first.
  bins(codes) {
    const width = Math.ceil(BIN / this.dx);
    for (let from = 0; from < codes.length; from += width) {
      const inside = codes.slice(from, from + width), code = [...NOTABLE].find((one) => inside.includes(one)) || inside[0];
      const moment = from + 1 + inside.indexOf(code), last = from + inside.length;
      const counts = {};
      for (const one of inside) counts[one] = (counts[one] || 0) + 1;
      const title = `${from + 1} to ${last}: ${Object.keys(counts).map((one) => `${counts[one]} × ${NAMES[one] || 'unknown'}`).join(', ')}`;
      if (NOTABLE.includes(code)) { this.tick(code, moment, 0.55, title); continue; }
      const stroke = svg('path', { d: `M${this.x(moment)} ${TICK - 4}v8`, stroke: `var(--${(SHAPES[code] || SHAPES['?'])[0][2]})`, 'stroke-width': 1.5, opacity: moment > this.view.now ? 0.3 : 0.6, 'data-at': moment });
      stroke.append(svg('title', {}, title));
      this.out.append(stroke);
    }
  }

  dots() {
    const { places, unit, calls, now } = this.view;
    let last = -9;
    for (const at of places.hit) {
      if (at !== now && this.x(at) - last < 3) continue;
      last = this.x(at);
      const dot = svg('circle', { cx: last, cy: DOTS, r: at === now ? 4 : 2.5, fill: 'var(--conflict)', 'data-at': at, class: 'dot' });
      dot.append(svg('title', {}, `breakpoint at event ${at}`));
      this.out.append(dot);
    }
    if (unit !== 'call') return;
    last = -9;
    for (const { after, name, failed, number } of calls) {
      const x = this.x(after) - this.dx / 2;
      if (x - last < 2) continue;
      last = x;
      const stroke = svg('path', { d: `M${x} ${TICK + 8}v5`, stroke: `var(--${failed ? 'conflict' : 'ink-3'})`, 'stroke-width': 1.5, class: 'call', 'data-at': after });
      stroke.append(svg('title', {}, `call ${number}: ${name}${failed ? ', failed' : ''}`));
      this.out.append(stroke);
    }
  }

  context() {
    const { record, now } = this.view, most = record.context.reduce((high, [, size]) => Math.max(high, size), 1);
    const full = Math.max(most, record.bound || 0), y = CONTEXT - ((record.bound || most) / full) * HIGH;
    this.text(12, CONTEXT - 4, 'context');
    this.line(`M${LEFT} ${y}H${this.end}`, { stroke: 'var(--line-3)', 'stroke-dasharray': '2 3', class: 'bound' });
    this.text(this.end + 6, y + 4, `${record.bound ? 'bound' : 'max'} ${(record.bound || most).toLocaleString('en')}`);
    const high = new Map(); // one bar a pixel
    for (const [moment, size] of record.context) {
      const pixel = Math.round(this.x(moment));
      if (size > (high.get(pixel)?.[1] ?? -1)) high.set(pixel, [moment, size]);
    }
    for (const [moment, size] of high.values()) {
      const wide = Math.max(1, Math.min(this.dx * 0.72, 16)), tall = (size / full) * HIGH;
      const bar = svg('rect', { x: this.x(moment) - wide / 2, y: CONTEXT - tall, width: wide, height: tall, fill: `var(--${record.bound && size > record.bound ? 'conflict' : 'ink-3'})`, opacity: moment > now ? 0.4 : 0.75 });
      const of = record.bound ? ` of at most ${record.bound.toLocaleString('en')}` : '';
      bar.append(svg('title', {}, `policy context at event ${moment}: ${size.toLocaleString('en')} characters${of}`));
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
    for (const [moment, code] of lane.marks) {
      if (code === 'p') group.append(svg('circle', { cx: x(moment), cy: y, r: 4.5, fill: 'var(--repair)' }));
      else { const made = mark(code, x(moment), y); made.setAttribute('transform', `translate(${x(moment)} ${y}) scale(.72)`); group.append(made); }
    }
    if (watched) this.changes(group, y);
    group.append(svg('text', { x: end + 6, y: y + 3.5, class: lane.end.startsWith('cited') ? 'end claim' : 'end' }, lane.end));
    group.append(svg('title', {}, `${lane.id}: from event ${lane.born}${lane.gone ? `, pruned at ${lane.gone}` : ''}${repaired.length ? `, repaired at ${repaired.join(', ')}` : ''}. Click to select.`));
    this.out.append(group);
  }

  label(group, id, y, strong, watched) {
    group.append(svg('text', { x: 12, y: y + 3.5, class: strong || watched ? 'id strong' : 'id' }, id.slice(0, 5)));
    if (!watched) return;
    const eye = svg('svg', { x: 43, y: y - 5, width: 10, height: 10, viewBox: '0 0 16 16' });
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
      const colour = lost ? 'conflict' : moment === this.view.now ? 'ink' : 'focus', half = moment === this.view.now ? 5.5 : 4;
      const bar = svg('rect', { x: this.x(moment) - 1.5, y: y - half, width: 3, height: 2 * half, rx: 1, fill: `var(--${colour})`, stroke: 'var(--panel)', 'data-at': moment, class: 'change' });
      bar.append(svg('title', {}, `${moment} ${NAMES[code] || ''}: ${words}`));
      group.append(bar);
    }
  }

  head(height) {
    const { now, paused } = this.view, x = this.x(now), colour = paused ? 'conflict' : 'ink';
    if (now < 1) return;
    this.line(`M${x} 0V${height}`, { stroke: `var(--${colour})`, 'stroke-width': paused ? 2.5 : 1.5 });
    const label = String(now), half = Math.max(9, label.length * 3.2 + 4), left = x > this.end - 180;
    this.out.append(svg('path', { d: `M${x - half} 0h${2 * half}v9l-${half} 6-${half}-6z`, fill: `var(--${colour})` }));
    this.text(x, 9.5, label, { 'text-anchor': 'middle', class: 'head' });
    if (paused) this.text(x + (left ? -half - 5 : half + 5), 9, paused.slice(0, 70), { class: 'paused', 'text-anchor': left ? 'end' : 'start' });
  }
}
