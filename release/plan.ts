/** What a release writes, computed from what the tree holds. */
import { type Change, KINDS, type Kind, parseChange } from './change.ts';

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

const HEADING = /^## (?<version>\S+) - \d{4}-\d{2}-\d{2}$/m;

/** What a release may raise by one. */
const STEPS: readonly string[] = ['major', 'minor', 'patch'];

/** Three numbers, as in Semantic Versioning, without pre-releases. */
const FORM = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

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

const titleOf = (kind: Kind): string => kind.charAt(0).toUpperCase() + kind.slice(1);

const partOf = (kind: Kind, changes: readonly Change[]): readonly string[] => {
  const lines = changes.filter((change) => change.kind === kind).map(({ sentence }) => `- ${sentence}`);
  return lines.length === 0 ? [] : [`### ${titleOf(kind)}\n\n${lines.join('\n')}\n`];
};

/** The section of a release of the day `date` (YYYY-MM-DD): changes by their kind, those of one kind in their own order. */
export const sectionOf = (version: string, date: string, changes: readonly Change[]): string =>
  [`## ${version} - ${date}\n`, ...KINDS.flatMap((kind) => partOf(kind, changes))].join('\n');

/** The version of the newest release in a CHANGELOG; undefined if it has none. */
export const newestRelease = (changelog: string): string | undefined =>
  HEADING.exec(changelog)?.groups?.['version'];

/** The CHANGELOG with `section` above that of the newest release, or at its end if it has none. */
export const withSection = (changelog: string, section: string): string => {
  const place = HEADING.exec(changelog)?.index;
  if (place === undefined) return `${changelog.trimEnd()}\n\n${section}`;
  return `${changelog.slice(0, place)}${section}\n${changelog.slice(place)}`;
};

const numbersOf = (version: string): readonly number[] => {
  const numbers = FORM.exec(version)?.slice(1).map(Number);
  if (!numbers) throw new Error(`${version}: give a version such as 0.2.0, or one of ${STEPS.join(', ')}`);
  return numbers;
};

const raised = (current: string, step: number): string =>
  numbersOf(current)
    .map((number, place) => (place < step ? number : place === step ? number + 1 : 0))
    .join('.');

const isAbove = (version: string, current: string): boolean => {
  const olds = numbersOf(current);
  const steps = numbersOf(version).map((number, place) => number - (olds[place] ?? 0));
  return (steps.find((step) => step !== 0) ?? 0) > 0;
};

/**
 * The version after `current` that `wanted` names: a version, or the part of it that rises by one. Throws an Error if `wanted` is neither,
 * or if it does not lie above `current`.
 */
export const nextVersion = (current: string, wanted: string): string => {
  const step = STEPS.indexOf(wanted);
  if (step >= 0) return raised(current, step);
  if (!isAbove(wanted, current))
    throw new Error(`${wanted} does not lie above ${current}, the version of now`);
  return wanted;
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
