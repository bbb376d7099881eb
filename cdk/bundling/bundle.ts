import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CREDENTIALS = fileURLToPath(new URL('./environment-credentials.ts', import.meta.url));
const NO_ENDPOINT_CACHE = fileURLToPath(new URL('./no-endpoint-cache.ts', import.meta.url));
/** Packages in CommonJS ask for Node's modules by `require`, which an ES module does not have. */
const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/**
 * How the module `entry` of this repository becomes `index.mjs` in `outdir`. What the source imports with `import()` lies
 * beside it in files of their own, which are read when they are first asked for: a cold start does not pay for them.
 */
export const bundleOptions = (entry: string, outdir: string): BuildOptions => ({
  absWorkingDir: ROOT,
  entryPoints: [{ in: entry, out: 'index' }],
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  sourcemap: true,
  sourcesContent: false,
  banner: { js: REQUIRE },
  // Only the SDK for browsers asks for it. All else of the SDK goes in: one version for all clients, and no import is
  // slower than the runtime's copy.
  external: ['bowser'],
  alias: {
    '@aws-sdk/credential-provider-node': CREDENTIALS,
    '@aws-sdk/endpoint-cache': NO_ENDPOINT_CACHE,
  },
  logLevel: 'warning',
});
