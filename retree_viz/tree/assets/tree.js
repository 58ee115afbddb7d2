// One evidence tree in one element: a vis network for the nodes, zoom and pan; our own painting and hit-testing.
const TREES = new WeakMap(); // element the component is mounted in -> its tree, kept through reruns

class Tree extends Ahead {
  constructor(parent) {
    super();
    this.parent = parent;
    this.host = el('div', 'rt-tree');
    this.host.dataset.testid = 'evidence-graph';
    this.host.setAttribute('role', 'region');
    this.canvas = el('div', 'rt-canvas');
    this.host.append(this.canvas);
    parent.append(this.host);
    this.cards = new Map();
    this.edges = [];
    this.routes = [];
    this.hovered = { card: '', chip: '' };
    this.focused = '';
    this.found = null;
    this.changedFacts = new Set();
    this.placed = new Map(); // what vis was told of each card
    this.linked = new Set(); // and the ids of its edges
    this.nodes = new vis.DataSet();
    this.links = new vis.DataSet();
    this.net = new vis.Network(this.canvas, { nodes: this.nodes, edges: this.links }, {
      physics: false,
      layout: { improvedLayout: false },
      edges: { smooth: false, hidden: true },
      interaction: { dragNodes: false, selectable: false, hover: false, tooltipDelay: 1e9, zoomSpeed: 0.6 },
    });
    // vis would change the zoom with the size of the element; here the top left corner just stays where it is
    this.net.canvas._setCameraState = () => {};
    this.chrome = new Chrome(this);
    this.listen();
    this.host.retree = this; // for browser tests
  }

  // --- what the painters ask -------------------------------------------------------------------------------
  get scale() { return this.net.getScale(); }
  top(card) { return this.show.passages ? card.roomy : card.y; }
  repaint() { this.net.body.emitter.emit('_requestRedraw'); } // in the next frame, once; `redraw` measures the page and paints at once
  visible(card) { return !this.hiddenCards.has(card.id); }

  // --- new data --------------------------------------------------------------------------------------------
  update(data, send) {
    this.send = send;
    if (this.overtaken(data)) return;
    this.wanted = null;
    this.draw(data);
  }

  draw(data) {
    const before = this.data;
    this.data = data;
    this.dress();
    this.takeShow(before, data);
    this.selected = data.selected;
    this.changedFacts = new Set(data.facts.changed);
    const seen = new Set();
    for (const node of data.nodes) {
      seen.add(node.id);
      if (this.cards.get(node.id)?.hash !== node.hash) this.cards.set(node.id, { id: node.id, hash: node.hash, said: node.label, ...node.card });
    }
    for (const id of [...this.cards.keys()]) if (!seen.has(id)) this.cards.delete(id);
    this.edges = data.edges;
    this.place();
    this.chrome.update(data);
    this.relight();
    this.canvas.style.visibility = data.empty ? 'hidden' : '';
    if (!before || before.run !== data.run) {
      this.touched = false;
      this.whenSeen(() => this.fitFirst());
    } else if ((before.moment !== data.moment || before.selected.id !== data.selected.id) && !this.pending) {
      this.touched = true;
      this.whenSeen(() => this.follow(before));
    }
    this.repaint();
  }

  /** What the address shows; an answer that is older than the last toggle changes nothing. */
  takeShow(before, data) {
    const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
    if (before && before.run === data.run && this.toggled && !same(this.toggled, data.show)) return;
    this.toggled = null;
    if (!before || !same(before.show, data.show)) this.show = { ...data.show };
  }

  /** Colours and fonts from the palette, the side chosen by the page's background. */
  dress() {
    this.host.setAttribute('aria-label', this.data.label);
    const behind = background(this.parent), worn = `${behind} ${this.data.height}`;
    if (worn === this.worn) return;
    this.worn = worn;
    this.colours = PALETTE[isDark(behind) ? 'dark' : 'light'];
    for (const [name, value] of Object.entries(this.colours)) this.host.style.setProperty(`--${name}`, value);
    this.host.style.setProperty('--sans', SANS);
    this.host.style.setProperty('--mono', MONO);
    this.host.style.height = this.data.height ? `${this.data.height}px` : '100%';
  }

