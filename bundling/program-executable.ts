/** The whole program as one executable for Linux: every command of the package, and the files that they read. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCENARIOS } from './command.ts';
import { bundleDashboard } from './dashboard.ts';
import { ROOT } from './es-modules.ts';
import { makeExecutable } from './executable.ts';
import { bundleOneFile } from './one-file.ts';

/** The files of a folder, named as `ownFiles` asks for them. */
const assetsOf = (name: string, folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(readdirSync(folder).map((file) => [`${name}/${file}`, join(folder, file)]));

/** Replaces `folder` with `rollcall` and the licences of what was bundled; returns the path of the executable. */
export const makeProgramExecutable = async (folder: string): Promise<string> => {
  rmSync(folder, { recursive: true, force: true });
  const [file, output] = [join(folder, 'rollcall.cjs'), join(folder, 'rollcall')];
  const page = mkdtempSync(join(tmpdir(), 'rollcall-page-'));
  try {
    await bundleOneFile('cli/executable.ts', file, await bundleDashboard(page));
    const assets = { ...assetsOf('page', page), ...assetsOf('scenarios', `${ROOT}${SCENARIOS}`) };
    return makeExecutable({ file, output, takesFlags: true, assets });
  } finally {
    for (const path of [page, file]) rmSync(path, { recursive: true, force: true });
  }
};
