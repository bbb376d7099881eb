import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  StreamViewType,
  Table,
} from 'aws-cdk-lib/aws-dynamodb';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { type AccessGroup, requestsOf } from '../../shared/adapters/dynamodb/access.ts';
import type {
  IndexSchema,
  KeyAttribute,
  TableNames,
  TableSchema,
} from '../../shared/adapters/dynamodb/table/schema.ts';
import { keptTableName } from '../../shared/adapters/dynamodb/upkeep/names.ts';
import { tablesForFleet } from '../../shared/adapters/dynamodb/upkeep/wanted-tables.ts';
import type { BeatingFleet } from '../../shared/settings/aws/heartbeat-capacity.ts';
import { acknowledge } from './acknowledge.ts';
import type { KeptState } from './kept-state.ts';

export interface StateTablesProps {
  /** `retain` keeps the tables and protects them against deletion; `destroy` deletes them with the stack. */
  readonly removalPolicy: 'retain' | 'destroy';
  /** The state of an earlier stack, whose tables are reused. Without it, the tables are created. */
  readonly kept: KeptState | undefined;
  /** The fleet for whose beats capacity is provisioned. */
  readonly heartbeatCapacity: BeatingFleet | undefined;
}

/** Patterns of partition keys, with `*` for any characters. */
export type Partitions = Partial<Readonly<Record<keyof TableNames, readonly string[]>>>;

const ATTRIBUTE_TYPE = { S: AttributeType.STRING, N: AttributeType.NUMBER, B: AttributeType.BINARY } as const;

const attribute = ({ name, type }: KeyAttribute) => ({ name, type: ATTRIBUTE_TYPE[type] });

const keys = ({ partitionKey, sortKey }: Pick<TableSchema, 'partitionKey' | 'sortKey'>) => ({
  partitionKey: attribute(partitionKey),
  ...(sortKey ? { sortKey: attribute(sortKey) } : {}),
});

const projection = ({ projection: given }: IndexSchema) => {
  if (given === 'keys') return { projectionType: ProjectionType.KEYS_ONLY };
  if (given === 'all') return { projectionType: ProjectionType.ALL };
  return { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...given] };
};

/** The four tables of the schema. */
export class StateTables extends Construct {
  readonly #tables: Readonly<Record<keyof TableNames, Table | ITable>>;

  constructor(scope: Construct, id: string, props: StateTablesProps) {
    super(scope, id);
    this.#tables = {
      objects: this.#table('objects', props),
      changes: this.#table('changes', props),
      heartbeats: this.#table('heartbeats', props),
      control: this.#table('control', props),
    };
  }

  /** ARN of the stream of committed changes, which the change router reads. */
  get streamArn(): string {
    const { tableStreamArn } = this.#tables.objects;
    if (tableStreamArn === undefined)
      throw new Error('the table `objects` has no stream, which the change router needs');
    return tableStreamArn;
  }

  /** The tables' names, as environment variables of the functions. */
  get environment() {
    const { objects, changes, heartbeats, control } = this.#tables;
    return {
      OBJECTS_TABLE: objects.tableName,
      CHANGES_TABLE: changes.tableName,
      HEARTBEATS_TABLE: heartbeats.tableName,
      CONTROL_TABLE: control.tableName,
    };
  }

  /** Grants exactly the requests of the given groups of store methods. */
  grant(grantee: IGrantable, ...groups: readonly AccessGroup[]): void {
    this.grantKeys(grantee, {}, ...groups);
  }

  /** As `grant`, for items of these partitions only: patterns of partition keys by table. A table that is not named is granted whole. */
  grantKeys(grantee: IGrantable, partitions: Partitions, ...groups: readonly AccessGroup[]): void {
    for (const { table, index, actions } of requestsOf(groups)) {
      const { tableArn } = this.#tables[table];
      const resource = index === undefined ? tableArn : `${tableArn}/index/${index}`;
      const statement = new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [resource],
      });
      const keys = partitions[table];
      if (keys) statement.addCondition('ForAllValues:StringLike', { 'dynamodb:LeadingKeys': keys });
      grantee.grantPrincipal.addToPrincipalPolicy(statement);
    }
  }

  /** Grants reading the stream of committed changes. */
  grantStream(grantee: IGrantable): void {
    this.#tables.objects.grantStreamRead(grantee);
  }

  #table(name: keyof TableNames, props: StateTablesProps): Table | ITable {
    const { kept } = props;
    return kept ? Table.fromTableAttributes(this, name, kept.tables[name]) : this.#createTable(name, props);
  }

  #createTable(name: keyof TableNames, { removalPolicy, heartbeatCapacity }: StateTablesProps): Table {
    const { capacity, ...schema } = tablesForFleet(heartbeatCapacity)[name];
    const isKept = removalPolicy === 'retain';
    const table = new Table(this, name, {
      tableName: keptTableName(Stack.of(this).stackName, name),
      ...keys(schema),
      ...(capacity
        ? {
            billingMode: BillingMode.PROVISIONED,
            readCapacity: capacity.reads,
            writeCapacity: capacity.writes,
          }
        : { billingMode: BillingMode.PAY_PER_REQUEST }),
      timeToLiveAttribute: schema.ttl,
      ...(schema.stream ? { stream: StreamViewType.NEW_AND_OLD_IMAGES } : {}),
      deletionProtection: isKept,
      removalPolicy: isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      ...(schema.isRestorable
        ? { pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true } }
        : {}),
    });
    if (!schema.isRestorable)
      acknowledge(
        table,
        'AwsSolutions-DDB3',
        'The table holds three hours of history, which a restore would not need',
      );
    for (const index of schema.indexes) {
      table.addGlobalSecondaryIndex({ indexName: index.name, ...keys(index), ...projection(index) });
    }
    return table;
  }
}
