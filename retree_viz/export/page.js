// Puts the tree into an exported page, and ties it to the words below it.
const view = JSON.parse(document.getElementById('view').textContent);
const place = document.getElementById('tree');

/** What was clicked in the tree, in the words below. */
function show(_, { id }) {
  const found = document.getElementById(`at-${id}`);
  if (!found) return;
  for (const open = found.closest('details'); open && !open.open;) open.open = true;
  found.scrollIntoView({ block: 'center' });
  found.tabIndex = -1;
  found.focus({ preventScroll: true });
}

const packed = (value) => new TextEncoder().encode(JSON.stringify(value)); // as Python sends it
const draw = () => globalThis.retreeTree.mount({ data: packed({ ...view, height: 0 }), parentElement: place, setTriggerValue: show });
if (view.links) keepLinks({ data: packed(view.links) });
place.replaceChildren();
draw();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);

for (const one of document.querySelectorAll('[data-light]')) {
  const light = (id) => window.dispatchEvent(new CustomEvent('retree:light', { detail: { id } }));
  one.addEventListener('mouseenter', () => light(one.dataset.light));
  one.addEventListener('mouseleave', () => light(''));
}
