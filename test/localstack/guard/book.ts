/** Counts what each function calls, and notes what was refused, each once. */
import type { AwsCall } from './policy.ts';
import type { Refusal, Seen } from './seen.ts';

export const createBook = () => {
  const calls = new Map<string, number>();
  const refusals = new Map<string, Refusal>();
  return {
    note: (functionName: string, { action, resource }: AwsCall): void => {
      const name = `${functionName} ${action} ${resource}`;
      calls.set(name, (calls.get(name) ?? 0) + 1);
    },
    refuse: (refusal: Refusal): void => {
      refusals.set(JSON.stringify(refusal), refusal);
    },
    seen: (): Seen => ({ calls: Object.fromEntries(calls), refusals: [...refusals.values()] }),
  };
};

export type Book = ReturnType<typeof createBook>;
