/** Series about the pace of each zone: read from its stored record when somebody asks, because tokens are taken between two passes. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { ControlStore, ZoneRecord } from '../../shared/ports/store/control-store.ts';
import { zoneNameOf } from '../../shared/rules/zones/zone-names.ts';
import type { Definition, MetricsRegistry } from '../../shared/serving/http/prometheus.ts';
import { isCurrentZone } from '../../shared/store/beats/zone-records.ts';

const STATE = 'rollcall_zone_state';
const RATE = 'rollcall_zone_eviction_rate';
const NEXT = 'rollcall_zone_next_eviction_seconds';
const WAITING = 'rollcall_zone_nodes_waiting';
const TO_END = 'rollcall_zone_waiting_line_seconds';
const HELD_BACK = 'rollcall_zone_nodes_held_back';

const perZone = (help: string, ...labels: readonly string[]): Definition => ({
  kind: 'gauge',
  help,
  labels: ['zone', ...labels],
});

export const ZONE_SERIES: Readonly<Record<string, Definition>> = {
  [STATE]: perZone('1 for the state that a zone is in.', 'state'),
  [RATE]: perZone('Nodes per second of a zone that may get a NoExecute taint.'),
  [NEXT]: perZone('Seconds until a zone has a token for the next NoExecute taint; +Inf at rate 0.'),
  [WAITING]: perZone('Nodes of a zone that wait for a NoExecute taint.'),
  [TO_END]: perZone(
    'Seconds until the last waiting node of a zone gets its taint at the present rate; +Inf at rate 0.',
  ),
  [HELD_BACK]: perZone(
    'Silent nodes of a zone that keep their Ready for now because a policy paces the zone.',
  ),
};

const secondsUntil = ({ rate, nextAt }: ZoneRecord['limiter'], now: EpochMs): number =>
  rate > 0 ? Math.max(0, nextAt - now) / 1000 : Number.POSITIVE_INFINITY;

/** The first node takes the next token, and each further one comes an interval later. */
const secondsToEnd = ({ limiter, waitingCount }: ZoneRecord, now: EpochMs): number =>
  waitingCount === 0 ? 0 : secondsUntil(limiter, now) + (waitingCount - 1) / limiter.rate;

const recordZone = (metrics: MetricsRegistry, record: ZoneRecord, now: EpochMs): void => {
  const zone = zoneNameOf(record.key);
  metrics.set(STATE, { zone, state: record.state }, 1);
  metrics.set(RATE, { zone }, record.limiter.rate);
  metrics.set(NEXT, { zone }, secondsUntil(record.limiter, now));
  metrics.set(WAITING, { zone }, record.waitingCount);
  metrics.set(TO_END, { zone }, secondsToEnd(record, now));
  metrics.set(HELD_BACK, { zone }, record.heldBack ?? 0);
};

/** Records all zones as they are stored at `now`. */
export const recordZones = async (
  metrics: MetricsRegistry,
  control: Pick<ControlStore, 'zones' | 'readPass'>,
  now: EpochMs,
): Promise<void> => {
  const [zones, pass] = await Promise.all([control.zones(), control.readPass()]);
  for (const name of Object.keys(ZONE_SERIES)) metrics.clear(name);
  for (const record of zones) if (isCurrentZone(record, pass)) recordZone(metrics, record, now);
};
