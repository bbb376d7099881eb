/** Counts what each function calls, and notes what its role does not allow. */
import type { AwsCall } from './policy.ts';
import type { Denial, Seen } from './seen.ts';

export const createBook = () => {
  const calls = new Map<string, number>();
  const denials = new Map<string, Denial>();
  return {
    note: (functionName: string, { action }: AwsCall): void => {
      const name = `${functionName} ${action}`;
      calls.set(name, (calls.get(name) ?? 0) + 1);
    },
    deny: (functionName: string, { action, resource }: AwsCall): void => {
      denials.set(`${functionName} ${action} ${resource}`, { functionName, action, resource });
    },
    seen: (): Seen => ({ calls: Object.fromEntries(calls), denials: [...denials.values()] }),
  };
};

export type Book = ReturnType<typeof createBook>;
