/** Keeps the logs of all containers that run within their bounds. */
import { unlessGone } from './cri-error.ts';
import { rotateLog } from './logs.ts';
import type { Parts } from './parts.ts';
import { containersOf } from './pods.ts';

/** Paths of logs by the ids of their containers. A path stays as long as its container, so each is asked for once. */
type LogPaths = Map<string, string>;

const pathOf = async ({ client }: Parts, known: LogPaths, containerId: string): Promise<string> => {
  const found = known.get(containerId);
  if (found !== undefined) return found;
  const path = (await client.runtime.containerStatus({ containerId })).status?.logPath ?? '';
  if (path !== '') known.set(containerId, path);
  return path;
};

const rotateOne = async (parts: Parts, known: LogPaths, containerId: string): Promise<void> => {
  const { client, options } = parts;
  const path = await pathOf(parts, known, containerId);
  if (path === '') return;
  const reopen = async (): Promise<void> => {
    await client.runtime.reopenContainerLog({ containerId });
  };
  await rotateLog(path, options.logs, options.now(), reopen);
};

/** One container that has no log, or that the runtime fails for, does not keep the others from their rotation. */
export const rotateLogs = async (parts: Parts, known: LogPaths): Promise<void> => {
  const all = (await containersOf(parts)).filter(({ state }) => state === 'CONTAINER_RUNNING');
  const running = new Set(all.map(({ id }) => id));
  for (const id of known.keys()) if (!running.has(id)) known.delete(id);
  for (const id of running)
    await unlessGone(rotateOne(parts, known, id)).catch((error: unknown) =>
      parts.options.log(`the log of container ${id}`, error),
    );
};
