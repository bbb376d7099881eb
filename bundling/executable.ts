/** Makes an executable for Linux of a program in one file, and of the Node that runs this program. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { ROOT } from './es-modules.ts';

/** What Node looks for in itself to know that it is not Node. Source: Node, single executable applications. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

export interface ExecutableOptions {
  /** The program, CommonJS. */
  readonly file: string;
  /** Path of the executable. */
  readonly output: string;
  /** Flags of Node that it always has. */
  readonly flags?: readonly string[];
  /** Whether it takes further flags by `--node-options=FLAGS`, and then none from NODE_OPTIONS. */
  readonly takesFlags?: boolean;
  /** Paths of files that it contains, by the names by which it reads them. */
  readonly assets?: Readonly<Record<string, string>>;
}

/** Writes the executable, and returns its path. */
export const makeExecutable = (
  { file, output, flags = [], takesFlags = false, assets = {} }: ExecutableOptions,
  node = process.execPath,
): string => {
  const [config, blob] = [`${output}.json`, `${output}.blob`];
  const settings = {
    // The executable keeps the path, and shows it in stacks.
    main: basename(file),
    output: blob,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv: flags,
    execArgvExtension: takesFlags ? 'cli' : 'env',
    assets,
  };
  writeFileSync(config, JSON.stringify(settings));
  // Compiled code is for one set of flags.
  const make = [...flags, '--experimental-sea-config', config];
  execFileSync(node, make, { stdio: 'pipe', cwd: dirname(file) });
  copyFileSync(node, output);
  chmodSync(output, 0o755);
  const postject = `${ROOT}node_modules/postject/dist/cli.js`;
  const inject = [postject, output, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE];
  execFileSync(process.execPath, inject, { stdio: 'pipe' });
  for (const path of [config, blob]) rmSync(path);
  return output;
};
