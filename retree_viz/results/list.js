// The list of runs: filters above it, a page of rows, what the chosen row says in full. Choosing a row stays in the
// browser; everything else is asked of Python. Rows are made in rows.js, before this file.
const views = new WeakMap();
const WAIT_MS = 300;
const OUTCOMES = [['', 'any result'], ['right', 'right'], ['wrong', 'wrong'], ['error', 'error'], ['unended', 'not ended']];
const FLAGS = [['repair', 'repair', 'has a repair'], ['disagree', 'conflict', 'agents disagree'], ['stale', 'warning', 'stale citation']];

class List {
  constructor(parent) {
    this.root = el('div', 'rt rt-runs', undefined, { 'data-testid': 'runs' });
    this.filters = el('div', 'flt', undefined, { role: 'search' });
    this.scroller = el('div', 'scroller');
    this.table = el('table', 'runs', undefined, { role: 'grid', 'aria-label': 'runs' });
    this.detail = el('div', 'detail', undefined, { 'aria-live': 'polite' });
    this.foot = el('div', 'runs-foot');
    this.scroller.append(this.table);
    this.root.append(this.filters, this.scroller, this.detail, this.foot);
    parent.append(this.root);
    this.build();
    this.act = { open: (address) => this.send(`result:${address}`), pick: (row) => this.send(`list:pick=${row.address}`) };
    this.table.addEventListener('focusin', ({ target }) => { const row = target.closest('tr[data-address]'); if (row) this.choose(row.dataset.address); });
    const listen = (event) => (this.root.isConnected ? this.onKey(event) : window.removeEventListener('keydown', listen));
    window.addEventListener('keydown', listen);
  }

