// The row of controls above the axis. Its buttons are made anew only when other ones are needed, so that a press is never lost.
class Bar {
  constructor(view) {
    this.view = view;
    this.root = el('div', 'bar');
    this.made = '';
    new ResizeObserver(() => this.fold()).observe(this.root);
    this.root.onmousedown = (event) => event.preventDefault(); // a click leaves the keyboard's focus where it is
  }

  button(parent, name, label, act, cls = 'ic', more = [], title = label) {
    const made = el('button', cls, undefined, { type: 'button', 'aria-label': label, title });
    made.append(icon(name), ...more);
    made.onclick = act;
    parent.append(made);
    return made;
  }

  group(cls, label) {
    const made = el('span', cls, undefined, { role: 'group', 'aria-label': label });
    this.root.append(made);
    return made;
  }

  show() {
    const { view } = this, { record } = view;
    const key = JSON.stringify([view.unit, view.speed, record.points, record.watch?.id, view.watchable(), Object.values(view.places).map((one) => one.length)]);
    if (key !== this.made) { this.make(); this.length = -1; }
    this.made = key;
    this.refresh();
  }

  make() {
    const held = this.root.getRootNode().activeElement?.getAttribute?.('aria-label');
    this.root.replaceChildren();
    this.steps();
    this.root.append(el('span', 'vr'));
    this.units();
    this.jumps();
    this.points();
    this.watch();
    this.root.append(el('span', 'sp'));
    this.lanes = el('button', 'lanes', undefined, { type: 'button', title: 'Lanes of evidence below: few, all or none' });
    this.lanes.onclick = () => this.view.nextLanes();
    this.root.append(this.lanes);
    const help = el('button', 'kbd', '?', { type: 'button', 'aria-label': 'Keys and marks', title: 'Keys and marks (?)' });
    help.onclick = () => this.view.toggleHelp();
    this.root.append(help);
    if (held) this.root.querySelector(`[aria-label="${CSS.escape(held)}"]`)?.focus();
  }

  steps() {
    const { view } = this, group = this.group('steps', 'Step'), [back, on] = UNITS[view.unit];
    this.backs = [
      this.button(group, 'first', 'First event (Home)', () => view.jump(1)),
      this.button(group, 'prev', `Previous ${view.unit} (${back})`, () => view.jump(view.step(view.unit, false))),
    ];
    this.play = this.button(group, 'play', 'Play (Space)', () => view.toggle());
    this.ons = [
      this.button(group, 'next', `Next ${view.unit} (${on})`, () => view.jump(view.step(view.unit, true))),
      this.button(group, 'last', 'Last event (End)', () => view.jump(view.total)),
    ];
    const speed = el('button', 'speed', `${view.speed}×`, { type: 'button', 'aria-label': `Speed ${view.speed}×`, title: 'How fast it plays (- and +)' });
    speed.onclick = () => view.playAt(SPEEDS[(SPEEDS.indexOf(view.speed) + 1) % SPEEDS.length]);
    group.append(speed);
  }

  units() {
    const group = this.group('seg', 'Step by');
    for (const unit of Object.keys(UNITS)) {
      const word = unit[0].toUpperCase() + unit.slice(1);
      const made = el('button', '', undefined, { type: 'button', 'aria-label': word, 'aria-pressed': unit === this.view.unit, title: `Step and play by ${unit}` });
      made.append(el('span', 'initial', word[0]), el('span', 'rest', word.slice(1)));
      made.onclick = () => this.view.stepBy(unit);
      group.append(made);
    }
  }

  jumps() {
    const { view } = this, shown = JUMPS.filter((one) => view.places[one.places].length);
    this.counts = [];
    if (!shown.length) return;
    const group = this.group('jumps', 'Jump');
    for (const { places, icon, label, tone, keys } of shown) this.jump(group, `jump ${tone}`, icon, label, keys, places);
  }

  jump(parent, cls, name, label, [back, on], where, word = label) {
    const { view } = this, low = label.toLowerCase(), group = el('span', cls), count = el('span', 'n'), places = view.places[where];
    const go = (ahead) => view.jump(view.near(places, ahead, where !== 'change'));
    this.button(group, 'prev', `Previous ${low}`, () => go(false), 'mini', [], `Previous ${low} (${back})`);
    const next = (event) => go(!event.shiftKey);
    this.button(group, name, `Next ${low}`, next, 'main', [el('span', word === label ? 'word' : 'name', word), count], `Next ${low} (${on}); with Shift the previous one (${back})`);
    parent.append(group);
    this.counts.push([count, places]);
  }

