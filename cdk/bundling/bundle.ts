import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CREDENTIALS = fileURLToPath(new URL('./environment-credentials.ts', import.meta.url));
const NO_ENDPOINT_CACHE = fileURLToPath(new URL('./no-endpoint-cache.ts', import.meta.url));
/** Defines `require` in the bundle: CommonJS packages load Node's modules with it, and ES modules do not have it. */
const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/**
 * esbuild's options to bundle the module `entry` into `index.mjs` in `outdir`. Modules that the source loads with `import()`
 * become separate files, which are read on first use: they do not slow down a cold start.
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
  // Only the SDK's code for browsers needs it. The rest of the SDK is bundled: all clients then have the same version,
  // and
  // loading it is no slower than loading the runtime's copy.
  external: ['bowser'],
  alias: {
    '@aws-sdk/credential-provider-node': CREDENTIALS,
    '@aws-sdk/endpoint-cache': NO_ENDPOINT_CACHE,
  },
  logLevel: 'warning',
});
