/** When an object was changed, as far as the object itself says it. */
import type { Node } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { READY } from '../../kube/types/well-known.ts';
import { type EpochMs, parseTime } from '../../kube/values/time.ts';
import { HEARTBEAT_RECEIVED } from '../nodes/node-conditions.ts';
import { taintsOf } from '../nodes/taints.ts';

/** Reasons of Ready that only the control plane writes, so that its transition time is of our clock. */
const OUR_REASONS: ReadonlySet<string | undefined> = new Set([
  'NodeStatusUnknown',
  'NodeStatusNeverUpdated',
  HEARTBEAT_RECEIVED,
]);
const OUR_TAINTS = 'node.kubernetes.io/';

const readyStamps = ({ status }: Node): readonly (string | undefined)[] => {
  const ready = status?.conditions?.find(({ type }) => type === READY);
  return OUR_REASONS.has(ready?.reason) ? [ready?.lastTransitionTime] : [];
};

const taintStamps = (node: Node): readonly (string | undefined)[] =>
  taintsOf(node).flatMap(({ key, timeAdded }) => (key.startsWith(OUR_TAINTS) ? [timeAdded] : []));

/** Instants that the control plane's clock has written into an object. */
const stampsOf = (object: ApiObject): readonly (string | undefined)[] => [
  object.metadata.creationTimestamp,
  ...(object.metadata.managedFields ?? []).map(({ time }) => time),
  ...readyStamps(object),
  ...taintStamps(object),
];

/**
 * The instant of a change of a Node (ms), in whole seconds: the newest stamp of our clock that the object has. A watch does not tell the
 * instant of a commit, and clocks of machines may be wrong. It lies between `notBefore`, the instant of the change before it in the log,
 * and `receivedAt`; a change that leaves no stamp counts at `notBefore`.
 */
export const changedAt = (
  object: ApiObject,
  { notBefore, receivedAt }: { readonly notBefore: EpochMs; readonly receivedAt: EpochMs },
): EpochMs => {
  const stamps = stampsOf(object).flatMap((text) => (text === undefined ? [] : (parseTime(text) ?? [])));
  return stamps.reduce((newest, at) => (at > newest && at <= receivedAt ? at : newest), notBefore);
};
