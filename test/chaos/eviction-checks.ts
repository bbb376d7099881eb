/** Checks silence, pace of taints and deadlines by the change log. */
import type { Node, Pod, Taint } from '../../shared/kube/types/core.ts';
import { LABEL_ZONE, TAINT_UNREACHABLE } from '../../shared/kube/types/well-known.ts';
import type { LogEntry } from '../../shared/ports/store/change-log.ts';
import type { PodDeadline } from '../../shared/ports/store/control-store.ts';
import { MADE } from './creators.ts';
import type { Ledger } from './ledger.ts';
import { STEADY } from './machines.ts';

export interface EvictionFigures {
  taints: number;
  shortestGapMs: number;
  deadlines: number;
  evictions: number;
  mostLateMs: number;
}

export interface EvictionChecks {
  readonly figures: EvictionFigures;
  /** New entries of nodes. Call it before `pods`; pass each entry once and in order. */
  nodes(entries: readonly LogEntry[]): void;
  pods(entries: readonly LogEntry[]): void;
  /** All stored deadlines. */
  deadlines(stored: readonly PodDeadline[]): void;
  /** Call it when the clock was set by `byMs`: stored instants move, so those known here move, too. */
  move(byMs: number): void;
}

const noExecuteOf = ({ spec }: Node): Taint | undefined =>
  spec?.taints?.find(({ effect }) => effect === 'NoExecute');

const tolerationMs = ({ spec }: Pod): number =>
  1000 * (spec.tolerations?.find(({ key }) => key === TAINT_UNREACHABLE)?.tolerationSeconds ?? 0);

const isTroubled = (node: Node): boolean =>
  node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'Unknown') === true ||
  noExecuteOf(node) !== undefined;

/** Most milliseconds from the instant from which a taint counts to the timestamp of its log entry. */
const STAMP_MS = 250;

/** Error (ms) in the measurement of a step of the clock between two runs. */
const STEP_ERROR_MS = 30;

/** A change of whether a node has a NoExecute taint. */
interface TaintChange {
  readonly at: number;
  readonly isTainted: boolean;
}

/** When the node got the NoExecute taint that it has at `at`, or had last before. */
const taintedAt = (history: readonly TaintChange[] | undefined, at: number): number | undefined =>
  history?.findLast((one) => one.isTainted && one.at <= at)?.at;

/** `stoodStill`: whether this machine did for so long that machines may have sent no heartbeats. */
export const createEvictionChecks = (
  intervalMs: number,
  ledger: Ledger,
  stoodStill: () => boolean,
): EvictionChecks => {
  const figures = {
    taints: 0,
    shortestGapMs: Number.POSITIVE_INFINITY,
    deadlines: 0,
    evictions: 0,
    mostLateMs: 0,
  };
  const tainted = new Map<string, TaintChange[]>();
  const lastInZone = new Map<string, number>();
  const terminating = new Set<string>();
  const known = new Map<string, PodDeadline>();
  let hasMoved = false;

  const seeTaint = ({ metadata }: Node, at: number): void => {
    const zone = metadata.labels?.[LABEL_ZONE] ?? '';
    const gap = at - (lastInZone.get(zone) ?? Number.NEGATIVE_INFINITY);
    if (gap < intervalMs - (hasMoved ? STEP_ERROR_MS : 0))
      ledger.violate(`zone ${zone}: NoExecute taints ${gap} ms apart, less than ${intervalMs}`);
    lastInZone.set(zone, at);
    figures.taints += 1;
    figures.shortestGapMs = Math.min(figures.shortestGapMs, gap);
  };
  const seeNode = ({ key: { name }, object, at, type }: LogEntry): void => {
    const node = object as Node;
    if (STEADY.has(name) && isTroubled(node) && !stoodStill())
      ledger.violate(
        `${name}: Unknown or tainted, although it kept sending heartbeats (${new Date(at).toISOString()})`,
      );
    const history = tainted.get(name) ?? [];
    tainted.set(name, history);
    const last = history.at(-1);
    const isTainted = noExecuteOf(node) !== undefined && type !== 'DELETED';
    if (isTainted === (last?.isTainted ?? false)) return;
    history.push({ at, isTainted });
    if (isTainted) seeTaint(node, at);
  };
  const seeEviction = (pod: Pod, at: number): void => {
    const since = taintedAt(tainted.get(pod.spec.nodeName ?? ''), at);
    if (since === undefined) {
      ledger.violate(`${pod.metadata.name}: evicted from a node without a taint`);
      return;
    }
    const stored = known.get(pod.metadata.uid ?? '');
    const isOfThis = stored !== undefined && stored.start >= since - 1_000;
    const dueAt = isOfThis ? stored.fireAt : since + tolerationMs(pod);
    const errorMs = (isOfThis ? 0 : STAMP_MS) + (hasMoved ? STEP_ERROR_MS : 0);
    if (at < dueAt - errorMs)
      ledger.violate(`${pod.metadata.name}: evicted ${dueAt - at} ms before its deadline`);
    figures.evictions += 1;
    figures.mostLateMs = Math.max(figures.mostLateMs, at - dueAt);
  };
  const seePod = ({ object, at }: LogEntry): void => {
    const pod = object as Pod;
    const { uid = '', deletionTimestamp, name } = pod.metadata;
    // Their client deletes them.
    if (name.startsWith(MADE)) return;
    if (deletionTimestamp === undefined || !pod.spec.nodeName || terminating.has(uid)) return;
    terminating.add(uid);
    seeEviction(pod, at);
  };
  const seeDeadline = (deadline: PodDeadline): void => {
    const { uid, start, fireAt, nodeName, name } = deadline;
    const before = known.get(uid);
    known.set(uid, deadline);
    if (!before) figures.deadlines += 1;
    if (!before || Math.abs(before.fireAt - fireAt) <= (hasMoved ? STEP_ERROR_MS : 0)) return;
    // A node that came back and fell silent again has a new taint, and its pods have new deadlines.
    const isNew = (tainted.get(nodeName) ?? []).some(
      ({ at, isTainted }) => isTainted && at > before.start + STAMP_MS && at <= start + STAMP_MS,
    );
    if (!isNew) ledger.violate(`${name}: its deadline moved from ${before.fireAt} to ${fireAt}`);
  };
  const move = (byMs: number): void => {
    hasMoved = true;
    for (const [name, history] of tainted)
      tainted.set(
        name,
        history.map((change) => ({ ...change, at: change.at + byMs })),
      );
    for (const [zone, at] of lastInZone) lastInZone.set(zone, at + byMs);
    for (const [uid, deadline] of known)
      known.set(uid, { ...deadline, start: deadline.start + byMs, fireAt: deadline.fireAt + byMs });
  };
  return {
    figures,
    nodes: (entries) => entries.forEach(seeNode),
    pods: (entries) => entries.forEach(seePod),
    deadlines: (stored) => stored.forEach(seeDeadline),
    move,
  };
};
