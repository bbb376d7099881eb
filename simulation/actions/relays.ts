/** The relays of a run: each sends the ages of its nodes with every batch, by the rules of the control plane. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { HeartbeatStore } from '../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { liveRow, nodeKey } from '../../shared/ports/store/rows.ts';
import { mergedBeats, type ReportedAge } from '../../shared/rules/relays/merge-ages.ts';
import { MOST_IN_PART, type RelayPart, type RelayRoster } from '../../shared/rules/relays/relay-items.ts';
import { enrolled, relayExpiry } from '../../shared/rules/relays/roster.ts';
import { waitUntil } from '../../shared/store/turns/wait-until.ts';
import type { Plan } from '../plan/plan.ts';
import type { Machine } from '../plane/machine.ts';
import { beatsBetween, lastBeat } from '../plane/schedule.ts';

interface RelayDeps {
  readonly clock: Clock;
  readonly state: {
    readonly objects: Pick<ObjectStore, 'read'>;
    readonly heartbeats: Pick<HeartbeatStore, 'joinRelay' | 'readRelay' | 'replaceRoster' | 'replaceRelayed'>;
  };
}

/** For so long its tokens last: longer than any run. */
const TOKEN_MS = 365 * 86_400_000;

/** The nodes of a part that have sent a beat through the relay show their tokens, if they are not on the roster. */
const join = async (
  { state }: RelayDeps,
  part: RelayPart,
  names: readonly string[],
  now: EpochMs,
): Promise<RelayRoster> => {
  const { roster } = await state.heartbeats.readRelay(part);
  const known = new Set(roster?.entries.map(({ name }) => name));
  const shown = [];
  for (const name of names.filter((one) => !known.has(one))) {
    const uid = liveRow(await state.objects.read(nodeKey(name)))?.uid;
    if (uid !== undefined && (await state.heartbeats.joinRelay(name, uid, part)))
      shown.push({ name, uid, untilAt: now + TOKEN_MS });
  }
  if (roster && shown.length === 0) return roster;
  const next = enrolled(roster, shown, now).roster;
  await state.heartbeats.replaceRoster(part, roster?.revision, next, relayExpiry(next, now));
  return next;
};

const sendBatch = async (
  deps: RelayDeps,
  part: RelayPart,
  machines: readonly Machine[],
  now: EpochMs,
): Promise<void> => {
  const { heartbeats } = deps.state;
  const heard = machines.flatMap(({ name, beating }) => {
    const at = lastBeat(beating.schedule, now, 0);
    return at === undefined ? [] : [{ name, ageMs: now - at, isPlain: beating.style === 'plain' }];
  });
  const roster = await join(
    deps,
    part,
    heard.map(({ name }) => name),
    now,
  );
  const uids = new Map(roster.entries.map(({ name, uid }) => [name, uid]));
  const nodes = heard.map((one): ReportedAge => ({ ...one, uid: uids.get(one.name) ?? '' }));
  const { beats: before } = await heartbeats.readRelay(part);
  const { beats } = mergedBeats(roster, before, { sequence: (before?.sequence ?? 0) + 1, nodes }, now);
  await heartbeats.replaceRelayed(part, before?.sequence, beats, relayExpiry(roster, now));
};

/** Sends all batches of the plan at their instants. */
export const startRelays = (deps: RelayDeps, { relays = [], machines, startAt, endAt }: Plan): void => {
  const byName = new Map(machines.map((machine) => [machine.name, machine]));
  for (const { name: relay, nodes, schedule } of relays)
    for (let part = 0; part * MOST_IN_PART < nodes.length; part += 1) {
      const own = nodes.slice(part * MOST_IN_PART, (part + 1) * MOST_IN_PART);
      void sendInTime(
        deps,
        { relay, part },
        own.flatMap((name) => byName.get(name) ?? []),
        [...beatsBetween(schedule, startAt, endAt)],
      );
    }
};

const sendInTime = async (
  deps: RelayDeps,
  part: RelayPart,
  machines: readonly Machine[],
  instants: readonly EpochMs[],
): Promise<void> => {
  for (const at of instants) {
    await waitUntil(deps.clock, at);
    await sendBatch(deps, part, machines, at);
  }
};
