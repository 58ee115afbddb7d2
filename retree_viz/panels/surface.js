// Shows markup made by retree_viz/html.py and reports clicks on anything with data-do.
// The markup is escaped where it is made; here it is parsed in an inert document and only known tags and
// attributes are copied, so that even a mistake there could not run anything.
const TAGS = new Set('a b bdi blockquote button dd del details div dl dt h1 h2 h3 h4 ins li mark ol p pre section small span strong summary table tbody td th thead tr ul nav header footer svg path circle rect'.split(' '));
const ATTRIBUTES = new Set('class title type role tabindex open colspan scope lang dir viewBox d cx cy r x y width height rx disabled'.split(' '));
const views = new WeakMap();

function copied(node) {
  if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
  if (node.nodeType !== Node.ELEMENT_NODE || !TAGS.has(node.localName)) return document.createTextNode('');
  const made = document.createElementNS(node.namespaceURI, node.localName);
  for (const { name, value } of node.attributes) {
    if (ATTRIBUTES.has(name) || name.startsWith('data-') || name.startsWith('aria-')) made.setAttribute(name, value);
  }
  if (node.localName === 'a' && /^https?:\/\//i.test(node.getAttribute('href') || '')) {
    made.href = node.getAttribute('href');
    made.target = '_blank';
    made.rel = 'noopener noreferrer';
  }
  if (node.localName === 'button') made.type = 'button';
  made.append(...[...node.childNodes].map(copied));
  return made;
}

// Makes `old` like `fresh` and keeps what is equal, so that focus, scrolling and a click in progress survive.
function morph(old, fresh, anew) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) { old.replaceWith(fresh); return; }
  if (old.nodeType === Node.TEXT_NODE) { if (old.data !== fresh.data) old.data = fresh.data; return; }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && (anew || name !== 'open')) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && (anew || name !== 'open')) old.setAttribute(name, value);
  }
  morphChildren(old, [...fresh.childNodes], anew);
}
function morphChildren(old, fresh, anew) {
  while (old.childNodes.length > fresh.length) old.lastChild.remove();
  fresh.forEach((child, at) => (at < old.childNodes.length ? morph(old.childNodes[at], child, anew) : old.append(child)));
}

class View {
  constructor(parent) {
    this.root = document.createElement('div');
    this.root.className = 'rt';
    parent.append(this.root);
    this.root.addEventListener('click', (event) => this.click(event));
    this.root.addEventListener('pointerover', (event) => this.light(event.target));
    this.root.addEventListener('pointerleave', () => this.light(null));
    this.root.addEventListener('focusin', ({ target }) => target.matches(':focus-visible') && this.light(target));
    this.root.addEventListener('focusout', () => this.light(null));
    const lit = (event) => (this.root.isConnected ? this.showLit(event.detail) : window.removeEventListener('retree:lit', lit));
    window.addEventListener('retree:lit', lit);
    const listen = (event) => (this.root.isConnected ? this.key(event) : window.removeEventListener('keydown', listen));
    window.addEventListener('keydown', listen);
  }

  click(event) {
    if (event.target.closest('a[href], summary')) return;
    const copy = event.target.closest('[data-copy]');
    if (copy) { this.copy(copy); return; }
    const asked = event.target.closest('[data-do]');
    if (asked && !asked.disabled && !(event.isTrusted && String(getSelection()).trim())) this.send(asked.dataset.do);
  }

  /** Says to the trees of the page which id the pointer or the keyboard is on. */
  light(at) {
    const found = at?.closest('[data-light], [data-do^="select:"]');
    const id = found ? found.dataset.light ?? found.dataset.do.slice('select:'.length) : '';
    if (id === (this.lighting || '')) return;
    this.lighting = id;
    window.dispatchEvent(new CustomEvent('retree:light', { detail: { id } }));
  }

  /** Marks what a tree has lit: claims and facts that depend on what is pointed at. */
  showLit({ id, ids }) {
    const lit = new Set(ids);
    for (const one of this.root.querySelectorAll('[data-light], [data-do^="select:"]')) {
      const own = one.dataset.light ?? one.dataset.do.slice('select:'.length);
      one.toggleAttribute('data-lit', lit.has(own) && own !== id);
    }
  }

  copy(button) {
    const said = button.querySelector('span') || button, before = said.textContent;
    navigator.clipboard?.writeText(location.href).then(() => {
      said.textContent = 'Copied';
      button.classList.add('copied');
      setTimeout(() => { said.textContent = before; button.classList.remove('copied'); }, 1200);
    }, () => { said.textContent = 'Copy the address bar'; });
  }

  key(event) {
    const at = event.composedPath()[0];
    const typing = at instanceof Element && (at.matches('input, textarea, select') || at.isContentEditable);
    const dialog = document.querySelector('[role=dialog]');
    if (dialog && event.key === 'Escape' && at === document.body && !event.defaultPrevented) {
      event.preventDefault(); // a download's button is disabled for a moment: the focus left it, and the dialog hears no key
      dialog.querySelector('[aria-label=Close]')?.click();
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey || dialog) return;
    this.root.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
  }

  update({ html, scope }) {
    // Dialogs are drawn outside of the app's element, which alone knows the theme.
    document.documentElement.style.colorScheme = getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme;
    if (html === this.html) return;
    const anew = scope !== this.scope, scroller = this.root.closest('[class*="st-key-scroll"]');
    const parsed = new DOMParser().parseFromString(html, 'text/html');
    morphChildren(this.root, [...parsed.body.childNodes].map(copied), anew);
    if (scroller && anew) scroller.scrollTop = 0;
    const here = this.root.querySelector('[data-here]');
    if (here && here.dataset.here !== this.here) here.scrollIntoView({ block: 'nearest' });
    this.here = here?.dataset.here;
    if (this.lighting) this.light(this.root.querySelector('[data-light]:hover, [data-do^="select:"]:hover, [data-do^="select:"]:focus-visible'));
    Object.assign(this, { html, scope });
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  if (!views.has(parentElement)) views.set(parentElement, new View(parentElement));
  const view = views.get(parentElement);
  view.send = (what) => setTriggerValue('do', what);
  view.update(data);
}
