// What is around the canvas: toggles, legend, hover text, and the list for screen readers.
const SWATCH = (inside) => `<svg width="20" height="12" aria-hidden="true">${inside}</svg>`;
const BOX = 'x=".75" y=".75" width="18.5" height="10.5" rx="2" fill="none"';
// Constant markup, no data: the legend's drawings, each with what has to occur in the run for it to be offered.
const LEGEND = [
  ['card', 'current node', SWATCH(`<rect ${BOX} stroke="var(--focus)" stroke-width="2"/><path d="M7 3.5v5l4.500-2.500z" fill="var(--focus)"/>`)],
  ['evidence_repaired', 'repaired fact, r2', SWATCH('<rect x=".75" y=".75" width="18.5" height="10.5" rx="2" fill="var(--repair-bg)" stroke="var(--repair)" stroke-width="1.5"/><path d="M5 6h10" stroke="var(--repair)" stroke-width="2"/>')],
  ['nodes_pruned', 'pruned, at an event', SWATCH(`<rect ${BOX} stroke="var(--ghost)" stroke-dasharray="3 2"/>`)],
  ['card', 'later in this run', SWATCH(`<rect ${BOX} stroke="var(--line-3)" stroke-width="1.500" stroke-dasharray=".1 2.800" stroke-linecap="round"/>`)],
  ['search_chosen', 'search under way', SWATCH(`<rect ${BOX} stroke="var(--focus-line)" stroke-width="1.5"/><circle cx="9" cy="5.500" r="2" fill="none" stroke="var(--ink-2)"/><path d="M10.500 7l2 2" stroke="var(--ink-2)"/>`)],
  ['evidence_repaired', 'search that repaired', SWATCH(`<rect ${BOX} stroke="var(--line-2)"/><path d="M1.200 1v10M4 1v10" stroke="var(--conflict)" stroke-width="1.500"/>`)],
  ['card', 'changed just now', SWATCH(`<rect ${BOX} stroke="var(--line-3)"/><path d="M11 .5h9v8z" fill="var(--ink)"/>`)],
  ['facts', 'rests on a fact', SWATCH('<rect x=".5" y=".5" width="19" height="7" rx="2" fill="none" stroke="var(--line-3)"/><path d="M0 10.500h9" stroke="var(--focus)" stroke-width="2.500"/><path d="M12 10.500h8" stroke="var(--focus)" stroke-width="2.500" stroke-linecap="round" stroke-dasharray=".1 3.500"/>')],
  ['claims', 'path of a claim', SWATCH('<rect x=".5" y=".5" width="19" height="7" rx="2" fill="none" stroke="var(--line-3)"/><path d="M0 10.500h20" stroke="var(--claim)" stroke-width="2.500"/>')],
  ['answered', 'answer', SWATCH(`<rect ${BOX} stroke="var(--claim)" stroke-width="1.500"/><path d="M8 9.500V2.500h5l-1.500 2 1.500 2H8" fill="none" stroke="var(--claim)"/>`)],
  ['many', 'collapsed, +N', SWATCH('<rect x="4" y="3" width="15" height="8.500" rx="2" fill="none" stroke="var(--line-3)"/><rect x="1" y=".5" width="15" height="8.500" rx="2" fill="var(--panel)" stroke="var(--line-3)"/>')],
];
const SIGNS = [
  ['conflict_proposed', 'open', 'conflict', 'proposed'], ['conflict_confirmed', 'filled', 'conflict', 'confirmed'], ['conflict_rejected', 'barred', 'refuse', 'rejected'],
  ['evidence_repaired', 'neq', 'conflict', 'new revision'], ['duplicate_found', 'twice', 'ink-3', 'duplicate'], ['facts_set_aside', 'aside', 'ink-3', 'set aside'],
  ['evidence_repaired', 'repair', 'repair', 'repaired'], ['came_back', 'back', 'refuse', 'came back'], ['search_failed', 'stop', 'refuse', 'failed search'], ['missing', 'stale', 'refuse', 'not on record'],
];

