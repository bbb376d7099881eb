/** Does what is missing of tables, one thing after the other. */
import { compareTable, compareTables, type Finding } from './compare.ts';
import { findTables } from './found-tables.ts';
import { TABLE_NAMES, type TableName } from './names.ts';
import type { Repair, TableAdmin, WantedTable } from './table-admin.ts';
import type { WantedTables } from './wanted-tables.ts';

export interface RepairDeps {
  readonly admin: Pick<TableAdmin, 'describe' | 'repair'>;
  /** Resolves after `ms` milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  /** Tells the operator of one step. */
  readonly say: (text: string) => void;
}

/** A table that cannot be repaired. */
export class TableProblem extends Error {
  override readonly name = 'TableProblem';
}

const LOOK_MS = 2_000;
/** AWS shows what it was asked for within seconds. Looks. */
const PATIENCE = 150;
/** In place of a number of looks: AWS has not taken it. */
const BUSY = -1;

const STEPS = {
  settle: 'AWS is at work; waiting',
  billing: 'the billing',
  stream: 'the stream',
  ttl: 'the TTL',
  recovery: 'point-in-time recovery',
  protection: 'protection against deletion',
} as const;

const stepOf = (repair: Repair): string =>
  repair.kind === 'index' ? `the index ${repair.index.name}` : STEPS[repair.kind];

/** The repair that comes first. Throws a `TableProblem` if it is none. */
const firstRepair = ([finding]: readonly Finding[]): Repair | undefined => {
  if (finding && !finding.repair) throw new TableProblem(`${finding.table} ${finding.words}`);
  return finding?.repair;
};

/** A table, and how often AWS was looked at since it was asked, by step; -1: it was busy. */
interface Work {
  readonly name: string;
  readonly schema: WantedTable;
  readonly looks: Map<string, number>;
}

const askFor = async (repair: Repair, { name, schema, looks }: Work, { admin, say }: RepairDeps) => {
  const step = stepOf(repair);
  if (!looks.has(step)) say(`${name}: ${step}`);
  const answer = await admin.repair(name, schema, repair);
  if (answer === 'busy' && !looks.has(step)) say(`${name}: AWS is busy with it; waiting`);
  looks.set(step, answer === 'busy' ? BUSY : 0);
};

const lookAgain = (repair: Repair, { name, looks }: Work, seen: number): void => {
  const step = stepOf(repair);
  looks.set(step, seen + 1);
  if (seen >= PATIENCE && repair.kind !== 'settle')
    throw new TableProblem(`AWS was asked for ${step} of ${name}, and does not show it; try again later`);
};

/**
 * Looks at a table, asks for what is missing first, and looks again until nothing is missing. So it may be ended at any time, and run
 * again; two of them at a time do no harm. An index of many rows takes AWS hours. Throws a `TableProblem` for what is fatal, or is
 * not done though AWS was asked.
 */
export const repairTable = async (deps: RepairDeps, name: string, schema: WantedTable): Promise<void> => {
  const work: Work = { name, schema, looks: new Map() };
  for (;;) {
    const repair = firstRepair(compareTable({ name, description: await deps.admin.describe(name) }, schema));
    if (repair === undefined) return;
    const seen = work.looks.get(stepOf(repair)) ?? BUSY;
    if (seen === BUSY) await askFor(repair, work, deps);
    else lookAgain(repair, work, seen);
    await deps.wait(LOOK_MS);
  }
};

/** The same of all tables. Throws a `TableProblem`, before anything is done, about all that is fatal. */
export const repairTables = async (
  deps: RepairDeps,
  nameOf: (table: TableName) => string,
  wanted: WantedTables,
): Promise<void> => {
  const findings = compareTables(await findTables(deps.admin, nameOf), wanted);
  const fatal = findings.filter(({ repair }) => repair === undefined);
  if (fatal.length > 0)
    throw new TableProblem(fatal.map(({ table, words }) => `${table} ${words}`).join('; '));
  for (const table of TABLE_NAMES) await repairTable(deps, nameOf(table), wanted[table]);
};
