import type { Node } from '../../kube/types/core.ts';
import type { Condition } from '../../kube/types/meta.ts';
import { READY } from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { HeartbeatEffect } from '../../ports/store/commit.ts';

/** `lastHeartbeatTime` strings by condition type. */
export const heartbeatTimes = (conditions: readonly Condition[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    conditions.flatMap(({ type, lastHeartbeatTime }) =>
      lastHeartbeatTime ? [[type, lastHeartbeatTime]] : [],
    ),
  );

/** Creates a new Node's entry in the roll call. A Node that is created with a Ready condition has its first beat. */
export const nodeBirth = (node: Node, now: EpochMs, expiresAt: EpochMs): HeartbeatEffect => {
  const conditions = node.status?.conditions ?? [];
  const born = {
    effect: 'adopt',
    node: node.metadata.name,
    uid: node.metadata.uid ?? '',
    expiresAt,
  } as const;
  const reported = conditions.some(({ type }) => type === READY);
  return reported ? { ...born, beat: { at: now, times: heartbeatTimes(conditions) } } : born;
};
