// Figure 3: mean policy context by completed retrievals, a line and a mark of its own for each agent, and the bound.
// Helpers are in timeline/marks.js and charts/plot.js, which Python puts before this file.
const views = new WeakMap();
const HEIGHT = 268, TOP = 10, FOOT = 44, LEFT = 42, RIGHT = 92;
const LINES = { react: ['ink-2', ''], report: ['ink-3', '2 3'], flat: ['ink', '6 3'], retree: ['focus', ''] };
const SHAPE = { react: 'M0-5l5 9h-10z', report: 'M0-5l5 5-5 5-5-5z', flat: 'M-4-4h8v8h-8z', retree: 'M-4.200 0a4.200 4.200 0 1 0 8.400 0a4.200 4.200 0 1 0-8.400 0' };

class Figure {
  constructor(parent) {
    this.root = el('div', 'rt-figure', undefined, { 'data-testid': 'figure' });
    this.picture = svg('svg', { role: 'img', height: HEIGHT });
    this.root.append(this.picture);
    parent.append(this.root);
    new ResizeObserver(() => this.data && this.draw()).observe(this.root);
  }

  update(data) { this.data = data; this.draw(); }

  draw() {
    const { lines, bound } = this.data, width = this.picture.clientWidth, out = document.createDocumentFragment();
    if (!width) return;
    const points = lines.flatMap((one) => one.points), sizes = points.map(([, size]) => size);
    const most = nice(Math.max(fits(bound, sizes, 4) ? bound : 0, ...sizes, 1)), last = Math.max(1, ...points.map(([place]) => place));
    const x = (place) => LEFT + (place / last) * (width - LEFT - RIGHT), y = (size) => HEIGHT - FOOT - (size / most) * (HEIGHT - FOOT - TOP);
    valueAxis(out, LEFT, width - RIGHT, y, most);
    countAxis(out, last, x, HEIGHT - FOOT + 16);
    const text = (at, top, words, more = {}) => out.append(svg('text', { x: at, y: top, ...more }, words));
    text(width - RIGHT + 20, HEIGHT - FOOT + 16, 'retrievals');
    if (bound && bound <= most) this.bound(out, bound, width, y);
    for (const one of [...lines].sort((a, b) => Object.keys(LINES).indexOf(a.agent) - Object.keys(LINES).indexOf(b.agent))) this.line(out, one, x, y);
    this.names(lines, x, y, text);
    this.counts(lines, x, width, last, text);
    this.picture.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    this.picture.setAttribute('aria-label', `Mean policy context in characters per retrieval${bound ? `, bound of ${this.data.bound_of} ${bound}` : ''}; ${lines.map((one) => `${one.name}: ${one.points.map(([, size]) => size).join(', ') || 'none'}`).join('; ')}`);
    this.picture.replaceChildren(out);
  }

  bound(out, bound, width, y) {
    out.append(svg('path', { d: `M${LEFT} ${y(bound)}H${width - RIGHT}`, stroke: 'var(--ink-2)', 'stroke-dasharray': '2 3', 'stroke-width': 1.5 }));
    out.append(svg('text', { x: width - RIGHT, y: y(bound) - 5, 'text-anchor': 'end', class: 'bound' }, `bound of ${this.data.bound_of} ${bound.toLocaleString('en')}`));
  }

  line(out, { agent, name, points }, x, y) {
    const [colour, dashes] = LINES[agent] || LINES.flat;
    if (!points.length) return;
    out.append(svg('path', { d: `M${points.map(([place, size]) => `${x(place)} ${y(size)}`).join('L')}`, fill: 'none', stroke: `var(--${colour})`, 'stroke-width': 2, 'stroke-dasharray': dashes }));
    for (const [place, size, runs] of points) {
      const mark = svg('path', { d: SHAPE[agent] || SHAPE.flat, transform: `translate(${x(place)} ${y(size)})`, fill: agent === 'retree' ? `var(--${colour})` : 'var(--panel)', stroke: `var(--${colour})`, 'stroke-width': 1.8 });
      mark.append(svg('title', {}, `${name} after ${place} retrievals: ${size.toLocaleString('en')} characters, ${runs.toLocaleString('en')} runs`));
      out.append(mark);
    }
  }

  /** Names beside the ends of the lines, moved apart where the ends meet. */
  names(lines, x, y, text) {
    const ends = lines.filter((one) => one.points.length).map(({ agent, name, points }) => ({ agent, name, x: x(points[points.length - 1][0]), y: y(points[points.length - 1][1]) })).sort((a, b) => a.y - b.y);
    const lowest = HEIGHT - FOOT - 2;
    ends.forEach((one, at) => { one.top = Math.max(one.y + 4, at ? ends[at - 1].top + 14 : 0); });
    for (let at = ends.length - 1, below = lowest; at >= 0; at--) { ends[at].top = Math.min(ends[at].top, below); below = ends[at].top - 14; }
    const right = Math.max(...ends.map((one) => one.x), 0) + 9;
    for (const one of ends) text(right, one.top, one.name, { class: 'end', style: `fill:var(--${(LINES[one.agent] || LINES.flat)[0]})` });
  }

  /** How many runs of the first agent each point is the mean of. */
  counts(lines, x, width, last, text) {
    const first = lines.find((one) => one.agent === 'retree') || lines[0];
    if (!first?.points.length || last > 12) return;
    for (const [place, , runs] of first.points) text(x(place), HEIGHT - 10, runs.toLocaleString('en'), { 'text-anchor': 'middle' });
    text(width - RIGHT + 20, HEIGHT - 10, `${first.name} runs`);
  }
}

export default function ({ data, parentElement }) {
  if (!views.has(parentElement)) views.set(parentElement, new Figure(parentElement));
  views.get(parentElement).update(data);
}
