/**
 * `npm run test:scheduling [-- options of replay.mjs]`: what a real kube-scheduler decided, event by event, against what the host on
 * this machine decides for the same nodes and pods. Each case is as recorded, or a named difference.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NAMED_SCHEDULING } from './named-differences.ts';
import { report, runRecorder, type Verdict, withHost } from './recorded-host.ts';

interface Case {
  readonly id: string;
  /** Recorded without a controller that taints nodes that are not ready. */
  readonly lifecycleOff?: true;
  /** Recorded without a controller that binds volumes: it would correct the claims and volumes of the case. */
  readonly pvOff?: true;
}

interface Replayed {
  readonly id: string;
  readonly res: readonly { readonly q: string; readonly ok: boolean; readonly got?: unknown }[];
}

const CASES: readonly Case[] = JSON.parse(
  readFileSync('test/conformance/scheduler/golden-1.34.json', 'utf8'),
);
/** The controllers that were off in the recording of some cases. */
const WITHOUT = '*,-node-monitor,-volume-binder';

const verdictOf = ({ id, res }: Replayed): Verdict => {
  const misses = res.filter(({ ok }) => !ok);
  const named = NAMED_SCHEDULING[id];
  if (misses.length === 0)
    return named === undefined
      ? { name: id }
      : { name: id, problem: `is as recorded, and still listed under ${named}` };
  if (named !== undefined) return { name: id };
  return { name: id, problem: misses.map(({ q, got }) => `${q}: ${JSON.stringify(got)}`).join('; ') };
};

const replay = (controllers: string, ...options: readonly string[]): Promise<readonly Verdict[]> =>
  withHost(['--controllers', controllers], async ({ url, adminToken, folder }) => {
    const json = join(folder, 'scheduling.json');
    const all = ['--token', adminToken, '--json', json, ...options, ...process.argv.slice(2)];
    const { output } = await runRecorder('scheduler/replay.mjs', url, ...all);
    console.log(output);
    return (JSON.parse(readFileSync(json, 'utf8')) as readonly Replayed[]).map(verdictOf);
  });

const isOther = ({ lifecycleOff, pvOff }: Case): boolean => lifecycleOff === true || pvOff === true;

const most = await replay('all', '--skip', 'lifecycleOff,pvOff');
const others = await replay(
  WITHOUT,
  '--case',
  CASES.filter(isOther)
    .map(({ id }) => id)
    .join(),
);
report('test:scheduling', [...most, ...others], 0);
