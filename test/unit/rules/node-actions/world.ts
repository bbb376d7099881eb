/** A node with pods, for tests of what follows from an action. */
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import type { PodDisruptionBudget } from '../../../../shared/kube/types/policy.ts';
import type { DrainRequest } from '../../../../shared/rules/drain/drain-request.ts';
import type { KnownNode } from '../../../../shared/rules/node-actions/what-follows.ts';
import { aNode, aPod, at, type NodeParts, ready } from '../../../support/objects/domain-objects.ts';

export const T = at('2026-02-03T04:05:06Z');
export const GRACE = 40_000;

export interface PodShape {
  readonly owner?: string;
  readonly spec?: object;
  readonly metadata?: object;
  readonly status?: object;
}

/** A ready pod on n1. */
export const pod = (name: string, { owner, spec = {}, metadata = {}, status = {} }: PodShape = {}): Pod => {
  const given = aPod({ name, nodeName: 'n1' });
  const ownerReferences =
    owner === undefined
      ? {}
      : { ownerReferences: [{ apiVersion: 'apps/v1', kind: owner, name: 'o', uid: 'u', controller: true }] };
  return {
    ...given,
    metadata: {
      ...given.metadata,
      labels: { app: name.split('-')[0] ?? '' },
      ...ownerReferences,
      ...metadata,
    },
    spec: { ...given.spec, terminationGracePeriodSeconds: 30, ...spec },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...status },
  };
};

export const node = (parts: NodeParts = {}): Node =>
  aNode({ name: 'n1', conditions: [ready('True', T)], ...parts });

/** A budget for the pods of an app. */
export const budget = (app: string, allowed: number): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: app, namespace: 'default', generation: 1 },
  spec: { minAvailable: 1, selector: { matchLabels: { app } } },
  status: {
    observedGeneration: 1,
    disruptionsAllowed: allowed,
    currentHealthy: 3,
    desiredHealthy: 3,
    expectedPods: 3,
  },
});

export const known = (
  one: Node,
  pods: readonly Pod[] = [],
  budgets: readonly PodDisruptionBudget[] = [],
  heardAt?: number,
): KnownNode => ({ node: one, pods, budgets, heardAt, graceMs: GRACE });

export const request = (more: Partial<DrainRequest> = {}): DrainRequest => ({
  id: 'one',
  requestedAt: T,
  by: 'ann',
  reason: '',
  ignoreDaemonSets: true,
  ...more,
});
