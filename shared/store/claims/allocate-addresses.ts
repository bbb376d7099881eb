/** How a Node gets its podCIDRs: one free block of each range, in the Node's own transaction. */

import { tooManyRequests } from '../../kube/errors/status-error.ts';
import type { Node } from '../../kube/types/core.ts';
import { optional } from '../../kube/values/optional.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { AddressChange, AddressStore, Holder, WideHold } from '../../ports/store/addresses.ts';
import { liveRow, nodeKey } from '../../ports/store/rows.ts';
import { type Blocks, blockAt, type ClusterRange } from '../../rules/addresses/cluster-range.ts';
import { firstGap, podCidrsOf } from '../../rules/addresses/node-blocks.ts';
import { createPatience } from '../turns/retry-budget.ts';
import type { ObjectWriter } from '../writer/object-writer.ts';

/** Milliseconds after which an allocation is given up if others took each block first. */
const GIVE_UP_MS = 10_000;

/** What an allocation needs. */
export interface AllocationDeps {
  readonly addresses: AddressStore;
  readonly writer: ObjectWriter;
  readonly clock: Clock;
}

/** What became of an allocation. */
export interface Allocation {
  readonly outcome:
    | 'allocated'
    /** The Node has podCIDRs already. */
    | 'obsolete'
    /** The Node is gone, or another one has its name. */
    | 'gone'
    /** A range has no free block. The Node waits: `addresses.waiting` lists it. */
    | 'exhausted';
  /** The number of writes that were tried. */
  readonly tries: number;
}

interface Choice {
  readonly range: ClusterRange;
  readonly index: number;
  readonly wide: readonly WideHold[];
}

/** Blocks that somebody else took while we tried, by the name of the range. */
type Refused = ReadonlyMap<string, readonly Blocks[]>;
const NONE_REFUSED: Refused = new Map();

/** The first free block from `from` to `to`. */
const freeBetween = async (
  { addresses }: AllocationDeps,
  { name }: ClusterRange,
  { first, last }: Blocks,
  taken: readonly Blocks[],
): Promise<number | undefined> => {
  let from: number | undefined = first;
  while (from !== undefined && from <= last) {
    const { blocks, next } = await addresses.blocks(name, from);
    const to = next === undefined ? last : Math.min(last, next - 1);
    const held = blocks.map(({ index }) => ({ first: index, last: index }));
    const free = firstGap(from, to, [...held, ...taken]);
    if (free !== undefined) return free;
    from = next;
  }
  return undefined;
};

/** The next free block at or after the pointer, then from the beginning. */
const chooseBlock = async (
  deps: AllocationDeps,
  range: ClusterRange,
  refused: readonly Blocks[],
): Promise<Choice | undefined> => {
  const { next, wide } = await deps.addresses.range(range.name);
  const taken = [...range.reserved, ...wide, ...refused];
  const index =
    (await freeBetween(deps, range, { first: next, last: range.size - 1 }, taken)) ??
    (await freeBetween(deps, range, { first: 0, last: next - 1 }, taken));
  return index === undefined ? undefined : { range, index, wide };
};

/** One block of each range; `undefined` if a range has none. */
const choose = async (
  deps: AllocationDeps,
  ranges: readonly ClusterRange[],
  refused: Refused,
): Promise<readonly Choice[] | undefined> => {
  const choices: Choice[] = [];
  for (const range of ranges) {
    const choice = await chooseBlock(deps, range, refused.get(range.name) ?? []);
    if (!choice) return undefined;
    choices.push(choice);
  }
  return choices;
};

const changeOf = (holder: Holder, { range, index, wide }: Choice): AddressChange => ({
  change: 'allocate',
  range: range.name,
  index,
  holder,
  wide,
  next: (index + 1) % range.size,
});

const withCidrs = (node: Node, podCIDRs: readonly string[]): Node => ({
  ...node,
  spec: { ...node.spec, ...optional('podCIDR', podCIDRs[0]), podCIDRs },
});

/** Writes the blocks and the Node together. `refused`: a block is not free any more. */
const writeNode = async (
  { writer }: AllocationDeps,
  holder: Holder,
  choices: readonly Choice[],
): Promise<Exclude<Allocation['outcome'], 'exhausted'> | 'refused'> => {
  let outcome: 'allocated' | 'obsolete' | 'gone' = 'gone';
  const podCidrs = choices.map(({ range, index }) => blockAt(range, index));
  const addresses = choices.map((choice) => changeOf(holder, choice));
  const result = await writer.write(nodeKey(holder.name), (row) => {
    const live = liveRow(row);
    const node: Node | undefined = live?.uid === holder.uid ? live.object : undefined;
    outcome = node ? 'obsolete' : 'gone';
    if (!node || podCidrsOf(node).length > 0) return undefined;
    outcome = 'allocated';
    return { next: withCidrs(node, podCidrs), writer: 'controller', addresses };
  });
  return result.outcome === 'checkFailed' ? 'refused' : outcome;
};

const withRefused = (refused: Refused, choices: readonly Choice[]): Refused =>
  new Map(
    choices.map(({ range: { name }, index }) => [
      name,
      [...(refused.get(name) ?? []), { first: index, last: index }],
    ]),
  );

/**
 * Gives a Node its podCIDRs, unless it has some. `exhausted` is only said after a search through all blocks that began when the
 * Node was stored as waiting: whoever frees a block later finds it there. Throws 429 if others take each block first for ten seconds,
 * and what `ObjectWriter.write` throws.
 */
export const allocateAddresses = async (
  deps: AllocationDeps,
  ranges: readonly ClusterRange[],
  holder: Holder,
): Promise<Allocation> => {
  const isOver = createPatience(deps.clock, GIVE_UP_MS);
  let [refused, isWaiting, tries] = [NONE_REFUSED, false, 0];
  do {
    const choices = await choose(deps, ranges, refused);
    if (choices) {
      tries += 1;
      const outcome = await writeNode(deps, holder, choices);
      if (outcome !== 'refused') return { outcome, tries };
      refused = withRefused(refused, choices);
    } else if (refused.size > 0) refused = NONE_REFUSED;
    else if (isWaiting) return { outcome: 'exhausted', tries };
    else {
      await deps.addresses.wait({ ...holder, since: deps.clock.now() });
      isWaiting = true;
    }
  } while (!isOver());
  throw tooManyRequests(`too many Nodes get addresses right now; node ${holder.name} is tried again`);
};
