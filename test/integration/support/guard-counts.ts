/** What functions called and consumed in a while, as the guard has counted it. */
import { setTimeout as wait } from 'node:timers/promises';
import { readSeen, type Seen } from '../../localstack/guard/seen.ts';

const guard = process.env['ROLLCALL_GUARD'] ?? '';

/** Whether there is a guard: a LocalStack that somebody else has started has none. */
export const hasGuard = guard !== '';

type Counts = Readonly<Record<string, number>>;

/** Of one function: a folder, or a group of controllers, as its id has it, such as `NodeMonitor`. */
export interface FunctionCounts {
  /** Calls of an action of a service on a resource whose name ends so. */
  calls(action: string, resource: string): number;
  /** DynamoDB's units of a table. */
  units(kind: 'read' | 'write', table: string): number;
}

const sumOf = (before: Counts, after: Counts, isCounted: (name: string) => boolean): number =>
  Object.entries(after)
    .filter(([name]) => isCounted(name))
    .reduce((sum, [name, count]) => sum + count - (before[name] ?? 0), 0);

const countsBetween =
  (before: Seen, after: Seen) =>
  (id: string): FunctionCounts => {
    const isOf = (name: string): boolean => name.includes(`-${id}Function`);
    return {
      calls: (action, resource) =>
        sumOf(
          before.calls,
          after.calls,
          (name) => isOf(name) && name.includes(` ${action} `) && name.endsWith(resource),
        ),
      units: (kind, table) =>
        sumOf(
          before.units,
          after.units,
          (name) => isOf(name) && name.includes(` ${kind} `) && name.endsWith(`-${table}`),
        ),
    };
  };

/** Waits, and tells what each function did meanwhile. */
export const countFor = async (ms: number): Promise<(id: string) => FunctionCounts> => {
  const before = await readSeen(guard);
  await wait(ms);
  return countsBetween(before, await readSeen(guard));
};
