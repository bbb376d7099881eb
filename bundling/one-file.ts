/** Bundles a program into one CommonJS file, which Node takes for a single executable, too. */
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build } from 'esbuild';
import { bundledVersion, OLDEST_NODE } from './command.ts';
import { ROOT } from './es-modules.ts';
import { licencesOf } from './licences.ts';

/**
 * Writes the file, and beside it the licences of what was bundled, to which paths of other bundled files may be added. What the source
 * loads by `import()` is in the file, and is evaluated on first use. Names stay, so that stacks can be read.
 */
export const bundleOneFile = async (
  entry: string,
  outfile: string,
  others: readonly string[] = [],
): Promise<void> => {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: OLDEST_NODE,
    mainFields: ['module', 'main'],
    preserveSymlinks: true,
    minifySyntax: true,
    minifyWhitespace: true,
    define: { ...bundledVersion(), 'import.meta.url': '""' },
    banner: { js: '#!/usr/bin/env node' },
    metafile: true,
    logLevel: 'warning',
  });
  const inputs = [...Object.keys(metafile.inputs), ...others];
  writeFileSync(`${dirname(outfile)}/third-party-licenses.txt`, licencesOf(inputs));
};
