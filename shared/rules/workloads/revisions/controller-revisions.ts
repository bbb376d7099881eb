/** The history of an owner's template. Source: kubernetes v1.34 pkg/controller/history, daemon, statefulset. */
import { deepEqual } from '../../../kube/json/deep-equal.ts';
import { byText } from '../../../kube/text/compare-text.ts';
import type { ControllerRevision, PodTemplateSpec, Workload } from '../../../kube/types/workloads.ts';
import { type ClaimedChildren, claimChildren, controllerReference } from '../children/children.ts';
import { safeEncoded } from './safe-encoding.ts';

/** The longest name of an owner that leaves room for a hash. */
const MOST_PREFIX = 223;

/** How a kind of owner names its revisions. */
export interface RevisionNaming {
  /** Label of a revision that holds its hash. */
  readonly label: string;
  /** The hash of a template. `collisionCount`: how often another object had the name; absent for never. */
  readonly hashOf: (template: PodTemplateSpec, collisionCount: number | undefined) => string;
}

type Fields = Readonly<Record<string, unknown>>;

/** The data of a ControllerRevision: a patch that puts the template of its owner back. */
type RevisionData = { readonly spec: { readonly template: Fields } };

/** Members in the order in which Go's encoder writes a map: clients compare the bytes. */
const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => byText(a, b));
  return Object.fromEntries(members.map(([key, member]) => [key, inOrder(member)]));
};

/**
 * The patch that a ControllerRevision stores for this template (W-100). Source: kubernetes v1.34 pkg/controller/history,
 * `getPatch`.
 */
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

/** How StatefulSets name their revisions. */
export const STATEFUL_SET_REVISIONS: RevisionNaming = {
  label: 'controller.kubernetes.io/hash',
  hashOf: (template, collisionCount = 0) => revisionHash(revisionData(template), collisionCount),
};

/** The hash of a revision, as the labels of pods have it. One without the label is known by its name. */
export const hashOfRevision = (
  { metadata: { labels, name } }: ControllerRevision,
  { label }: Pick<RevisionNaming, 'label'>,
): string => labels?.[label] ?? name;

/** What an owner does with its revisions. */
export interface RevisionPlan {
  readonly claims: ClaimedChildren<ControllerRevision>;
  readonly data: RevisionData;
  /** The number of the revision of the present template. */
  readonly number: number;
  /** The revision of the present template, maybe with a lower number; absent if it has to be created. */
  readonly current?: ControllerRevision;
  /** Other revisions of the same template. */
  readonly duplicates: readonly ControllerRevision[];
  /** Revisions of other templates, oldest first. */
  readonly old: readonly ControllerRevision[];
}

const numberOf = ({ revision = 0 }: ControllerRevision): number => revision;

/** The revisions from the oldest to the newest (W-102). */
export const inRevisionOrder = (revisions: readonly ControllerRevision[]): readonly ControllerRevision[] =>
  revisions.toSorted(
    (a, b) =>
      numberOf(a) - numberOf(b) ||
      byText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
      byText(a.metadata.name, b.metadata.name),
  );

/**
 * What the owner does with its revisions (W-103 to W-105). `revisions`: those that name it, and those of its namespace that it may
 * adopt.
 */
export const planRevisions = (owner: Workload, revisions: readonly ControllerRevision[]): RevisionPlan => {
  const claims = claimChildren(owner, owner.spec?.selector, revisions);
  const data = revisionData(owner.spec?.template ?? {});
  const own = inRevisionOrder([...claims.keep, ...claims.adopt]);
  const equal = own.filter((one) => deepEqual(one.data, data));
  const old = own.filter((one) => !equal.includes(one));
  const current = equal.at(-1);
  const newest = old.at(-1);
  const next = newest ? numberOf(newest) + 1 : 1;
  return {
    claims,
    data,
    number: Math.max(next, current ? numberOf(current) : 0),
    ...(current ? { current } : {}),
    duplicates: equal.slice(0, -1),
    old,
  };
};

/** A new revision of the owner's template (W-106). */
export const newRevision = (
  owner: Workload,
  { data, number }: Pick<RevisionPlan, 'data' | 'number'>,
  { label, hashOf }: RevisionNaming,
  collisionCount: number | undefined,
): ControllerRevision => {
  const { name, namespace = '', annotations } = owner.metadata;
  const template = owner.spec?.template ?? {};
  const hash = hashOf(template, collisionCount);
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name.slice(0, MOST_PREFIX)}-${hash}`,
      namespace,
      labels: { ...template.metadata?.labels, [label]: hash },
      ...(annotations ? { annotations } : {}),
      ownerReferences: [controllerReference(owner)],
    },
    data,
    revision: number,
  };
};

/** How many old revisions an owner keeps. */
const revisionHistoryLimit = ({ spec }: Workload): number => {
  const limit = spec?.['revisionHistoryLimit'];
  return typeof limit === 'number' ? limit : 10;
};

/**
 * The old revisions to delete, oldest first (W-107). `isLive`: pods of the revision are there, so it stays. A DaemonSet counts live
 * revisions among those that it keeps; a StatefulSet (`countsLive` false) keeps as many besides.
 */
export const surplusRevisions = (
  owner: Workload,
  old: readonly ControllerRevision[],
  isLive: (revision: ControllerRevision) => boolean,
  countsLive: boolean,
): readonly ControllerRevision[] => {
  const idle = old.filter((revision) => !isLive(revision));
  const surplus = (countsLive ? old.length : idle.length) - revisionHistoryLimit(owner);
  return surplus > 0 ? idle.slice(0, surplus) : [];
};
