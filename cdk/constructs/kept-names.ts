import type { TableNames } from '../../shared/adapters/dynamodb/table/schema.ts';

/**
 * Name of a table. Tables and the secret may outlive their stack. Their names contain the stack's name, so that two clusters fit
 * into one account, and a later stack with the same name finds the resources of the deleted one.
 */
export const keptTableName = (stackName: string, table: keyof TableNames): string => `${stackName}-${table}`;

/** Name of the secret with the signing keys. */
export const keptSigningKeyName = (stackName: string): string => `${stackName}-signing-key`;
