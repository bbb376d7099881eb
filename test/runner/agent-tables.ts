/**
 * `npm run test:agent-tables [-- FOLDER] [--only TABLE,TABLE] [--show N]`: what the code of a real kubelet computed, row by row, against
 * what the agent computes from the same input. Each row is as recorded, or a named difference. A table is `NAME.jsonl` or `NAME.jsonl.gz`.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { Replays } from '../agent-tables/replay.ts';
import { NAMED_ROWS } from './named-differences.ts';
import { report, type Verdict } from './recorded-host.ts';

interface Row {
  readonly id: string;
  readonly in: unknown;
  readonly out: unknown;
}

const FORM = /^(.+)\.jsonl(\.gz)?$/;
const { values, positionals } = parseArgs({
  options: { only: { type: 'string' }, show: { type: 'string', default: '3' } },
  allowPositionals: true,
});
const [folder = 'test/conformance/agent'] = positionals;
const only = values.only?.split(',');

const loaded = await Promise.all(
  globSync('test/agent-tables/**/*.ts', { exclude: ['**/replay.ts'] }).map(
    async (path) => (await import(resolve(path))) as { readonly TABLES: Replays },
  ),
);
/** All tables that are replayed: those of each topic. */
const TABLES: Replays = Object.assign({}, ...loaded.map((topic) => topic.TABLES));

const rowsOf = (file: string): readonly Row[] => {
  const bytes = readFileSync(join(folder, file));
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
};

/** As it would be written: without members that are undefined. */
const asJson = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));

const computed = async (table: string, given: unknown): Promise<unknown> => {
  try {
    return asJson(await TABLES[table]?.(given));
  } catch (error) {
    return { thrown: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

const problemOf = async (table: string, row: Row): Promise<string | undefined> => {
  const got = await computed(table, row.in);
  const isEqual = isDeepStrictEqual(got, row.out);
  const named = NAMED_ROWS[row.id];
  if (isEqual) return named && `is as recorded, and still listed under ${named}`;
  if (named) return undefined;
  return `\n  in       ${JSON.stringify(row.in)}\n  recorded ${JSON.stringify(row.out)}\n  got      ${JSON.stringify(got)}`;
};

const verdictsOf = async (table: string, rows: readonly Row[]): Promise<readonly Verdict[]> => {
  const verdicts: Verdict[] = [];
  let shown = 0;
  for (const row of rows) {
    const problem = await problemOf(table, row);
    if (problem === undefined) verdicts.push({ name: row.id });
    else verdicts.push({ name: row.id, problem: shown++ < Number(values.show) ? problem : 'differs, too' });
  }
  const equal = verdicts.filter(({ problem }) => problem === undefined).length;
  console.log(`${table}: ${equal} of ${rows.length} rows`);
  return verdicts;
};

const verdicts: Verdict[] = [];
let skipped = 0;
for (const file of readdirSync(folder).toSorted()) {
  const [, table] = FORM.exec(file) ?? [];
  if (table === undefined || (only && !only.includes(table))) continue;
  const rows = rowsOf(file);
  if (table in TABLES) verdicts.push(...(await verdictsOf(table, rows)));
  else {
    skipped += rows.length;
    console.log(`${table}: ${rows.length} rows skipped: the agent has no rules for this table`);
  }
}
report('test:agent-tables', verdicts, skipped);
