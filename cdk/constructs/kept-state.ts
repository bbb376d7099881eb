/** Finds the tables and the signing key that a deleted stack left in the account. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { compareTables, type Finding } from '../../shared/adapters/dynamodb/upkeep/compare.ts';
import { createTableAdmin } from '../../shared/adapters/dynamodb/upkeep/dynamo-tables.ts';
import { type FoundTables, findTables } from '../../shared/adapters/dynamodb/upkeep/found-tables.ts';
import {
  forEachTable,
  keptSigningKeyName,
  keptTableName,
  type TableName,
} from '../../shared/adapters/dynamodb/upkeep/names.ts';
import { readRestored } from '../../shared/adapters/dynamodb/upkeep/restore/marker.ts';
import { tablesForFleet } from '../../shared/adapters/dynamodb/upkeep/wanted-tables.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { Configuration } from '../../shared/settings/aws/configuration.ts';
import type { BeatingFleet, CapacityUnits } from '../../shared/settings/aws/heartbeat-capacity.ts';
import { InvalidSettingsError } from '../../shared/settings/invalid-settings.ts';

export interface KeptTable {
  readonly tableArn: string;
  readonly tableStreamArn?: string;
}

/** The tables and the signing key of a deleted stack. */
export interface KeptState {
  readonly tables: Readonly<Record<TableName, KeptTable>>;
  /** ARN of the secret. */
  readonly signingKeyArn: string;
}

const missing = (what: string, cause: unknown): InvalidSettingsError => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new InvalidSettingsError(
    `state: "kept" found no ${what} (${reason}). It reuses the tables and the signing key of a deleted stack with the same name in this account and region; leave it out to create new ones.`,
  );
};

const describeKey = async (name: string): Promise<string> => {
  try {
    const { ARN = '' } = await new SecretsManagerClient({}).send(
      new DescribeSecretCommand({ SecretId: name }),
    );
    return ARN;
  } catch (error) {
    throw missing(`secret ${name}`, error);
  }
};

const lineOf = ({ table, words, repair }: Finding): string =>
  `  - ${table} ${words}${repair ? '' : ' (fatal: the command does not mend this)'}`;

/** The stack that is deployed, if there is one, may say otherwise. */
const unitsFlag = (findings: readonly Finding[], capacity: CapacityUnits | undefined): string => {
  if (findings.every(({ repair }) => repair?.kind !== 'billing')) return '';
  return ` --heartbeat-units ${capacity ? `${capacity.writes},${capacity.reads}` : 'none'}`;
};

/** Tables that differ from the schema are refused here: a deploy with them fails in functions, or works and loses something. */
const refusal = (
  stackName: string,
  generation: number,
  findings: readonly Finding[],
  capacity: CapacityUnits | undefined,
): InvalidSettingsError =>
  new InvalidSettingsError(
    [
      `state: "kept" refuses the tables of the stack ${stackName}, which are not what this version needs:`,
      ...findings.map(lineOf),
      `To do what is missing: rollcall aws repair --stack ${stackName}${generation === 1 ? '' : ` --generation ${generation}`}${unitsFlag(findings, capacity)}`,
    ].join('\n'),
  );

/** What the stack needs of the tables that were found. Throws an `InvalidSettingsError` that names all that is wrong with them. */
export const keptTables = (
  stackName: string,
  found: FoundTables,
  generation = 1,
  fleet?: BeatingFleet,
): KeptState['tables'] => {
  const absent = Object.values(found).find(({ description }) => description === undefined);
  if (absent) throw missing(`table ${absent.name}`, 'there is none of this name');
  const wanted = tablesForFleet(fleet);
  const findings = compareTables(found, wanted);
  if (findings.length > 0) throw refusal(stackName, generation, findings, wanted.heartbeats.capacity);
  return forEachTable((table) => {
    const { arn = '', streamArn } = found[table].description ?? {};
    return { tableArn: arn, ...optional('tableStreamArn', streamArn) };
  });
};

/** Throws if no restore has ended that made these tables: what they hold may be half of it. */
const checkRestored = async (
  client: DynamoDBClient,
  stackName: string,
  generation: number,
): Promise<void> => {
  if (generation === 1) return;
  const table = keptTableName(stackName, 'control', generation);
  const restoredTo = await readRestored({ client: DynamoDBDocumentClient.from(client), table, generation });
  if (restoredTo !== undefined) return;
  throw new InvalidSettingsError(
    `stateGeneration: no restore that made generation ${generation} has ended; run rollcall aws restore --stack ${stackName} again, with the same --at`,
  );
};

const describeTables = async (
  client: DynamoDBClient,
  stackName: string,
  generation: number,
): Promise<FoundTables> => {
  try {
    const nameOf = (table: TableName): string => keptTableName(stackName, table, generation);
    return await findTables(createTableAdmin(client), nameOf);
  } catch (error) {
    throw missing('table that it may describe', error);
  }
};

/**
 * Looks up the resources that a stack with this name left, and a restore made. Throws an `InvalidSettingsError` that names what is missing or
 * wrong.
 */
export const findKeptState = async (
  stackName: string,
  {
    stateGeneration: generation,
    heartbeatCapacity: fleet,
  }: Pick<Configuration, 'stateGeneration' | 'heartbeatCapacity'>,
): Promise<KeptState> => {
  const client = new DynamoDBClient({});
  const found = await describeTables(client, stackName, generation);
  const tables = keptTables(stackName, found, generation, fleet);
  await checkRestored(client, stackName, generation);
  return { tables, signingKeyArn: await describeKey(keptSigningKeyName(stackName)) };
};
