// Cards on the canvas. All positions come from Python, relative to the card's top left corner.
const HEAD = 23;
const FAR = 0.42; // below this zoom words are too small to read: only ids are drawn, large

const font = (size, weight = 400) => `${weight} ${size}px ${SANS}`;
const code = (size, weight = 400) => `${weight} ${size}px ${MONO}`;

const LOOKS = {
  current: { icon: 'here', edge: 'focus', width: 2, fill: 'panel', head: 'focus-bg', rule: 'focus-line', name: 'focus', meta: 'focus' },
  active: { edge: 'line-2', fill: 'panel' },
  live: { edge: 'line-2', fill: 'panel' },
  pruned: { icon: 'cut', edge: 'ghost', dash: [4, 3], fill: 'bg', all: 'ghost', name: 'ghost', meta: 'ghost', ruleDash: [3, 3], rule: 'line-2' },
  later: { icon: 'clock', edge: 'line-3', width: 1.5, dash: [0.1, 3.4], fill: 'bg', all: 'ink-3', name: 'ink-3', ruleDash: [0.1, 3.4], rule: 'line-2' },
  pending: { icon: 'find', edge: 'focus-line', width: 1.5, fill: 'panel', meta: 'ink-2' },
  search: { edge: 'line-2', fill: 'panel', meta: 'ink-2' },
  answer: { icon: 'flag', edge: 'claim', width: 1.5, fill: 'panel', head: 'claim-bg', rule: 'claim-line', name: 'claim' },
  missing: { icon: 'stale', edge: 'refuse', width: 1.5, dash: [4, 3], fill: 'bg', name: 'refuse', meta: 'refuse' },
};
const OUTCOMES = { failed: 'stop', empty: 'minus', 'under way': 'find' };

/** One line of text; squeezed if this font is wider than the one it was measured for. */
function write(ctx, text, x, y, face, colour, room = 0) {
  ctx.font = face;
  ctx.fillStyle = colour;
  if (room > 0) ctx.fillText(text, x, y, room);
  else ctx.fillText(text, x, y);
  return ctx.measureText(text).width;
}

function paintCard(ctx, card, t) {
  const c = t.colours;
  ctx.save();
  ctx.translate(card.x, t.top(card));
  ctx.textBaseline = 'alphabetic';
  ctx.direction = 'ltr';
  if (card.kind === 'passage') paintPassage(ctx, card, t);
  else if (card.kind === 'more') paintStub(ctx, card, t);
  else {
    const look = card.outcome === 'under way' && card.status !== 'later' ? LOOKS.pending : LOOKS[card.status] || LOOKS.live;
    paintFrame(ctx, card, look, t);
    if (t.scale < FAR) paintFar(ctx, card, look, t);
    else {
      paintHead(ctx, card, look, t);
      for (const line of card.lines) paintLine(ctx, line, card, look, c);
      for (const row of card.rows) paintRow(ctx, row, card, t);
      for (const chip of card.chips) paintChip(ctx, chip, card, t);
    }
    if (card.changed) paintCorner(ctx, card.w, 12, c.ink);
  }
  const lit = card.kind !== 'passage' && t.litCard(card);
  if (lit) paintBar(ctx, card, lit, t);
  ctx.restore();
}

/** The bar under a lit card: whole, or in pieces where it is lit only through another fact. */
function paintBar(ctx, card, { colour, dashed }, t) {
  const thick = Math.max(4, 3 / t.scale), y = card.h + 4 + thick / 2;
  ctx.beginPath();
  ctx.moveTo(thick / 2 - 1, y);
  ctx.lineTo(card.w + 1 - thick / 2, y);
  ctx.lineWidth = thick;
  ctx.lineCap = 'round';
  ctx.strokeStyle = colour;
  ctx.setLineDash(dashed ? [0.1, 2.2 * thick] : []);
  ctx.stroke();
  ctx.setLineDash([]);
}

