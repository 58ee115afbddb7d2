// All charts of a run: each a figure with its title, picture, legend and the same as a table. Text goes in by textContent.
const chartRecords = new Map(), chartViews = new Map();

class ChartsView {
  constructor(parent) {
    this.parent = parent;
    this.root = el('div', 'rt-charts', undefined, { 'data-testid': 'charts' });
    this.charts = [new Sizes(), new FactLines(), new Tokens(), new Seconds()].map((chart) => this.figure(chart));
    this.lives = new Lives();
    this.charts.push(this.figure(this.lives, this.lives.root));
    parent.append(this.root);
    this.scroller = parent.closest('[class*="st-key-scroll"]') || document.documentElement;
    this.scroller.addEventListener('scroll', () => this.record && this.lives.draw(this), { passive: true });
    new ResizeObserver(() => this.record && this.draw()).observe(this.root);
    this.root.addEventListener('click', (event) => this.click(event));
    this.root.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      const asked = event.target.closest('text[data-do]');
      if (!asked) return;
      event.preventDefault();
      event.stopPropagation();
      this.send(asked.dataset.do);
    });
  }

  figure(chart, own) {
    const root = el('figure', own ? 'whole' : ''), about = el('span'), head = el('figcaption'), table = el('details');
    const picture = own || svg('svg', { role: 'img' });
    head.append(el('b', '', chart.title), about);
    root.append(head);
    const key = legend(chart.legend || []);
    root.append(key);
    table.append(el('summary', '', 'As a table'));
    table.addEventListener('toggle', () => this.fill(table, chart));
    root.append(picture, table);
    this.root.append(root);
    return { chart, about, key, picture, table, own: Boolean(own) };
  }

  click(event) {
    const asked = event.target.closest('[data-do]'), scrub = event.target.closest('.scrub');
    if (asked) this.send(asked.dataset.do);
    else if (scrub) {
      const { from, to } = scrub.dataset, left = scrub.ownerSVGElement.getBoundingClientRect().left;
      const share = (event.clientX - left - Number(from)) / Math.max(1, Number(to) - Number(from));
      this.send(`go:${Math.max(1, Math.min(this.record.total, Math.round(share * this.record.total)))}`);
    }
  }

  // A table is made when it is first opened, and again while it is open.
  fill(table, chart) {
    if (!table.open) return;
    const made = el('table'), head = el('tr'), body = el('tbody');
    for (const name of chart.columns) head.append(el('th', '', name, { scope: 'col' }));
    for (const row of chart.rows(this)) {
      const line = el('tr');
      for (const one of row) line.append(cell(one));
      body.append(line);
    }
    const top = el('thead');
    top.append(head);
    made.append(top, body);
    table.replaceChildren(table.firstChild, made);
  }

  update(record, { data, send }) {
    Object.assign(this, { record, now: data.now, selected: data.selected, spent: data.spent, send });
    this.draw();
  }

  draw() {
    for (const { chart, about, key, picture, table, own } of this.charts) {
      about.textContent = chart.about(this);
      const width = own ? 0 : picture.parentElement.clientWidth - 24, out = document.createDocumentFragment();
      if (own) chart.draw(this);
      else if (width > 0) {
        const high = chart.draw(out, width, this);
        picture.setAttribute('viewBox', `0 0 ${width} ${Math.max(1, high)}`);
        picture.setAttribute('height', high);
        picture.setAttribute('aria-label', `${chart.title}, ${about.textContent}; the numbers are in the table below`);
        picture.replaceChildren(out);
      }
      table.hidden = key.hidden = !chart.rows(this).length;
      this.fill(table, chart);
    }
    this.root.dataset.moment = this.now;
  }
}

function cell(one) {
  const made = el('td');
  if (one && one.wish) made.append(el('button', '', one.words, { type: 'button', 'data-do': one.wish }));
  else made.textContent = typeof one === 'number' ? figures.format(one) : one;
  return made;
}

function legend(parts) {
  const made = el('div', 'legend');
  for (const [cls, words] of parts) {
    const one = el('span');
    one.append(el('i', cls), el('span', '', words));
    made.append(one);
  }
  return made;
}

// Record and frame arrive in any order.
globalThis.retreeCharts = (of) => {
  const record = chartRecords.get(of), frame = globalThis.retreeChartFrames?.get(of);
  if (!record || !frame || !frame.parent.isConnected) return;
  if (chartViews.get(of)?.parent !== frame.parent) chartViews.set(of, new ChartsView(frame.parent));
  chartViews.get(of).update(record, frame);
};

export default function ({ data }) {
  chartRecords.set(data.of, data);
  globalThis.retreeCharts(data.of);
}
