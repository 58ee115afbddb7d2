// One row of the list of runs. Every text is set as text; helpers are in timeline/marks.js, before this file.
Object.assign(ICONS, {
  check: 'M3 8.500 6.500 12 13 4.500', clock: 'M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12M8 4.500V8l2.500 1.500', dash: 'M4 8h8',
  live: 'M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12M8 6.500a1.500 1.500 0 1 0 0 3a1.500 1.500 0 1 0 0-3', search: 'M7 2.500a4.500 4.500 0 1 0 0 9a4.500 4.500 0 1 0 0-9M10.500 10.500 14 14',
  compare: 'M8 1.500v13M2 4h4v8H2zM10 4h4v8h-4z', down: 'M4 6l4 4 4-4', up: 'M4 10l4-4 4 4',
});
const COLUMNS = [
  ['status', 'Status'], ['question', 'Question'], ['set', 'Data set'], ['agent', 'Agent'], ['answer', 'Answer'], ['graded', 'Graded'],
  ['searches', 'Searches'], ['repairs', 'Repairs'], ['pruned', 'Pruned'], ['context', 'Max context'], ['tokens', 'Tokens'],
];
const NUMERIC = new Set(['searches', 'repairs', 'tokens']);

/** An icon with its word, in the colour that both have. */
function sign([name, tone, word, more]) {
  const made = el('span', `st ${tone}`);
  made.append(icon(name), el('span', 'word', word));
  if (more) made.append(el('small', '', more));
  return made;
}

const number = (value) => (value === null ? '-' : value.toLocaleString('en'));

function cellOf(column, row) {
  const cell = el('td', `${column}${NUMERIC.has(column) ? ' r' : ''}`);
  const said = (text, title = text) => { cell.append(el('bdi', '', text)); cell.title = title; };
  switch (column) {
    case 'status': { const [name, tone, word, detail] = row.status; cell.append(sign([name, tone, word])); cell.title = [word, detail].filter(Boolean).join(': '); break; }
    case 'graded': { const [name, tone, word, by, reason] = row.graded; if (word) cell.append(sign([name, tone, word, by])); cell.title = [`${word}${by ? `, by ${by === 'EM' ? 'exact match' : 'the answer judge'}` : ''}`, reason].filter(Boolean).join(': '); break; }
    case 'answer': said(row.answer, row.answer || 'no answer'); if (row.stale) { const flag = icon('warning'); flag.classList.add('refuse'); cell.prepend(flag); cell.title += '\nA claim cites what was pruned or set aside.'; } break;
    case 'context': {
      const bar = svg('svg', { class: 'size', viewBox: '0 0 46 6', 'aria-hidden': 'true' });
      bar.append(svg('rect', { width: 46 * row.share, height: 6 }));
      if (row.context !== null) cell.append(bar);
      cell.append(el('span', '', number(row.context)));
      break;
    }
    case 'tokens': cell.textContent = number(row.tokens); break;
    case 'repairs':
      cell.textContent = row.keeps_facts ? number(row.repairs) : 'n/a';
      if (!row.repairs) cell.classList.add('mut');
      cell.title = row.keeps_facts ? (row.pruned && `pruned ${row.pruned}`) : `${row.agent} keeps no facts: it has nothing that could be repaired`;
      break;
    case 'searches': cell.textContent = number(row.searches); break;
    default: said(String(row[column]));
  }
  return cell;
}

/** A row with its pick button; `act` is told what was clicked. */
function rowOf(row, columns, picked, act) {
  const made = el('tr', '', undefined, { role: 'row', tabindex: -1, 'data-address': row.address });
  const pick = el('button', 'mark-it', undefined, { type: 'button', tabindex: -1, 'aria-pressed': picked >= 0, 'aria-label': `pick to compare: ${row.agent}, ${cut(row.question, 80)}`, title: 'pick to compare (x)' });
  pick.append(picked >= 0 ? el('b', '', 'AB'[picked]) : icon('compare'));
  pick.addEventListener('click', (event) => { event.stopPropagation(); act.pick(row); });
  const first = el('td', 'picks');
  first.append(pick);
  made.append(first, ...columns.map(([name]) => cellOf(name, row)));
  made.addEventListener('click', () => act.open(row.address));
  made.title = 'open this run (click or Enter)';
  return made;
}

/** What the chosen row says in full, and the runs of other agents on its question. */
function detailOf(row, act) {
  const made = document.createDocumentFragment(), line = el('p', 'whole');
  const open = el('button', 'btn small', 'Open ', { type: 'button', title: 'open this run at its first repair, or at its end (Enter)' });
  open.append(el('kbd', 'kbd', 'Enter'));
  open.addEventListener('click', () => act.open(row.address));
  line.append(el('bdi', 'question', row.question), el('span', 'sp'), open);
  const golds = el('p', 'gold');
  golds.append(el('span', 'mut', row.golds.length > 1 ? 'Gold answers ' : 'Gold answer '), el('bdi', '', row.golds.join(' | ') || 'none'));
  if (row.answer) golds.append(el('span', 'mut', `${row.agent} `), el('bdi', '', row.answer));
  if (row.graded[4]) golds.append(el('span', 'mut', 'Answer judge '), el('bdi', '', row.graded[4]));
  if (row.status[3]) golds.append(el('span', 'mut', 'End '), el('bdi', '', row.status[3]));
  made.append(line, golds);
  if (row.others.length) {
    const others = el('p', 'others');
    others.append(el('span', 'mut', 'Same question'));
    for (const [name, mark, tone, word, address, answer] of row.others) {
      const way = el('button', 'btn small', undefined, { type: 'button', title: answer ? `${word || 'unfinished'}: ${answer}` : word || 'unfinished' });
      way.append(sign([mark, tone, name]));
      way.addEventListener('click', () => act.open(address));
      others.append(way);
    }
    made.append(others);
  }
  return made;
}
