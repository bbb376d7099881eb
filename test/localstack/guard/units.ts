/** Asks DynamoDB Local what a request consumes: without the question its answer does not say it. */

/** What a request consumed of one table, indexes included. */
export interface Consumed {
  readonly kind: 'read' | 'write';
  readonly table: string;
  readonly units: number;
}

const ANSWERED = /^DynamoDB_20120810\.(Batch|Transact)?(Get|Query|Scan|Put|Update|Delete|Write)/;
const READS: readonly (string | undefined)[] = ['Get', 'Query', 'Scan'];

/** What a request to DynamoDB does; `undefined`: it consumes nothing, as one that describes a table. */
export const kindOf = (target: string): Consumed['kind'] | undefined => {
  const found = ANSWERED.exec(target);
  if (!found) return undefined;
  return READS.includes(found[2]) ? 'read' : 'write';
};

/** The body of a request, with the question. */
export const askingForUnits = (body: string): string =>
  JSON.stringify({ ...JSON.parse(body), ReturnConsumedCapacity: 'TOTAL' });

/** A batch of reads has its keys, and how it reads, by table. */
interface Read {
  readonly ConsistentRead?: boolean;
  readonly Keys?: readonly unknown[];
}

interface Request extends Read {
  readonly RequestItems?: Readonly<Record<string, Read>>;
}

interface Answer {
  readonly ConsumedCapacity?: Capacity | readonly Capacity[];
}

interface Capacity {
  readonly TableName?: string;
  readonly CapacityUnits?: number;
}

/** What AWS takes at least for a read that finds nothing, where DynamoDB Local takes none. */
const leastUnits = ({ ConsistentRead, Keys = [undefined] }: Read): number =>
  Keys.length * (ConsistentRead ? 1 : 0.5);

/** What a request consumed by its answer: of one table, or of each table of a batch or a transaction. */
export const consumedBy = (kind: Consumed['kind'], sent: string, answered: string): readonly Consumed[] => {
  const request = JSON.parse(sent) as Request;
  const { ConsumedCapacity: given = [] } = JSON.parse(answered) as Answer;
  return [given].flat().map(({ TableName: table = '', CapacityUnits: units = 0 }: Capacity) => {
    const read = request.RequestItems?.[table] ?? request;
    return { kind, table, units: kind === 'read' ? Math.max(units, leastUnits(read)) : units };
  });
};