  points() {
    const { view } = this, { points } = view.record, bad = points.filter((one) => one.problem);
    const group = this.group('points', 'Breakpoints');
    if (view.places.hit.length) this.button(group, 'prev', 'Back to a breakpoint', () => view.jump(view.runTo(false)), 'mini', [], 'Back to a breakpoint (<)');
    const label = points.length === 1 ? '1 breakpoint' : `${points.length || 'No'} breakpoints`;
    const words = [el('span', 'n', String(points.length)), el('span', 'word', points.length === 1 ? 'breakpoint' : 'breakpoints')];
    if (bad.length) {
      const unread = el('span', 'bad', `! ${bad.length}`);
      unread.append(el('span', 'word', ' unreadable'));
      words.push(unread);
    }
    const title = [label, ...bad.map((one) => one.problem), ...points.filter((one) => !one.problem).map((one) => one.text), 'Click to list, add and remove; b: one on this kind of event'].join('\n');
    this.mark = this.button(group, 'dot', bad.length ? `${label}, ${bad.length} unreadable` : label, () => view.send('dialog:breakpoints'), 'main', words, title);
    if (view.places.hit.length) this.button(group, 'next', 'On to a breakpoint', () => view.jump(view.runTo(true)), 'mini', [], 'On to a breakpoint (>)');
  }

  watch() {
    const { view } = this, watched = view.record.watch, offered = view.watchable();
    if (watched) {
      const group = this.group('watched', `Watch ${watched.id}`), label = `change of ${watched.id}`;
      if (view.places.change.length) this.jump(group, 'jump', 'eye', label, ['Shift+W', ')'], 'change', cut(watched.id, 12));
      else this.button(group, 'eye', `${watched.id} has no changes in this run`, () => {}, 'main', [el('span', 'name', cut(watched.id, 12)), el('span', 'n', '0')]);
      this.button(group, 'cross', `Stop watching ${watched.id}`, () => view.send(`watch:${watched.id}`), 'mini', [], `Stop watching ${watched.id} (w)`);
    }
    if (offered && offered !== watched?.id) {
      const words = [el('span', 'word', 'watch'), el('span', 'name', cut(offered, 12))];
      this.button(this.group('offer', 'Watch'), 'eye', `Watch ${offered}`, () => view.send(`watch:${offered}`), 'main', words, `Watch ${offered} (w): mark and go to all that happens to it`);
    }
  }

  refresh() {
    const { view } = this, playing = Boolean(view.playing);
    for (const one of this.backs) one.disabled = view.now <= 1;
    for (const one of this.ons) one.disabled = view.now >= view.total;
    this.play.replaceChildren(icon(playing ? 'pause' : 'play'));
    this.play.setAttribute('aria-label', playing ? 'Pause (Space)' : 'Play (Space)');
    this.play.title = playing ? 'Pause (Space)' : 'Play (Space); it stops at breakpoints';
    this.play.classList.toggle('on', playing);
    for (const [count, places] of this.counts) {
      const here = places.indexOf(view.now);
      count.textContent = here < 0 ? String(places.length) : `${here + 1}/${places.length}`;
    }
    this.mark.classList.toggle('hit', view.places.hit.includes(view.now));
    const shown = `${view.lanes().length} of ${view.record.lanes_total}`;
    this.lanes.replaceChildren('Lanes ', el('span', 'n', shown.replace(' of ', '/')));
    this.lanes.setAttribute('aria-label', `Lanes ${shown}`);
    this.lanes.hidden = !view.record.lanes_total;
    if (this.root.textContent.length !== this.length) this.fold();
    this.length = this.root.textContent.length;
  }

  fold() {
    // What does not fit goes away in the order of what is missed least; icons, ids and counts stay.
    for (let level = 0; level <= 7; level += 1) {
      this.root.dataset.fold = [1, 2, 3, 4, 5, 6, 7].slice(0, level).join(' ');
      if (this.root.scrollWidth <= this.root.clientWidth) return;
    }
  }
}