class Chrome {
  constructor(tree) {
    this.tree = tree;
    const bar = el('div', 'rt-bar');
    this.find = new Find(tree);
    bar.append(this.find.box, this.toggles(), this.zooms());
    this.empty = el('p', 'rt-empty');
    this.hint = el('div', 'rt-tip');
    this.hint.setAttribute('role', 'tooltip');
    this.hint.hidden = true;
    this.light = el('div', 'rt-light');
    this.light.setAttribute('role', 'status');
    tree.host.append(bar, this.empty, this.makeLegend(), this.light, this.hint, this.makeList());
  }

  button(text, title, does, sign = '') {
    const made = el('button', 'rt-btn');
    made.type = 'button';
    made.title = title;
    if (sign) made.append(icon(sign));
    if (text) made.append(el('span', '', text)); else made.setAttribute('aria-label', title);
    made.addEventListener('click', () => { does(); if (made.matches(':hover')) made.blur(); });
    return made;
  }

  toggles() {
    const group = el('div', 'rt-seg');
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', 'Also show');
    this.switches = [['pruned', 'Pruned', 'g'], ['later', 'Later', 'l'], ['passages', 'Passages', '']].map(([name, text, key]) => {
      const made = this.button(text, `Show or hide: ${name}${key ? ` (${key})` : ''}`, () => this.tree.toggle(name), 'check');
      made.dataset.show = name;
      group.append(made);
      return made;
    });
    return group;
  }

  zooms() {
    const group = el('div', 'rt-group');
    group.append(
      this.button('Fit change', 'Show what this event changed (f)', () => this.tree.fitChange(), 'fit'),
      this.button('', 'Closer (z)', () => this.tree.zoom(1.25), 'plus'),
      this.button('', 'Further (Shift+Z); 0 shows everything', () => this.tree.zoom(0.8), 'minus'),
    );
    return group;
  }

  makeLegend() {
    this.legend = el('details', 'rt-legend');
    const head = el('summary');
    this.shown = el('span', 'rt-count');
    head.append(el('span', '', 'Legend'), this.shown);
    const boxes = el('div', 'rt-boxes'), signs = el('div', 'rt-signs');
    for (const [kind, text, drawing] of LEGEND) {
      const one = el('span');
      one.dataset.kind = kind;
      one.innerHTML = drawing;
      one.append(text);
      boxes.append(one);
    }
    for (const [kind, name, tone, text] of SIGNS) {
      const one = el('span');
      one.dataset.kind = kind;
      const sign = icon(name);
      sign.style.color = `var(--${tone})`;
      one.append(sign, text);
      signs.append(one);
    }
    this.legend.append(head, boxes, signs);
    return this.legend;
  }

  /** Open at first where it hides no card, folded elsewhere; afterwards as the user leaves it. */
  placeLegend() {
    const { tree } = this;
    this.legend.open = true;
    const box = this.legend.getBoundingClientRect(), frame = tree.canvas.getBoundingClientRect();
    const hides = tree.shownIds().some((id) => {
      const card = tree.cards.get(id), a = tree.net.canvasToDOM({ x: card.x, y: tree.top(card) }), z = tree.net.canvasToDOM({ x: card.x + card.w, y: tree.top(card) + card.h });
      return a.x < box.right - frame.left && z.x > box.left - frame.left && z.y > box.top - frame.top && a.y < box.bottom - frame.top;
    });
    this.legend.open = !hides && box.top > frame.top + TOP;
  }