function paintFrame(ctx, card, look, t) {
  const c = t.colours, { w, h } = card;
  const near = t.selected.card === card.id || t.focused === card.id || (t.shine.kind === 'card' && t.shine.cards.has(card.id));
  if (near) {
    rounded(ctx, -4, -4, w + 8, h + 8, 9);
    ctx.lineWidth = t.focused === card.id ? 2.5 : 1.5;
    ctx.strokeStyle = c.focus;
    ctx.stroke();
  }
  rounded(ctx, 0, 0, w, h, 6);
  ctx.fillStyle = c[look.fill];
  ctx.fill();
  if (look.head && t.scale >= FAR) {
    ctx.save();
    ctx.clip();
    ctx.fillStyle = c[look.head];
    ctx.fillRect(0, 0, w, HEAD);
    ctx.restore();
    rounded(ctx, 0, 0, w, h, 6);
  }
  ctx.setLineDash(look.dash || []);
  ctx.lineCap = look.dash && look.dash[0] < 1 ? 'round' : 'butt';
  ctx.lineWidth = look.width || 1;
  ctx.strokeStyle = t.hovered.card === card.id && !look.width ? c['ink-3'] : c[look.edge];
  ctx.stroke();
  ctx.setLineDash([]);
  if (card.outcome === 'repairing') {
    ctx.fillStyle = c.conflict;
    ctx.fillRect(-0.5, 4, 1.5, h - 8);
    ctx.fillRect(2.5, 4, 1.5, h - 8);
  }
}

function paintHead(ctx, card, look, t) {
  const c = t.colours;
  let x = 8;
  const sign = look.icon && !(card.status === 'later' && card.kind === 'answer') ? look.icon : card.kind === 'answer' ? 'flag' : OUTCOMES[card.outcome];
  if (sign) { glyph(ctx, sign, x, 5.5, 12, c[look.name || look.all || (card.outcome === 'failed' ? 'refuse' : 'ink-3')]); x += 17; }
  if (card.name) x += write(ctx, card.name, x, 15.5, code(11, 700), c[look.name || 'ink']) + 5;
  const strong = card.status === 'current';
  ctx.font = font(11, strong ? 700 : 400);
  const right = card.right ? ctx.measureText(card.right).width : 0;
  if (card.meta) write(ctx, card.meta, x, 15.5, font(11), c[look.meta || 'ink-3'], Math.max(card.w - x - right - 12, 8));
  if (right) write(ctx, card.right, card.w - 8 - right - (card.changed ? 4 : 0), 15.5, font(11, strong ? 700 : 400), c[look.meta || 'ink-3']);
  ctx.beginPath();
  ctx.setLineDash(look.ruleDash || []);
  ctx.lineWidth = 1;
  ctx.strokeStyle = c[look.rule || 'line'];
  ctx.moveTo(look.width === 2 ? 1 : 0.5, HEAD + 0.5);
  ctx.lineTo(card.w - 0.5, HEAD + 0.5);
  ctx.stroke();
  ctx.setLineDash([]);
}

function paintLine(ctx, [x, y, style, text], card, look, c) {
  const room = card.w - x - 7;
  if (style === 'title') write(ctx, text, x, y, font(card.kind === 'answer' ? 12.5 : 11.5, 600), c[look.all || 'ink'], room);
  else if (style === 'plain') write(ctx, text, x, y, font(11.5, 500), c[look.all || 'ink'], room);
  else if (style.startsWith('note:')) {
    glyph(ctx, style.slice(5), x, y - 9.5, 11, c[look.all || 'ink-3']);
    write(ctx, text, x + 15, y, font(10.5), c[look.all || 'ink-3'], room - 15);
  } else write(ctx, text, x, y, font(style === 'foot' ? 10.5 : 11), c[look.all || (style === 'foot' ? 'ink-3' : 'ink-2')], room);
}

