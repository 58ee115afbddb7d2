// Sent again with every step, so it is small: all code comes with the record, which is mounted beside it.
export default function ({ data, parentElement, setTriggerValue }) {
  globalThis.retreeChartFrames ??= new Map();
  globalThis.retreeChartFrames.set(data.of, { data, parent: parentElement, send: (what) => setTriggerValue('do', what) });
  globalThis.retreeCharts?.(data.of);
}
