/**
 * `npm run test:conformance [-- options of replay.mjs]`: the recorded requests of a real API server, sent to the host on this
 * machine with its controllers off, as they were when the answers were recorded.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseKeySet } from '../../shared/adapters/secrets/key-set.ts';
import { GROUP_NODES, GROUP_VIEWERS, NODE_USER_PREFIX } from '../../shared/api/well-known.ts';
import { issueToken } from '../../shared/apiserver/authentication.ts';
import { DEFAULT_CLUSTER_ID } from '../../shared/config/settings.ts';
import { startHostProcess } from '../host/host-process.ts';

const REPLAY = resolve('test/conformance/replay.mjs');
const NODE = 'n1';
const VIEWER = 'viewer';

/** Tokens for names that exist nowhere yet, signed with the host's key. */
const tokenMaker = (folder: string) => {
  const keys = parseKeySet(readFileSync(join(folder, 'signing-key.json'), 'utf8'), 'the signing key');
  const signingKeys = {
    current: async () => keys.current,
    find: async (kid: string) => keys.secrets.get(kid),
  };
  const now = Date.now();
  const times = { issuedAt: now, expiresAt: now + 3_600_000 };
  return (name: string, group: string) =>
    issueToken({ signingKeys, clusterId: DEFAULT_CLUSTER_ID }, { name, groups: [group], ...times });
};

const folder = mkdtempSync(join(tmpdir(), 'rollcall-conformance-'));
const host = await startHostProcess(folder, '--controllers', 'none');
try {
  const tokenFor = tokenMaker(folder);
  const users = [
    ['--token-admin', host.adminToken],
    ['--token-node', await tokenFor(`${NODE_USER_PREFIX}${NODE}`, GROUP_NODES), '--node-name', NODE],
    ['--token-viewer', await tokenFor(VIEWER, GROUP_VIEWERS), '--viewer-name', VIEWER],
  ];
  const child = spawn(process.execPath, [REPLAY, host.url, ...users.flat(), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  process.exitCode = code as number;
} finally {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
}