function paintRow(ctx, row, card, t) {
  const c = t.colours, gone = card.status === 'pruned', tone = gone ? c.ghost : c.repair;
  rounded(ctx, row.x, row.y, row.w, row.h, 4);
  ctx.fillStyle = gone ? c.bg : c['repair-bg'];
  ctx.fill();
  const chosen = t.selected.id === row.id || t.found?.id === row.id;
  ctx.lineWidth = t.hovered.chip === row.id || chosen ? 2.5 : 1.5;
  ctx.strokeStyle = chosen ? c.focus : tone;
  ctx.setLineDash(gone ? [3, 2] : []);
  ctx.stroke();
  ctx.setLineDash([]);
  let x = row.x + 7;
  x += write(ctx, row.label, x, row.y + 16, code(11, 700), tone) + 3;
  if (row.badge) paintBadge(ctx, row.badge, x, row.y + 6, tone, c);
  if (row.back) glyph(ctx, 'back', row.x + 19, row.y + 22, 11, gone ? c.ghost : c.refuse);
  if (row.mark) glyph(ctx, MARKS[row.mark][0], row.x + 7, row.y + 22, 11, gone ? c.ghost : c[MARKS[row.mark][1]]);
  for (const [left, base, runs] of row.lines) {
    let at = row.x + left;
    for (const [text, style] of runs) {
      const colour = { old: c['ink-3'], new: tone, meta: c['ink-3'], strong: c.ink }[style] || (gone ? c.ghost : c.ink);
      const long = write(ctx, text, at, row.y + base, font(11, style === 'new' ? 600 : 400), colour);
      if (style === 'old') {
        ctx.fillStyle = gone ? c.ghost : c.conflict;
        ctx.fillRect(at, row.y + base - 4.2, long, 1.5);
      }
      at += long;
    }
  }
  const lit = t.litFact(row.id);
  if (lit) { ctx.fillStyle = lit.colour; ctx.fillRect(row.x - 4, row.y, 4, row.h); }
  if (t.changedFacts.has(row.id)) { ctx.save(); ctx.translate(row.x, row.y); paintCorner(ctx, row.w, 8, c.ink); ctx.restore(); }
}

function paintBadge(ctx, text, x, y, colour, c) {
  ctx.font = code(10, 700);
  const wide = ctx.measureText(text).width + 8;
  rounded(ctx, x, y, wide, 13, 3);
  ctx.fillStyle = colour;
  ctx.fill();
  write(ctx, text, x + 4, y + 10, code(10, 700), c['on-strong']);
  return wide;
}

const MARKS = { proposed: ['open', 'conflict'], confirmed: ['filled', 'conflict'], rejected: ['barred', 'refuse'], contested: ['barred', 'refuse'] };
const FATES = { duplicate: 'twice', absorbed: 'neq', set_aside: 'aside' };

function paintChip(ctx, chip, card, t) {
  const c = t.colours, { x, y, w, h } = chip;
  const gone = chip.look === 'pruned' || card.status === 'pruned', later = card.status === 'later';
  let edge = c['line-2'], ink = c.ink, dash = [], wide = 1;
  if (gone) [edge, ink, dash] = [c.ghost, c.ghost, [3, 2]];
  else if (later) [edge, ink, dash, wide] = [c['line-3'], c['ink-3'], [0.1, 2.8], 1.4];
  else if (chip.look === 'absorbed') [edge, ink] = [c.conflict, c.conflict];
  else if (chip.look === 'new') [edge, ink] = [c.focus, c.focus];
  else if (chip.look === 'missing') [edge, ink, dash] = [c.refuse, c.refuse, [2, 2]];
  else if (chip.look === 'duplicate' || chip.look === 'set_aside' || chip.look === 'more') ink = c['ink-3'];
  if (chip.badge && !gone && !later) [edge, ink, wide] = [c.repair, c.repair, 1.5];
  if (chip.mark && !gone && !later && chip.mark !== 'contested') edge = c[MARKS[chip.mark][1]];
  const chosen = chip.id && (t.selected.id === chip.id || t.found?.id === chip.id), hovered = t.hovered.chip === chip.id && chip.id;
  if (chip.look !== 'more') {
    rounded(ctx, x + 0.5, y + 0.5, w - 1, h - 1, 3);
    ctx.fillStyle = chosen ? c['focus-bg'] : hovered ? c.sunk : gone || later ? c.bg : c.panel;
    ctx.fill();
    ctx.setLineDash(chosen ? [] : dash);
    ctx.lineCap = dash[0] < 1 ? 'round' : 'butt';
    ctx.lineWidth = chosen ? 2 : wide;
    ctx.strokeStyle = chosen ? c.focus : hovered && !later ? ink : edge;
    ctx.stroke();
    ctx.setLineDash([]);
  }
  let at = x + 6;
  const sign = FATES[chip.look];
  if (sign) { glyph(ctx, sign, at - 1, y + 4, 10, ink); at += 12; }
  if (chip.mark) {
    const [name, tone] = MARKS[chip.mark];
    glyph(ctx, name, at - 1, y + 4, 10, gone ? c.ghost : later ? c['ink-3'] : c[tone]);
    at += 12;
  }
  if (chip.back) { glyph(ctx, 'back', at - 1, y + 4, 10, gone || later ? ink : c.refuse); at += 12; }
  at += write(ctx, chip.label, at, y + 12.5, code(10.5, 500), ink);
  if (chip.badge) at += 3 + paintBadge(ctx, chip.badge, at + 3, y + 2.5, gone ? c.ghost : later ? c['line-3'] : c.repair, c);
  if (chip.sources > 1) write(ctx, ` ×${chip.sources}`, at, y + 12.5, code(10.5, 500), ink);
  const lit = t.litFact(chip.id);
  if (lit) paintLitChip(ctx, chip, lit);
  if (t.changedFacts.has(chip.id)) { ctx.save(); ctx.translate(x, y); paintCorner(ctx, w, 6, c.ink); ctx.restore(); }
}

