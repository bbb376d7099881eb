/**
 * The error for conflicts of an apply with other managers. Source: apimachinery v1.34
 * `util/managedfields/internal/conflict.go`.
 */
import { StatusError } from '../errors/status-error.ts';
import type { ManagerName } from './field-managers.ts';
import type { FieldSet } from './field-set.ts';
import { pathsOf } from './field-set.ts';
import { printPath } from './path-element.ts';

const printManager = ({ manager, operation, apiVersion, subresource }: ManagerName): string => {
  const name = `${JSON.stringify(manager)}${subresource ? ` with subresource ${JSON.stringify(subresource)}` : ''}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
};

interface Conflicts {
  readonly manager: string;
  readonly paths: readonly string[];
}

const summaryOf = (all: readonly Conflicts[]): string => {
  const count = all.reduce((sum, { paths }) => sum + paths.length, 0);
  const [first] = all;
  if (count === 1 && first)
    return `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.paths.join('')}`;
  const lines = all.flatMap(({ manager, paths }) => [
    `conflicts with ${manager}:`,
    ...paths.map((path) => `- ${path}`),
  ]);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
};

/** A 409 that names each conflicting field and its manager. */
export const applyConflict = (conflicts: readonly (readonly [ManagerName, FieldSet])[]): StatusError => {
  const all = conflicts.map(([manager, fields]) => ({
    manager: printManager(manager),
    paths: pathsOf(fields).map(printPath),
  }));
  const causes = all.flatMap(({ manager, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${manager}`, field })),
  );
  return new StatusError('Conflict', summaryOf(all), { causes });
};
