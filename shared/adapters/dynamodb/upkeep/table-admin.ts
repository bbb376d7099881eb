/** What the commands of an operator may ask of AWS about tables, and how AWS describes a table in the words of the schema. */
import type { EpochMs } from '../../../kube/values/time.ts';
import type { CapacityUnits } from '../../../settings/aws/heartbeat-capacity.ts';
import type { IndexSchema, TableSchema } from '../table/schema.ts';

export interface DescribedIndex extends IndexSchema {
  /** False while AWS builds it. */
  readonly isActive: boolean;
}

/** A table as a stack wants it. */
export interface WantedTable extends TableSchema {
  /** Absent: it is billed by request. Auto scaling moves the units of one that has some. */
  readonly capacity?: CapacityUnits;
}

/** A table as it is. */
export interface DescribedTable extends Pick<TableSchema, 'partitionKey' | 'sortKey' | 'isRestorable'> {
  readonly arn: string;
  /** False while AWS creates, restores or changes it. */
  readonly isActive: boolean;
  readonly indexes: readonly DescribedIndex[];
  /** What the records of its stream have; absent: it has none. */
  readonly stream?: string;
  readonly streamArn?: string;
  /** The attribute of its TTL; absent: rows do not expire. */
  readonly ttl?: string;
  readonly billing: 'PAY_PER_REQUEST' | 'PROVISIONED';
  /** Whether AWS refuses to delete it. */
  readonly isProtected: boolean;
  /** What it was restored from, and to which instant. */
  readonly origin?: { readonly sourceArn: string; readonly at: EpochMs };
}

/** One thing that AWS is asked to do to a table; `settle`: nothing but to finish what it does. */
export type Repair =
  | { readonly kind: 'settle' | 'billing' | 'stream' | 'ttl' | 'recovery' | 'protection' }
  | { readonly kind: 'index'; readonly index: IndexSchema };

export type Tags = Readonly<Record<string, string>>;

/** AWS answers before it has done what it was asked: whoever needs it done describes the table until it is. */
export interface TableAdmin {
  /** `undefined`: there is no table of this name. */
  describe(name: string): Promise<DescribedTable | undefined>;
  /**
   * Asks for a repair. `busy`: AWS does not take it now, because the table is being changed, or because too many are. Rejects with
   * AWS's other refusals.
   */
  repair(name: string, wanted: WantedTable, repair: Repair): Promise<'asked' | 'busy'>;
  /** Makes an empty table with its stream and its indexes; what else it needs are repairs. Does nothing if there is one of this name. */
  create(name: string, schema: TableSchema, tags: Tags): Promise<void>;
  /** The tags of a table, by its ARN. */
  tags(arn: string): Promise<Tags>;
  /** Adds tags to a table. */
  tag(arn: string, tags: Tags): Promise<void>;
}