/** A lit fact has a line under it, dotted where it is lit through another; the fact it is all about has a frame. */
function paintLitChip(ctx, { x, y, w, h }, { colour, dashed, own }) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2;
  ctx.lineCap = 'butt';
  ctx.setLineDash(dashed ? [2, 2] : []);
  if (own) rounded(ctx, x - 1, y - 1, w + 2, h + 2, 4);
  else {
    ctx.beginPath();
    ctx.moveTo(x, y + h + 1);
    ctx.lineTo(x + w, y + h + 1);
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

function paintCorner(ctx, w, size, colour) {
  ctx.beginPath();
  ctx.moveTo(w + 0.5 - size, -0.5);
  ctx.lineTo(w - 2, -0.5);
  ctx.quadraticCurveTo(w + 0.5, -0.5, w + 0.5, 2.5);
  ctx.lineTo(w + 0.5, size - 0.5);
  ctx.closePath();
  ctx.fillStyle = colour;
  ctx.fill();
}

function paintFar(ctx, card, look, t) {
  const c = t.colours, size = Math.min(13 / t.scale, card.w / 4, card.h * 0.6);
  const name = card.name || card.meta;
  ctx.font = code(size, 700);
  const wide = Math.min(ctx.measureText(name).width, card.w - 12);
  let x = (card.w - wide) / 2;
  if (look.icon) { x += size * 0.5; glyph(ctx, look.icon, x - size - 2, card.h / 2 - size * 0.5, size * 0.95, c[look.name || 'ink-3'], 2); }
  write(ctx, name, x, card.h / 2 + size * 0.36, code(size, 700), c[look.name || look.all || 'ink'], wide);
}

function paintPassage(ctx, card, t) {
  const c = t.colours, later = card.status === 'later', gone = card.holder_status === 'pruned';
  const ink = later ? c['ink-3'] : gone ? c.ghost : c['ink-2'];
  const chosen = t.selected.id === card.key && card.key;
  rounded(ctx, 0, 0, card.w, card.h, 4);
  ctx.fillStyle = t.hovered.card === card.id ? c.sunk : later || gone ? c.bg : c['panel-2'];
  ctx.fill();
  const lit = t.shine.passages.has(card.key);
  ctx.lineWidth = chosen || lit || t.focused === card.id ? 2 : later ? 1.4 : 1;
  ctx.strokeStyle = chosen || t.focused === card.id ? c.focus : lit ? c[t.shine.kind === 'claim' ? 'claim' : 'focus'] : later ? c['line-3'] : gone ? c.ghost : c['line-2'];
  ctx.setLineDash(lit ? [] : later ? [0.1, 2.8] : gone ? [3, 2] : []);
  ctx.lineCap = later ? 'round' : 'butt';
  ctx.stroke();
  ctx.setLineDash([]);
  const at = 6 + write(ctx, card.name, 6, 14.5, code(10.5, 600), ink) + 6;
  write(ctx, card.label, at, 14.5, font(10.5), ink, card.w - at - 5);
}

function paintStub(ctx, card, t) {
  const c = t.colours;
  for (const step of [4, 0]) {
    rounded(ctx, step, step, card.w - 4, card.h - 4, 4);
    ctx.fillStyle = t.hovered.card === card.id && !step ? c.sunk : c.panel;
    ctx.fill();
    ctx.lineWidth = t.focused === card.id ? 2 : 1;
    ctx.strokeStyle = t.focused === card.id ? c.focus : c['line-2'];
    ctx.stroke();
  }
  const at = 8 + write(ctx, card.label, 8, 14, code(11, 700), c.ink) + 5;
  write(ctx, 'cards', at, 14, font(11), c['ink-2'], card.w - at - 8);
}
