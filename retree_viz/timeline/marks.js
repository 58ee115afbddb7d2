// What the timeline draws with: icons, and one mark per kind of event.
const NS = 'http://www.w3.org/2000/svg';

const NAMES = {
  a: 'run started', b: 'policy context', c: 'reply rejected', d: 'search', e: 'stop', f: 'stop refused', g: 'passages',
  h: 'search failed', i: 'facts', j: 'fact rebound', k: 'fact dropped', l: 'duplicate', m: 'conflict proposed',
  n: 'conflict rejected', o: 'conflict confirmed', p: 'repaired', q: 'repair skipped', r: 'summary', s: 'summary stale',
  C: 'summary discarded', t: 'pruned', u: 'search resumed', v: 'set aside', B: 'facts added', w: 'node added', x: 'budget spent', y: 'answer', z: 'run ended', A: 'step', '?': 'unknown',
};
const KINDS = {
  a: 'run_started', b: 'context_built', c: 'reply_rejected', d: 'search_chosen', e: 'stop_chosen', f: 'stop_refused',
  g: 'passages_retrieved', h: 'search_failed', i: 'facts_extracted', j: 'fact_rebound', k: 'fact_dropped', l: 'duplicate_found',
  m: 'conflict_proposed', n: 'conflict_rejected', o: 'conflict_confirmed', p: 'evidence_repaired', q: 'repair_skipped',
  r: 'summary_written', s: 'summary_stale', C: 'summary_discarded', t: 'nodes_pruned', u: 'search_resumed', v: 'facts_set_aside', B: 'facts_added',
  w: 'node_added', x: 'budget_exhausted', y: 'answered', z: 'run_ended', A: 'step_taken',
};
const CALLS = { p: 'policy', x: 'extract', c: 'conflict', f: 'confirm', s: 'summarise', r: 'report', a: 'answer', j: 'judge', e: 'entail', i: 'imported', q: 'search' };
const NOTABLE = 'onmhcfqsCkxyet'; // where many events share a mark, the first of these stands for them
const UNITS = { event: ['Left', 'Right'], search: ['Shift+Left', 'Shift+Right'], call: [',', '.'] };
const SPEEDS = [0.5, 1, 2, 5];
const JUMPS = [
  { places: 'conflict', icon: 'conflict', label: 'Conflict', tone: 'conflict', keys: ['{', '}'] },
  { places: 'repair', icon: 'repair', label: 'Repair', tone: 'repair', keys: ['[', ']'] },
  { places: 'prune', icon: 'cut', label: 'Prune', tone: '', keys: ['Shift+P', 'p'] },
  { places: 'refused', icon: 'stop', label: 'Refused', tone: 'refuse', keys: ['Shift+S', 's'] },
  { places: 'error', icon: 'warning', label: 'Error', tone: 'conflict', keys: ['Shift+E', 'e'] },
];
const KEYS = [
  ['Move', [
    ['← →', 'event'], ['⇧← ⇧→', 'search'], [', .', 'call'], ['Home End', 'first, last'], ['Space', 'play, pause'], ['- +', 'slower, faster'],
    ['[ ]', 'repair'], ['{ }', 'conflict'], ['p ⇧P', 'prune'], ['s ⇧S', 'refused stop'], ['e ⇧E', 'error'],
    ['b', 'breakpoint here'], ['< >', 'to breakpoint'], ['w', 'watch'], ['( )', 'its changes'], ['⇧W', 'last change'],
  ]],
  ['Look', [
    ['1 – 6', 'inspector tab'], ['y', 'why'], ['/', 'find in tree'], ['f', 'fit change'], ['g', 'pruned on, off'], ['l', 'later on, off'],
    ['z ⇧Z', 'closer, further'], ['0', 'whole tree'],
    ['k', 'charts or tree'], ['v', 'compare'], ['Esc', 'clear selection'],
  ]],
  ['Do', [
    ['t', 'edit and fork'], ['n', 'note'], ['o', 'export'], ['u', 'copy link'], ['x', 'pick a run'], ['h', 'hold a live run, go on'], ['j', 'one call of it'], ['?', 'this list'],
  ]],
];

