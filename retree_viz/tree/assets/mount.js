// The part that is sent again with every change of data, so it is small: the rest waits in the loader component.
const latest = new WeakMap();
export default function (component) {
  const { parentElement } = component, mine = {};
  let clean = null;
  latest.set(parentElement, mine);
  const go = () => {
    if (latest.get(parentElement) !== mine) return; // a newer run took over
    if (globalThis.retreeTree) clean = globalThis.retreeTree.mount(component);
    else setTimeout(go, 15);
  };
  go();
  return () => {
    if (latest.get(parentElement) !== mine) return;
    latest.delete(parentElement);
    if (clean) clean();
  };
}
