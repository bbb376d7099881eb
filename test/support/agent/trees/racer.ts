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

const started = async (
  program: string,
  script: string,
  args: readonly string[],
  cwd: string,
): Promise<ChildProcess> => {
  const child = spawn(program, ['-e', script, '--', ...args], {
    cwd,
    uid: ENEMY,
    gid: ENEMY,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [first] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  if (!(first instanceof Buffer)) throw new Error(`${program} ended at once`);
  return child;
};

/** Resolves when the enemy has begun. `folders`: how many it swaps in turn. */
export const startRacer = async (volume: string, foreign: string, folders: number): Promise<Racer> => {
  const child = await started(process.execPath, SWAPS, [foreign, String(folders)], volume);
  const exited = once(child, 'exit');
  return {
    end: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
};

/** One folder in another, as the enemy; the deepest one has a file of a megabyte. In Perl, as Node asks for its whole path at each step. */
const DEEP = `
for (1 .. $ARGV[0]) { mkdir 'dddddddddd' and chdir 'dddddddddd' or die $!; }
open(FILE, '>', 'f') or die $!; print FILE "\\1" x 2 ** 20; close FILE or die $!;
print "made\\n";`;

export const makeDeep = async (volume: string, levels: number): Promise<void> => {
  const child = await started('perl', DEEP, [String(levels)], volume);
  if (child.exitCode === null) await once(child, 'exit');
};
