/**
 * `memory.ts [KIND]`: how many bytes a request occupies at most, for each kind of body. With `--gc-global` every collection is complete, and with a
 * young generation of a megabyte there is one for each megabyte or so that is allocated: what is left after one was in use.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { GCProfiler } from 'node:v8';
import { createMemoryState } from '../../../shared/adapters/memory/state.ts';
import type { HttpRequest } from '../../../shared/apiserver/contract/http.ts';
import { BODY_KINDS, type BodyKind } from './kinds.ts';
import { createSender } from './sender.ts';

export interface MemoryReport {
  readonly kinds: readonly {
    readonly name: string;
    readonly bodyBytes: number;
    readonly heldBytes: number;
    /** Most resident memory of the process while it answered. */
    readonly peakMb: number;
  }[];
}

const REPETITIONS = 2;
const noPause = async (): Promise<void> => undefined;

const usedBytes = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const heldBy = async (work: () => Promise<unknown>): Promise<number> => {
  const before = usedBytes();
  const profiler = new GCProfiler();
  profiler.start();
  await work();
  const { statistics } = profiler.stop() ?? { statistics: [] };
  const after = statistics.map(
    ({ afterGC }) => afterGC.heapStatistics.usedHeapSize + afterGC.heapStatistics.externalMemory,
  );
  return Math.max(0, ...after.map((bytes) => bytes - before));
};

/** What the process took to make a request is not part of answering it. Linux only. */
const forgetPeak = (): void => {
  globalThis.gc?.();
  writeFileSync('/proc/self/clear_refs', '5');
};

const peakRssMb = (): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;

const measure = async ({ name, before = [], request }: BodyKind) => {
  const sender = await createSender(createMemoryState(), noPause);
  for (const one of before) await sender.serve(sender.prepare(one));
  let [heldBytes, bodyBytes, peakMb] = [0, 0, 0];
  for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
    const prepared: HttpRequest = sender.prepare(request(repetition));
    bodyBytes = prepared.body.byteLength;
    forgetPeak();
    heldBytes = Math.max(heldBytes, await heldBy(() => sender.serve(prepared)));
    peakMb = Math.max(peakMb, peakRssMb());
  }
  return { name, bodyBytes, heldBytes, peakMb };
};

const kinds: MemoryReport['kinds'][number][] = [];
const [only] = process.argv.slice(2);
for (const kind of BODY_KINDS) if (only === undefined || kind.name === only) kinds.push(await measure(kind));
const report: MemoryReport = { kinds };
process.stdout.write(JSON.stringify(report), () => process.exit());
