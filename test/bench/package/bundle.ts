import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from '../../../cdk/bundling/function-code.ts';

/** Top of the repository. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Bundles as the stack does its functions. Returns the path of `index.mjs`. */
export const bundle = async (entry: string, outdir: string): Promise<string> => {
  await build({ ...bundleOptions(entry, outdir), logLevel: 'silent' });
  return join(outdir, 'index.mjs');
};

/** A folder that is gone afterwards. */
export const inTemporaryFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
};
