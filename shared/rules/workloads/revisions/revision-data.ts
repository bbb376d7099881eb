/** What a ControllerRevision stores of its owner, and its hash. Source: kubernetes v1.34 pkg/controller/history, `getPatch`. */
import { byText } from '../../../kube/text/compare-text.ts';
import type { PodTemplateSpec } from '../../../kube/types/workloads.ts';
import { safeEncoded } from './safe-encoding.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The data of a ControllerRevision: a patch that puts the template of its owner back. */
export type RevisionData = { readonly spec: { readonly template: Fields } };

/** Members in the order in which Go's encoder writes a map: clients compare the bytes. */
const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => byText(a, b));
  return Object.fromEntries(members.map(([key, member]) => [key, inOrder(member)]));
};

/** The patch that a ControllerRevision stores for this template (W-100). */
export const revisionData = (template: PodTemplateSpec): RevisionData => ({
  spec: { template: inOrder({ ...template, $patch: 'replace' }) as Fields },
});

/** Characters that Go's encoder writes as escapes and ours does not. */
const ESCAPED = /[<>&\u2028\u2029]/g;
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A value as Go's `json.Marshal` writes it: members in order, without spaces. */
const encoded = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(encoded).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value).replace(ESCAPED, escaped);
  // An object of this language puts members named like integers first, so the order is made again.
  const members = Object.entries(value).toSorted(([a], [b]) => byText(a, b));
  return `{${members.map(([key, member]) => `${encoded(key)}:${encoded(member)}`).join(',')}}`;
};

/** FNV-1, 32 bits. */
const fnv1 = (text: string): number => {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash, 0x01000193) ^ byte;
  return hash >>> 0;
};

/** The hash of a revision; `collisionCount` is added to it so that another name follows (W-101). */
export const revisionHash = (data: RevisionData, collisionCount: number): string =>
  safeEncoded(fnv1(`${encoded(data)}${collisionCount}`));
