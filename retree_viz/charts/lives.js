// Every piece of evidence on the time axis: introduced, contested, repaired, out of force; and the claims on it.
// Of many rows only those in view are drawn, so that thousands cost no more than a screenful.
const MOST_DRAWN = 200, LANE = 19, LIVES_LEFT = 58, LIVES_RIGHT = 226, AXIS = 20;
const figures = new Intl.NumberFormat('en');

class Lives {
  constructor() {
    this.root = el('div', 'lives');
    this.axis = svg('svg', { class: 'axis', height: AXIS, 'aria-hidden': 'true' });
    this.space = el('div', 'space');
    this.picture = svg('svg', { class: 'rows', role: 'group' });
    this.space.append(this.picture);
    this.root.append(this.axis, this.space);
  }

  get title() { return 'Lives of evidence'; }
  about({ record }) {
    if (!record.lives.length) return 'nothing was found in this run';
    const of = record.lives_of === 'evidence' ? 'fact' : 'page';
    return `${figures.format(record.lives.length)} ${of}${record.lives.length === 1 ? '' : 's'}: ${of === 'fact' ? 'introduced, contested, repaired, out of force' : 'when each was read; this agent keeps no facts'}, and the claims that rest on it`;
  }
  columns = ['id', 'from event', 'to event', 'what happened', 'became', 'claims'];
  rows({ record }) {
    return record.lives.slice(0, 1000).map((one) => [
      { words: one.id, wish: `select:${one.id}` }, go(one.born), one.gone ? go(one.gone) : '',
      one.marks.map(([moment, code]) => `${NAMES[code] || 'event'} at ${moment}`).join(', '), one.end, one.claims.join(', '),
    ]);
  }

  draw(view) {
    const { record } = view, width = this.root.clientWidth, count = record.lives.length;
    this.axis.style.display = count ? '' : 'none';
    this.space.style.height = `${count * LANE + (count ? 6 : 0)}px`;
    if (!width || !count) { this.picture.replaceChildren(); return; }
    this.x = (moment) => LIVES_LEFT + ((moment - 0.5) / Math.max(1, record.total)) * (width - LIVES_LEFT - LIVES_RIGHT);
    const axis = document.createDocumentFragment();
    countAxis(axis, record.total, (moment) => this.x(Math.max(1, moment)), 13);
    axis.append(svg('text', { x: 0, y: 13 }, 'events'), svg('text', { x: width - LIVES_RIGHT + 10, y: 13 }, 'became'), svg('text', { x: width - 74, y: 13 }, 'claims'));
    this.axis.setAttribute('viewBox', `0 0 ${width} ${AXIS}`);
    this.axis.replaceChildren(axis);
    this.drawRows(view, width);
  }

  drawRows(view, width) {
    const { record, now, selected } = view, box = this.space.getBoundingClientRect(), frame = view.scroller.getBoundingClientRect();
    const count = record.lives.length, all = count <= MOST_DRAWN;
    const first = all ? 0 : Math.max(0, Math.floor((frame.top - box.top) / LANE) - 4), last = all ? count : Math.min(count, Math.ceil((frame.bottom - box.top) / LANE) + 4);
    const out = document.createDocumentFragment(), high = Math.max(0, last - first) * LANE, x = this.x;
    for (let at = first; at < last; at++) this.lane(out, record.lives[at], (at - first) * LANE + LANE / 2, width, now, selected);
    const from = x(now);
    out.append(svg('rect', { x: from, y: 0, width: Math.max(0, width - LIVES_RIGHT - from), height: high, fill: 'var(--panel)', opacity: 0.55, 'pointer-events': 'none' }));
    playhead(out, from, 0, high);
    this.picture.setAttribute('viewBox', `0 0 ${width} ${high}`);
    this.picture.setAttribute('height', high);
    this.picture.style.top = `${first * LANE}px`;
    const held = this.picture.contains(document.activeElement) && document.activeElement.dataset.do;
    this.picture.replaceChildren(out);
    if (held) this.picture.querySelector(`text[data-do="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
  }

  lane(out, one, y, width, now, selected) {
    const { x } = this, end = width - LIVES_RIGHT, group = svg('g', { class: one.id === selected ? 'life on' : 'life', 'data-life': one.id });
    const from = x(one.born), to = one.gone ? x(one.gone) : end, repaired = one.marks.filter(([, code]) => code === 'p').map(([moment]) => moment);
    const colour = one.gone ? 'ghost' : 'focus', pruned = one.end.startsWith('pruned');
    group.append(svg('rect', { x: 0, y: y - LANE / 2, width, height: LANE, class: 'back' }));
    group.append(this.button(0, y + 4, one.id, `select:${one.id}`, 'id'));
    group.append(svg('path', { d: `M${from} ${y}H${to}`, stroke: `var(--${colour})`, 'stroke-width': repaired.length ? 2.5 : 1.5, ...(one.gone ? { 'stroke-dasharray': '4 2' } : {}) }));
    if (repaired.length) group.append(svg('path', { d: `M${x(repaired[0])} ${y}H${to}`, stroke: 'var(--repair)', 'stroke-width': 4 }));
    const born = svg('circle', { cx: from, cy: y, r: 3.5, fill: `var(--${colour})`, 'data-do': `go:${one.born}` });
    born.append(svg('title', {}, `${one.id} from event ${one.born}`));
    group.append(born);
    if (one.gone) {
      const gone = svg('path', { d: pruned ? `M${to - 3.5} ${y - 3.5}l7 7M${to + 3.5} ${y - 3.5}l-7 7` : `M${to} ${y - 4}v8`, stroke: 'var(--ink)', 'stroke-width': 1.6, 'data-do': `go:${one.gone}` });
      gone.append(svg('title', {}, `${one.end}, event ${one.gone}`));
      group.append(gone);
    }
    for (const [moment, code] of one.marks) {
      const made = mark(code, 0, 0);
      made.setAttribute('transform', `translate(${x(moment)} ${y}) scale(${code === 'p' ? 0.62 : 0.8})`);
      made.dataset.do = `go:${moment}`;
      made.append(svg('title', {}, `${moment} ${NAMES[code] || ''}`));
      group.append(made);
    }
    group.append(svg('text', { x: end + 10, y: y + 4 }, one.end.length > 24 ? `${one.end.slice(0, 23)}…` : one.end));
    let at = width - 74;
    for (const claim of one.claims.slice(0, 3)) {
      group.append(this.button(at, y + 4, claim, `select:${claim}`, 'claim'));
      at += 8 + claim.length * 6.4;
    }
    if (one.claims.length > 3) group.append(svg('text', { x: at, y: y + 4 }, `+${one.claims.length - 3}`));
    out.append(group);
  }

  button(x, y, words, wish, cls) {
    return svg('text', { x, y, class: cls, role: 'button', tabindex: 0, 'data-do': wish, 'aria-label': `select ${words}` }, words.slice(0, 8));
  }
}
