/** Uses a pod as its owner does: follows its logs, runs a command in it, copies files, and connects to a port. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { eventually } from '../../clocks/eventually.ts';
import { forwardedPort, kubectlSays, startKubectl } from '../../shell/running-kubectl.ts';

const PATIENCE_MS = 60_000;
const BYTES = 300_000;
/** What a port-forward answers with is what it was sent. */
const SENT = 'through a port';

export interface Reached {
  /** The first line of its log that was followed. */
  readonly followed: string;
  readonly exec: { readonly code: number | null; readonly stdout: string };
  /** Whether a file is the same after its way there and back. */
  readonly isCopied: boolean;
  readonly forwarded: string;
}

const follow = async (env: NodeJS.ProcessEnv, pod: string): Promise<string> => {
  const log = startKubectl(env, ['logs', '-f', pod]);
  const lines = (): readonly string[] => log.output().split('\n');
  try {
    await eventually('the log grows', PATIENCE_MS, async () => lines().length > 4, { seen: log.output });
    return lines()[0] ?? '';
  } finally {
    await log.end();
  }
};

const copy = async (env: NodeJS.ProcessEnv, pod: string, folder: string): Promise<boolean> => {
  const bytes = randomBytes(BYTES);
  const [from, there, back] = [join(folder, 'from'), '/tmp/there', join(folder, 'back')];
  mkdirSync(folder, { recursive: true });
  writeFileSync(from, bytes);
  for (const words of [
    [from, `${pod}:${there}`],
    [`${pod}:${there}`, back],
  ]) {
    const { code, stderr } = await kubectlSays(env, ['cp', ...words]);
    if (code !== 0) throw new Error(stderr);
  }
  return readFileSync(back).equals(bytes);
};

const answerOf = async (port: number): Promise<string> => {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(SENT);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return chunk.toString();
};

const forward = async (env: NodeJS.ProcessEnv, pod: string): Promise<string> => {
  const echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  await once(echo.listen(0, '127.0.0.1'), 'listening');
  const { port } = echo.address() as { readonly port: number };
  const forwarding = startKubectl(env, ['port-forward', `pod/${pod}`, `:${port}`]);
  try {
    const local = await eventually(
      'a port is forwarded',
      PATIENCE_MS,
      async () => forwardedPort(forwarding),
      {
        seen: forwarding.output,
      },
    );
    return await answerOf(local);
  } finally {
    await forwarding.end();
    echo.close();
  }
};

/** `folder` is a new one of this machine. The pod writes its log on and on. */
export const reachPod = async (env: NodeJS.ProcessEnv, pod: string, folder: string): Promise<Reached> => {
  const script = 'cat; exit 7';
  const { code, stdout } = await kubectlSays(env, ['exec', '-i', pod, '--', 'sh', '-c', script], 'given\n');
  return {
    followed: await follow(env, pod),
    exec: { code, stdout },
    isCopied: await copy(env, pod, folder),
    forwarded: await forward(env, pod),
  };
};

/** All of it, for a pod whose log begins with this line. */
export const reachedAs = (followed: string): Reached => ({
  followed,
  exec: { code: 7, stdout: 'given\n' },
  isCopied: true,
  forwarded: SENT,
});
