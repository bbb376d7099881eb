import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Top of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BANNER = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** Functions have their credentials in the environment. */
const CREDENTIALS = join(ROOT, 'cdk/bundling/environment-credentials.ts');

/** As the stack bundles its functions: the SDK goes in, and only one format of each package. */
export const bundle = async (entry: string, outfile: string): Promise<void> => {
  await build({
    entryPoints: [join(ROOT, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    minify: true,
    sourcemap: true,
    sourcesContent: false,
    banner: { js: BANNER },
    alias: { '@aws-sdk/credential-provider-node': CREDENTIALS },
    logLevel: 'silent',
  });
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
