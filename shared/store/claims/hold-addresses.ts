/** Who holds which addresses, besides allocations: Nodes that bring their own, Nodes that are gone, and Nodes that wait. */

import { tooManyRequests } from '../../kube/errors/status-error.ts';
import type { Node } from '../../kube/types/core.ts';
import { type BackOffDelays, backOff } from '../../kube/values/back-off.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { AddressChange, AddressStore, AddressWrite, Holder } from '../../ports/store/addresses.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import { type LiveRow, liveRow, nodeKey } from '../../ports/store/rows.ts';
import type { ClusterRange } from '../../rules/addresses/cluster-range.ts';
import { podCidrsOf } from '../../rules/addresses/node-blocks.ts';
import { rowsIn } from '../lists/row-pages.ts';
import { createPatience } from '../turns/retry-budget.ts';
import { holdChanges, holderOf } from '../writer/address-effects.ts';

/** Milliseconds after which a write is given up if it was never clear whether it happened. */
const GIVE_UP_MS = 4_000;
const RETRY: BackOffDelays = { firstMs: 10, mostMs: 200 };

/** What these functions need. */
export interface HoldDeps {
  readonly addresses: AddressStore;
  readonly objects: Pick<ObjectStore, 'read' | 'page'>;
  readonly clock: Clock;
}

/** Repeats a write, which may be repeated without harm, until it is written or refused. Throws 429 after four seconds. */
const write = async ({ addresses, clock }: HoldDeps, given: AddressWrite): Promise<'written' | 'refused'> => {
  const isOver = createPatience(clock, GIVE_UP_MS);
  for (let tries = 1; ; tries += 1) {
    const outcome = await addresses.write(given);
    if (outcome === 'written' || outcome === 'refused') return outcome;
    if (isOver()) throw tooManyRequests('too many changes of addresses right now; try again');
    await clock.sleep(backOff(RETRY, tries - 1));
  }
};

/** Stores that a live Node holds its podCIDRs. It may be repeated. If the row has changed since, the new one decides. */
export const enterNode = async (
  deps: HoldDeps,
  ranges: readonly ClusterRange[],
  row: LiveRow,
): Promise<void> => {
  const node: Node = row.object;
  const changes = holdChanges(ranges, holderOf(node), podCidrsOf(node));
  if (changes.length === 0) return;
  const { key, revision } = row;
  if ((await write(deps, { changes, checks: [{ key, revision }] })) === 'written') return;
  const next = liveRow(await deps.objects.read(key));
  if (next) await enterNode(deps, ranges, next);
};

/** The ranges as one text, by which it is known whether their blocks were entered. */
const textOf = (ranges: readonly ClusterRange[]): string => ranges.map(({ name }) => name).join(' ');

/** Enters the blocks of all Nodes, unless that was done for these ranges. Nothing may be allocated before. */
export const enterAllNodes = async (deps: HoldDeps, ranges: readonly ClusterRange[]): Promise<void> => {
  const text = textOf(ranges);
  if ((await deps.addresses.entered()) === text) return;
  for await (const row of rowsIn(deps.objects, 'nodes', '')) await enterNode(deps, ranges, row);
  await deps.addresses.setEntered(text);
};

/** To be called while node-ipam is off: Nodes that come and go now are entered before the next allocation. */
export const forgetEntered = async ({ addresses }: Pick<HoldDeps, 'addresses'>): Promise<void> => {
  if ((await addresses.entered()) !== undefined) await addresses.setEntered(undefined);
};

/**
 * Makes a Node that is gone leave what it holds. Other holders stay. It may be repeated. Resolves to `false` if the Node lives. All
 * changes are about the same Node.
 */
export const leaveBlocks = async (deps: HoldDeps, changes: readonly AddressChange[]): Promise<boolean> => {
  const [first] = changes;
  if (!first) return false;
  const { uid, name } = first.holder;
  return (await write(deps, { changes, checks: [{ key: nodeKey(name), goneUid: uid }] })) === 'written';
};

/** Makes a Node that is gone leave its podCIDRs, as `leaveBlocks` does. Resolves to whether it held any. */
export const leaveAddresses = (
  deps: HoldDeps,
  ranges: readonly ClusterRange[],
  holder: Holder,
  podCidrs: readonly string[],
): Promise<boolean> => leaveBlocks(deps, holdChanges(ranges, holder, podCidrs, 'leave'));
