/** Finds the tables and the signing key that a deleted stack left in the account. */
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { TABLES, type TableNames } from '../../shared/adapters/dynamodb/table/schema.ts';
import { InvalidSettingsError } from '../../shared/settings/invalid-settings.ts';
import { keptSigningKeyName, keptTableName } from './kept-names.ts';

export interface KeptTable {
  readonly tableArn: string;
  readonly tableStreamArn?: string;
}

/** The tables and the signing key of a deleted stack. */
export interface KeptState {
  readonly tables: Readonly<Record<keyof TableNames, KeptTable>>;
  /** ARN of the secret. */
  readonly signingKeyArn: string;
}

const missing = (what: string, cause: unknown): InvalidSettingsError => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new InvalidSettingsError(
    `state: "kept" found no ${what} (${reason}). It reuses the tables and the signing key of a deleted stack with the same name in this account and region; leave it out to create new ones.`,
  );
};

const describeTable = async (client: DynamoDBClient, name: string): Promise<KeptTable> => {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    const { TableArn: tableArn = '', LatestStreamArn } = Table ?? {};
    return { tableArn, ...(LatestStreamArn === undefined ? {} : { tableStreamArn: LatestStreamArn }) };
  } catch (error) {
    throw missing(`table ${name}`, error);
  }
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

const isTable = (name: string): name is keyof TableNames => Object.hasOwn(TABLES, name);

/**
 * Looks up the resources that a stack with this name left. Throws an `InvalidSettingsError` that names a missing one.
 */
export const findKeptState = async (stackName: string): Promise<KeptState> => {
  const client = new DynamoDBClient({});
  const names = Object.keys(TABLES).filter(isTable);
  const found = await Promise.all(names.map((name) => describeTable(client, keptTableName(stackName, name))));
  const tables = Object.fromEntries(names.map((name, index) => [name, found[index]]));
  return {
    tables: tables as KeptState['tables'],
    signingKeyArn: await describeKey(keptSigningKeyName(stackName)),
  };
};
