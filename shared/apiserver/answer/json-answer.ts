/** Writes answers as JSON. A long list is written in parts. */
import type { Pause } from '../contract/in-turns.ts';
import { ITEMS_AT_ONCE, mapInTurns } from '../contract/in-turns.ts';

interface LongList {
  readonly name: string;
  readonly items: readonly unknown[];
}

/** The last member of a list or Table, if it is a list that is long enough to be written in parts. */
const longListOf = (body: object): LongList | undefined => {
  const [name, items] = (Object.entries(body) as [string, unknown][]).at(-1) ?? [];
  return name !== undefined && Array.isArray(items) && items.length > ITEMS_AT_ONCE
    ? { name, items }
    : undefined;
};

/** An empty list at the end of an object, as plain and as indented JSON. */
const PLAIN_END = '[]}';
const PRETTY_END = '[]\n}';

const itemText = (item: unknown, isPretty: boolean): string =>
  isPretty ? `\n    ${JSON.stringify(item, null, 2).replaceAll('\n', '\n    ')}` : JSON.stringify(item);

/** The JSON text of a body, indented by two blanks if it `isPretty`. */
export const toJson = async (body: object, isPretty: boolean, pause?: Pause): Promise<string> => {
  const write = (value: object): string => JSON.stringify(value, null, isPretty ? 2 : 0);
  const list = pause && longListOf(body);
  if (!list) return write(body);
  const texts = await mapInTurns(list.items, pause, (item) => itemText(item, isPretty));
  const end = isPretty ? PRETTY_END : PLAIN_END;
  const start = write({ ...body, [list.name]: [] }).slice(0, -end.length);
  return isPretty ? `${start}[${texts.join(',')}\n  ]\n}` : `${start}[${texts.join(',')}]}`;
};
