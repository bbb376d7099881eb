import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';
import { esModules } from '../../bundling/es-modules.ts';

const LAMBDAS = fileURLToPath(new URL('../../lambdas/', import.meta.url));

const CREDENTIALS = fileURLToPath(new URL('./environment-credentials.ts', import.meta.url));
const NO_ENDPOINT_CACHE = fileURLToPath(new URL('./no-endpoint-cache.ts', import.meta.url));

/** esbuild's options to bundle a function's module `entry` into `index.mjs` in `outdir`, minified. */
export const bundleOptions = (entry: string, outdir: string): BuildOptions => ({
  ...esModules({ in: entry, out: 'index' }, outdir),
  target: 'node24',
  minify: true,
  sourcemap: true,
  sourcesContent: false,
  // `bowser`: only the SDK's code for browsers needs it. The rest of the SDK is bundled: all clients then have the same version,
  // and loading it is no slower than loading the runtime's copy.
  // `work.ts`: only processes that run all controllers load it. The change router's bundle imports the list but loads none.
  external: ['bowser', './lambdas/*/work.ts'],
  alias: {
    '@aws-sdk/credential-provider-node': CREDENTIALS,
    '@aws-sdk/endpoint-cache': NO_ENDPOINT_CACHE,
  },
});

/** The bundle of `lambdas/<folder>`. CDK's NodejsFunction cannot make several files, so esbuild is called directly. */
export const functionCode = (folder: string): Code =>
  Code.fromAsset(`${LAMBDAS}${folder}`, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // The type requires an image, but bundling never runs in a container.
      image: DockerImage.fromRegistry('none'),
      local: {
        tryBundle: (outdir) => {
          buildSync(bundleOptions(`lambdas/${folder}/handler.ts`, outdir));
          return true;
        },
      },
    },
  });