function svg(name, attributes, text) {
  const made = document.createElementNS(NS, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return made;
}
function el(name, cls, text, attributes = {}) {
  const made = document.createElement(name);
  if (cls) made.className = cls;
  if (text !== undefined) made.textContent = text;
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  return made;
}
function cut(text, most) { return text.length > most ? `${text.slice(0, most - 1)}…` : text; }
const ICONS = {
  first: 'M12 3.5 7.5 8l4.5 4.5M4 3.5v9', last: 'M4 3.5 8.5 8 4 12.500M12 3.500v9', prev: 'M10.5 3.5 6 8l4.5 4.5', next: 'M5.5 3.5 10 8l-4.5 4.5',
  conflict: 'M3 6h10M3 10h10M10.5 3l-5 10', repair: 'M13 8a5 5 0 1 1-1.6-3.7M13.2 1.8v3h-3',
  cut: 'M5.7 5.1 14 11.5M5.7 10.9 14 4.500M4 2a2 2 0 1 0 0 4a2 2 0 1 0 0-4M4 10a2 2 0 1 0 0 4a2 2 0 1 0 0-4',
  play: 'M4.500 3v10l8-5z', pause: 'M5.500 3v10M10.500 3v10', warning: 'M8 2 14.500 13.500h-13zM8 6.500v3.200M8 11.600v.1', cross: 'M4.500 4.500l7 7M11.500 4.500l-7 7',
  eye: 'M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8zM8 6a2 2 0 1 0 0 4a2 2 0 1 0 0-4', dot: 'M8 4.500a3.500 3.500 0 1 0 0 7a3.500 3.500 0 1 0 0-7',
  stop: 'M5.3 1.8h5.4l3.5 3.5v5.4l-3.5 3.5H5.3l-3.500-3.500V5.300zM5 8h6',
};
function icon(name) {
  const made = svg('svg', { class: 'i', viewBox: '0 0 16 16', 'aria-hidden': 'true' });
  made.append(svg('path', { d: ICONS[name] }));
  return made;
}

// One mark per kind, drawn around (0, 0). Colour never stands alone: every kind has a shape of its own.
const DIAMOND = 'M0-5.5l5.5 5.5L0 5.5-5.5 0z', OCTAGON = 'M-2-5h4l3 3v4l-3 3h-4l-3-3v-4z';
const SHAPES = {
  a: [['path', 'M0-7v14', 'ink-2', 2]], z: [['path', 'M-2-7v14M2-7v14', 'ink-2', 1.5]],
  b: [['path', 'M-3.500 0S-2-2.500 0-2.500 3.500 0 3.500 0 2 2.500 0 2.500-3.500 0-3.500 0z', 'line-3', 1.2]],
  c: [['path', 'M-3-4l6 3-6 2 6 3', 'refuse', 1.5]],
  d: [['fill', 'M-3.500-4.500v9l7.500-4.500z', 'ink-2']], g: [['path', 'M-3.500-3h7M-3.500 0h7M-3.500 3h7', 'ink-3', 1.3]],
  h: [['path', 'M-3.500-4.500v9l7.500-4.500z', 'conflict', 1.4], ['path', 'M-5 5 6-5', 'conflict', 1.4]],
  i: [['fill', 'M-3.600 0a3.600 3.600 0 1 0 7.200 0a3.600 3.600 0 1 0-7.200 0', 'focus']],
  j: [['path', 'M-3.500 0a3.500 3.500 0 1 0 7 0M0-4l3.500 0 0 3.500', 'focus', 1.3]],
  k: [['path', 'M-3.500 0a3.500 3.500 0 1 0 7 0a3.500 3.500 0 1 0-7 0M-2.500 2.500l5-5', 'refuse', 1.2]],
  l: [['path', 'M-4.500 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0M-1.500 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0', 'focus', 1]],
  m: [['both', DIAMOND, 'conflict', 1.5, 'panel']], o: [['both', DIAMOND, 'conflict', 1.5, 'conflict']],
  n: [['both', DIAMOND, 'refuse', 1.5, 'panel'], ['path', 'M-2.500 0h5', 'refuse', 1.5]],
  f: [['both', OCTAGON, 'refuse', 1.5, 'refuse-bg'], ['path', 'M-2.500 0h5', 'refuse', 1.5]],
  e: [['both', OCTAGON, 'claim', 1.5, 'panel']],
  p: [['path', 'M0-12v24', 'repair', 2], ['fill', 'M-7.500 0a7.500 7.500 0 1 0 15 0a7.500 7.500 0 1 0-15 0', 'repair'],
    ['path', 'M3.100 0a3.100 3.100 0 1 1-1-2.300M3.250-3.900v1.900h-1.900', 'on-strong', 1.4]],
  q: [['path', 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0M-2.500 0h5', 'repair', 1.3]],
  r: [['path', 'M0-4v8', 'line-3', 1.5]], s: [['path', 'M0-5 5.500 4.500h-11zM0-1.500v2.500M0 2.800v.2', 'refuse', 1.4]],
  C: [['path', 'M0-4.500v9M-3.500 3.500l7-7', 'line-3', 1.4]],
  t: [['path', 'M-4-4l8 8M4-4l-8 8', 'ink', 2]], u: [['path', 'M3.500-4v4.500h-7M-1-2.500-3.500.500-1 3.500', 'focus', 1.4]],
  B: [['path', 'M-4 0h8M0-4v8', 'focus', 1.6]],
  v: [['fill', 'M-4 2a4 4 0 0 1 8 0z', 'ink-3']], w: [['path', 'M-2-4h4a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2h-4a2 2 0 0 1-2-2v-4a2 2 0 0 1 2-2z', 'focus', 1.5]],
  x: [['path', 'M-3.500-4.500h7l-7 9h7z', 'refuse', 1.5]], y: [['path', 'M-3.500 6v-11h8l-2.500 3 2.500 3h-8', 'claim', 1.5]],
  A: [['path', 'M-3.500-3.500h7v7h-7zM-3.500 0h7', 'focus', 1.3]],
  '?': [['path', 'M-3 0h6', 'ink-3', 1.5]],
};
// Above an event: a label, or a note.
const NOTES = { right: ['M-3 .3-.8 2.5 3.300-2.500', 'repair'], wrong: ['M-2.600-2.600 2.600 2.600M2.600-2.600-2.600 2.600', 'conflict'], note: ['M-2.800 2.800l.6-2.200 3.600-3.600 1.600 1.600-3.600 3.600z', 'focus'] };
function mark(code, x, y) {
  const group = svg('g', { transform: `translate(${x} ${y})` });
  for (const [how, d, colour, width, fill] of SHAPES[code] || SHAPES['?']) {
    const stroke = how === 'fill' ? 'none' : `var(--${colour})`;
    const inside = how === 'path' ? 'none' : `var(--${how === 'fill' ? colour : fill})`;
    group.append(svg('path', { d, fill: inside, stroke, 'stroke-width': width || 0, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }));
  }
  return group;
}
