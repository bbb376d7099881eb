import { readdirSync, readFileSync } from 'node:fs';
import { ROOT } from './es-modules.ts';

interface Bundled {
  /** Name and version. */
  readonly title: string;
  readonly terms: string;
}

/** Folder of the package that contains the file; undefined for the checkout's own files. */
const packageFolderOf = (input: string): string | undefined =>
  /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];

/** Reads the licence texts of a package; if it has none, the name of its licence. */
const readPackage = (folder: string): Bundled => {
  const path = `${ROOT}${folder}`;
  const manifest = JSON.parse(readFileSync(`${path}/package.json`, 'utf8')) as Record<string, string>;
  const files = readdirSync(path).filter((name) => /^(licen[cs]e|notice|copying)/i.test(name));
  const texts = files.toSorted().map((name) => readFileSync(`${path}/${name}`, 'utf8').trim());
  return {
    title: `${manifest['name']} ${manifest['version']}`,
    terms: texts.join('\n\n') || `Licence: ${manifest['license']}`,
  };
};

/** The licence texts of all packages that `inputs` (paths in the checkout) come from. Packages with the same text share one copy. */
export const licencesOf = (inputs: readonly string[]): string => {
  const folders = new Set(inputs.map(packageFolderOf).filter((folder) => folder !== undefined));
  const packages = [...folders].toSorted().map(readPackage);
  return [...Map.groupBy(packages, ({ terms }) => terms)]
    .map(([terms, users]) => `${users.map(({ title }) => title).join('\n')}\n\n${terms}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
};
