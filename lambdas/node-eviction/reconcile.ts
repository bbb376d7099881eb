import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EvictionWakeup } from '../../shared/ports/process/messages.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ControlStore, ZoneRecord } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { nodeKey, type Row } from '../../shared/ports/store/rows.ts';
import { heldBy, targetOf } from '../../shared/rules/holds/held-by.ts';
import { taintAfterHolds } from '../../shared/rules/holds/spread-after-hold.ts';
import { applyNoExecute, decideNoExecute } from '../../shared/rules/nodes/no-execute.ts';
import { shutdownAt } from '../../shared/rules/shutdown/shutdown-facts.ts';
import { countTokenFrom, type Limiter, takeToken } from '../../shared/rules/zones/rate-limiter.ts';
import { zoneNameOf } from '../../shared/rules/zones/zone-names.ts';
import { isCurrentZone } from '../../shared/store/beats/zone-records.ts';
import { sendWakeUp } from '../../shared/store/beats/zone-wake-up.ts';
import { waitUntil } from '../../shared/store/turns/wait-until.ts';
import type { DestroyingWriter } from '../../shared/store/writer/destruction.ts';
import type { KnownHolds } from '../../shared/store/writer/known-holds.ts';

/** Longest wait inside the function, ms: a wake-up comes 2 to 3 s early. */
const LONGEST_WAIT_MS = 4_000;
/** How often the zone is read again because a pass has rewritten its list of waiting nodes. */
const READ_TRIES = 3;

export interface NodeEvictionDeps {
  readonly clock: Clock;
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly control: ControlStore;
  readonly queues: WorkQueues;
  readonly writer: DestroyingWriter;
  readonly holds: KnownHolds;
}

/**
 * `tainted`: the node has its taint. `wasted`: a token was taken for a node that then needed no taint. `held`: for one that a hold covers, so
 * that the next look comes with the next token. `stopped`: the zone's
 * record is void or its rate is 0. `closed`: no token now, and another wake-up is on its way. `postponed`: a later wake-up was
 * sent. `idle`: no node waits.
 */
export type NodeEvictionReport =
  | { readonly outcome: Taken; readonly zone: string; readonly node: string }
  | { readonly outcome: 'stopped' | 'closed' | 'postponed' | 'idle'; readonly zone: string };

type Taken = 'tainted' | 'wasted' | 'held';
type Outcome = Exclude<NodeEvictionReport['outcome'], Taken>;

/** How long (ms) a token is valid. If its taint were written later, the next taint could follow faster than the rate allows. */
const TOKEN_VALID_MS = 1_000;

/** A node that waits for its NoExecute taint. The uid distinguishes it from a later node of the same name. */
interface WaitingNodeId {
  readonly name: string;
  readonly uid: string;
}

/** The zone's record, unless the monitor has made it void. */
const readZone = async ({ control }: NodeEvictionDeps, id: string): Promise<ZoneRecord | undefined> => {
  const [zone, pass] = await Promise.all([control.zone(id), control.readPass()]);
  return zone && isCurrentZone(zone, pass) ? zone : undefined;
};

const clear = async ({ control }: NodeEvictionDeps, { id, wakeAt, waiting }: ZoneRecord): Promise<boolean> =>
  wakeAt === undefined || control.clearWakeAt(id, wakeAt, waiting);

/**
 * For a wake-up that came far too early: the delay is longer than a queue allows, the rate went down, or the message was delivered
 * twice.
 */
const postpone = async (deps: NodeEvictionDeps, zone: ZoneRecord): Promise<Outcome> => {
  const now = deps.clock.now();
  const isNextOnItsWay = zone.wakeAt !== undefined && zone.wakeAt > now + LONGEST_WAIT_MS;
  return !isNextOnItsWay && (await sendWakeUp(deps, zone, now)) ? 'postponed' : 'closed';
};

/** Waits for the limiter's instant and returns the zone, or the outcome if there is no token to take. */
const openZone = async (deps: NodeEvictionDeps, id: string): Promise<ZoneRecord | Outcome> => {
  const zone = await readZone(deps, id);
  if (!zone) return 'stopped';
  if (zone.limiter.rate <= 0) {
    await clear(deps, zone);
    return 'stopped';
  }
  const waitMs = zone.limiter.nextAt - deps.clock.now();
  if (waitMs <= 0) return zone;
  if (waitMs > LONGEST_WAIT_MS) return postpone(deps, zone);
  await waitUntil(deps.clock, zone.limiter.nextAt);
  const after = await readZone(deps, id);
  // If another worker moved the limiter meanwhile, it sends the next wake-up; if it crashed, the monitor does.
  return after?.limiter.rate === zone.limiter.rate && after.limiter.nextAt === zone.limiter.nextAt
    ? after
    : 'closed';
};

