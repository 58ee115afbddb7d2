// What changes between the moments around: waits here until the tree is asked to go to one of them.
export default function ({ data }) {
  const block = JSON.parse(new TextDecoder().decode(data));
  (globalThis.retreeAround ||= new Map()).set(block.place, block);
}
