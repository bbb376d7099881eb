/**
 * `npm run test:scheduling [-- options of replay.mjs]`: what a real kube-scheduler decided, event by event, against what the host on
 * this machine decides for the same nodes and pods. Each case is as recorded, or a named difference.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NAMED_SCHEDULING } from './named-differences.ts';
import { report, runRecorder, type Verdict, withHost } from './recorded-host.ts';

/** What `--skip` leaves out, and why. */
const LEFT_OUT = {
  lifecycleOff:
    'A case that was recorded without a node lifecycle controller is skipped: a node that is not ready is tainted here.',
  pvOff:
    'Five cases that were recorded without a binder of volumes are skipped: ours corrects their claims and volumes first.',
};
/** The cases of both kinds. */
const SKIPPED = 6;

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
  const skip = Object.keys(LEFT_OUT).join();
  const options = ['--token', adminToken, '--json', json, '--skip', skip, ...process.argv.slice(2)];
  const { output } = await runRecorder('scheduler/replay.mjs', url, ...options);
  console.log(output);
  const replayed = JSON.parse(readFileSync(json, 'utf8')) as readonly Replayed[];
  for (const reason of Object.values(LEFT_OUT)) console.log(reason);
  report('test:scheduling', replayed.map(verdictOf), SKIPPED);
});
