/** A guard: a number that describes the source, stored in `numbers.json`, which may only fall. */
import { readFileSync, writeFileSync } from 'node:fs';

/** What a guard counts, one text for each, such as `path:line`. */
export interface Guard {
  readonly name: string;
  readonly find: () => readonly string[];
}

/** The stored number of a guard. */
export interface Stored {
  readonly today: number;
  /** True if the measured number may be anywhere below: a change may add to it. */
  readonly isCeiling?: boolean;
  /** The number to reach; absent for guards without a target. */
  readonly target?: number;
}

const PATH = 'test/architecture/guards/numbers.json';

/** Reads the stored numbers, by the name of the guard. */
export const readNumbers = (): Readonly<Record<string, Stored>> => JSON.parse(readFileSync(PATH, 'utf8'));

/** Replaces the stored numbers. */
export const writeNumbers = (numbers: Readonly<Record<string, Stored>>): void =>
  writeFileSync(PATH, `${JSON.stringify(numbers, null, 2)}\n`);

/** Returns undefined if the measured number is the stored number, otherwise what to do. */
export const complaintOf = (
  name: string,
  measured: number,
  stored: Stored | undefined,
): string | undefined => {
  if (stored === undefined) return `${name}: ${PATH} has no number; it is ${measured}`;
  const { today, isCeiling = false } = stored;
  if (measured > today)
    return `${name}: ${measured}, but at most ${today} are allowed. \`npm run guards -- --sites '${name}'\` lists them`;
  return measured < today && !isCeiling
    ? `${name}: ${measured} instead of ${today}: lower it to ${measured} in this commit`
    : undefined;
};

/** The numbers after a fall: each measured number that is below the stored number. No number rises, and ceilings stay. */
export const lowered = (
  numbers: Readonly<Record<string, Stored>>,
  measured: ReadonlyMap<string, number>,
): Readonly<Record<string, Stored>> => {
  const lower = (name: string, { today, isCeiling = false }: Stored): number =>
    isCeiling ? today : Math.min(today, measured.get(name) ?? today);
  return Object.fromEntries(
    Object.entries(numbers).map(([name, stored]) => [name, { ...stored, today: lower(name, stored) }]),
  );
};
