/** The history of an owner's template. Source: kubernetes v1.34 pkg/controller/history, daemon, statefulset. */

import { deepEqual } from '../../../kube/json/deep-equal.ts';
import { byText } from '../../../kube/text/compare-text.ts';
import type { ControllerRevision, PodTemplateSpec, Workload } from '../../../kube/types/workloads.ts';
import { type ClaimedChildren, claimChildren, controllerReference } from '../children/children.ts';
import { type RevisionData, revisionData, revisionHash } from './revision-data.ts';

/** The longest name of an owner that leaves room for a hash. */
const MOST_PREFIX = 223;

/** How a kind of owner names its revisions. */
export interface RevisionNaming {
  /** Label of a revision that holds its hash. */
  readonly label: string;
  /** The hash of a template. `collisionCount`: how often another object had the name; absent for never. */
  readonly hashOf: (template: PodTemplateSpec, collisionCount: number | undefined) => string;
}

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
