import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';
import { esModules, ROOT } from '../../bundling/es-modules.ts';
import type { GroupName } from '../../lambdas/groups.ts';

const LAMBDAS = fileURLToPath(new URL('../../lambdas/', import.meta.url));

const CREDENTIALS = fileURLToPath(new URL('./environment-credentials.ts', import.meta.url));
const NO_ENDPOINT_CACHE = fileURLToPath(new URL('./no-endpoint-cache.ts', import.meta.url));

/** What all functions have in common: minified, and the same version of the SDK for all clients. */
const FOR_LAMBDA = {
  target: 'node24',
  minify: true,
  sourcemap: true,
  sourcesContent: false,
  // Only the SDK's code for browsers needs it. The rest of the SDK is bundled: loading it is no slower than loading the runtime's copy.
  external: ['bowser'],
  alias: {
    '@aws-sdk/credential-provider-node': CREDENTIALS,
    '@aws-sdk/endpoint-cache': NO_ENDPOINT_CACHE,
  },
} satisfies BuildOptions;

/** esbuild's options to bundle a function's module `entry` into `index.mjs` in `outdir`. */
export const bundleOptions = (entry: string, outdir: string): BuildOptions => ({
  ...esModules({ in: entry, out: 'index' }, outdir),
  ...FOR_LAMBDA,
  // Only processes that run controllers load their work. The change router's bundle imports the list and loads none.
  external: [...FOR_LAMBDA.external, './lambdas/*/work.ts'],
});

/** A controller of the group. */
export interface EntryController {
  /** Its folder in `lambdas`. */
  readonly name: string;
  readonly queue: { readonly name: string };
}

/** The groups that have ports of their own, and the modules that make them. */
const MORE_PORTS: { readonly [Name in GroupName]?: string } = {
  'node-monitor': 'announcements',
  cloud: 'cloud',
};

/** The text of the module that starts the function of a group, with paths from the top of the checkout. Only the work of these controllers is bundled. */
export const groupEntry = (group: GroupName, controllers: readonly EntryController[]): string => {
  const more = MORE_PORTS[group];
  const parts = controllers.map(
    ({ queue }, index) => `{ queue: ${JSON.stringify(queue.name)}, work: work${index} }`,
  );
  return [
    "import { createGroupHandler } from './lambdas/group/group-handler.ts';",
    ...(more === undefined ? [] : [`import { morePorts } from './lambdas/group/${more}.ts';`]),
    ...controllers.map(
      ({ name }, index) => `import { work as work${index} } from './lambdas/${name}/work.ts';`,
    ),
    `const more = ${more === undefined ? 'undefined' : 'morePorts'};`,
    `export const handler = await createGroupHandler([${parts.join(', ')}], more);`,
    '',
  ].join('\n');
};

/** The same for a group of controllers. */
export const groupBundleOptions = (
  group: GroupName,
  controllers: readonly EntryController[],
  outdir: string,
): BuildOptions => {
  const { entryPoints: _none, ...options } = esModules({ in: '', out: 'index' }, outdir);
  return {
    ...options,
    ...FOR_LAMBDA,
    stdin: {
      contents: groupEntry(group, controllers),
      resolveDir: ROOT,
      sourcefile: `${group}.ts`,
      loader: 'ts',
    },
    entryNames: 'index',
  };
};

/** CDK's NodejsFunction cannot make several files, so esbuild is called directly. */
const bundled = (name: string, optionsFor: (outdir: string) => BuildOptions): Code =>
  Code.fromAsset(LAMBDAS, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Two bundles with the same path and options would be one to CDK.
      command: [name],
      // The type requires an image, but bundling never runs in a container.
      image: DockerImage.fromRegistry('none'),
      local: {
        tryBundle: (outdir) => {
          buildSync(optionsFor(outdir));
          return true;
        },
      },
    },
  });

/** The bundle of `lambdas/<folder>`. */
export const functionCode = (folder: string): Code =>
  bundled(folder, (outdir) => bundleOptions(`lambdas/${folder}/handler.ts`, outdir));

/** The bundle of a group: of these of its controllers, which run. */
export const groupCode = (group: GroupName, controllers: readonly EntryController[]): Code =>
  bundled(group, (outdir) => groupBundleOptions(group, controllers, outdir));
