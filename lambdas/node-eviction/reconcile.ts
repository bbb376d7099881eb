import type { Limiter } from '../../shared/domain/zones/rate-limiter.ts';
import { countTokenFrom, takeToken } from '../../shared/domain/zones/rate-limiter.ts';
import { zoneNameOf } from '../../shared/domain/zones/zones.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { ControlStore, ZoneRecord } from '../../shared/ports/control-store.ts';
import type { EvictionWakeup } from '../../shared/ports/messages.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import type { WorkQueues } from '../../shared/ports/work-queue.ts';
import type { ObjectWriter } from '../../shared/state/object-writer.ts';
import { waitUntil } from '../../shared/state/wait-until.ts';
import { isCurrentZone } from '../../shared/state/zone-records.ts';
import { sendWakeUp } from '../../shared/state/zone-wake-up.ts';
import { longestWaitingNode, taintNode } from './nodes.ts';

/** Longest wait inside the function, ms: a wake-up comes 2 to 3 s early. */
const LONGEST_WAIT_MS = 4_000;
/** Passes may rewrite the names in between; more often in a row they do not. */
const READ_TRIES = 3;

export interface NodeEvictionDeps {
  readonly clock: Clock;
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly control: ControlStore;
  readonly queues: WorkQueues;
  readonly writer: ObjectWriter;
}

/** `closed`: no token now, and another wake-up is on its way; `idle`: nobody waits; `postponed`: a later wake-up was sent. */
export type NodeEvictionReport =
  | { readonly outcome: 'tainted' | 'wasted'; readonly zone: string; readonly node: string }
  | { readonly outcome: 'stopped' | 'closed' | 'postponed' | 'idle'; readonly zone: string };

type Outcome = Exclude<NodeEvictionReport['outcome'], 'tainted' | 'wasted'>;

/** The zone's record, unless the monitor has made it void. */
const readZone = async ({ control }: NodeEvictionDeps, id: string): Promise<ZoneRecord | undefined> => {
  const [zone, pass] = await Promise.all([control.zone(id), control.readPass()]);
  return zone && isCurrentZone(zone, pass) ? zone : undefined;
};

const clear = async ({ control }: NodeEvictionDeps, { id, wakeAt, waiting }: ZoneRecord): Promise<boolean> =>
  wakeAt === undefined || control.clearWakeAt(id, wakeAt, waiting);

/** Too early by far: a hop of a long way, a rate that went down, or a message that came twice. */
const postpone = async (deps: NodeEvictionDeps, zone: ZoneRecord): Promise<Outcome> => {
  const now = deps.clock.now();
  const isNextOnItsWay = zone.wakeAt !== undefined && zone.wakeAt > now + LONGEST_WAIT_MS;
  return !isNextOnItsWay && (await sendWakeUp(deps, zone, now)) ? 'postponed' : 'closed';
};

/** The zone at its limiter's instant, or why there is nothing to take. */
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
  // Whoever moved the limiter meanwhile has sent the next wake-up, or has died and the monitor sends it.
  return after?.limiter.rate === zone.limiter.rate && after.limiter.nextAt === zone.limiter.nextAt
    ? after
    : 'closed';
};

/** The write took its time: the next token counts from when the taint stood. */
const settle = async (
  { clock, control }: NodeEvictionDeps,
  { id }: ZoneRecord,
  taken: Limiter,
): Promise<Limiter> => {
  const settled = countTokenFrom(taken, clock.now());
  const isMoved = settled !== taken && (await control.swapLimiter(id, taken, settled));
  return isMoved ? settled : taken;
};

/**
 * Takes the token, then writes: a crash wastes a token and never spends one twice. The next wake-up goes last, for the
 * instant that is known by then; if it is lost in a crash the monitor sends it.
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
  const isTainted = await taintNode(deps, node, takenAt);
  const limiter = isTainted ? await settle(deps, zone, token.limiter) : token.limiter;
  await sendWakeUp(deps, { ...zone, limiter }, clock.now());
  return { outcome: isTainted ? 'tainted' : 'wasted', zone: zoneNameOf(zone.key), node: node.name };
};

/**
 * Puts the NoExecute taint on the node of the zone that waits longest, at the limiter's very instant. Anything that has
 * changed meanwhile ends in nothing; doubled wake-ups find the limiter closed.
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
