// Edges, conflict lines and captions. The vis edges carry the data and stay hidden; these lines are drawn from it.
const ANCHOR = 34; // edges meet cards this far below their top

const CONFLICTS = {
  proposed: { sign: 'open', tone: 'conflict', dash: [6, 4], width: 1.8 },
  confirmed: { sign: 'filled', tone: 'conflict', dash: [], width: 2 },
  rejected: { sign: 'barred', tone: 'refuse', dash: [2, 3], width: 1.6 },
};

const anchor = (card) => (card.kind === 'more' ? card.h / 2 - 2 : ANCHOR);

function paintWires(ctx, t) {
  for (const edge of t.edges) {
    if (edge.kind === 'conflict') continue;
    const from = t.cards.get(edge.from), to = t.cards.get(edge.to);
    if (!from || !to || !t.visible(from) || !t.visible(to)) continue;
    if (edge.kind === 'passage') paintPassageWire(ctx, edge, from, to, t);
    else paintChild(ctx, edge, from, to, t);
  }
}

function childPoints(edge, from, to, t) {
  const y = t.top(to) + anchor(to), start = t.top(from) + anchor(from);
  if (edge.hangs === 'below') return [[from.x + 14, t.top(from) + from.h + 1], [from.x + 14, y], [to.x - 1, y]];
  const right = from.x + from.w + 1;
  if (Math.abs(y - start) < 1) return [[right, y], [to.x - 1, y]];
  const bend = to.x - 18;
  return [[right, start], [bend, start], [bend, y], [to.x - 1, y]];
}

function paintChild(ctx, edge, from, to, t) {
  const c = t.colours, points = childPoints(edge, from, to, t);
  ctx.setLineDash([]);
  const lit = t.litCard(from) && t.litCard(to);
  if (lit) {
    bent(ctx, points);
    ctx.lineWidth = 6;
    ctx.globalAlpha = 0.28;
    ctx.strokeStyle = lit.colour;
    ctx.stroke();
    ctx.globalAlpha = 1;
  }
  const gone = edge.status === 'pruned', later = edge.status === 'later';
  ctx.lineWidth = 1.5;
  ctx.strokeStyle = gone ? c.ghost : c['line-3'];
  ctx.lineCap = later ? 'round' : 'butt';
  ctx.setLineDash(gone ? [5, 4] : later ? [0.1, 4] : []);
  const arrow = edge.status === 'active' || edge.status === 'current';
  const [x, y] = points[points.length - 1];
  if (arrow) points[points.length - 1] = [x - 6, y];
  bent(ctx, points, 8);
  ctx.stroke();
  ctx.setLineDash([]);
  if (arrow) head(ctx, x, y, 0, c['line-3']);
}

function paintPassageWire(ctx, edge, from, to, t) {
  const again = edge.status === 'again';
  if (again && t.hovered.card !== from.id && t.hovered.card !== to.id) return;
  const c = t.colours, y = t.top(to) + to.h / 2;
  ctx.lineWidth = again ? 1.5 : 1;
  ctx.strokeStyle = again ? c.focus : from.status === 'pruned' ? c.ghost : c['line-2'];
  ctx.setLineDash(again ? [3, 3] : []);
  bent(ctx, [[from.x + 14, t.top(from) + from.h], [from.x + 14, y], [again && to.x > from.x ? to.x : to.x, y]], 6);
  ctx.stroke();
  ctx.setLineDash([]);
}

/** An arrow head whose tip is at (x, y); turn 0 points right, 1 down, 2 left, 3 up. */
function head(ctx, x, y, turn, colour, size = 8) {
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate((turn * Math.PI) / 2);
  ctx.beginPath();
  ctx.moveTo(0, 0);
  ctx.lineTo(-size, -size / 2);
  ctx.lineTo(-size, size / 2);
  ctx.closePath();
  ctx.fillStyle = colour;
  ctx.fill();
  ctx.restore();
}

/** Where a conflict's line runs: from the new fact's card to the challenged fact, and where its words go. */
function conflictRoute(edge, from, to, t, { lines, rise }) {
  const fy = t.top(from), ty = t.top(to), middle = from.x + from.w / 2;
  const fact = [...to.rows, ...to.chips].find((one) => one.id === edge.old);
  if (fy > ty + 40) {
    const side = to.x + to.w + 24 + lines * 7, channel = fy - 41 - rise;
    const y = ty + (fact ? fact.y + fact.h / 2 : ANCHOR + 14);
    const start = from.kind === 'search' || middle > side + 30 ? middle : Math.max(middle, from.x + 30);
    return { points: [[start, fy], [start, channel], [side, channel], [side, y], [to.x + to.w + 2, y]], turn: 2, at: [(start + side) / 2, channel] };
  }
  if (fy < ty - 40) {
    const channel = ty - 41 - rise, end = to.x + to.w / 2;
    return { points: [[middle, fy + from.h], [middle, channel], [end, channel], [end, ty - 2]], turn: 1, at: [(middle + end) / 2, channel] };
  }
  const channel = Math.min(fy, ty) - 18 - rise, end = to.x + to.w * 0.7;
  return { points: [[middle, fy], [middle, channel], [end, channel], [end, ty - 2]], turn: 1, at: [(middle + end) / 2, channel] };
}

