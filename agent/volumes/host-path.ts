/** Paths of the machine itself. Source: kubernetes v1.34 pkg/volume/hostpath. */
import { mkdir, open, stat } from 'node:fs/promises';
import { hostPathVerdict, type PathKind } from '../rules/volumes/host-path.ts';
import type { Volume } from '../rules/volumes/volume.ts';

const kindOf = async (path: string): Promise<PathKind> => {
  const there = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!there) return undefined;
  if (there.isDirectory()) return 'directory';
  if (there.isFile()) return 'file';
  if (there.isSocket()) return 'socket';
  if (there.isCharacterDevice()) return 'characterDevice';
  return there.isBlockDevice() ? 'blockDevice' : 'other';
};

const make = async (path: string, what: 'directory' | 'file'): Promise<void> => {
  if (what === 'directory') return void (await mkdir(path, { recursive: true, mode: 0o755 }));
  const file = await open(path, 'a', 0o644);
  await file.close();
};

/** Makes the path if it may. Returns why it is not what it should be. */
export const setUpHostPath = async ({ hostPath }: Volume): Promise<string | undefined> => {
  const { path = '', type = '' } = hostPath ?? {};
  const verdict = hostPathVerdict(path, type, await kindOf(path));
  if (verdict.make) await make(path, verdict.make);
  return verdict.fault;
};
