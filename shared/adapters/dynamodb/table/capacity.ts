/** The capacity that requests consume, for benchmarks and contract tests. */
import type { ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The capacity units of one request, over all its tables and indexes. A request consumes either read or write units. */
export interface Consumed {
  readonly command: string;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** Called with the capacity that a request has consumed. */
export type ObserveCapacity = (consumed: Consumed) => void;

const READS = new Set([
  'GetItemCommand',
  'QueryCommand',
  'ScanCommand',
  'BatchGetItemCommand',
  'TransactGetItemsCommand',
]);

const capacitiesIn = (output: object): readonly ConsumedCapacity[] => {
  if (!('ConsumedCapacity' in output) || !output.ConsumedCapacity) return [];
  const found: ConsumedCapacity | readonly ConsumedCapacity[] = output.ConsumedCapacity;
  return Array.isArray(found) ? found : [found];
};

const consumedBy = (command: string, output: object): Consumed => {
  const units = capacitiesIn(output).reduce((sum, { CapacityUnits }) => sum + (CapacityUnits ?? 0), 0);
  return READS.has(command)
    ? { command, readUnits: units, writeUnits: 0 }
    : { command, readUnits: 0, writeUnits: units };
};

/** Makes each request of the client ask for its consumed capacity, and passes that to `observe`. */
export const observeCapacity = (client: DynamoDBClient, observe: ObserveCapacity): void => {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' as const };
      const result = await next({ ...args, input });
      observe(consumedBy(context.commandName ?? '', result.output));
      return result;
    },
    { step: 'initialize', name: 'observeCapacity' },
  );
};

/** Sums up the capacity that a client consumes. Pass its `observe` to `createDocumentClient` as `onCapacity`. */
export const createCapacityMeter = () => {
  let requests: readonly Consumed[] = [];
  return {
    observe: (consumed: Consumed): void => {
      requests = [...requests, consumed];
    },
    /** The capacity consumed since the last call. */
    take: () => {
      const taken = requests;
      requests = [];
      return {
        requests: taken.length,
        readUnits: taken.reduce((sum, { readUnits }) => sum + readUnits, 0),
        writeUnits: taken.reduce((sum, { writeUnits }) => sum + writeUnits, 0),
      };
    },
  };
};
