// Small drawings on a 16 x 16 grid, one for every status: colour never speaks alone.
const GLYPHS = {
  here: { d: 'M4 2.5v11L13 8z', fill: true },
  repair: { d: 'M13 8a5 5 0 1 1-1.6-3.7M13.2 1.8v3h-3' },
  neq: { d: 'M3 6h10M3 10h10M10.5 3l-5 10' },
  cut: { d: 'M6 4a2 2 0 1 1-4 0a2 2 0 1 1 4 0M6 12a2 2 0 1 1-4 0a2 2 0 1 1 4 0M5.7 5.1 14 11.5M5.7 10.9 14 4.5' },
  clock: { d: 'M14 8a6 6 0 1 1-12 0a6 6 0 1 1 12 0M8 4.5V8l2.5 1.5' },
  flag: { d: 'M3.5 14.5v-13h9l-2.5 3.5 2.5 3.5h-9' },
  find: { d: 'M11.5 7a4.5 4.5 0 1 1-9 0a4.5 4.5 0 1 1 9 0M10.5 10.5 14 14' },
  stale: { d: 'M8 2 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1' },
  page: { d: 'M4 1.5h5.5L12.5 4.5v10h-8.500zM6.500 8h4M6.5 11h4' },
  summary: { d: 'M3 5h10M3 8h10M3 11h6' },
  stop: { d: 'M5.3 1.8h5.4l3.5 3.5v5.4l-3.5 3.5H5.3l-3.5-3.5V5.3zM5 8h6' },
  open: { d: 'M8 1.5 14.5 8 8 14.5 1.5 8z' },
  filled: { d: 'M8 1.5 14.5 8 8 14.5 1.5 8z', fill: true },
  barred: { d: 'M8 1.500 14.5 8 8 14.5 1.5 8zM5 8h6' },
  twice: { d: 'M10 8a4 4 0 1 1-8 0a4 4 0 1 1 8 0M14 8a4 4 0 1 1-8 0a4 4 0 1 1 8 0' },
  aside: { d: 'M3 11a5 5 0 0 1 10 0z', fill: true },
  back: { d: 'M6 2.500 2.500 6 6 9.500M2.500 6H10a3.500 3.500 0 0 1 0 7H6.500' },
  fit: { d: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.500V10' },
  check: { d: 'M3 8.500 6.500 12 13 4.5' },
  plus: { d: 'M8 3.5v9M3.5 8h9' },
  minus: { d: 'M3.5 8h9' },
  down: { d: 'M4 6l4 4 4-4' },
  up: { d: 'M4 10l4-4 4 4' },
};
for (const one of Object.values(GLYPHS)) one.path = new Path2D(one.d);

/** Draw a glyph with its top left corner at (x, y). */
function glyph(ctx, name, x, y, size, colour, weight = 1.6) {
  const one = GLYPHS[name];
  if (!one) return;
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(size / 16, size / 16);
  ctx.setLineDash([]);
  ctx.lineWidth = weight;
  ctx.lineCap = ctx.lineJoin = 'round';
  ctx.strokeStyle = ctx.fillStyle = colour;
  if (one.fill) ctx.fill(one.path);
  ctx.stroke(one.path);
  ctx.restore();
}

/** The same glyph for the page around the canvas. */
function icon(name, size = 12) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('width', size);
  svg.setAttribute('height', size);
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(svg.namespaceURI, 'path');
  path.setAttribute('d', GLYPHS[name].d);
  if (GLYPHS[name].fill) path.setAttribute('fill', 'currentColor');
  svg.append(path);
  return svg;
}

/** A page element with a class and text; text is never markup. */
function el(tag, cls = '', text = '') {
  const made = document.createElement(tag);
  if (cls) made.className = cls;
  if (text) made.textContent = text;
  return made;
}

/** Add a rounded rectangle to the current path. */
function rounded(ctx, x, y, w, h, r) {
  ctx.beginPath();
  ctx.moveTo(x + r, y);
  ctx.arcTo(x + w, y, x + w, y + h, r);
  ctx.arcTo(x + w, y + h, x, y + h, r);
  ctx.arcTo(x, y + h, x, y, r);
  ctx.arcTo(x, y, x + w, y, r);
  ctx.closePath();
}

/** Add a line through points to the current path, its corners rounded. */
function bent(ctx, points, radius = 10) {
  ctx.beginPath();
  ctx.moveTo(...points[0]);
  for (let i = 1; i < points.length - 1; i++) {
    const [a, b, c] = [points[i - 1], points[i], points[i + 1]];
    const room = Math.min(Math.hypot(b[0] - a[0], b[1] - a[1]), Math.hypot(c[0] - b[0], c[1] - b[1])) / 2;
    ctx.arcTo(...b, ...c, Math.min(radius, room));
  }
  ctx.lineTo(...points[points.length - 1]);
}
