/** The CHANGELOG: a section for each release, the newest one first. */
import { type Change, KINDS, type Kind } from './change.ts';

const HEADING = /^## (?<version>\S+) - \d{4}-\d{2}-\d{2}$/m;

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
