import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMemoryState } from '../../shared/adapters/memory/state.ts';
import { createApiServer } from '../../shared/apiserver/api-server.ts';
import { listen } from '../support/api-listener.ts';
import { inTemporaryFolder } from './bundle.ts';
import type { Bench, BenchOptions, Figure } from './figures.ts';
import { adminToken, serverDeps } from './servers.ts';

/** What is served so far; all of them ask as an administrator. */
const GROUPS = [
  'not-found',
  'node-create',
  'node-replace',
  'node-status',
  'leases',
  'events',
  'pod-create',
  'tolerations',
] as const;
const REPLAY = fileURLToPath(new URL('../conformance/replay.mjs', import.meta.url));

interface GroupCounts {
  readonly n: number;
  readonly exact: number;
  readonly shape: number;
  readonly code: number;
}

interface ReplayReport {
  readonly sum: GroupCounts;
  readonly groups: Readonly<Record<string, GroupCounts>>;
}

/** Sends the recorded requests; misses are printed as they come. */
const replay = async (url: string, file: string, { show }: BenchOptions): Promise<ReplayReport> => {
  const options = ['--token-admin', await adminToken(), '--only', GROUPS.join(','), '--json', file];
  const child = spawn(process.execPath, [REPLAY, url, ...options, ...(show ? ['--show'] : [])], {
    stdio: ['ignore', show ? 'inherit' : 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the replay ended with ${code}`);
  return JSON.parse(readFileSync(file, 'utf8'));
};

const figureOf = (name: string, { n, exact, shape, code }: GroupCounts): Figure => ({
  name,
  unit: '% exact',
  value: (100 * exact) / n,
  note: `of ${n}: exact ${exact}, shape ${shape}, code ${code}`,
});

/** How many answers equal those of a real API server, which ran without controllers: so does ours. */
export const conformance: Bench = async (options) => {
  const listener = await listen(createApiServer(serverDeps(createMemoryState(), { settleNodes: false })));
  try {
    const { sum, groups } = await inTemporaryFolder((folder) =>
      replay(listener.url, join(folder, 'replay.json'), options),
    );
    const figures = Object.entries(groups).map(([name, counts]) => figureOf(name, counts));
    return [...figures, figureOf('all of these groups', sum)];
  } finally {
    await listener.close();
  }
};
