/**
 * `npm run test:conformance [-- options of replay.mjs]`: the recorded requests of a real API server, sent to the host on this
 * machine with its controllers off, as they were when the answers were recorded. Each answer is the recorded one, or a named difference.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  GROUP_MASTERS,
  GROUP_NODES,
  GROUP_VIEWERS,
  NODE_USER_PREFIX,
} from '../../shared/kube/types/well-known.ts';
import { tokenMaker } from '../support/servers/tokens.ts';
import { NAMED_CASES } from './named-differences.ts';
import { report, runRecorder, type Verdict, withHost } from './recorded-host.ts';

const NODE = 'n1';
const VIEWER = 'viewer';
/** Who sent the recorded requests. */
const ADMIN = 'admin';

interface Replayed {
  readonly sum: { readonly skipped: number };
  readonly cases: Readonly<Record<string, { readonly exact: boolean; readonly diff?: readonly string[] }>>;
}

const verdictOf = ([name, { exact, diff = [] }]: [string, Replayed['cases'][string]]): Verdict => {
  const named = NAMED_CASES[name];
  if (exact)
    return named === undefined
      ? { name }
      : { name, problem: `is as recorded, and still listed under ${named}` };
  return named === undefined ? { name, problem: diff.slice(0, 3).join('; ') } : { name };
};

await withHost(['--controllers', 'none'], async ({ url, folder }) => {
  const tokenFor = tokenMaker(folder);
  const json = join(folder, 'replay.json');
  const users = [
    ['--token-admin', await tokenFor(ADMIN, GROUP_MASTERS)],
    ['--token-node', await tokenFor(`${NODE_USER_PREFIX}${NODE}`, GROUP_NODES), '--node-name', NODE],
    ['--token-viewer', await tokenFor(VIEWER, GROUP_VIEWERS), '--viewer-name', VIEWER],
  ];
  const options = [...users.flat(), '--json', json, ...process.argv.slice(2)];
  const { output } = await runRecorder('replay.mjs', url, ...options);
  console.log(output);
  console.log('Cases that compact the history of the real server’s store are skipped: there is none here.');
  const { sum, cases } = JSON.parse(readFileSync(json, 'utf8')) as Replayed;
  report('test:conformance', Object.entries(cases).map(verdictOf), sum.skipped);
});
