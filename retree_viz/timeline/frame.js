// Sent again with every step, so it is small: all code comes with the record, which is mounted beside it.
export default function ({ data, parentElement, setTriggerValue }) {
  globalThis.retreeFrames ??= new Map();
  globalThis.retreeFrames.set(data.of, { data, parent: parentElement, send: (what) => setTriggerValue('do', what) });
  globalThis.retreeTimeline?.(data.of);
}