/** Lines go under the cards, words over them; `routes` is kept for the second pass and for the pointer. */
function routeConflicts(t) {
  const lanes = new Map();
  const loud = (edge) => !edge.past || [edge.old, edge.new].some((id) => id && (t.hovered.chip === id || t.selected.id === id));
  const edges = t.edges.filter((edge) => edge.kind === 'conflict').sort((a, b) => Boolean(a.past) - Boolean(b.past) || b.at - a.at);
  t.routes = [];
  for (const edge of edges) {
    const from = t.cards.get(edge.from), to = t.cards.get(edge.to);
    if (!from || !to || !t.visible(from) || !t.visible(to)) continue;
    const row = `${edge.to} ${t.top(from)}`, lines = lanes.get(edge.to) || 0;
    const { rise, words } = lanes.get(row) || { rise: 0, words: 0 };
    const quiet = !loud(edge) || words > 1;
    t.routes.unshift({ edge, ...conflictRoute(edge, from, to, t, { lines, rise }), quiet });
    lanes.set(edge.to, (lines + 1) % 4);
    lanes.set(row, { rise: quiet ? (rise + 7) % 42 : rise + 25, words: words + !quiet });
  }
}

function paintConflictLines(ctx, t) {
  for (const { edge, points, turn, quiet } of t.routes) {
    const look = CONFLICTS[edge.verdict], tone = t.colours[look.tone];
    ctx.globalAlpha = quiet ? 0.55 : 1;
    ctx.lineWidth = quiet ? 1 : look.width;
    ctx.strokeStyle = tone;
    ctx.lineCap = 'butt';
    ctx.setLineDash(look.dash);
    bent(ctx, points);
    ctx.stroke();
    ctx.setLineDash([]);
    head(ctx, ...points[points.length - 1], turn, tone, quiet ? 7 : 9);
    ctx.beginPath();
    ctx.arc(...points[0], quiet ? 2.5 : 3.5, 0, 7);
    ctx.fillStyle = tone;
    ctx.fill();
    ctx.globalAlpha = 1;
  }
}

function paintConflictWords(ctx, t) {
  const c = t.colours, passages = t.litPassages();
  ctx.textBaseline = 'alphabetic';
  for (const route of t.routes) {
    const { edge, at: [x, y], quiet } = route, look = CONFLICTS[edge.verdict], tone = c[look.tone];
    if (quiet) {
      const [left, top] = route.points[0], bend = route.points[1][1];
      const captioned = t.data.captions.some((one) => one.card === edge.from);
      const sign = bend >= top ? top + 11 : captioned ? Math.max(bend, top - 31) : top - 11;  // above the caption
      route.box = [left - 8, sign - 8, 16, 16];
      if (passages.some((one) => left + 8 > one.x && left - 8 < one.x + one.w && sign + 8 > one.y && sign - 8 < one.y + one.h)) continue;
      glyph(ctx, 'filled', left - 6.5, sign - 6.5, 13, c.bg);
      glyph(ctx, look.sign, left - 5.5, sign - 5.5, 11, tone);
      continue;
    }
    ctx.font = font(11, 600);
    const wide = ctx.measureText(edge.label).width + 33;
    rounded(ctx, x - wide / 2, y - 11, wide, 22, 11);
    ctx.fillStyle = c.panel;
    ctx.fill();
    ctx.lineWidth = 1.5;
    ctx.strokeStyle = tone;
    ctx.setLineDash(edge.verdict === 'proposed' ? [5, 3] : []);
    ctx.stroke();
    ctx.setLineDash([]);
    glyph(ctx, look.sign, x - wide / 2 + 9, y - 5.5, 11, tone);
    write(ctx, edge.label, x - wide / 2 + 25, y + 4, font(11, 600), tone);
    route.box = [x - wide / 2, y - 11, wide, 22];
  }
}

/** Lit passages, where passages are not drawn anyway. */
function paintLitPassages(ctx, t) {
  for (const card of t.litPassages()) {
    const { holder, x, y } = card, start = t.cards.get(holder), foot = t.top(start) + start.h;
    bent(ctx, [[start.x + 12, foot + 4], [start.x + 12, y + card.h / 2], [x, y + card.h / 2]], 5);
    ctx.lineWidth = 2;
    ctx.setLineDash([]);
    ctx.strokeStyle = t.colours[t.shine.kind === 'claim' ? 'claim' : 'focus'];
    ctx.stroke();
    ctx.save();
    ctx.translate(x, y);
    ctx.textBaseline = 'alphabetic';
    paintPassage(ctx, card, t);
    ctx.restore();
  }
}

function paintCaptions(ctx, t) {
  if (t.scale < FAR) return;
  const c = t.colours;
  ctx.textBaseline = 'alphabetic';
  for (const one of t.data.captions) {
    const card = t.cards.get(one.card);
    if (!card || !t.visible(card)) continue;
    const edge = t.net.DOMtoCanvas({ x: 12, y: 0 }).x;
    let x = one.kind === 'active' ? Math.max(card.x, edge) : card.x; // stays in sight on a long path
    const y = t.top(card) - 12;
    ctx.font = font(11, 600);
    const wide = (one.kind === 'pruned' ? 17 : 0) + ctx.measureText(one.strong).width + 5;
    ctx.font = font(11);
    ctx.fillStyle = c.bg;  // no line runs through the words
    ctx.fillRect(x - 2, y - 10.5, wide + ctx.measureText(one.text).width + 4, 14);
    if (one.kind === 'pruned') { glyph(ctx, 'cut', x, y - 9.5, 12, c['ink-3']); x += 17; }
    x += write(ctx, one.strong, x, y, font(11, 600), c['ink-2']) + 5;
    write(ctx, one.text, x, y, font(11), c['ink-3']);
  }
}
