/**
 * Loaded into the host under abuse. It collects garbage when told to, so that what is left in memory is what is kept, and
 * measures how much of the processor the host takes between two turns of its event loop: unlike time, that does not depend
 * on what else the machine does.
 */
export interface HostSide {
  /** Most milliseconds of the processor since the last question that passed before the loop could turn. */
  readonly stallMs: number;
}

const LOOK_MS = 20;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

let stallMs = 0;
let last = cpuMs();
setInterval(() => {
  const now = cpuMs();
  stallMs = Math.max(stallMs, now - last);
  last = now;
}, LOOK_MS).unref();

process.on('message', (asked) => {
  if (asked === 'collect') globalThis.gc?.();
  process.send?.({ stallMs } satisfies HostSide);
  // A collection is our doing, not the host's.
  [stallMs, last] = [0, cpuMs()];
});
process.channel?.unref();
