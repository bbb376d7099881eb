import { optional } from '../../kube/values/optional.ts';
import type { AddressStore, AddressWrite, BlockPage } from '../../ports/store/addresses.ts';
import type { CapacityOutcome } from '../../ports/store/capacity.ts';
import { addressPaths, blockPath, recordAddresses } from './block-history.ts';
import type { SharedHistory } from './object-store.ts';
import { halfVisible, isolated } from './object-store.ts';
import type { HostileProcess } from './process.ts';
import { writing } from './process.ts';

/** Milliseconds after a lost answer within which the transaction may still be carried out. */
const IN_FLIGHT_MS = 1_500;

/** A page as a query shows it: the changes of the last seconds may be missing, each by itself. */
const laggingPage = (
  { blocks }: SharedHistory,
  process: HostileProcess,
  range: string,
  from: number,
  { blocks: held, next }: BlockPage,
): BlockPage => {
  const stored = new Map(held.map(({ index, holders }) => [index, holders]));
  const prefix = blockPath(range, 0).slice(0, -1);
  const recorded = [...blocks.current.keys()]
    .filter((path) => path.startsWith(prefix))
    .map((path) => Number(path.slice(prefix.length)))
    .filter((index) => index >= from && (next === undefined || index < next));
  const indexes = [...new Set([...stored.keys(), ...recorded])].toSorted((a, b) => a - b);
  const seen = indexes.flatMap((index) => {
    const path = blockPath(range, index);
    const holders = halfVisible(process, blocks.versions, path, stored.get(index) ?? []) ?? [];
    return holders.length > 0 ? [{ index, holders }] : [];
  });
  return { blocks: seen, ...optional('next', next) };
};

/** Wraps an `AddressStore` with faults, for one process. It does only what DynamoDB may do, too. */
export const createHostileAddressStore = (
  inner: AddressStore,
  shared: SharedHistory,
  process: HostileProcess,
): AddressStore => {
  const { call, chance, rates, clock } = process;
  const applied = (write: AddressWrite): Promise<CapacityOutcome> => {
    const rows = write.checks.map(({ key }) => `${key.resource}/${key.namespace}/${key.name}`);
    return isolated(shared, process, [...write.changes.flatMap(addressPaths), ...rows], async () => {
      const outcome = await inner.write(write);
      if (outcome === 'written') recordAddresses(shared.blocks, write.changes, clock.now());
      return outcome;
    });
  };
  const hostileWrite = async (write: AddressWrite): Promise<CapacityOutcome> => {
    if (chance.hit(rates.busy)) return 'busy';
    if (!chance.hit(rates.unclear)) return applied(write);
    if (chance.hit(0.5)) void clock.sleep(chance.upTo(IN_FLIGHT_MS)).then(() => applied(write));
    return 'unclear';
  };
  return {
    range: (name) => call(() => inner.range(name)),
    blocks: (range, from) =>
      call(async () => laggingPage(shared, process, range, from, await inner.blocks(range, from))),
    write: (write) => call(() => hostileWrite(write)),
    waiting: () => call(() => inner.waiting()),
    wait: (node) => writing(process, () => inner.wait(node)),
    stopWaiting: (uid) => writing(process, () => inner.stopWaiting(uid)),
    entered: () => call(() => inner.entered()),
    setEntered: (ranges) => writing(process, () => inner.setEntered(ranges)),
  };
};
