// Policy context per retrieval of two runs: A solid with circles, B dashed with squares, and the bound.
// Helpers are in timeline/marks.js and charts/plot.js, which Python puts before this file.
const views = new WeakMap();
const HEIGHT = 190, TOP = 14, FOOT = 34, LEFT = 38, RIGHT = 62;

class Chart {
  constructor(parent) {
    this.root = el('div', 'rt-sizes', undefined, { 'data-testid': 'sizes' });
    this.picture = svg('svg', { role: 'img', height: HEIGHT });
    this.root.append(this.picture);
    parent.append(this.root);
    new ResizeObserver(() => this.data && this.draw()).observe(this.root);
  }

  update(data) { this.data = data; this.draw(); }

  draw() {
    const { sides, bound } = this.data, width = this.picture.clientWidth, out = document.createDocumentFragment();
    if (!width) return;
    const sizes = sides.flat().map(([, size]) => size), most = nice(Math.max(fits(bound, sizes, 4) ? bound : 0, ...sizes, 1));
    const last = Math.max(1, ...sides.flat().map(([place]) => place));
    const x = (place) => LEFT + (place / last) * (width - LEFT - RIGHT), y = (size) => HEIGHT - FOOT - (size / most) * (HEIGHT - FOOT - TOP);
    const text = (at, top, words, more = {}) => out.append(svg('text', { x: at, y: top, ...more }, words));
    valueAxis(out, LEFT, width - RIGHT + 8, y, most);
    countAxis(out, last, x, HEIGHT - FOOT + 14);
    text(LEFT, HEIGHT - 5, 'completed retrievals');
    if (bound && bound <= most) boundLine(out, LEFT, width - RIGHT + 8, y, bound);
    const ends = [];
    [1, 0].forEach((side) => this.line(out, sides[side], side, x, y, ends));
    this.picture.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    this.picture.setAttribute('aria-label', `Policy context in characters per retrieval; ${sides.map((points, side) => `${side ? 'B' : 'A'}: ${points.map(([, size]) => size).join(', ') || 'none'}`).join('; ')}`);
    this.picture.replaceChildren(out);
  }

  line(out, points, side, x, y, ends) {
    if (!points.length) return;
    const colour = side ? 'var(--ink)' : 'var(--focus)';
    out.append(svg('path', { d: `M${points.map(([place, size]) => `${x(place)} ${y(size)}`).join('L')}`, fill: 'none', stroke: colour, 'stroke-width': 2, ...(side ? { 'stroke-dasharray': '5 3' } : {}) }));
    const marked = points.length > 60 ? points.slice(-1) : points; // more would hide the line
    for (const [place, size] of marked) {
      const at = side ? svg('rect', { x: x(place) - 4, y: y(size) - 4, width: 8, height: 8, fill: 'var(--panel)', stroke: colour, 'stroke-width': 2 })
        : svg('circle', { cx: x(place), cy: y(size), r: 3.5, fill: colour, stroke: 'var(--panel)', 'stroke-width': 1.5 });
      at.append(svg('title', {}, `${side ? 'B' : 'A'} after ${place} retrievals: ${size.toLocaleString('en')} characters`));
      out.append(at);
    }
    const [place, size] = points[points.length - 1];
    let top = y(size) + 4;
    if (ends.some((one) => Math.abs(one.x - x(place)) < 60 && Math.abs(one.y - top) < 13)) top += side || y(size) < 40 ? 14 : -13;
    ends.push({ x: x(place), y: top });
    out.append(svg('text', { x: x(place) + 9, y: top, class: side ? 'end b' : 'end a' }, `${side ? 'B' : 'A'} ${size.toLocaleString('en')}`));
  }
}

export default function ({ data, parentElement }) {
  if (!views.has(parentElement)) views.set(parentElement, new Chart(parentElement));
  views.get(parentElement).update(data);
}
