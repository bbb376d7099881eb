import { eventual } from '../../ports/store/eventual.ts';
import type { HeartbeatItem, HeartbeatStore, LeaseKey } from '../../ports/store/heartbeats.ts';
import { partPath, RELAY_BEATS, RELAY_ROSTERS } from '../../ports/store/heartbeats.ts';
import type { History } from './history.ts';
import type { HostileProcess } from './process.ts';
import { writing } from './process.ts';

const pathOf = ({ namespace, name }: LeaseKey): string => `${namespace}/${name}`;

/**
 * Wraps a `HeartbeatStore` with faults, for one process: its scan shows each item as it was some time ago, one item per page.
 * Items that a commit of the object store changed are shown in their current state.
 */
export const createHostileHeartbeatStore = (
  inner: HeartbeatStore,
  items: History<HeartbeatItem>,
  process: HostileProcess,
): HeartbeatStore => {
  const { call, chance, clock, rates } = process;
  const recording = <T>(key: LeaseKey, work: () => Promise<T>): Promise<T> =>
    writing(process, async () => {
      const before = await inner.read(key);
      const result = await work();
      items.record(pathOf(key), before, await inner.read(key), clock.now());
      return result;
    });
  const entry = (node: string): LeaseKey => ({ namespace: 'kube-node-lease', name: node });
  return {
    beat: (beat) => recording(entry(beat.node), () => inner.beat(beat)),
    remake: (beat) => recording(entry(beat.node), () => inner.remake(beat)),
    takeBack: (change) => recording(entry(change.node), () => inner.takeBack(change)),
    learn: (change) => recording(entry(change.node), () => inner.learn(change)),
    writeLease: (write) => recording(write.key, () => inner.writeLease(write)),
    deleteLease: (key, at, expected) => recording(key, () => inner.deleteLease(key, at, expected)),
    read: (key) => call(() => inner.read(key)),
    leasesIn: (namespace) => call(() => inner.leasesIn(namespace)),
    async *scan() {
      await call(async () => undefined);
      for await (const { value } of inner.scan())
        for (const item of value) {
          const seen = items.asSeen(pathOf(item), item, clock.now(), rates.indexLagMs, chance);
          if (seen) yield eventual([seen]);
        }
    },
    bumpWorkRevision: (node, now) => recording(entry(node), () => inner.bumpWorkRevision(node, now)),
    readRelay: (part) => call(() => inner.readRelay(part)),
    replaceRoster: (part, read, next, expiresAt) =>
      recording({ namespace: RELAY_ROSTERS, name: partPath(part) }, () =>
        inner.replaceRoster(part, read, next, expiresAt),
      ),
    replaceRelayed: (part, read, next, expiresAt) =>
      recording({ namespace: RELAY_BEATS, name: partPath(part) }, () =>
        inner.replaceRelayed(part, read, next, expiresAt),
      ),
    joinRelay: (node, uid, part) => recording(entry(node), () => inner.joinRelay(node, uid, part)),
    entries: (nodes) => call(() => inner.entries(nodes)),
  };
};
