/** A proof that the machine of a node is off, and the taint `out-of-service` that follows from it. */

import { isObject } from '../../kube/json/json-object.ts';
import { ownMember } from '../../kube/json/own-member.ts';
import type { Node, Taint } from '../../kube/types/core.ts';
import { TAINT_NOT_READY, TAINT_SHUTDOWN, TAINT_UNREACHABLE } from '../../kube/types/well-known.ts';
import { type EpochMs, parseTime, toTime } from '../../kube/values/time.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';
import type { OutOfServicePolicy } from '../../settings/out-of-service.ts';
import type { Destroyed } from '../destroyed.ts';
import { readyOf, readyStatusOf } from './node-conditions.ts';
import { hasOutOfServiceTaint, OUT_OF_SERVICE_TAINT } from './out-of-service.ts';
import { noExecuteTaints, removeTaint, taintsOf, withTaints } from './taints.ts';

/** `proven`: the taint is set once there is a proof. `manual`: an operator sets it. */
export const POLICY_ANNOTATION = 'rollcall.dev/out-of-service-policy';
/** The operator's word that the machine is off since this instant (RFC 3339). */
export const POWERED_OFF_ANNOTATION = 'rollcall.dev/powered-off';
/** The proof, as JSON. It is there while the taint is there that follows from it. */
export const PROOF_ANNOTATION = 'rollcall.dev/out-of-service-proof';

/** That the fencing service is about to be asked, as JSON: about which outage, and when. */
export const FENCING_ANNOTATION = 'rollcall.dev/fencing';

/** Why the machine is known to be off. */
export interface Proof {
  /** When it was given; the same instant as that of the taint. */
  readonly at: EpochMs;
  readonly source: 'cloud' | 'fencing' | 'operator';
  /** The machine that it is about, as `spec.providerID`; `''`: none is verified. */
  readonly instance: string;
}

const annotation = ({ metadata }: Node, name: string): string | undefined =>
  ownMember(metadata.annotations, name);

/** The policy of the node: that of its annotation, or else the default. Another value is `manual`. */
export const outOfServicePolicy = (node: Node, fallback: OutOfServicePolicy): OutOfServicePolicy => {
  const given = annotation(node, POLICY_ANNOTATION);
  if (given === undefined) return fallback;
  return given === 'proven' ? 'proven' : 'manual';
};

/** Whether the node is down and its policy lets a proof set the taint. A node that has never reported is not down. */
export const wantsProof = (node: Node, fallback: OutOfServicePolicy): boolean => {
  const ready = readyStatusOf(node);
  const isDown = ready === 'False' || ready === 'Unknown';
  return isDown && !hasOutOfServiceTaint(node) && outOfServicePolicy(node, fallback) === 'proven';
};

/** When the node stopped being ready (ms): an outage has one such instant. */
export const downSince = (node: Node): EpochMs | undefined =>
  parseTime(readyOf(node)?.lastTransitionTime ?? '');

/** A word from before the outage is about an earlier one, and a word about the future is none. */
const isToldOff = (node: Node, now: EpochMs): boolean => {
  const [saidAt, since] = [parseTime(annotation(node, POWERED_OFF_ANNOTATION) ?? ''), downSince(node)];
  return saidAt !== undefined && since !== undefined && saidAt >= since && saidAt <= now;
};

const isShutDown = (node: Node): boolean => taintsOf(node).some(({ key }) => key === TAINT_SHUTDOWN);

/**
 * What the Node itself shows at `now` (ms): the cloud has shut its machine down, or the operator says that it is off. `isOfCloud`: the taint `shutdown` is about
 * a machine for which a cloud names the Node.
 */
export const shownProof = (node: Node, now: EpochMs, isOfCloud = true): Proof['source'] | undefined => {
  if (isOfCloud && isShutDown(node)) return 'cloud';
  return isToldOff(node, now) ? 'operator' : undefined;
};

const BY_HEALTH = [TAINT_NOT_READY, TAINT_UNREACHABLE];

/**
 * From when on (ms) the machine may be fenced: `delayMs` after the node got its NoExecute taint. That taint is paced, and comes to no node while
 * all zones are disrupted, so a broken network fences no fleet. `undefined`: it has none.
 */
export const fencedFrom = (node: Node, delayMs: number): EpochMs | undefined => {
  const times = noExecuteTaints(taintsOf(node))
    .filter(({ key }) => BY_HEALTH.includes(key))
    .map(({ timeAdded }) => parseTime(timeAdded ?? ''))
    .filter((at) => at !== undefined);
  return times.length === 0 ? undefined : Math.min(...times) + delayMs;
};

/** The node with the intent to ask the fencing service at `at` (ms) about the outage with this key. */
export const withFencingIntent = (
  node: Node,
  key: string,
  at: EpochMs,
): Destroyed<{ readonly next: Node }> => {
  const text = JSON.stringify({ key, at: new Date(at).toISOString() });
  return {
    destroyed: { next: { ...node, metadata: withAnnotation(node.metadata, FENCING_ANNOTATION, text) } },
  };
};

/** The node with the taint and its proof. */
export const withProof = (
  node: Node,
  { at, source, instance }: Proof,
): Destroyed<{ readonly next: Node }> => {
  const text = JSON.stringify({ at: toTime(at), source, instance });
  const tainted = withTaints(node, [...taintsOf(node), { ...OUT_OF_SERVICE_TAINT, timeAdded: toTime(at) }]);
  const next = { ...tainted, metadata: withAnnotation(node.metadata, PROOF_ANNOTATION, text) };
  return { destroyed: { next } };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

const isSet = ({ key, value, effect, timeAdded }: Taint, at: string): boolean =>
  key === OUT_OF_SERVICE_TAINT.key &&
  value === OUT_OF_SERVICE_TAINT.value &&
  effect === OUT_OF_SERVICE_TAINT.effect &&
  timeAdded === at;

/** When the taint was set that the stored proof is about (ms). `undefined`: there is none, or somebody else has set or changed the taint. */
export const provenSince = (node: Node): EpochMs | undefined => {
  const text = annotation(node, PROOF_ANNOTATION);
  // Nodes without a proof are routed all day, and an error that is thrown costs as much as a row that is written.
  if (text === undefined) return undefined;
  const proof = parsed(text);
  const at = isObject(proof) && typeof proof['at'] === 'string' ? proof['at'] : '';
  return taintsOf(node).some((taint) => isSet(taint, at)) ? parseTime(at) : undefined;
};

/** The node without the taint that follows from a proof, and without the proof. */
export const withoutProof = (node: Node): Node => {
  const free = withTaints(node, removeTaint(taintsOf(node), OUT_OF_SERVICE_TAINT));
  const metadata = withAnnotation(free.metadata, PROOF_ANNOTATION, undefined);
  return { ...free, metadata: withAnnotation(metadata, FENCING_ANNOTATION, undefined) };
};
