/** Bundles the `rollcall` command for the package that users install: JavaScript without dependencies, from the source that a checkout runs. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { commitOf } from './commit.ts';
import { bundleDashboard } from './dashboard.ts';
import { esModules, ROOT } from './es-modules.ts';
import { licencesOf } from './licences.ts';

/** The oldest Node on which `cli/rollcall.js` starts the bundle. */
export const OLDEST_NODE = 'node22.16';
/** Scenario files, which the code reads at run time from the folder of its own module. */
export const SCENARIOS = 'simulation/scenarios';

const versionOf = (): string => {
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { readonly version: string };
  return version;
};

/** What a bundle has in the place of `package.json` and git: the version, and the commit of the checkout or an empty text. */
export const bundledVersion = () => ({
  BUNDLED_VERSION: JSON.stringify(versionOf()),
  BUNDLED_COMMIT: JSON.stringify(commitOf(ROOT) ?? ''),
});

/** Replaces `folder` with the bundle (`main.mjs` and the files it loads later), the dashboard's page, the built-in scenarios and the licences of the bundled packages. */
export const bundleCommand = async (folder: string): Promise<void> => {
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    ...esModules({ in: 'cli/main.ts', out: 'main' }, folder),
    target: OLDEST_NODE,
    // A `node_modules` that is a link must not bring its real path into the bundle.
    preserveSymlinks: true,
    define: bundledVersion(),
    metafile: true,
  });
  cpSync(`${ROOT}${SCENARIOS}`, `${folder}/scenarios`, { recursive: true });
  const page = await bundleDashboard(`${folder}/page`);
  writeFileSync(`${folder}/third-party-licenses.txt`, licencesOf([...Object.keys(metafile.inputs), ...page]));
};
