import { existsSync, readFileSync } from 'node:fs';
import type { Bench, Figure } from './figures.ts';

const FOLDER = 'test-results/integration';
const FILES = ['stack.json', 'figures.json'] as const;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every number of a document, named by the way to it. */
const numbersIn = (value: unknown, path: readonly string[]): readonly Figure[] => {
  if (typeof value === 'number') return [{ name: path.join(' '), unit: '', value }];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => numbersIn(inner, [...path, key]));
};

const figuresIn = (file: string): readonly Figure[] => {
  const path = `${FOLDER}/${file}`;
  return existsSync(path) ? numbersIn(JSON.parse(readFileSync(path, 'utf8')), []) : [];
};

/** What the last run of the integration tests measured; nothing is started here. */
export const localstack: Bench = async () => {
  const figures = FILES.flatMap(figuresIn);
  return figures.length > 0
    ? figures
    : { skipped: `no figures in ${FOLDER}: \`npm run test:integration\` writes them` };
};