  /** Tell vis where the nodes are, and hide what the toggles hide; only differences are sent. */
  place() {
    this.hiddenCards = new Set();
    const parents = new Map(this.edges.filter((one) => one.kind === 'child').map((one) => [one.to, one.from]));
    for (const card of this.cards.values()) {
      const above = card.kind === 'passage' ? card.holder : card.kind === 'node' ? '' : parents.get(card.id);
      const hidden = (card.status === 'pruned' && !this.show.pruned) || (card.status === 'later' && !this.show.later)
        || (card.kind === 'passage' && !this.show.passages) || this.hiddenCards.has(above);
      if (hidden) this.hiddenCards.add(card.id);
    }
    const changed = [];
    for (const card of this.cards.values()) {
      const item = { id: card.id, x: card.x + card.w / 2, y: this.top(card) + card.h / 2, size: Math.max(card.w, card.h) / 2 + 10, hidden: this.hiddenCards.has(card.id) };
      const old = this.placed.get(card.id);
      if (old && old.x === item.x && old.y === item.y && old.hidden === item.hidden) continue;
      this.placed.set(card.id, item);
      changed.push(old ? item : { ...item, shape: 'custom', fixed: true, ctxRenderer: this.renderer(card.id) });
    }
    if (changed.length) this.nodes.update(changed);
    const gone = [...this.placed.keys()].filter((id) => !this.cards.has(id));
    if (gone.length) this.nodes.remove(gone);
    for (const id of gone) this.placed.delete(id);
    const wanted = new Map(this.edges.map((one) => [one.id, { id: one.id, from: one.from, to: one.to }]));
    const loose = [...this.linked].filter((id) => !wanted.has(id)), fresh = [...wanted.values()].filter((one) => !this.linked.has(one.id));
    if (loose.length) this.links.remove(loose);
    if (fresh.length) this.links.add(fresh);
    this.linked = new Set(wanted.keys());
    this.count();
  }

  renderer(id) {
    return ({ ctx }) => ({
      drawNode: () => { const card = this.cards.get(id); if (card) paintCard(ctx, card, this); },
      nodeDimensions: { width: 1, height: 1 },
    });
  }

  /** How much of the run is on the canvas: cards, the facts on them, passages. */
  count() {
    const shown = [...this.cards.values()].filter((card) => this.visible(card));
    const own = shown.filter((card) => card.kind !== 'passage' && card.kind !== 'more');
    const facts = new Set(own.flatMap((card) => [...card.rows, ...card.chips]).map((chip) => chip.id).filter(Boolean));
    this.counts = { cards: own.length, facts: facts.size, passages: shown.length - own.length - shown.filter((card) => card.kind === 'more').length };
  }

  // --- pointer and keys ------------------------------------------------------------------------------------
  /** What is drawn at a point of the canvas: the smallest thing wins. */
  hit({ x, y }) {
    const passage = this.litPassages().find((one) => x >= one.x && y >= one.y && x <= one.x + one.w && y <= one.y + one.h);
    if (passage) return { kind: 'passage', card: passage };
    for (const route of this.routes) {
      const [left, top, wide, high] = route.box || [0, 0, 0, 0];
      if (x >= left && x <= left + wide && y >= top && y <= top + high) return { kind: 'conflict', edge: route.edge };
    }
    for (const card of [...this.cards.values()].reverse()) {
      if (!this.visible(card)) continue;
      const inX = x - card.x, inY = y - this.top(card);
      if (inX < 0 || inY < 0 || inX > card.w || inY > card.h) continue;
      if (this.scale < FAR || !card.chips) return { kind: card.kind, card };
      const chip = [...card.rows, ...card.chips].find((one) => inX >= one.x && inX <= one.x + one.w && inY >= one.y - 1 && inY <= one.y + one.h + 1);
      return chip && chip.id ? { kind: 'evidence', card, chip } : { kind: card.kind, card };
    }
    return null;
  }

  click(found) {
    if (!found) return;
    const id = found.kind === 'evidence' ? found.chip.id : found.kind === 'conflict' ? found.edge.old : found.kind === 'answer' ? 'answer' : found.card.key;
    if (found.kind === 'missing' || (found.kind === 'more' && !id)) return;
    this.wish(found.kind === 'conflict' ? 'evidence' : found.kind, id);
  }

  wish(kind, id) {
    this.clicks = (this.clicks || 0) + 1;
    this.send('click', { kind, id, n: this.clicks });
  }

  hover(found, at) {
    const next = { card: found?.card?.id || '', chip: found?.chip?.id || (found?.edge ? found.edge.old : '') };
    this.canvas.style.cursor = found && found.kind !== 'missing' ? 'pointer' : 'grab';
    this.chrome.tip(found, at);
    if (next.card === this.hovered.card && next.chip === this.hovered.chip) return;
    this.hovered = next;
    this.repaint();
    if (found?.card?.kind === 'passage' && !this.show.passages) return; // drawn only while its claim is lit
    this.ask(next.chip || (found?.card?.kind === 'passage' ? found.card.key : ''));
  }

