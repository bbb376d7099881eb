/** An enemy that swaps a folder for a link to another one, as fast as it can, wherever the folder is moved to. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ENEMY } from './foreign-files.ts';

/** Works in its working folder by relative names, so that it goes with that folder. */
const SWAPS = `
const { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } = require('node:fs');
const tried = (call) => { try { call(); } catch {} };
const [foreign, names] = process.argv.slice(1);
const all = Array.from({ length: Number(names) }, (_, index) => 'd' + index);
const make = (name) => {
  tried(() => mkdirSync(name));
  for (let index = 0; index < 20; index += 1) tried(() => writeFileSync(name + '/file' + index, 'x'));
};
for (const name of all) make(name);
process.stdout.write('ready\\n');
for (let round = 0; ; round += 1) for (const name of all) {
  tried(() => renameSync(name, name + '.aside'));
  tried(() => symlinkSync(foreign, name));
  tried(() => unlinkSync(name));
  tried(() => renameSync(name + '.aside', name));
  tried(() => mkdirSync(name));
  tried(() => writeFileSync(name + '/file' + (round % 20), 'x'));
}`;

export interface Racer {
  end(): Promise<void>;
}

const started = async (script: string, args: readonly string[], cwd: string): Promise<ChildProcess> => {
  const child = spawn(process.execPath, ['-e', script, '--', ...args], {
    cwd,
    uid: ENEMY,
    gid: ENEMY,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
};

/** Resolves when the enemy has begun. `folders`: how many it swaps in turn. */
export const startRacer = async (volume: string, foreign: string, folders: number): Promise<Racer> => {
  const child = await started(SWAPS, [foreign, String(folders)], volume);
  const exited = once(child, 'exit');
  return {
    end: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
};

/** One folder in another, as the enemy; the deepest one has a file of a megabyte. */
const DEEP = `
const { mkdirSync, writeFileSync } = require('node:fs');
for (let level = 0; level < Number(process.argv[1]); level += 1) {
  mkdirSync('dddddddddd');
  process.chdir('dddddddddd');
}
writeFileSync('f', Buffer.alloc(2 ** 20, 1));
process.stdout.write('made\\n');`;

export const makeDeep = async (volume: string, levels: number): Promise<void> => {
  const child = await started(DEEP, [String(levels)], volume);
  if (child.exitCode === null) await once(child, 'exit');
};
