/** Bundles the page of `rollcall dashboard`: one script, one style sheet, and the files that the browser takes as they are. */
import { cpSync } from 'node:fs';
import { build } from 'esbuild';
import { ROOT } from './es-modules.ts';

/** Browsers of mid 2024 and later: they know `light-dark()`. */
const BROWSERS = ['chrome123', 'firefox120', 'safari17.5'];

/** Writes the files of the page to `folder`. Returns the paths of what was bundled, for its licences. */
export const bundleDashboard = async (folder: string): Promise<readonly string[]> => {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [{ in: 'dashboard/page/main.ts', out: 'main' }],
    outdir: folder,
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: BROWSERS,
    tsconfig: 'dashboard/page/tsconfig.json',
    minify: true,
    legalComments: 'none',
    preserveSymlinks: true,
    metafile: true,
    logLevel: 'warning',
  });
  cpSync(`${ROOT}dashboard/page/assets`, folder, { recursive: true });
  return Object.keys(metafile.inputs);
};
