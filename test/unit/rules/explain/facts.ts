import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import type { ConditionStatus } from '../../../../shared/kube/types/meta.ts';
import { TAINT_UNREACHABLE } from '../../../../shared/kube/types/well-known.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import type { Absence } from '../../../../shared/rules/absences/absence.ts';
import type { KnownNode } from '../../../../shared/rules/explain/known.ts';
import type { Heartbeats } from '../../../../shared/rules/nodes/node-health.ts';
import type { ZoneFacts } from '../../../../shared/rules/zones/zone-facts.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../../shared/settings/node-lifecycle.ts';

export const NOW = Date.parse('2026-03-01T12:00:00Z');
export const seconds = (count: number): number => count * 1000;

interface NodeParts {
  readonly ready?: ConditionStatus;
  readonly readySince?: number;
  readonly beats?: Partial<Heartbeats>;
  readonly tainted?: readonly { readonly key: string; readonly since: number }[];
  readonly clientReady?: boolean;
  readonly clockFloor?: number;
  readonly absences?: readonly Absence[];
  readonly node?: Partial<Node>;
  readonly known?: Partial<KnownNode>;
}

/** A node `n1` that was created an hour ago. */
export const known = (parts: NodeParts = {}): KnownNode => {
  const { ready, readySince = NOW - seconds(600), tainted = [], clientReady = false, clockFloor = 0 } = parts;
  const conditions = ready
    ? [{ type: 'Ready', status: ready, reason: 'R', message: 'm', lastTransitionTime: toTime(readySince) }]
    : [];
  return {
    node: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1', uid: 'u1' },
      status: { conditions },
      ...parts.node,
    },
    row: {
      name: 'n1',
      uid: 'u1',
      zone: ':\0:a',
      createdAt: NOW - seconds(3600),
      excludeDisruption: false,
      clientReady,
      noExecute: tainted,
      ...(ready ? { ready, readyTransitionAt: readySince } : {}),
    },
    beats: { hasLease: false, ...parts.beats },
    hearing: { clockFloor, absences: parts.absences ?? [], intervalMs: seconds(10) },
    config: NODE_LIFECYCLE_DEFAULTS,
    own: NODE_LIFECYCLE_DEFAULTS,
    policies: [],
    ...parts.known,
  };
};

/** A zone `a` of ten nodes at the default rate. */
export const zone = (parts: Partial<ZoneFacts> = {}): ZoneFacts => ({
  id: 'a',
  key: ':\0:a',
  state: 'Normal',
  size: 10,
  notReady: 0,
  waiting: [],
  waitingCount: 0,
  limiter: { rate: 0.1, nextAt: NOW },
  updatedAt: NOW,
  ...parts,
});

export const unreachable = (since: number) => [{ key: TAINT_UNREACHABLE, since }];

export const pod = (
  parts: { readonly metadata?: object; readonly spec?: object; readonly status?: object } = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p1', namespace: 'default', uid: 'pod-1', ...parts.metadata },
  spec: { nodeName: 'n1', ...parts.spec },
  status: { phase: 'Running', ...parts.status },
});
