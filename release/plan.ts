/** What a release writes, computed from what the tree holds. */
import { type Change, parseChange } from './change.ts';
import { sectionOf, withSection } from './changelog.ts';
import { nextVersion } from './version.ts';

/** The contents of the files that a release reads. */
export interface Sources {
  readonly changelog: string;
  /** `package.json` and `package-lock.json`. */
  readonly manifest: string;
  readonly lock: string;
  /** Files of `.changes` by their names, without its README.md. */
  readonly changes: Readonly<Record<string, string>>;
}

/** The contents of the files that a release writes. */
export interface Plan extends Omit<Sources, 'changes'> {
  readonly version: string;
  /** What `changelog` has more than before. */
  readonly section: string;
}

const parsed = (name: string, text: string): { readonly change?: Change; readonly fault?: string } => {
  try {
    return { change: parseChange(name, text) };
  } catch (error) {
    return { fault: `.changes/${name}: ${error instanceof Error ? error.message : String(error)}` };
  }
};

/** The changes that wait, in the order of their files' names. Throws an Error with a line for each file that cannot be read. */
export const parseChanges = (files: Sources['changes']): readonly Change[] => {
  const names = Object.keys(files).toSorted();
  const results = names.map((name) => parsed(name, files[name] ?? ''));
  const faults = results.flatMap(({ fault }) => fault ?? []);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return results.flatMap(({ change }) => change ?? []);
};

const asJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

interface Lock {
  readonly packages: Readonly<Record<string, object>>;
}

const lockWith = (lock: string, version: string): string => {
  const old = JSON.parse(lock) as Lock;
  return asJson({ ...old, version, packages: { ...old.packages, '': { ...old.packages[''], version } } });
};

/**
 * Plans the release `wanted` (a version, or `major`, `minor`, `patch`) of the day `date` (YYYY-MM-DD). Throws an Error if no change waits,
 * if one cannot be read, or if the version does not rise.
 */
export const planRelease = (sources: Sources, wanted: string, date: string): Plan => {
  const changes = parseChanges(sources.changes);
  if (changes.length === 0) throw new Error('no change waits in .changes: there is nothing to release');
  const manifest = JSON.parse(sources.manifest) as { readonly version: string };
  const version = nextVersion(manifest.version, wanted);
  const section = sectionOf(version, date, changes);
  return {
    version,
    section,
    changelog: withSection(sources.changelog, section),
    manifest: asJson({ ...manifest, version }),
    lock: lockWith(sources.lock, version),
  };
};
