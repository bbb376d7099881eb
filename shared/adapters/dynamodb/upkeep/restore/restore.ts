/** Restores the tables of a stack into the next generation. Each step looks at what is there, so that a restore goes on where it was ended. */
import type { EpochMs } from '../../../../kube/values/time.ts';
import { toTime } from '../../../../kube/values/time.ts';
import { TABLES } from '../../table/schema.ts';
import { keptTableName, TABLE_NAMES, type TableName } from '../names.ts';
import { type RepairDeps, repairTables, TableProblem } from '../repair.ts';
import type { DescribedTable, TableAdmin, Tags } from '../table-admin.ts';
import type { WantedTables } from '../wanted-tables.ts';
import type { TableRestorer } from './restorer.ts';

/** What is restored, and to when. */
export interface Restore {
  readonly stack: string;
  /** The generation that is restored. It is left as it is; the next one is made. */
  readonly generation: number;
  /** A whole second. */
  readonly at: EpochMs;
  /** AWS restores all tables billed by request; what is wanted is a repair. */
  readonly wanted: WantedTables;
}

/** The rows of the new table `control`. */
export interface RestoredRows {
  /** Takes from them what does not hold for an earlier instant. */
  renew(now: EpochMs): Promise<void>;
  /** Whether a restore has ended. */
  isDone(): Promise<boolean>;
  /** Says that the restore to `at` has ended. */
  markDone(at: EpochMs): Promise<void>;
}

export interface RestoreDeps extends RepairDeps {
  readonly admin: TableAdmin;
  readonly restorer: TableRestorer;
  readonly rows: (control: string, generation: number) => RestoredRows;
  readonly now: () => EpochMs;
}

/** By this tag a later run knows the table `changes` of a restore: AWS says nothing about it. */
const RESTORED_TO = 'rollcall.dev/restored-to';
const LOOK_MS = 5_000;

const RESTORED = TABLE_NAMES.filter((table) => TABLES[table].isRestorable);
const EMPTY = TABLE_NAMES.filter((table) => !TABLES[table].isRestorable);

/** One run. */
interface Run {
  readonly deps: RestoreDeps;
  readonly restore: Restore;
}

const fromOf = ({ restore: { stack, generation } }: Run, table: TableName): string =>
  keptTableName(stack, table, generation);

const toOf = ({ restore: { stack, generation } }: Run, table: TableName): string =>
  keptTableName(stack, table, generation + 1);

const sourceOf = async (run: Run, table: TableName): Promise<DescribedTable> => {
  const found = await run.deps.admin.describe(fromOf(run, table));
  if (found) return found;
  throw new TableProblem(`there is no table ${fromOf(run, table)} to restore`);
};

/** Whether a restore of the same table to the same instant made this one. */
const isOurs = async (run: Run, table: TableName, is: DescribedTable): Promise<boolean> => {
  const { deps, restore } = run;
  if (!TABLES[table].isRestorable) return (await deps.admin.tags(is.arn))[RESTORED_TO] === toTime(restore.at);
  return is.origin?.at === restore.at && is.origin.sourceArn === (await sourceOf(run, table)).arn;
};

/** The table as it is; `undefined`: there is none. Throws a `TableProblem` if another restore, or somebody else, made it. */
const targetOf = async (run: Run, table: TableName): Promise<DescribedTable | undefined> => {
  const name = toOf(run, table);
  const is = await run.deps.admin.describe(name);
  if (is === undefined || (await isOurs(run, table, is))) return is;
  throw new TableProblem(
    `${name} exists, and no restore to ${toTime(run.restore.at)} made it; delete it, or give the instant of the restore that did`,
  );
};

const checkWindow = async (run: Run, table: TableName): Promise<void> => {
  const name = fromOf(run, table);
  const window = await run.deps.restorer.window(name);
  if (window === undefined) throw new TableProblem(`${name} has no point-in-time recovery`);
  const { earliest, latest } = window;
  if (run.restore.at < earliest || run.restore.at > latest)
    throw new TableProblem(
      `${name} can be restored to instants from ${toTime(earliest)} to ${toTime(latest)}`,
    );
};

/** Step 1. Returns the tables that are not there yet. */
const check = async (run: Run): Promise<readonly TableName[]> => {
  const absent: TableName[] = [];
  for (const table of TABLE_NAMES) if (!(await targetOf(run, table))) absent.push(table);
  for (const table of RESTORED.filter((one) => absent.includes(one))) {
    await sourceOf(run, table);
    await checkWindow(run, table);
  }
  return absent;
};

/** Waits until AWS has made the table. */
const awaitActive = async (run: Run, table: TableName): Promise<void> => {
  while (!(await targetOf(run, table))?.isActive) await run.deps.wait(LOOK_MS);
};

/** Step 2. The old log is of a later time than the restored counters, so `changes` is not restored. */
const restoreTables = async (run: Run, absent: readonly TableName[]): Promise<void> => {
  const { restorer, say } = run.deps;
  for (const table of RESTORED.filter((one) => absent.includes(one))) {
    say(`${toOf(run, table)}: restoring ${fromOf(run, table)} as it was at ${toTime(run.restore.at)}`);
    await restorer.restore(fromOf(run, table), toOf(run, table), run.restore.at);
  }
  say('waiting until AWS has restored the tables: minutes to hours');
  for (const table of RESTORED) await awaitActive(run, table);
};

/** What the operator put on the old table. AWS gives tags that begin with `aws:` itself. */
const tagsFor = async (run: Run, table: TableName): Promise<Tags> => {
  const { admin } = run.deps;
  const source = await admin.describe(fromOf(run, table));
  const tags = Object.entries(source ? await admin.tags(source.arn) : {});
  const own = tags.filter(([name]) => !name.startsWith('aws:'));
  return { ...Object.fromEntries(own), [RESTORED_TO]: toTime(run.restore.at) };
};

/** Step 3. */
const createEmpty = async (run: Run, absent: readonly TableName[]): Promise<void> => {
  for (const table of EMPTY) {
    if (absent.includes(table)) {
      run.deps.say(`${toOf(run, table)}: creating it empty`);
      await run.deps.admin.create(toOf(run, table), TABLES[table], await tagsFor(run, table));
    }
    await awaitActive(run, table);
  }
};

/** Step 4. */
const repair = async (run: Run): Promise<void> => {
  const { admin } = run.deps;
  await repairTables(run.deps, (table) => toOf(run, table), run.restore.wanted);
  for (const table of RESTORED) {
    const target = await admin.describe(toOf(run, table));
    if (target) await admin.tag(target.arn, await tagsFor(run, table));
  }
};

/** Steps 5 and 6. */
const renewRows = async (run: Run, rows: RestoredRows): Promise<void> => {
  const { say, now } = run.deps;
  say(`${toOf(run, 'control')}: taking out what does not hold for an earlier instant`);
  await rows.renew(now());
  await rows.markDone(run.restore.at);
};

/** Restores. Throws a `TableProblem`; whatever ends it, it may be run again with the same instant. */
export const restoreTablesTo = async (deps: RestoreDeps, restore: Restore): Promise<void> => {
  const run: Run = { deps, restore };
  const absent = await check(run);
  const rows = deps.rows(toOf(run, 'control'), restore.generation + 1);
  // Tables that were deployed must not be renewed again.
  if (absent.length === 0 && (await targetOf(run, 'control'))?.isActive && (await rows.isDone())) return;
  await restoreTables(run, absent);
  await createEmpty(run, absent);
  await repair(run);
  await renewRows(run, rows);
};
