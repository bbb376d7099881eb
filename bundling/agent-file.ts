/** Bundles the agent alone, for machines that have Node and nothing else of the package. */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { OLDEST_NODE } from './command.ts';
import { ROOT } from './es-modules.ts';
import { licencesOf } from './licences.ts';

const versionOf = (): string => {
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { readonly version: string };
  return version;
};

/**
 * Replaces `folder` with `rollcall-agent.cjs` and the licences of what was bundled; returns the path of the file. It is a CommonJS
 * module, which Node takes for a single executable, too. Names stay, so that stacks can be read.
 */
export const bundleAgent = async (folder: string): Promise<string> => {
  rmSync(folder, { recursive: true, force: true });
  const outfile = `${folder}/rollcall-agent.cjs`;
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['cli/agent-alone.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: OLDEST_NODE,
    mainFields: ['module', 'main'],
    preserveSymlinks: true,
    minifySyntax: true,
    minifyWhitespace: true,
    define: { BUNDLED_VERSION: JSON.stringify(versionOf()), 'import.meta.url': '""' },
    banner: { js: '#!/usr/bin/env node' },
    metafile: true,
    logLevel: 'warning',
  });
  chmodSync(outfile, 0o755);
  writeFileSync(`${folder}/third-party-licenses.txt`, licencesOf(Object.keys(metafile.inputs)));
  return outfile;
};
