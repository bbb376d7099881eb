/**
 * Answers as YAML. The file is separate so that the heartbeat function, which starts often, does not load the
 * library.
 */
import { stringify } from 'yaml';
import type { Pause } from '../contract/in-turns.ts';

type Entry = readonly [key: string, value: unknown];

/** Values that are written between two pauses: the library takes some 10 µs for each. */
const VALUES_AT_ONCE = 1024;

/** Writes YAML as Kubernetes' library does: sorted, lists not indented, no line folded, text that YAML 1.1 might misread in quotes. */
const write = (value: object): string =>
  // YAML cannot express undefined members; converting to JSON and back removes them.
  stringify(JSON.parse(JSON.stringify(value)), {
    schema: 'yaml-1.1',
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });

/** How many values there are in a value, itself included; counting stops above `limit`. */
const sizeOf = (value: unknown, limit = VALUES_AT_ONCE): number => {
  if (typeof value !== 'object' || value === null) return 1;
  let size = 1;
  for (const one of Object.values(value)) {
    if (size > limit) break;
    size += sizeOf(one, limit - size);
  }
  return size;
};

const isLarge = (value: unknown): value is object => sizeOf(value) > VALUES_AT_ONCE;

/** Groups neighbouring items that are small together; a large item is a group by itself. */
const batchesOf = <T>(items: readonly T[], contentOf: (item: T) => unknown): readonly (readonly T[])[] => {
  const batches: T[][] = [];
  let room = 0;
  for (const item of items) {
    const size = sizeOf(contentOf(item));
    if (size > room) {
      batches.push([]);
      room = VALUES_AT_ONCE;
    }
    batches.at(-1)?.push(item);
    room -= size;
  }
  return batches;
};

const indented = (text: string, by: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? line : `${by}${line}`))
    .join('\n');

const itemsInParts = async (items: readonly unknown[], pause: Pause): Promise<string> => {
  const texts: string[] = [];
  for (const batch of batchesOf(items, (item) => item)) {
    const [first] = batch;
    if (isLarge(first)) texts.push(`- ${indented(await inParts(first, pause), '  ').slice(2)}`);
    else texts.push(write(batch));
    await pause();
  }
  return texts.join('');
};

const largeMember = async (key: string, value: object, pause: Pause): Promise<string> => {
  const text = await inParts(value, pause);
  const start = write({ [key]: {} }).replace(/ \{\}\n$/, '\n');
  return `${start}${Array.isArray(value) ? text : indented(text, '  ')}`;
};

const byKey = ([a]: Entry, [b]: Entry): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

const membersInParts = async (map: object, pause: Pause): Promise<string> => {
  const texts: string[] = [];
  const members = Object.entries(map).filter(([, value]) => value !== undefined);
  for (const batch of batchesOf<Entry>(members.toSorted(byKey), ([, value]) => value)) {
    const [[key, value] = ['', undefined]] = batch;
    texts.push(isLarge(value) ? await largeMember(key, value, pause) : write(Object.fromEntries(batch)));
    await pause();
  }
  return texts.join('');
};

const inParts = (value: object, pause: Pause): Promise<string> =>
  Array.isArray(value) ? itemsInParts(value, pause) : membersInParts(value, pause);

/** The YAML text of a body. With `pause` a large one is written in parts of about a thousand values. */
export const toYaml = async (body: object, pause?: Pause): Promise<string> =>
  pause && isLarge(body) ? inParts(body, pause) : write(body);
