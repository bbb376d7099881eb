/** What is remembered of relays beside the zones: one sighting for each, which a pass writes when it finds something else. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { ControlStore, Sighting } from '../../ports/store/control-store.ts';
import type { RelaySummary } from '../../rules/relays/relay-summary.ts';

/** The topic of the sightings. */
export const RELAY_TOPIC = 'told';
/** What the names of these sightings begin with. */
export const RELAY_PREFIX = 'relay/';

/** A relay as a pass has found it. */
export interface RelayFound extends RelaySummary {
  /** Since when it has been in this state (ms). */
  readonly since: EpochMs;
}

const textOf = ({ state, parts, nodes, zones }: RelaySummary): string =>
  JSON.stringify([state, parts, nodes, zones]);

/** The relay of a sighting. */
export const relayFound = ({ name, uid, since }: Sighting): RelayFound => {
  const [state, parts, nodes, zones] = JSON.parse(uid) as [
    RelaySummary['state'],
    number,
    number,
    readonly string[],
  ];
  return { relay: name.slice(RELAY_PREFIX.length), state, parts, nodes, zones, since };
};

/** The sighting to store for what a pass has found at `now`; `read`: the stored one. The same one if nothing is new. */
export const nextSighting = (summary: RelaySummary, read: Sighting | undefined, now: EpochMs): Sighting => {
  const uid = textOf(summary);
  if (read?.uid === uid) return read;
  const isSame = read !== undefined && relayFound(read).state === summary.state;
  return {
    topic: RELAY_TOPIC,
    name: `${RELAY_PREFIX}${summary.relay}`,
    uid,
    since: isSame ? read.since : now,
  };
};

/** The relay of this name as the last pass has found it; `undefined`: there is none. */
export const readRelayFound = async (
  control: Pick<ControlStore, 'sighting'>,
  relay: string,
): Promise<{ readonly found: RelayFound; readonly sighting: Sighting } | undefined> => {
  const sighting = await control.sighting({ topic: RELAY_TOPIC, name: `${RELAY_PREFIX}${relay}` });
  return sighting && { found: relayFound(sighting), sighting };
};
