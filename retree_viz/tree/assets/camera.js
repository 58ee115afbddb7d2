// Where to look: fitting, following a step, revealing a card. The zoom is the user's; a step only pans.
const LEAST = 0.78; // least zoom that fitting chooses; by hand one can go further
const TOP = 46; // height of the bar over the canvas

class Camera {
  /** Run it once the element has a size: a tree in a hidden tab is fitted when the tab opens. */
  whenSeen(what) {
    if (this.canvas.clientWidth > 40 && this.canvas.clientHeight > 40) { this.pending = null; what(); } else this.pending = what;
  }

  /** The element got another size: a first view is made again, a later one keeps its place. */
  resized() {
    if (!this.host.isConnected) return;
    if (this.pending) this.whenSeen(this.pending);
    else if (!this.touched) this.whenSeen(() => this.fitFirst());
  }

  bounds(ids) {
    const cards = ids.map((id) => this.cards.get(id)).filter((card) => card && this.visible(card));
    if (!cards.length) return null;
    const left = Math.min(...cards.map((card) => card.x)), top = Math.min(...cards.map((card) => this.top(card)));
    const right = Math.max(...cards.map((card) => card.x + card.w)), bottom = Math.max(...cards.map((card) => this.top(card) + card.h));
    return { left: left - 12, top: top - 34, right: right + 12, bottom: bottom + 16 };
  }

  shownIds() { return [...this.cards.values()].filter((card) => this.visible(card)).map((card) => card.id); }

  /** The cards this event changed with both ends of an open conflict; else the current one. */
  changedIds() {
    const ids = [...this.cards.values()].filter((card) => card.changed && this.visible(card)).map((card) => card.id);
    for (const edge of this.edges) if (edge.kind === 'conflict' && !edge.past && ids.length) ids.push(edge.from, edge.to);
    if (ids.length) return ids;
    return [...this.cards.values()].filter((card) => card.status === 'current' || card.status === 'pending').map((card) => card.id);
  }

  /** Show a rectangle; where it does not fit at the least zoom, its top left corner stays in sight. */
  look(box, { most = 1, least = LEAST, top = false, still = false } = {}) {
    if (!box) return;
    const wide = this.canvas.clientWidth, high = this.canvas.clientHeight - TOP;
    const scale = Math.max(least, Math.min(most, wide / (box.right - box.left), high / (box.bottom - box.top)));
    const halfX = wide / 2 / scale, halfY = high / 2 / scale;
    let x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
    if (box.right - box.left > 2 * halfX) x = box.left + halfX;
    if (box.bottom - box.top > 2 * halfY) y = box.top + halfY;
    else if (top) y = box.top + halfY;
    this.glide(x, y - TOP / 2 / scale, scale, still);
  }

  glide(x, y, scale, still = false) {
    const quiet = still || matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.net.moveTo({ position: { x, y }, scale, animation: quiet ? false : { duration: 220, easingFunction: 'easeInOutQuad' } });
  }

  /** All of a small tree; of a larger one, its start, moved on to what changed. */
  fitFirst() {
    const all = this.bounds(this.shownIds());
    if (!all) return;
    const high = this.canvas.clientHeight - TOP, fits = Math.min(this.canvas.clientWidth / (all.right - all.left), high / (all.bottom - all.top));
    const box = { ...all, right: Math.max(all.right, all.left + this.canvas.clientWidth / Math.max(1, Math.min(fits, 1.15))) };
    this.look(box, { most: 1.15, top: true, still: true });
    if (fits < LEAST) this.reveal(this.changedIds(), true);
    this.chrome.placeLegend();
  }

  fitChange() { this.touched = true; this.look(this.bounds(this.changedIds()), { most: 1.15 }); }
  fitAll() { this.touched = true; this.look(this.bounds(this.shownIds()), { least: 0.05 }); }

  /** After a step: the zoom stays; pan only if what changed, or was chosen, is out of sight. */
  follow(before) {
    const chosen = before.selected.id !== this.data.selected.id && this.selected.card;
    this.reveal(chosen ? [this.selected.card] : this.changedIds());
  }

  reveal(ids, still = false) {
    const box = this.bounds(ids);
    if (!box) return;
    const scale = this.scale, { x, y } = this.net.getViewPosition();
    const halfX = this.canvas.clientWidth / 2 / scale, halfY = this.canvas.clientHeight / 2 / scale;
    const move = (low, high, a, b) => (high - low > b - a ? low - a : low < a ? low - a : high > b ? high - b : 0);
    const dx = move(box.left, box.right, x - halfX, x + halfX);
    const dy = move(box.top, box.bottom, y - halfY + TOP / scale, y + halfY);
    if (Math.abs(dx) > 1 || Math.abs(dy) > 1) this.glide(x + dx, y + dy, scale, still);
  }

  zoom(by) {
    this.touched = true;
    const { x, y } = this.net.getViewPosition();
    this.glide(x, y, Math.max(0.05, Math.min(4, this.scale * by)));
  }
}
