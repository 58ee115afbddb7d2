// A step is drawn before Python answers it, where what changes between the two moments is known here.
const PATIENCE_MS = 1500; // the timeline, too, waits so long for the moment that it asked for

class Ahead extends Light {
  /** The timeline goes to a moment: be there first, if the way is known. */
  goAhead(moment) {
    if (!this.data) return;
    this.wanted = { moment, at: performance.now() };
    const view = this.viewAt(moment);
    if (view) this.draw(view);
  }

  /** Whether an answer is of a moment that has been left since it was asked for. */
  overtaken(data) {
    const { wanted } = this;
    return Boolean(wanted && data.of === this.data.of && data.moment !== wanted.moment && performance.now() - wanted.at < PATIENCE_MS);
  }

  viewAt(moment) {
    let view = this.data;
    while (view && view.moment !== moment) view = this.viewBeside(view, Math.sign(moment - view.moment));
    return view;
  }

  viewBeside(view, way) {
    const low = Math.min(view.moment, view.moment + way);
    const block = [...globalThis.retreeAround?.values() || []].find((one) => one.of === view.of && one.first <= low && low < one.first + one.on.length);
    const change = block && (way > 0 ? block.on : block.back)[low - block.first];
    if (!change) return null;
    const gone = new Set(change.gone);
    return { ...view, ...change, nodes: joined(view.nodes, change.nodes, gone), edges: joined(view.edges, change.edges, gone) };
  }
}

/** The old ones as far as they are not gone, new ones in their places or at the end. */
function joined(old, fresh, gone) {
  const all = new Map(old.map((one) => [one.id, one]));
  for (const one of fresh) all.set(one.id, one);
  return gone.size ? [...all.values()].filter((one) => !gone.has(one.id)) : [...all.values()];
}
