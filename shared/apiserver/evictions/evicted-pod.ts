/** The pod deletion performed by an eviction. */
import type { Pod } from '../../api/core.ts';
import { conflict, notFound } from '../../api/status-error.ts';
import type { EpochMs } from '../../api/time.ts';
import { DISRUPTION_TARGET } from '../../api/well-known.ts';
import { EVICTED } from '../../domain/pods/disruption-target.ts';
import { withPodCondition } from '../../domain/pods/pod-conditions.ts';
import type { Row } from '../../ports/rows.ts';
import type { ObjectWrite } from '../../state/object-writer.ts';
import { restrict } from '../admission/admission.ts';
import type { Call } from '../call.ts';
import { subjectOf } from '../call.ts';
import type { ApiServerDeps } from '../deps.ts';
import type { DeleteOptions } from '../request/options.ts';
import { podStrategy } from '../strategies/pods.ts';
import { keyOf } from '../verbs/create.ts';
import { checkPreconditions, decideDeletion } from '../verbs/delete.ts';

/** An eviction as the client asked for it: its call and the options of the deletion. */
export interface EvictionRequest extends DeleteOptions {
  readonly call: Call;
}

/** Throws 409 when the preconditions do not fit the pod, 403 for a node that evicts another node's pod. */
export const checkEvictable = ({ call, preconditions }: EvictionRequest, pod: Pod): void => {
  restrict(podStrategy.kind, { user: call.user, operation: 'create', subresource: 'eviction', object: pod });
  checkPreconditions(preconditions, pod, 'Pod');
};

const TARGET = { type: DISRUPTION_TARGET, status: 'True', ...EVICTED } as const;

interface Evicted {
  readonly isLet: boolean;
  readonly change?: ObjectWrite;
}

// The condition and the deletion are one write; Kubernetes makes two.
const decideEvicted = (
  request: EvictionRequest,
  deps: ApiServerDeps,
  mayGo: (pod: Pod) => boolean,
  row: Row | undefined,
  now: EpochMs,
): Evicted => {
  if (row?.state !== 'live') throw notFound(subjectOf(request.call));
  const pod = row.object as Pod;
  checkEvictable(request, pod);
  if (!mayGo(pod)) return { isLet: false };
  const marked = withPodCondition(pod, TARGET, now);
  const context = { call: request.call, strategy: podStrategy, deps };
  const { object, change } = decideDeletion(context, marked, request, now);
  if (change) return { isLet: true, change };
  return object === pod ? { isLet: true } : { isLet: true, change: { next: object, writer: 'client' } };
};

/** Deletes the pod if `mayGo` accepts its current state, and resolves to whether it did. Throws 404, 403 and 409. */
export const evictPod = async (
  request: EvictionRequest,
  deps: ApiServerDeps,
  mayGo: (pod: Pod) => boolean = () => true,
): Promise<boolean> => {
  const key = keyOf(request.call);
  if (request.dryRun)
    return decideEvicted(request, deps, mayGo, await deps.objects.read(key), deps.clock.now()).isLet;
  let evicted: Evicted | undefined;
  const result = await deps.writer.write(key, (row, now) => {
    evicted = decideEvicted(request, deps, mayGo, row, now);
    return evicted.change;
  });
  if (result.outcome === 'checkFailed' || !evicted) throw conflict(subjectOf(request.call));
  return evicted.isLet;
};
