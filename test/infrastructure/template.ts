/** Short digests of a synthesised template: they show which resources a change of the source changes, adds or removes. */
import { createHash } from 'node:crypto';
import type { Assembly } from './assembly.ts';

/** Digests by logical id; outputs have `Outputs/` before their name. */
export type Digests = Readonly<Record<string, string>>;

/** The digests of one configuration as they are stored; null where it lacks a part of the default configuration. */
export interface StoredTemplate {
  /** Digest of all resources and outputs, in their order. */
  readonly sha256: string;
  /** Digests that the default configuration does not have. */
  readonly parts: Readonly<Record<string, string | null>>;
}

const DIGITS = 12;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The text of a part of a template. The names of assets, which follow from the code of the functions, are replaced. */
export const normalized = (part: unknown): string =>
  JSON.stringify(part).replaceAll(/[0-9a-f]{64}(?=\.zip)/g, 'asset');

const partsOf = ({
  resources,
  outputs,
}: Pick<Assembly, 'resources' | 'outputs'>): readonly [string, string][] => [
  ...Object.entries(resources).map(([id, part]): [string, string] => [id, normalized(part)]),
  ...Object.entries(outputs).map(([name, part]): [string, string] => [`Outputs/${name}`, normalized(part)]),
];

/** The digests of each part of a template. */
export const digestsOf = (template: Pick<Assembly, 'resources' | 'outputs'>): Digests =>
  Object.fromEntries(partsOf(template).map(([id, text]) => [id, sha256(text).slice(0, DIGITS)]));

/** What to store of a template: its digest, and the parts in which it differs from the default. */
export const storedOf = (
  template: Pick<Assembly, 'resources' | 'outputs'>,
  defaults: Digests,
): StoredTemplate => {
  const own = digestsOf(template);
  const absent = Object.keys(defaults).filter((id) => own[id] === undefined);
  const different = Object.entries(own).filter(([id, digest]) => defaults[id] !== digest);
  return {
    sha256: sha256(JSON.stringify(partsOf(template))),
    parts: Object.fromEntries([...different, ...absent.map((id) => [id, null] as const)]),
  };
};

/** The digests of all parts of a stored template. */
export const storedDigests = ({ parts }: StoredTemplate, defaults: Digests): Digests =>
  Object.fromEntries(
    Object.entries({ ...defaults, ...parts }).filter((part): part is [string, string] => part[1] !== null),
  );

/** The ids that were added, removed or changed, as `added Id`. */
export const changesOf = (before: Digests, after: Digests): readonly string[] => [
  ...Object.keys(after).flatMap((id) => (before[id] === undefined ? [`added ${id}`] : [])),
  ...Object.keys(before).flatMap((id) => (after[id] === undefined ? [`removed ${id}`] : [])),
  ...Object.keys(after).flatMap((id) =>
    before[id] !== undefined && before[id] !== after[id] ? [`changed ${id}`] : [],
  ),
];
