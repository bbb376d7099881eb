/** The capacity that requests consume, for benchmarks and contract tests. */
import type { ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Units of one request over all its tables and indexes; an unconditional read costs nothing to write, and vice versa. */
export interface Consumed {
  readonly command: string;
  readonly readUnits: number;
  readonly writeUnits: number;
}

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

/** Asks for the consumed capacity with each request of the client and passes it on. */
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

/** Sums up what a client consumes: pass `observe` to `createDocumentClient`. */
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