  build() {
    const field = el('label', 'inp');
    this.find = el('input', '', undefined, { type: 'search', placeholder: 'question or answer', 'aria-label': 'find in question or answer', maxlength: 300, spellcheck: 'false' });
    field.append(icon('search'), this.find);
    this.find.addEventListener('input', () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.search(), WAIT_MS); });
    this.find.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.search();
      if (event.key === 'Escape' || event.key === 'ArrowDown') { event.preventDefault(); this.find.blur(); this.step(0); }
    });
    const select = (name, label) => {
      const made = el('select', 'pickone', undefined, { 'aria-label': label });
      made.addEventListener('change', () => this.send(`list:${name}=${made.value}`));
      return made;
    };
    this.selects = { set: select('set', 'data set'), agent: select('agent', 'agent'), outcome: select('outcome', 'result') };
    this.kinds = FLAGS.map(([kind, mark, words]) => {
      const made = el('button', 'btn kind', undefined, { type: 'button', 'data-kind': kind });
      made.append(icon(mark), words);
      made.addEventListener('click', () => this.send(`list:only=${kind}`));
      return made;
    });
    this.cell = el('button', 'btn kind on', undefined, { type: 'button', title: 'show the other questions again' });
    this.cell.addEventListener('click', () => this.send('list:cell='));
    this.clear = el('button', 'btn', 'Clear', { type: 'button', title: 'all runs again (Esc)' });
    this.clear.addEventListener('click', () => this.send('list:clear='));
    this.counted = el('span', 'note', undefined, { role: 'status' });
    this.filters.append(field, ...Object.values(this.selects), ...this.kinds, this.cell, this.clear, el('span', 'sp'), this.counted);
  }

  search() {
    clearTimeout(this.timer);
    if (this.find.value !== this.data.choice.find) this.send(`list:find=${this.find.value}`);
  }

  update(data) {
    const text = JSON.stringify(data);
    if (text === this.text) return;
    const before = this.data, { choice } = data, shown = JSON.stringify([choice, data.first, data.total, { ...choice, picked: 0 }].slice(1));
    Object.assign(this, { data, text });
    this.showFilters();
    this.columns = COLUMNS.filter(([name]) => name !== 'set' || data.sets.length > 1);
    const top = this.scroller.scrollTop, focused = this.table.contains(document.activeElement);
    this.table.replaceChildren(this.headOf(), this.bodyOf());
    const known = (address) => data.rows.some((row) => row.address === address);
    this.at = [this.at, choice.row].find(known) || data.rows[0]?.address;
    if (before && shown === this.shown) this.scroller.scrollTop = top;
    else if (before) this.scroller.scrollTop = 0;
    this.shown = shown;
    this.choose(this.at);
    const row = this.rowAt(this.at);
    if (!before) row?.scrollIntoView({ block: 'center' });
    if (focused) row?.focus({ preventScroll: true });
    this.showFoot();
    this.root.dataset.total = data.total;
  }

  showFilters() {
    const { choice, sets, agents, total, all } = this.data;
    if (document.activeElement !== this.find) this.find.value = choice.find;
    const fill = (select, options, value) => {
      select.replaceChildren(...options.map(([one, words]) => { const made = el('option', '', words); made.value = one; return made; }));
      select.value = value;
      select.classList.toggle('on', value !== '');
    };
    fill(this.selects.set, [['', 'all data sets'], ...sets.map((one) => [one, one])], choice.set);
    fill(this.selects.agent, [['', 'all agents'], ...agents], choice.agent);
    fill(this.selects.outcome, OUTCOMES, choice.outcome);
    this.selects.set.hidden = sets.length < 2;
    for (const one of this.kinds) {
      const on = choice.only.includes(one.dataset.kind);
      one.classList.toggle('on', on);
      one.setAttribute('aria-pressed', on);
    }
    this.cell.hidden = !choice.cell;
    this.cell.textContent = choice.cell ? `${choice.cell} ×` : '';
    this.clear.hidden = !choice.filters;
    this.counted.textContent = choice.filters ? `${number(total)} of ${number(all)}` : `${number(all)} ${all === 1 ? 'run' : 'runs'}`;
  }

  headOf() {
    const head = el('thead'), row = el('tr'), { choice } = this.data;
    row.append(el('th', 'picks', undefined, { 'aria-label': 'picked' }));
    for (const [name, words] of this.columns) {
      const sorted = choice.sort === name, cell = el('th', NUMERIC.has(name) ? `${name} r` : name, undefined, { scope: 'col', 'aria-sort': sorted ? (choice.down ? 'descending' : 'ascending') : 'none' });
      const way = el('button', '', words, { type: 'button', title: `sort by ${words.toLowerCase()}` });
      if (sorted) way.append(icon(choice.down ? 'down' : 'up'));
      way.addEventListener('click', () => this.send(`list:sort=${name}`));
      cell.append(way);
      row.append(cell);
    }
    head.append(row);
    return head;
  }

  bodyOf() {
    const { rows, choice, all } = this.data, body = el('tbody');
    body.append(...rows.map((row) => rowOf(row, this.columns, choice.picked.indexOf(row.address), this.act)));
    if (!rows.length) {
      const cell = el('td', 'none', all ? 'No run fits. ' : 'No runs here yet.', { colspan: this.columns.length + 1 }), line = el('tr');
      line.append(cell);
      body.append(line);
    }
    return body;
  }

  showFoot() {
    const { first, size, total, rows, choice } = this.data, keys = (...pairs) => pairs.map(([names, words]) => {
      const made = el('span', 'hint');
      made.append(...names.map((one) => el('kbd', 'kbd', one)), ` ${words}`);
      return made;
    });
    const ways = [], way = (words, wish, off = false) => {
      const made = el('button', 'btn small', words, { type: 'button' });
      made.disabled = off;
      made.addEventListener('click', () => this.send(wish));
      ways.push(made);
    };
    const parts = keys([['↑', '↓'], 'choose'], [['Enter'], 'open the run'], [['x'], 'pick'], [['v'], 'compare'], [['/'], 'find']);
    if (choice.picked.length) {
      ways.push(el('span', 'note', choice.picked.length === 2 ? 'A and B picked' : 'A picked: pick another'));
      way('Compare', 'results_compare:', choice.picked.length < 2);
    }
    if (total > size) {
      const page = first / size + 1;
      way('Previous', `list:page=${page - 1}`, page === 1);
      ways.push(el('span', 'note', `${number(first + 1)} to ${number(first + rows.length)} of ${number(total)}`));
      way('Next', `list:page=${page + 1}`, first + size >= total);
    }
    this.foot.replaceChildren(...parts, el('span', 'sp'), ...ways);
  }

  rowAt(address) { return [...this.table.querySelectorAll('tr[data-address]')].find((one) => one.dataset.address === address); }

  choose(address) {
    this.at = address;
    for (const one of this.table.querySelectorAll('tr[data-address]')) {
      const on = one.dataset.address === address;
      one.classList.toggle('sel', on);
      one.setAttribute('aria-selected', on);
      one.tabIndex = on ? 0 : -1;
    }
    const row = this.data.rows.find((one) => one.address === address);
    this.detail.replaceChildren(...(row ? [detailOf(row, this.act)] : []));
  }

  step(by) {
    const { rows } = this.data, at = rows.findIndex((one) => one.address === this.at);
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
    if (!next) return;
    this.choose(next.address);
    const row = this.rowAt(next.address);
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  }

  onKey(event) {
    const at = event.composedPath()[0], { first, size, total, choice } = this.data;
    const typing = at instanceof Element && (at.matches('input, textarea, select') || at.isContentEditable);
    if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('[role=dialog]')) return;
    const pressed = at instanceof Element && at.matches('button, summary, a') && ['Enter', ' '].includes(event.key);
    const page = first / size + 1, turn = (to) => to >= 1 && (to - 1) * size < total && this.send(`list:page=${to}`);
    const keys = {
      ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1), Home: () => this.step(-1e6), End: () => this.step(1e6),
      PageDown: () => this.step(10), PageUp: () => this.step(-10), '>': () => turn(page + 1), '<': () => turn(page - 1),
      Enter: () => this.at && this.act.open(this.at), x: () => this.at && this.send(`list:pick=${this.at}`),
      v: () => this.send(`results_compare:${this.at || ''}`), '/': () => this.find.select(),
      Escape: () => choice.filters && this.send('list:clear='),
    };
    if (pressed || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  if (!views.has(parentElement)) views.set(parentElement, new List(parentElement));
  const view = views.get(parentElement);
  view.send = (what) => setTriggerValue('do', what);
  view.update(data);
}
