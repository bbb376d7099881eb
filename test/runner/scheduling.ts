/**
 * `npm run test:scheduling [-- options of replay.mjs]`: what a real kube-scheduler decided, event by event, against what the host on
 * this machine decides for the same nodes and pods. Each case is as recorded, or a named difference.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NAMED_SCHEDULING } from './named-differences.ts';
import { report, runRecorder, type Verdict, withHost } from './recorded-host.ts';

/** The cases that `--skip` leaves out. */
const SKIPPED = 1;

interface Replayed {
  readonly id: string;
  readonly res: readonly { readonly q: string; readonly ok: boolean; readonly got?: unknown }[];
}

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

await withHost([], async ({ url, adminToken, folder }) => {
  const json = join(folder, 'scheduling.json');
  const options = ['--token', adminToken, '--json', json, '--skip', 'lifecycleOff', ...process.argv.slice(2)];
  const { output } = await runRecorder('scheduler/replay.mjs', url, ...options);
  console.log(output);
  const replayed = JSON.parse(readFileSync(json, 'utf8')) as readonly Replayed[];
  console.log(
    'A case that was recorded without a node lifecycle controller is skipped: a node that is not ready is tainted here.',
  );
  report('test:scheduling', replayed.map(verdictOf), SKIPPED);
});
