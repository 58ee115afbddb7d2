// What charts share: a round scale of values with its lines. Helpers are in timeline/marks.js, before this file.
/** A round number not below `most`, that four parts of it are round as well. */
function nice(most) {
  const unit = 10 ** Math.floor(Math.log10(most));
  return [1, 1.2, 1.6, 2, 2.4, 3, 4, 6, 8, 10].map((step) => step * unit).find((size) => size >= most && size % 4 === 0) || 4 * Math.ceil(most / 4);
}

/** Lines and figures of a scale from 0 to `most` between two edges. */
function valueAxis(out, left, right, y, most) {
  for (let part = 0; part <= 4; part++) {
    const size = (most * part) / 4;
    out.append(svg('path', { d: `M${left} ${y(size)}H${right}`, stroke: 'var(--line)' }));
    out.append(svg('text', { x: left - 6, y: y(size) + 3.5, 'text-anchor': 'end' }, size.toLocaleString('en')));
  }
}

/** Figures below a chart, at most eight or so of them. */
function countAxis(out, last, x, top, from = 0) {
  const every = [1, 2, 5].flatMap((one) => [1, 10, 100, 1000, 10000].map((unit) => one * unit)).sort((a, b) => a - b).find((one) => last / one <= 8) || last;
  for (let place = from; place <= last; place += every) out.append(svg('text', { x: x(place), y: top, 'text-anchor': 'middle' }, place.toLocaleString('en')));
}

/** The bound of a chart of contexts, where it is not far above them. */
function boundLine(out, left, right, y, bound) {
  out.append(svg('path', { d: `M${left} ${y(bound)}H${right}`, stroke: 'var(--ink-2)', 'stroke-dasharray': '2 3', 'stroke-width': 1.5 }));
  out.append(svg('text', { x: left + 6, y: y(bound) + 13, class: 'bound' }, `bound ${bound.toLocaleString('en')}`));
}

/** A bound is drawn to scale unless it is so many times the largest size that it would press all of them flat. */
const fits = (bound, sizes, times) => Boolean(bound) && bound < times * Math.max(...sizes, 1);