  makeList() {
    this.list = el('ul', 'rt-list');
    this.list.setAttribute('role', 'listbox');
    this.list.setAttribute('aria-label', 'Cards and facts of the tree; arrow keys move, Enter selects');
    this.list.addEventListener('keydown', (event) => {
      const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (move) this.step(move);
      else if (event.key === 'Enter' || event.key === ' ') this.tree.click(this.entries[this.place || 0]);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.list.addEventListener('focusin', (event) => {
      this.place = [...this.list.children].indexOf(event.target);
      const { card, chip } = this.entries[this.place] || {};
      this.tree.focus(card?.id || '');
      this.tree.ask(chip?.id || (card?.kind === 'passage' ? card.key : ''));
    });
    this.list.addEventListener('focusout', () => { this.tree.focus(''); this.tree.ask(''); });
    return this.list;
  }

  step(by) {
    const items = [...this.list.children], next = Math.max(0, Math.min(items.length - 1, (this.place || 0) + by));
    items.forEach((one, place) => { one.tabIndex = place === next ? 0 : -1; });
    items[next]?.focus();
  }

  update(data) {
    const { tree } = this, { total } = data;
    this.empty.textContent = data.empty;
    this.empty.hidden = !data.empty;
    this.legend.hidden = Boolean(data.empty);
    for (const one of this.switches) {
      one.setAttribute('aria-pressed', tree.show[one.dataset.show]);
      one.hidden = !this.occurs(one.dataset.show);
    }
    for (const one of this.legend.querySelectorAll('[data-kind]')) one.hidden = !data.kinds.includes(one.dataset.kind);
    const now = tree.counts, sum = (of) => of.cards + of.facts + of.passages;
    this.shown.textContent = `${sum(now).toLocaleString('en')} of ${sum(total).toLocaleString('en')} items shown`;
    this.shown.title = ['cards', 'facts', 'passages'].map((one) => `${now[one]} of ${total[one]} ${one}`).join(', ');
    this.fillList();
  }

  /** Whether the run has anything that a toggle would show or hide. */
  occurs(name) {
    const { kinds, total } = this.tree.data;
    return { pruned: kinds.includes('nodes_pruned'), later: kinds.includes('card'), passages: total.passages > 0 }[name];
  }

  fillList() {
    const { tree } = this, cards = [...tree.cards.values()].filter((card) => tree.visible(card));
    const stamp = cards.map((card) => card.id + card.hash).join();
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    const had = this.list.contains(document.activeElement);
    const known = this.lines || new Map();
    this.lines = new Map(cards.map((card) => [card.id, known.get(card.id)?.card === card ? known.get(card.id) : this.linesOf(card)]));
    const lines = [...this.lines.values()].flatMap((one) => one.lines);
    this.entries = lines.map((one) => one.entry);
    const wanted = new Set(lines.map((one) => one.item));
    for (const item of [...this.list.children]) if (!wanted.has(item)) item.remove();
    let at = this.list.firstChild;
    for (const item of wanted) {
      if (item === at) at = at.nextSibling;
      else this.list.insertBefore(item, at);
    }
    this.place = Math.min(this.place || 0, this.entries.length - 1);
    lines.forEach(({ item }, place) => { item.tabIndex = place === (had ? this.place : 0) ? 0 : -1; });
    if (had) this.step(0);
  }

  /** What the list says of a card: a line for itself, and one for each fact on it. */
  linesOf(card) {
    const facts = [...(card.rows || []), ...(card.chips || [])].filter((chip) => chip.id);
    const entries = [{ kind: card.kind, card, text: card.said }, ...facts.map((chip) => ({ kind: 'evidence', card, chip, text: chip.tip || chip.label }))];
    const lines = entries.map((entry) => {
      const item = el('li', '', entry.text);
      item.setAttribute('role', 'option');
      item.dataset.kind = entry.kind;
      item.dir = 'auto';
      return { entry, item };
    });
    return { card, lines };
  }

  /** What is lit, in words. */
  tell({ words }) {
    this.light.textContent = words;
    this.light.hidden = !words;
  }

  /** Hover text: the fact with its source, or the whole of a card whose words were cut. */
  tip(found, at) {
    const { card, chip, edge } = found || {};
    const text = edge ? edge.label : chip ? chip.tip || chip.label : card && card.full ? card.full : '';
    this.hint.hidden = !text || !at;
    if (this.hint.hidden) return;
    this.hint.textContent = text;
    const { clientWidth: wide, clientHeight: high } = this.tree.host, box = this.hint.getBoundingClientRect();
    this.hint.style.left = `${Math.max(6, Math.min(at.x + 14, wide - box.width - 6))}px`;
    this.hint.style.top = `${at.y + 18 + box.height > high ? Math.max(6, at.y - box.height - 10) : at.y + 18}px`;
  }
}
