/** Blocks of addresses in the table `control`: their items, and the parts of a transaction that write them. */
import type {
  AddressChange,
  HeldBlock,
  Holder,
  RangeState,
  WaitingNode,
  WideHold,
} from '../../../ports/store/addresses.ts';
import type { TransactItem } from '../table/client.ts';
import {
  expressions,
  HAS_NO_HOLDERS,
  HAS_NO_WIDE_HOLDS,
  HAS_WIDE_HOLDS_AS_READ,
} from '../table/conditions.ts';
import { blockKey, rangeKey } from '../table/keys.ts';
import { type Item, numberOf, requiredAttribute, textOf } from '../table/packing.ts';
import { CONTROL } from '../table/schema.ts';

const holderText = ({ uid, name }: Holder): string => `${uid}/${name}`;
const wideText = (hold: WideHold): string => `${hold.first}-${hold.last}/${holderText(hold)}`;

const toHolder = (text: string): Holder => {
  const slash = text.indexOf('/');
  return { uid: text.slice(0, slash), name: text.slice(slash + 1) };
};

const toWideHold = (text: string): WideHold => {
  const [, first = '', last = '', holder = ''] = /^(\d+)-(\d+)\/(.*)$/.exec(text) ?? [];
  return { ...toHolder(holder), first: Number(first), last: Number(last) };
};

const textsIn = (item: Item | undefined, name: string): readonly string[] => {
  const found = item?.[name];
  return found instanceof Set ? [...found].map(String) : [];
};

/** Reads a block; one that everybody has left has no holders. */
export const fromBlockItem = (item: Item): HeldBlock => ({
  index: Number(requiredAttribute(textOf(item, CONTROL.sort), CONTROL.sort)),
  holders: textsIn(item, CONTROL.holders).map(toHolder),
});

/** Reads what is stored of a range besides its blocks. */
export const fromRangeItem = (item: Item | undefined): RangeState => ({
  next: (item && numberOf(item, CONTROL.nextBlock)) ?? 0,
  wide: textsIn(item, CONTROL.wide).map(toWideHold),
});

/** Reads a waiting Node. */
export const fromWaitingItem = (item: Item): WaitingNode => ({
  uid: requiredAttribute(textOf(item, CONTROL.sort), CONTROL.sort),
  name: requiredAttribute(textOf(item, CONTROL.name), CONTROL.name),
  since: requiredAttribute(numberOf(item, CONTROL.waitingSince), CONTROL.waitingSince),
});

type Allocation = Extract<AddressChange, { change: 'allocate' }>;

const allocationItems = (
  table: string,
  { range, index, holder, wide, next }: Allocation,
): readonly TransactItem[] => {
  const block = {
    UpdateExpression: 'ADD #holders :holders',
    ConditionExpression: HAS_NO_HOLDERS,
  };
  const pointer = {
    UpdateExpression: 'SET #nextBlock = :nextBlock',
    ConditionExpression: wide.length === 0 ? HAS_NO_WIDE_HOLDS : HAS_WIDE_HOLDS_AS_READ,
  };
  const holders = new Set([holderText(holder)]);
  const values = { nextBlock: next, wide: new Set(wide.map(wideText)) };
  return [
    {
      Update: {
        TableName: table,
        Key: blockKey(range, index),
        ...expressions(CONTROL, block, { holders }),
      },
    },
    { Update: { TableName: table, Key: rangeKey(range), ...expressions(CONTROL, pointer, values) } },
  ];
};

type Hold = Exclude<AddressChange, Allocation>;

const holdItem = (table: string, { change, range, holder, first, last }: Hold): TransactItem => {
  const verb = change === 'hold' ? 'ADD' : 'DELETE';
  const isBlock = first === last;
  const texts = { UpdateExpression: isBlock ? `${verb} #holders :holders` : `${verb} #wide :wide` };
  const values = {
    holders: new Set([holderText(holder)]),
    wide: new Set([wideText({ ...holder, first, last })]),
  };
  return {
    Update: {
      TableName: table,
      Key: isBlock ? blockKey(range, first) : rangeKey(range),
      ...expressions(CONTROL, texts, values),
    },
  };
};

/** The parts of a transaction for these changes. */
export const addressItems = (table: string, changes: readonly AddressChange[]): readonly TransactItem[] =>
  changes.flatMap((change) =>
    change.change === 'allocate' ? allocationItems(table, change) : [holdItem(table, change)],
  );