  toggle(name) {
    if (!this.chrome.occurs(name)) return;
    this.show = { ...this.show, [name]: !this.show[name] };
    this.toggled = this.show;
    this.wish('shown', Object.keys(this.show).filter((one) => this.show[one]).join());
    this.place();
    this.chrome.update(this.data);
    this.repaint();
  }

  listen() {
    const net = this.net;
    net.on('beforeDrawing', (ctx) => {
      if (!this.data) return;
      routeConflicts(this);
      paintWires(ctx, this);
      paintConflictLines(ctx, this);
    });
    net.on('afterDrawing', (ctx) => {
      if (!this.data) return;
      paintCaptions(ctx, this);
      paintConflictWords(ctx, this);
      paintLitPassages(ctx, this);
      this.host.dataset.step = this.data.moment;
    });
    net.on('click', ({ pointer }) => this.click(this.hit(pointer.canvas)));
    net.on('zoom', ({ scale }) => {
      this.touched = true;
      const kept = Math.max(0.05, Math.min(4, scale));
      if (kept !== scale) net.moveTo({ scale: kept });
    });
    net.on('dragStart', () => { this.touched = true; this.hover(null); });
    this.canvas.addEventListener('mousemove', (event) => {
      if (event.buttons) return;
      const box = this.canvas.getBoundingClientRect(), at = { x: event.clientX - box.left, y: event.clientY - box.top };
      this.hover(this.hit(net.DOMtoCanvas(at)), at);
    });
    this.canvas.addEventListener('mouseleave', () => this.hover(null));
    // Over a page that scrolls, the wheel scrolls it, until one has clicked into the tree (or holds Ctrl).
    this.canvas.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.metaKey && !this.engaged && scrolls(this.host)) event.stopPropagation();
    }, { capture: true, passive: true });
    this.onDown = (event) => { this.engaged = this.host.contains(event.target); };
    this.onKey = (event) => this.key(event);
    this.onLight = (event) => this.point(String(event.detail?.id || ''));
    this.onLinks = () => this.data && this.relight();
    this.onGo = (event) => this.goAhead(event.detail?.moment);
    window.addEventListener('retree:go', this.onGo);
    window.addEventListener('retree:light', this.onLight);
    window.addEventListener('retree:links', this.onLinks);
    document.addEventListener('pointerdown', this.onDown, true);
    document.addEventListener('keydown', this.onKey);
    this.sizes = new ResizeObserver(() => requestAnimationFrame(() => this.resized()));
    this.sizes.observe(this.canvas);
  }

  key(event) {
    const typing = event.target.closest?.('input, textarea, select, [contenteditable=true]');
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !this.host.offsetParent || document.querySelector('[role=dialog]')) return;
    const does = {
      g: () => this.toggle('pruned'), l: () => this.toggle('later'), f: () => this.fitChange(), '/': () => this.chrome.find.input.focus(),
      z: () => this.zoom(1.25), Z: () => this.zoom(0.8), 0: () => this.fitAll(),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  }

  focus(id) {
    this.focused = id;
    if (id) this.reveal([id]);
    this.repaint();
  }

  destroy() {
    document.removeEventListener('pointerdown', this.onDown, true);
    document.removeEventListener('keydown', this.onKey);
    window.removeEventListener('retree:light', this.onLight);
    window.removeEventListener('retree:links', this.onLinks);
    window.removeEventListener('retree:go', this.onGo);
    this.sizes.disconnect();
    this.net.destroy();
    this.host.remove();
  }
}

/** The background that Streamlit gives its components. */
function background(parent) {
  const at = parent instanceof ShadowRoot ? parent.host : parent;
  return getComputedStyle(at).getPropertyValue('--st-background-color').trim() || '#fff';
}

/** Whether a page with this background is dark. */
function isDark(raw) {
  const probe = document.createElement('canvas').getContext('2d');
  probe.fillStyle = raw;
  probe.fillRect(0, 0, 1, 1);
  const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
  return 0.299 * r + 0.587 * g + 0.114 * b < 128;
}

function scrolls(element) {
  for (let at = element.parentElement; at; at = at.parentElement) {
    if (at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY)) return true;
  }
  return false;
}

/** Draw `data` in the component's element; the tree and its zoom live as long as the element does. */
function mountTree({ data, parentElement, setTriggerValue }) {
  let tree = TREES.get(parentElement);
  if (!tree || !tree.host.isConnected) {
    tree = new Tree(parentElement);
    TREES.set(parentElement, tree);
  }
  tree.update(JSON.parse(new TextDecoder().decode(data)), setTriggerValue);
  return () => { tree.destroy(); TREES.delete(parentElement); };
}

globalThis.retreeTree = { mount: mountTree };
export default function loaded() {}
