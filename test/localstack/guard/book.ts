/** Counts what each function calls and consumes, and notes what was refused, each once. */
import type { AwsCall } from './policy.ts';
import type { Refusal, Seen } from './seen.ts';
import type { Consumed } from './units.ts';

const add = (to: Map<string, number>, name: string, amount: number): void => {
  to.set(name, (to.get(name) ?? 0) + amount);
};

export const createBook = () => {
  const calls = new Map<string, number>();
  const units = new Map<string, number>();
  const refusals = new Map<string, Refusal>();
  return {
    note: (functionName: string, { action, resource }: AwsCall): void => {
      add(calls, `${functionName} ${action} ${resource}`, 1);
    },
    consume: (functionName: string, { kind, table, units: amount }: Consumed): void => {
      add(units, `${functionName} ${kind} ${table}`, amount);
    },
    refuse: (refusal: Refusal): void => {
      refusals.set(JSON.stringify(refusal), refusal);
    },
    seen: (): Seen => ({
      calls: Object.fromEntries(calls),
      units: Object.fromEntries(units),
      refusals: [...refusals.values()],
    }),
  };
};

export type Book = ReturnType<typeof createBook>;
