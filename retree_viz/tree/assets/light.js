// Lighting: the path of a claim down to its passages, all that rests on a fact or passage, the place of a node.
// Other parts of the page ask for it by `retree:light`; what is lit is told to them by `retree:lit`.
const NOTHING = { id: '', kind: '', cards: new Map(), facts: new Map(), passages: new Map(), claims: new Set(), words: '' };

class Light extends Camera {
  get known() { return globalThis.retreeLinks?.get(this.data?.run); }

  /** What is lit now: what the pointer or the keyboard is on, else the selected claim. */
  get shine() { return this.pointed || this.resting || NOTHING; }

  /** Light an id of the run, or nothing for ''. */
  point(id) {
    if (id === (this.pointed?.id || '')) return;
    this.pointed = id ? this.lightOf(id) : null;
    this.relit();
  }

  /** Ask every tree of the page, this one too, to light an id that the pointer or the keyboard is on in it. */
  ask(id) {
    if (id === (this.asked || '')) return;
    this.asked = id;
    window.dispatchEvent(new CustomEvent('retree:light', { detail: { id } }));
  }

  /** New data, or links that came late: the same things are lit again. */
  relight() {
    this.resting = this.data.claim ? this.lightOf(`c${this.data.claim}`) : null;
    this.pointed = this.pointed ? this.lightOf(this.pointed.id) : null;
    this.relit();
  }

  relit() {
    const { shine } = this;
    this.chrome.tell(shine);
    const { id, claims, facts } = this.pointed || NOTHING;
    window.dispatchEvent(new CustomEvent('retree:lit', { detail: { id, ids: id ? [...claims, ...facts.keys()] : [] } }));
    this.repaint();
  }

  lightOf(id) {
    const links = this.known;
    if (!links) return null;
    if (links.claims.has(id)) return this.lightOfClaim(id, links);
    if (links.cards.has(id)) return this.lightOfFacts(id, [id], links);
    if (links.passages.has(id)) {
      const resting = this.lightOfFacts(id, [...links.passages.get(id), id], links); // claims may cite it itself
      return { ...resting, kind: 'passage', passages: new Map([[id, links.holders.get(id)]]) };
    }
    const card = [id, `node:${id}`, `search:${id.slice(1)}`, `${id}:1`].find((one) => this.cards.has(one));
    return card ? { ...NOTHING, id, kind: 'card', cards: new Map([[card, 'direct']]) } : null;
  }

  /** A claim, the facts it cites, their passages, and the cards from them up to the root. */
  lightOfClaim(id, links) {
    const cites = links.claims.get(id), cards = new Map(), passages = new Map();
    const parents = new Map(this.edges.filter((one) => one.kind === 'child').map((one) => [one.to, one.from]));
    for (const { fact, passages: read } of cites) {
      let card = links.cards.get(fact) || links.holders.get(read[0]); // a passage may be cited itself
      for (const one of read) passages.set(one, card);
      if (!card) continue;
      cards.set(card, 'path'); // also where it is folded away, so that it is counted
      while ((card = parents.get(card)) && !cards.has(card)) cards.set(card, 'path');
    }
    const facts = new Map(cites.filter(({ fact }) => fact).map(({ fact }) => [fact, 'path']));
    const words = `${id} rests on ${facts.size ? `${many(facts.size, 'fact')} from ` : ''}${many(passages.size, 'passage')}`;
    return { ...NOTHING, id, kind: 'claim', cards, facts, passages, claims: new Set([id]), words: words + this.folded(cards) };
  }

  /** Some facts and all that depends on them, directly or through another fact; as `retree_core.why.dependence`. */
  lightOfFacts(id, own, links) {
    const since = new Map(own.map((fact) => [fact, 0])), facts = new Map(), nodes = new Map(), claims = new Set();
    const waiting = [...own], first = new Set(own);
    const better = (map, key, how) => { if (map.get(key) !== 'direct') map.set(key, how); };
    while (waiting.length) {
      const one = waiting.pop(), how = first.has(one) ? 'direct' : 'through', from = since.get(one);
      const next = [];
      for (const [at, search] of links.views.get(one) || []) {
        const brought = at > from && links.yields.get(String(search));
        if (!brought) continue;
        for (const node of brought.nodes) better(nodes, node, how);
        for (const fact of brought.facts) next.push([fact, 0]);
      }
      if (links.heirs.has(one)) { const [at, heir] = links.heirs.get(one); next.push([heir, at]); }
      for (const [fact, at] of next) {
        if (!first.has(fact)) better(facts, fact, how);
        if (!since.has(fact) || at < since.get(fact)) { since.set(fact, at); waiting.push(fact); }
      }
      for (const number of links.citing.get(one) || []) claims.add(`c${number}`);
    }
    const cards = new Map();
    for (const [fact, how] of facts) better(cards, links.cards.get(fact), how);
    for (const [node, how] of nodes) better(cards, `node:${node}`, how);
    for (const fact of own) facts.set(fact, 'own');
    const words = `${many(nodes.size, 'node')}, ${many(facts.size - own.length, 'fact')} and ${many(claims.size, 'claim')} depend on ${id}`;
    return { ...NOTHING, id, kind: 'fact', cards, facts, nodes, claims, words: words + this.folded(cards) };
  }

  /** How much of it is not on the canvas. */
  folded(cards) {
    const away = [...cards.keys()].filter((id) => !this.cards.has(id) || !this.visible(this.cards.get(id))).length;
    return away ? `; ${many(away, 'card')} of it not drawn` : '';
  }

  /** The colour in which a card or fact is lit and whether only through another one, or null. */
  litCard(card) { return this.litAs(this.shine.cards.get(card.id)); }
  litFact(id) { return id ? this.litAs(this.shine.facts.get(id)) : null; }
  litAs(how) {
    if (!how || this.shine.kind === 'card') return null;
    return { colour: this.colours[how === 'path' ? 'claim' : 'focus'], dashed: how === 'through', own: how === 'own' };
  }

  /** Passages of the lit path that are not drawn otherwise: a stack below the card with their fact. */
  litPassages() {
    const stacks = new Map();
    return this.show.passages ? [] : [...this.shine.passages].flatMap(([id, holder]) => {
      const below = this.cards.get(holder);
      if (!below || !this.visible(below)) return [];
      const place = stacks.get(holder) || 0, known = this.cards.get(`passage:${id}`);
      stacks.set(holder, place + 1);
      const card = known || { id: `passage:${id}`, kind: 'passage', key: id, status: 'passage', w: 128, h: 22, name: id, label: '' };
      return [{ ...card, x: below.x + 24, y: this.top(below) + below.h + 14 + 26 * place, holder }];
    });
  }
}

const many = (count, one) => `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;
