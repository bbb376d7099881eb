// Faults that DynamoDB Local never has: put between the stores and the client, below them nothing is changed.
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export type Fault =
  /** None. */
  | { readonly kind: 'none' }
  /** The request does not reach the service. */
  | { readonly kind: 'refused'; readonly error: Error }
  /** The request takes effect, its answer is lost. */
  | { readonly kind: 'lost'; readonly error: Error }
  /** The request takes effect, its answer is lost, and the SDK sends it again. */
  | { readonly kind: 'repeated' }
  /** A batch of keys is answered for its first one; the others come back unprocessed. */
  | { readonly kind: 'partial' };

const METADATA = { $metadata: { httpStatusCode: 400 } };

export const namedError = (name: string, httpStatusCode = 400): Error =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode } });

export const connectionError = (code: string): Error => Object.assign(new Error(code), { code });

export const cancelled = (...codes: readonly string[]): Error =>
  new TransactionCanceledException({
    ...METADATA,
    message: `cancelled: ${codes.join(', ')}`,
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

interface Wanted {
  readonly Keys?: readonly unknown[];
}

/** The same request for part of the keys of its tables. */
const withKeys = (requestItems: unknown, part: (keys: readonly unknown[]) => readonly unknown[]) =>
  Object.fromEntries(
    Object.entries(requestItems ?? {}).map(([table, wanted]: [string, Wanted]) => [
      table,
      { ...wanted, Keys: part(wanted.Keys ?? []) },
    ]),
  );

/** A request, and what carries it out. */
type Send<Args, Result> = (args: Args) => Promise<Result>;

/** A batch of keys, for its first one. */
const partially = async <Args extends { readonly input: object }, Result extends { readonly output: object }>(
  next: Send<Args, Result>,
  args: Args,
): Promise<Result> => {
  const wanted = 'RequestItems' in args.input ? args.input.RequestItems : {};
  const first = { RequestItems: withKeys(wanted, (keys) => keys.slice(0, 1)) };
  const partial = await next({ ...args, input: Object.assign({ ...args.input }, first) });
  Object.assign(partial.output, { UnprocessedKeys: withKeys(wanted, (keys) => keys.slice(1)) });
  return partial;
};

/** The next requests of the client meet the planned faults, one each; `calls` counts all of them. */
export const injectFaults = (client: DynamoDBDocumentClient) => {
  let planned: readonly Fault[] = [];
  let calls = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      calls += 1;
      const [fault, ...others] = planned;
      planned = others;
      if (fault?.kind === 'refused') throw fault.error;
      if (fault?.kind === 'partial') return partially(next, args);
      const result = await next(args);
      if (fault?.kind === 'repeated') return next(args);
      if (fault && 'error' in fault) throw fault.error;
      return result;
    },
    { step: 'initialize', name: 'injectFaults' },
  );
  return {
    plan: (...faults: readonly Fault[]): void => {
      planned = faults;
      calls = 0;
    },
    calls: (): number => calls,
  };
};
