import type { TableNames } from '../../shared/adapters/dynamodb/schema.ts';

/**
 * Names of what outlives a stack. They follow from the stack's name, so that two clusters fit into one account and a later
 * stack of the same name finds what an earlier one left.
 */
export const keptTableName = (stackName: string, table: keyof TableNames): string => `${stackName}-${table}`;

export const keptSigningKeyName = (stackName: string): string => `${stackName}-signing-key`;
