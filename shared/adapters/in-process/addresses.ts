/** Conditions and effects on blocks of addresses, over synchronous tables. */
import type {
  AddressChange,
  AddressStore,
  AddressWrite,
  BlockPage,
  HeldBlock,
  Holder,
  RangeState,
  WaitingNode,
  WideHold,
} from '../../ports/store/addresses.ts';
import type { CapacityOutcome } from '../../ports/store/capacity.ts';
import type { ObjectKey } from '../../ports/store/rows.ts';
import { type CheckedRow, rowChecksHold } from './row-checks.ts';

/** The tables of blocks, ranges and waiting Nodes. */
export interface AddressTables {
  readonly blocks: {
    get(range: string, index: number): readonly Holder[];
    /** Deletes the block if there is no holder. */
    set(range: string, index: number, holders: readonly Holder[]): void;
    /** The held blocks from an index on, in order, at most `most`. */
    from(range: string, index: number, most: number): readonly HeldBlock[];
  };
  readonly ranges: {
    get(name: string): RangeState | undefined;
    set(name: string, state: RangeState): void;
  };
  readonly waiting: {
    all(): readonly WaitingNode[];
    /** Does nothing if the Node waits already. */
    put(node: WaitingNode): void;
    delete(uid: string): void;
  };
  readonly entered: { get(): string | undefined; set(ranges: string | undefined): void };
}

/** Blocks of one page. */
const PAGE = 256;

const UNUSED: RangeState = { next: 0, wide: [] };

const isSame = (a: Holder, b: Holder): boolean => a.uid === b.uid && a.name === b.name;
const textOf = ({ uid, name, first, last }: WideHold): string => `${first} ${last} ${uid} ${name}`;

const sameHolds = (a: readonly WideHold[], b: readonly WideHold[]): boolean => {
  const texts = new Set(a.map(textOf));
  return texts.size === b.length && b.every((hold) => texts.has(textOf(hold)));
};

const isFree = (tables: AddressTables, change: Extract<AddressChange, { change: 'allocate' }>): boolean =>
  tables.blocks.get(change.range, change.index).length === 0 &&
  sameHolds((tables.ranges.get(change.range) ?? UNUSED).wide, change.wide);

/** Whether the conditions of all changes are met. */
export const addressesHold = (tables: AddressTables, changes: readonly AddressChange[] = []): boolean =>
  changes.every((change) => change.change !== 'allocate' || isFree(tables, change));

const changeBlock = (
  { blocks }: AddressTables,
  range: string,
  index: number,
  holder: Holder,
  isHeld: boolean,
): void => {
  const others = blocks.get(range, index).filter((one) => !isSame(one, holder));
  blocks.set(range, index, isHeld ? [...others, holder] : others);
};

const changeWide = ({ ranges }: AddressTables, range: string, hold: WideHold, isHeld: boolean): void => {
  const { next, wide } = ranges.get(range) ?? UNUSED;
  const others = wide.filter((one) => textOf(one) !== textOf(hold));
  ranges.set(range, { next, wide: isHeld ? [...others, hold] : others });
};

const applyChange = (tables: AddressTables, given: AddressChange): void => {
  const { range, holder } = given;
  if (given.change === 'allocate') {
    changeBlock(tables, range, given.index, holder, true);
    tables.ranges.set(range, { next: given.next, wide: given.wide });
    return;
  }
  const { first, last } = given;
  const isHeld = given.change === 'hold';
  if (first === last) changeBlock(tables, range, first, holder, isHeld);
  else changeWide(tables, range, { ...holder, first, last }, isHeld);
};

/** Applies changes whose conditions hold. */
export const applyAddresses = (tables: AddressTables, changes: readonly AddressChange[] = []): void => {
  for (const change of changes) applyChange(tables, change);
};

/** What the store needs besides the tables. */
export interface AddressDeps {
  readonly tables: AddressTables;
  readonly row: (key: ObjectKey) => CheckedRow | undefined;
  /** Carries out all of `work`'s writes or none; they are durable when it returns. */
  together<T>(work: () => T): T;
}

const write = (
  { tables, row, together }: AddressDeps,
  { changes, checks }: AddressWrite,
): CapacityOutcome => {
  if (!rowChecksHold(row, checks) || !addressesHold(tables, changes)) return 'refused';
  together(() => applyAddresses(tables, changes));
  return 'written';
};

const pageOf = ({ blocks }: AddressTables, range: string, from: number): BlockPage => {
  const found = blocks.from(range, from, PAGE);
  const last = found.at(-1);
  return found.length < PAGE || !last ? { blocks: found } : { blocks: found, next: last.index + 1 };
};

/** Blocks of addresses over synchronous tables. */
export const createAddressStore = (deps: AddressDeps): AddressStore => {
  const { tables } = deps;
  return {
    range: async (name) => tables.ranges.get(name) ?? UNUSED,
    blocks: async (range, from) => pageOf(tables, range, from),
    write: async (given) => write(deps, given),
    waiting: async () => tables.waiting.all().toSorted((a, b) => a.since - b.since),
    wait: async (node) => tables.waiting.put(node),
    stopWaiting: async (uid) => tables.waiting.delete(uid),
    entered: async () => tables.entered.get(),
    setEntered: async (ranges) => tables.entered.set(ranges),
  };
};
