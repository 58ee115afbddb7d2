// Find: ids, queries, summaries, facts and passage titles of the whole run, also where they are not drawn just now.
const plainly = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLocaleLowerCase();

class Find {
  constructor(tree) {
    this.tree = tree;
    this.box = el('label', 'rt-find');
    this.input = el('input');
    this.input.type = 'search';
    this.input.placeholder = 'Find in tree';
    this.input.title = 'Enter: next, Shift+Enter: previous, Esc: clear';
    this.input.setAttribute('aria-label', 'Find in tree: ids, queries, summaries, facts, passage titles');
    this.count = el('span', 'rt-found');
    this.count.setAttribute('role', 'status');
    this.box.append(icon('find'), this.input, this.count, el('kbd', '', '/'));
    this.input.addEventListener('input', () => this.search());
    this.input.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Enter') this.step(event.shiftKey ? -1 : 1);
      if (event.key === 'Escape') { this.input.value = ''; this.search(); this.input.blur(); }
    });
  }

  /** All that holds the words, exact ids first; shows the first that is drawn. */
  search() {
    const wanted = plainly(this.input.value.trim()), all = this.tree.known?.find || [];
    if (this.of !== all) {
      this.of = all;
      this.texts = all.map(([kind, id, card, text]) => ({ kind, id, card, name: plainly(id), text: plainly(`${id} ${text}`) }));
    }
    this.hits = !wanted ? [] : this.texts.filter(({ text }) => text.includes(wanted))
      .sort((a, b) => (b.name === wanted) - (a.name === wanted));
    const drawn = this.hits.findIndex((hit) => this.drawn(hit));
    this.show(drawn < 0 ? 0 : drawn, false);
  }

  step(by) {
    if (this.hits?.length) this.show((this.at + by + this.hits.length) % this.hits.length, true);
  }

  drawn({ card }) {
    const found = this.tree.cards.get(card);
    return Boolean(found && this.tree.visible(found));
  }

  /** Go to a hit. One that is not drawn is brought in only where it was asked for by Enter. */
  show(at, asked) {
    const { tree } = this, hit = this.hits[at];
    this.at = at;
    this.count.textContent = hit ? `${at + 1} of ${this.hits.length.toLocaleString('en')}` : this.input.value.trim() ? 'none' : '';
    if (hit && asked && !this.drawn(hit)) this.bring(hit);
    tree.found = hit || null;
    tree.focus(hit && this.drawn(hit) ? hit.card : '');
    tree.point(hit?.kind === 'passage' && this.drawn(hit) ? hit.id : '');
  }

  /** Show what a toggle hides; what is folded away is opened by selecting it. */
  bring({ kind, id, card }) {
    const { tree } = this, status = tree.cards.get(card)?.status;
    if (status === 'pruned' || status === 'later') tree.toggle(status);
    else tree.click({ kind, card: { key: id }, chip: { id } });
  }
}
