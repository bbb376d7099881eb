/** The host under abuse: a real process that says how much memory it keeps. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseKeySet } from '../../shared/adapters/secrets/key-set.ts';
import { issueToken } from '../../shared/apiserver/access/authentication.ts';
import { DEFAULT_CLUSTER_ID } from '../../shared/settings/settings.ts';
import type { HostSide } from './host-side.ts';

const CLI = resolve('cli/rollcall.js');
const HOST_SIDE = resolve('test/abuse/host-side.ts');
const READY_MS = 30_000;
const TOKEN_MS = 3_600_000;

export interface AbusedHost {
  readonly url: URL;
  readonly pid: number;
  /** PEM. */
  readonly ca: string;
  readonly adminToken: string;
  readonly output: () => string;
  /** A token for anybody. */
  tokenFor(name: string, ...groups: readonly string[]): Promise<string>;
  /** What the host measured of itself since the last call; with `collect`, its garbage is collected. */
  ask(question: 'figures' | 'collect'): Promise<HostSide>;
  /** Rejects when the process has ended by itself. */
  stop(): Promise<void>;
}

const ready = async (child: ChildProcess, output: () => string): Promise<void> => {
  const until = performance.now() + READY_MS;
  while (!/ ready url=/.test(output())) {
    if (child.exitCode !== null || performance.now() > until) throw new Error(`no host: ${output()}`);
    await wait(20);
  }
};

const tokenMaker = (folder: string): AbusedHost['tokenFor'] => {
  const keys = parseKeySet(readFileSync(join(folder, 'signing-key.json'), 'utf8'), 'the signing key');
  const signingKeys = {
    current: async () => keys.current,
    find: async (kid: string) => keys.secrets.get(kid),
  };
  const now = Date.now();
  return (name, ...groups) =>
    issueToken(
      { signingKeys, clusterId: DEFAULT_CLUSTER_ID },
      { name, groups, issuedAt: now, expiresAt: now + TOKEN_MS },
    );
};

export const startAbusedHost = async (folder: string): Promise<AbusedHost> => {
  const args = ['--expose-gc', '--import', HOST_SIDE, CLI, 'serve', '--folder', folder];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const closed = once(child, 'close');
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  await ready(child, () => text);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return {
    url: new URL((JSON.parse(read('host.json')) as { readonly url: string }).url),
    pid: child.pid ?? 0,
    ca: read('ca.crt'),
    adminToken: read('admin.token').trim(),
    output: () => text,
    tokenFor: tokenMaker(folder),
    ask: async (question) => {
      child.send(question);
      const died = closed.then(() => Promise.reject(new Error(`the host ended: ${text}`)));
      const [answer] = (await Promise.race([once(child, 'message'), died])) as [HostSide];
      return answer;
    },
    stop: async () => {
      if (child.exitCode !== null) throw new Error(`the host ended: ${text}`);
      child.kill('SIGTERM');
      await closed;
    },
  };
};
