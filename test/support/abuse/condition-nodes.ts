/** Nodes that the rows use: one for each size, so that no row finds what another left. */
import { type AbusiveRequest, MERGE_PATCH, NODES, node, patch, post, times } from './abuse.ts';

export const named = (prefix: string, size: number): string => `${prefix}-${size}`;

export const condition = (index: number) => ({ type: `Type${index}`, status: 'True' });

export const conditions = (count: number, status: string) =>
  times(count, (index) => ({ ...condition(index), status }));

export const statusOf = (name: string): string => `${NODES}/${name}/status`;

export const withConditions = (name: string, count: number): readonly AbusiveRequest[] => [
  post(NODES, node(name)),
  patch(statusOf(name), MERGE_PATCH, { status: { conditions: times(count, condition) } }),
];
