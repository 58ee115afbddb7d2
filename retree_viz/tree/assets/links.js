// What rests on what in a run; sent again only when that changes, so it waits here until the tree asks for it.
export default function (component) {
  const data = JSON.parse(new TextDecoder().decode(component.data));
  const maps = Object.entries(data).map(([name, value]) => [name, typeof value !== 'object' || Array.isArray(value) ? value : new Map(Object.entries(value))]);
  const links = Object.fromEntries(maps);
  links.cards = new Map([...links.cards].flatMap(([card, facts]) => facts.map((fact) => [fact, card])));
  (globalThis.retreeLinks ||= new Map()).set(data.run, links);
  window.dispatchEvent(new CustomEvent('retree:links'));
}
