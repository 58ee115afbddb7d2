// Two charts of lines: the policy context of each retrieval step, and the facts over the events.
const HEIGHT = 178, TOP = 14, FOOT = 34, LEFT = 42, RIGHT = 86;

/** Points joined; those after the moment are thin and dotted. */
function path(out, points, colour, more = {}) {
  if (points.length) out.append(svg('path', { d: `M${points.map(([x, y]) => `${x} ${y}`).join('L')}`, fill: 'none', stroke: `var(--${colour})`, 'stroke-width': 2, ...more }));
}
const LATER = { 'stroke-width': 1.2, 'stroke-dasharray': '1 3', 'stroke-linecap': 'round' };

class Sizes {
  title = 'Policy context';
  about({ record }) {
    if (!record.sizes.length) return 'this record has no policy context';
    const thin = record.sizes.length < record.sizes_of ? `; the largest of every ${Math.ceil(record.sizes_of / record.sizes.length)} is drawn` : '';
    return `characters per retrieval step${record.bound ? '' : '; nothing bounds it'}${thin}`;
  }
  columns = ['after retrievals', 'characters', 'event'];
  rows({ record }) { return record.sizes.map((one) => [one.retrievals, one.characters, go(one.moment)]); }

  draw(out, width, { record, now }) {
    const { sizes, bound } = record, characters = sizes.map((one) => one.characters), drawn = fits(bound, characters, 12);
    if (!sizes.length) return 0;
    const most = nice(Math.max(drawn ? bound : 0, ...characters, 1)), last = Math.max(1, sizes[sizes.length - 1].retrievals), right = width - RIGHT + 8;
    const x = (place) => LEFT + (place / last) * (width - LEFT - RIGHT), y = (size) => HEIGHT - FOOT - (size / most) * (HEIGHT - FOOT - TOP);
    valueAxis(out, LEFT, right, y, most);
    countAxis(out, last, x, HEIGHT - FOOT + 14);
    out.append(svg('text', { x: LEFT, y: HEIGHT - 4 }, 'completed retrievals'));
    if (drawn) boundLine(out, LEFT, right, y, bound);
    else if (bound) out.append(svg('text', { x: right, y: 10, 'text-anchor': 'end', class: 'bound' }, `bound ${figures.format(bound)}, far above`));
    const at = (one) => [x(one.retrievals), y(one.characters)], past = sizes.filter((one) => one.moment <= now), later = sizes.slice(Math.max(0, past.length - 1));
    path(out, later.map(at), 'line-3', LATER);
    path(out, past.map(at), 'focus');
    const marked = sizes.length > 60 ? past.slice(-1) : sizes;
    for (const one of marked) {
      const made = svg('circle', { cx: x(one.retrievals), cy: y(one.characters), r: 3.5, fill: `var(--${one.moment <= now ? 'focus' : 'panel'})`, stroke: `var(--${one.moment <= now ? 'panel' : 'line-3'})`, 'stroke-width': 1.5, 'data-do': `go:${one.moment}` });
      made.append(svg('title', {}, `after ${one.retrievals} retrievals: ${figures.format(one.characters)} characters, event ${one.moment}`));
      out.append(made);
    }
    const end = past[past.length - 1];
    if (end) out.append(svg('text', { x: x(end.retrievals) + 8, y: y(end.characters) + 4, class: 'end focus' }, figures.format(end.characters)));
    return HEIGHT;
  }
}

const LINES = [['active', 'focus', 'in force', {}], ['pruned', 'ghost', 'pruned', { 'stroke-dasharray': '6 3' }], ['superseded', 'repair', 'replaced', { 'stroke-dasharray': '2 2' }]];

class FactLines {
  title = 'Facts';
  about({ record }) {
    if (!record.facts.length) return 'this agent keeps no facts';
    return `in force, pruned, and values replaced, by event${record.facts_every > 1 ? `; one point every ${record.facts_every} events` : ''}`;
  }
  columns = ['event', 'in force', 'pruned', 'values replaced'];
  rows({ record }) { // only where something changes
    return record.facts.filter((one, at, all) => !at || LINES.some(([name]) => one[name] !== all[at - 1][name])).map((one) => [go(one.moment), one.active, one.pruned, one.superseded]);
  }

  draw(out, width, { record, now }) {
    const { facts, total } = record;
    if (!facts.length) return 0;
    const most = nice(Math.max(4, ...facts.flatMap((one) => LINES.map(([name]) => one[name])))), right = width - RIGHT + 8;
    const x = (moment) => LEFT + (moment / Math.max(1, total)) * (width - LEFT - RIGHT), y = (size) => HEIGHT - FOOT - (size / most) * (HEIGHT - FOOT - TOP);
    valueAxis(out, LEFT, right, y, most);
    countAxis(out, total, x, HEIGHT - FOOT + 14);
    out.append(svg('text', { x: LEFT, y: HEIGHT - 4 }, 'events'));
    const here = facts.filter((one) => one.moment <= now), current = here[here.length - 1] || facts[0], ends = [];
    for (const [name, colour, words, dash] of LINES) {
      const steps = (points) => points.flatMap((one, at) => (at ? [[x(one.moment), y(points[at - 1][name])], [x(one.moment), y(one[name])]] : [[x(one.moment), y(one[name])]]));
      path(out, steps(facts.slice(Math.max(0, here.length - 1))), 'line-3', LATER);
      path(out, steps([...here, { ...current, moment: Math.min(now, total) }]), colour, dash);
      let top = y(current[name]) + 4;
      while (ends.some((one) => Math.abs(one - top) < 12)) top -= 12;
      ends.push(top);
      const label = svg('text', { x: right + 4, y: top, class: `end ${colour}` }, `${figures.format(current[name])} ${words}`);
      out.append(label);
    }
    playhead(out, x(now), TOP - 6, HEIGHT - FOOT, now);
    out.append(svg('rect', { x: LEFT, y: TOP, width: Math.max(0, width - LEFT - RIGHT), height: HEIGHT - FOOT - TOP, fill: 'transparent', class: 'scrub', 'data-from': LEFT, 'data-to': width - RIGHT }));
    return HEIGHT;
  }
}

function playhead(out, x, top, bottom) {
  out.append(svg('path', { d: `M${x} ${top}V${bottom}`, stroke: 'var(--ink)', 'stroke-width': 1.5, class: 'head' }));
}

const go = (moment) => ({ words: figures.format(moment), wish: `go:${moment}` });
