import { NODE_MONITOR_DEFAULTS, runPass } from '../../../lambdas/node-monitor/reconcile.ts';
import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { aLease } from '../../support/stores/builders.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { aKubeletNode, HEARTBEAT_EXPIRES_AT, nodeName, uidOf } from '../fleet/fleet.ts';
import { createPacedZone, MOST_CALL_MS, MOST_LATE_MS, type PacedZone, WORKERS } from './pacing-zone.ts';

const NODES = 300;
/** Silent share of the zone: below the threshold of a disruption, so that the whole rate applies. */
const SILENT = 120;
const DURATION_MS = 10 * 60_000;
const { nodeMonitorPeriodMs: PERIOD_MS, nodeEvictionRate: RATE } = NODE_MONITOR_DEFAULTS;
const INTERVAL_MS = 1000 / RATE;
const NOMINAL = DURATION_MS / INTERVAL_MS;

const renew = async ({ monitor }: PacedZone, index: number, expected?: EpochMs): Promise<void> => {
  const name = nodeName(index);
  await monitor.heartbeats.writeLease({
    key: { namespace: NODE_LEASE_NAMESPACE, name },
    lease: aLease(name, uidOf(name)),
    at: monitor.clock.now(),
    ...(expected === undefined ? {} : { expected }),
    expiresAt: HEARTBEAT_EXPIRES_AT,
  });
};

const register = async (zone: PacedZone): Promise<void> => {
  for (let index = 0; index < NODES; index += 1) {
    const next = aKubeletNode(nodeName(index), { images: 0, at: zone.clock.now() });
    await zone.monitor.writer.write(nodeKey(nodeName(index)), () => ({ next, writer: 'client' }));
    await renew(zone, index);
  }
};

/** The first nodes of the list stay silent. */
const renewLiving = async (zone: PacedZone, expected: EpochMs): Promise<void> => {
  for (let index = SILENT; index < NODES; index += 1) await renew(zone, index, expected);
};

/** Passes of the monitor until ten minutes after the first grant; the workers run beside. */
const play = async (zone: PacedZone): Promise<void> => {
  const { clock, grants, monitor } = zone;
  await register(zone);
  let renewedAt = clock.now();
  while (grants[0] === undefined || clock.now() - grants[0] <= DURATION_MS + INTERVAL_MS) {
    await clock.sleep(PERIOD_MS);
    await renewLiving(zone, renewedAt);
    renewedAt = clock.now();
    await runPass(monitor, clock.now());
  }
};

const gapsOf = (instants: readonly EpochMs[]): readonly number[] =>
  instants.slice(1).map((at, index) => at - (instants[index] ?? at));

/** How far the pace of the taints is from the nominal one, in percent. */
const errorOf = (taints: readonly EpochMs[]): number => {
  const seconds = ((taints.at(-1) ?? 0) - (taints[0] ?? 0)) / 1000;
  return Math.abs((taints.length - 1) / seconds / RATE - 1) * 100;
};

const gapFigures = (grants: readonly EpochMs[], taints: readonly EpochMs[]): readonly Figure[] => [
  {
    name: 'shortest gap between tokens',
    unit: 'ms',
    value: Math.min(...gapsOf(grants)),
    target: { atLeast: INTERVAL_MS },
  },
  {
    name: 'shortest gap between taints, as written',
    unit: 'ms',
    value: Math.min(...gapsOf(taints)),
    target: { atLeast: INTERVAL_MS },
  },
  { name: 'longest gap between taints, as written', unit: 'ms', value: Math.max(...gapsOf(taints)) },
];

const figuresOf = ({ grants, taints, delivered }: PacedZone): readonly Figure[] => {
  const end = (grants[0] ?? 0) + DURATION_MS;
  const granted = grants.filter((at) => at <= end);
  const tainted = taints.filter((at) => at <= end + MOST_LATE_MS).slice(0, granted.length);
  const doubled = gapsOf(granted).filter((gap) => gap < INTERVAL_MS).length;
  const note = `nominal ${NOMINAL}, and one at the start`;
  const wakeUps = `${WORKERS} workers; each wake-up comes to each of them, 0–${MOST_LATE_MS} ms late; calls take 0–${MOST_CALL_MS} ms`;
  return [
    { name: 'wake-ups delivered', unit: 'messages', value: delivered.count, note: wakeUps },
    { name: 'taints in ten minutes at 0.1/s', unit: 'taints', value: tainted.length, note },
    { name: 'error against the nominal rate', unit: '%', value: errorOf(tainted), target: { atMost: 1 } },
    ...gapFigures(granted, tainted),
    { name: 'double grants', unit: 'tokens', value: doubled, target: { atMost: 0 } },
    { name: 'tokens without a taint', unit: 'tokens', value: granted.length - tainted.length },
  ];
};

/** The pace of one zone's evictions under virtual time: monitor, queue and competing workers together. */
export const pacing: Bench = async () => {
  const zone = createPacedZone();
  await zone.clock.run(play(zone));
  return figuresOf(zone);
};
