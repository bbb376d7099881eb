import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

/** Top folder of the checkout, with a slash at the end. */
export const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Defines `require` in the bundle: CommonJS packages load Node's modules with it, and ES modules do not have it. */
const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/**
 * esbuild's options to bundle a module of the checkout, with everything that it imports, into `<out>.mjs` in `outdir`. Modules that
 * the source loads with `import()` become separate files, which are read on first use: they do not slow down a cold start.
 */
export const esModules = (entry: { readonly in: string; readonly out: string }, outdir: string) =>
  ({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: REQUIRE },
    logLevel: 'warning',
  }) satisfies BuildOptions;
