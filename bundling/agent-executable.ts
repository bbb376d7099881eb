/** Makes an executable for Linux of the agent in one file, and of the Node that runs this program. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { SMALL_HEAP } from '../cli/small-heap.ts';
import { ROOT } from './es-modules.ts';

/** What Node looks for in itself to know that it is not Node. Source: Node, single executable applications. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Writes `rollcall-agent` beside `file`, which `bundleAgent` has made; returns its path. */
export const makeExecutable = (file: string, node = process.execPath): string => {
  const output = file.replace(/\.cjs$/, '');
  const [config, blob] = [`${output}.json`, `${output}.blob`];
  const settings = {
    ...{ main: file, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true },
    execArgv: SMALL_HEAP,
  };
  writeFileSync(config, JSON.stringify(settings));
  // Compiled code is for one set of flags.
  execFileSync(node, [...SMALL_HEAP, '--experimental-sea-config', config], { stdio: 'pipe' });
  copyFileSync(node, output);
  chmodSync(output, 0o755);
  const postject = `${ROOT}node_modules/postject/dist/cli.js`;
  const inject = [postject, output, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE];
  execFileSync(process.execPath, inject, { stdio: 'pipe' });
  for (const path of [config, blob]) rmSync(path);
  return output;
};