/** Makes the wait for the next token start when the taint was written, and not when the token was taken. */
const countFromTaint = async (
  { clock, control }: NodeEvictionDeps,
  { id }: ZoneRecord,
  taken: Limiter,
): Promise<Limiter> => {
  const moved = countTokenFrom(taken, clock.now());
  const isMoved = moved !== taken && (await control.swapLimiter(id, taken, moved));
  return isMoved ? moved : taken;
};

/** A node that shuts down does not wait: it ends its pods itself, and no token is taken for it. */
const isWaiting = (row: Row | undefined, now: EpochMs): row is Extract<Row, { state: 'live' }> =>
  row?.state === 'live' && !shutdownAt(row.facts.node, now) && decideNoExecute(row.object).action === 'queue';

/**
 * The first of the named nodes that still waits for its taint, by consistent reads. Names stay in the list until the next pass, so
 * nodes that have the taint, have recovered or are gone are skipped, and those that a hold covers, unless it covers all of them.
 */
const longestWaitingNode = async (
  { objects, clock, holds }: Pick<NodeEvictionDeps, 'objects' | 'clock' | 'holds'>,
  names: readonly string[],
): Promise<WaitingNodeId | undefined> => {
  let held: WaitingNodeId | undefined;
  for (const name of names) {
    const row = await objects.read(nodeKey(name));
    const now = clock.now();
    if (!isWaiting(row, now)) continue;
    if (!heldBy(holds.book(), 'NoExecute', targetOf(row.object), now)) return { name, uid: row.uid };
    held ??= { name, uid: row.uid };
  }
  return held;
};

/**
 * Writes the taint that the node's Ready condition requires, if it is still the same node, still waits, and the token taken at
 * `takenAt` (ms) is still valid. A limiter counts as drained when a hold ends (V-112).
 */
const taintNode = async (
  { writer, holds }: Pick<NodeEvictionDeps, 'writer' | 'holds'>,
  { name, uid }: WaitingNodeId,
  takenAt: EpochMs,
  intervalMs: number,
): Promise<Taken> => {
  const result = await writer.destroy(nodeKey(name), (row, now) => {
    if (!isWaiting(row, now) || row.uid !== uid || now - takenAt > TOKEN_VALID_MS) return undefined;
    const decision = decideNoExecute(row.object);
    const node = targetOf(row.object);
    if (decision.action !== 'queue' || now < taintAfterHolds(holds.book(), node, intervalMs))
      return undefined;
    const change = applyNoExecute(row.object, decision.add, now);
    return { ...change, stops: 'NoExecute', node, writer: 'controller' };
  });
  if (result.outcome === 'held') return 'held';
  return result.outcome === 'written' ? 'tainted' : 'wasted';
};

/**
 * Takes the token first and then writes the taint, so a crash may waste a token but never uses one twice. The next wake-up goes
 * last, when its instant is known; if a crash prevents it, the monitor sends it.
 */
const evict = async (
  deps: NodeEvictionDeps,
  zone: ZoneRecord,
  node: { readonly name: string; readonly uid: string },
): Promise<NodeEvictionReport> => {
  const { clock, control } = deps;
  const takenAt = clock.now();
  const token = takeToken(zone.limiter, takenAt);
  if (!token.granted || !(await control.swapLimiter(zone.id, zone.limiter, token.limiter)))
    return { outcome: 'closed', zone: zone.id };
  const outcome = await taintNode(deps, node, takenAt, 1000 / zone.limiter.rate);
  const limiter = outcome === 'tainted' ? await countFromTaint(deps, zone, token.limiter) : token.limiter;
  await sendWakeUp(deps, { ...zone, limiter }, clock.now(), true);
  return { outcome, zone: zoneNameOf(zone.key), node: node.name };
};

/**
 * Adds the NoExecute taint to the node that has waited longest in the zone, at the limiter's instant. Does nothing if the zone or
 * the nodes have changed so that no taint is needed. A wake-up that is delivered twice finds no second token.
 */
export const reconcile = async (
  deps: NodeEvictionDeps,
  { zone: id }: EvictionWakeup,
): Promise<NodeEvictionReport> => {
  for (let tries = 0; tries < READ_TRIES; tries += 1) {
    const zone = await openZone(deps, id);
    if (typeof zone === 'string') return { outcome: zone, zone: id };
    const node = await longestWaitingNode(deps, zone.waiting);
    if (node) return evict(deps, zone, node);
    if (await clear(deps, zone)) return { outcome: 'idle', zone: id };
  }
  return { outcome: 'closed', zone: id };
};
