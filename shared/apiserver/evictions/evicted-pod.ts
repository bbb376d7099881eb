/** The pod deletion performed by an eviction. */

import { restrict } from '../../kinds/admission/admission.ts';
import { podStrategy } from '../../kinds/pods/pods.ts';
import { conflict, notFound } from '../../kube/errors/status-error.ts';
import type { Pod } from '../../kube/types/core.ts';
import { DISRUPTION_TARGET } from '../../kube/types/well-known.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Row } from '../../ports/store/rows.ts';
import type { HoldTarget } from '../../rules/holds/held-by.ts';
import { EVICTED } from '../../rules/pods/disruption-target.ts';
import { withPodCondition } from '../../rules/pods/pod-conditions.ts';
import type { Destruction } from '../../store/writer/destruction.ts';
import type { ObjectWrite } from '../../store/writer/object-writer.ts';
import type { Call } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { destroyingWriter, evictionHeld } from '../holds/held-evictions.ts';
import type { DeleteOptions } from '../request/options.ts';
import { keyOf } from '../verbs/create.ts';
import { checkPreconditions, decideDeletion } from '../verbs/delete.ts';

/** An eviction as the client asked for it: its call and the options of the deletion. */
export interface EvictionRequest extends DeleteOptions {
  readonly call: Call;
  /** The node of the pod, for holds; `undefined`: it is not known. */
  readonly node?: HoldTarget;
}

/** Throws 409 when the preconditions do not fit the pod, 403 for a node that evicts another node's pod. */
export const checkEvictable = ({ call, preconditions }: EvictionRequest, pod: Pod): void => {
  restrict(podStrategy.kind, { user: call.user, operation: 'create', subresource: 'eviction', object: pod });
  checkPreconditions(preconditions, pod, 'Pod');
};

const TARGET = { type: DISRUPTION_TARGET, status: 'True', ...EVICTED } as const;

const destroying = ({ next, lastState, ...change }: ObjectWrite, { node }: EvictionRequest): Destruction => ({
  ...change,
  destroyed: { next, ...optional('lastState', lastState) },
  stops: 'ClientEvictions',
  node,
});

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
  const result = await destroyingWriter(deps).destroy(key, (row, now) => {
    evicted = decideEvicted(request, deps, mayGo, row, now);
    return evicted.change && destroying(evicted.change, request);
  });
  if (result.outcome === 'held') throw evictionHeld(result.by);
  if (result.outcome === 'checkFailed' || !evicted) throw conflict(subjectOf(request.call));
  return evicted.isLet;
};
