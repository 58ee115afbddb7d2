// Two charts of bars, one row a role: tokens and seconds up to the moment, within those of the whole run.
const ROW_HIGH = 33;

function bars(out, width, view, { size, most, values, parts }) {
  const { record } = view, roles = record.spent.filter((one) => size(one) !== null);
  const scale = (value) => (value / Math.max(most(roles), 1e-9)) * (width - 2);
  roles.forEach((whole, at) => {
    const now = view.spent.find((one) => one.role === whole.role) || whole, top = at * ROW_HIGH;
    out.append(svg('text', { x: 0, y: top + 12, class: 'role' }, whole.role));
    out.append(svg('text', { x: 78, y: top + 12 }, `${figures.format(now.calls)}${now.calls < whole.calls ? ` of ${figures.format(whole.calls)}` : ''} ${whole.calls === 1 ? 'call' : 'calls'}`));
    out.append(svg('text', { x: width, y: top + 12, 'text-anchor': 'end', class: 'value' }, values(now)));
    out.append(svg('rect', { x: 0.5, y: top + 17.5, width: Math.max(1, scale(size(whole))), height: 8, rx: 2, fill: 'none', stroke: 'var(--line-2)' }));
    let x = 0.5;
    for (const [part, fill] of parts(now)) {
      out.append(svg('rect', { x, y: top + 17.5, width: scale(part), height: 8, rx: 1, fill }));
      x += scale(part);
    }
  });
  return roles.length * ROW_HIGH;
}

const tokens = (one) => one.prompt + (one.cached || 0) + one.completion;
const unsaid = (one) => one.calls > 0 && one.uncounted >= one.calls;

class Tokens {
  title = 'Model calls and tokens by role';
  legend = [['full', 'prompt'], ['hatched', 'prompt, cached'], ['ink', 'completion'], ['outline', 'whole run']];
  about({ record }) { return record.spent.some((one) => one.role !== 'search') ? 'up to this moment' : 'this record has no model calls'; }
  columns = ['role', 'calls', 'prompt', 'of it cached', 'completion', 'not reported'];
  rows(view) {
    const said = (one, value) => (unsaid(one) ? 'not reported' : value);
    return view.spent.filter((one) => one.role !== 'search')
      .map((one) => [one.role, one.calls, said(one, one.prompt + (one.cached || 0)), one.cached ?? 'not reported', said(one, one.completion), `${one.uncounted} of ${one.calls} calls`]);
  }

  draw(out, width, view) {
    const hatch = svg('pattern', { id: 'rt-hatch', width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' });
    hatch.append(svg('rect', { width: 5, height: 5, fill: 'var(--focus-bg)' }), svg('path', { d: 'M0 0V5', stroke: 'var(--focus)', 'stroke-width': 3 }));
    out.append(hatch);
    return bars(out, width, view, {
      size: (one) => (one.role === 'search' ? null : tokens(one)),
      most: (roles) => Math.max(...roles.map(tokens), 0),
      values: (one) => {
        if (!one.calls) return 'none yet';
        if (unsaid(one)) return 'tokens not reported';
        const cached = one.cached === null ? 'cached not reported' : `${figures.format(one.cached)} cached`, least = one.uncounted ? '≥ ' : '';
        return `${least}${figures.format(one.prompt + (one.cached || 0))} in (${cached}), ${least}${figures.format(one.completion)} out`;
      },
      parts: (one) => [[one.prompt, 'var(--focus)'], [one.cached || 0, 'url(#rt-hatch)'], [one.completion, 'var(--ink-2)']],
    });
  }
}

class Seconds {
  title = 'Seconds by role';
  about({ record }) { return record.spent.length ? 'waiting for replies, up to this moment' : 'this record has no calls'; }
  legend = [['full', 'so far'], ['outline', 'whole run']];
  columns = ['role', 'calls', 'seconds'];
  rows(view) { return view.spent.map((one) => [one.role, one.calls, one.seconds]); }

  draw(out, width, view) {
    return bars(out, width, view, {
      size: (one) => one.seconds,
      most: (roles) => Math.max(...roles.map((one) => one.seconds), 0),
      values: (one) => (one.calls ? `${one.seconds.toLocaleString('en', { maximumFractionDigits: 1 })} s` : 'none yet'),
      parts: (one) => [[one.seconds, 'var(--focus)']],
    });
  }
}
