import { existsSync, readFileSync } from 'node:fs';
import type { Bench, Figure } from './figures.ts';
import { spread } from './statistics.ts';

const FOLDER = 'test-results/integration';
/** With the unit of figures that name none. */
const FILES = { 'stack.json': 'ms', 'figures.json': '', 'gateway.json': '' } as const;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSamples = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number');

const measured = (value: unknown): Pick<Figure, 'value' | 'min' | 'note'> | undefined => {
  if (typeof value === 'number') return { value };
  if (!isSamples(value)) return undefined;
  return { ...spread(value), note: `${value.length} samples, the largest ${Math.max(...value)}` };
};

/** Names end in their unit: `silence to Unknown, ms`. */
const named = (label: string, unit: string): Pick<Figure, 'name' | 'unit'> => {
  const [, name = label, own = unit] = /^(.*), (\S+)$/.exec(label) ?? [];
  return { name, unit: own };
};

/** Every number and list of numbers of a document, named by the way to it. */
const numbersIn = (value: unknown, path: readonly string[], unit: string): readonly Figure[] => {
  const found = measured(value);
  if (found) return [{ ...named(path.join(' '), unit), ...found }];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => numbersIn(inner, [...path, key], unit));
};

const figuresIn = ([file, unit]: readonly [string, string]): readonly Figure[] => {
  const path = `${FOLDER}/${file}`;
  return existsSync(path) ? numbersIn(JSON.parse(readFileSync(path, 'utf8')), [], unit) : [];
};

/** What the last run of the integration tests measured; nothing is started here. */
export const localstack: Bench = async () => {
  const figures = Object.entries(FILES).flatMap(figuresIn);
  return figures.length > 0
    ? figures
    : { skipped: `no figures in ${FOLDER}: \`npm run test:integration\` writes them` };
};
