import type { TableNames } from '../../shared/adapters/dynamodb/schema.ts';

/**
 * Names of the resources that outlive a stack. They are derived from the stack's name, so that two clusters fit into one
 * account and a later stack with the same name finds the resources of the deleted one.
 */
export const keptTableName = (stackName: string, table: keyof TableNames): string => `${stackName}-${table}`;

export const keptSigningKeyName = (stackName: string): string => `${stackName}-signing-key`;
