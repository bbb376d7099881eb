/** A million nodes behind relays, on one host: passes, and the batches that come meanwhile. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LARGE_HEAP } from '../../../../bundling/heap.ts';
import type { Bench, Figure } from '../../figures/figures.ts';
import { spread } from '../../figures/statistics.ts';
import { bundle, inTemporaryFolder } from '../../package/bundle.ts';
import { inHostFolder } from '../bench-host.ts';
import type { MillionReport } from './million-host.ts';

const NODES = 1_000_000;
const SCRIPT = 'test/bench/host/large/million-host.ts';
const MOST = { passMs: 5_000, turnMs: 200, residentMb: 6 * 1024, cores: 0.5 };
/** Batches of 1,000 nodes that a second has: each node is told of each ten seconds. */
const BATCHES_PER_SECOND = 100;

const report = (): Promise<MillionReport> =>
  inTemporaryFolder(async (scripts) => {
    const script = await bundle(SCRIPT, scripts);
    const start = (work: string, folder: string) =>
      promisify(execFile)(process.execPath, [...LARGE_HEAP, script, work, folder, String(NODES)]);
    return inHostFolder(async (folder) => {
      await start('store', folder);
      return JSON.parse((await start('run', folder)).stdout) as MillionReport;
    });
  });

const text = (values: readonly number[]): string => values.map((ms) => ms.toFixed(0)).join(', ');

export const hostMillion: Bench = async () => {
  const { openMs, passMs, passCpuMs, turnsMs, batchMs, batches, seconds, peakRssMb } = await report();
  const fleet = `${NODES} nodes behind relays`;
  const figures: readonly Figure[] = [
    {
      name: `pass over ${fleet}`,
      unit: 'ms',
      ...spread(passMs),
      target: { atMost: MOST.passMs },
      note: `each ${text(passMs)}; the folder was open after ${text([openMs])}`,
    },
    {
      name: 'processor time of the thread in it, without batches',
      unit: 'ms',
      ...spread(passCpuMs),
      note: `each ${text(passCpuMs)}`,
    },
    {
      name: 'longest turn of the event loop in them, processor time',
      unit: 'ms',
      value: Math.max(...turnsMs),
      target: { atMost: MOST.turnMs },
      note: `of each pass: ${text(turnsMs)}`,
    },
    {
      name: `their batches, ${BATCHES_PER_SECOND} a second of ten parts`,
      unit: 'cores',
      value: (batchMs / batches / 1000) * BATCHES_PER_SECOND,
      target: { atMost: MOST.cores },
      note: `${batches} in ${seconds.toFixed(0)} s, ${(batchMs / batches).toFixed(2)} ms each`,
    },
    { name: 'peak RSS', unit: 'MB', value: peakRssMb, target: { atMost: MOST.residentMb } },
  ];
  return figures;
};
