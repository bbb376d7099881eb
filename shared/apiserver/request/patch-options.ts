import { forbiddenField, required } from '../../kube/errors/field-error.ts';
import { fieldManagerFaults } from '../body/field-manager.ts';
import type { PatchType } from '../body/patches.ts';
import type { HttpRequest } from '../contract/http.ts';
import { dryRunFaults, fieldValidationFaults, optionsError } from './options.ts';

/** The options of a PATCH. */
export interface PatchOptions {
  readonly dryRun: boolean;
  /** Only for an apply: whether it takes over fields that other managers own. */
  readonly force: boolean;
}

const isTrue = (value: string | null): boolean =>
  value !== null && value.toLowerCase() !== 'false' && value !== '0';

const typeFaults = ({ query }: HttpRequest, type: PatchType) => {
  if (type !== 'apply')
    return query.has('force') ? [forbiddenField('force', 'may not be specified for non-apply patch')] : [];
  return query.get('fieldManager') ? [] : [required('fieldManager', 'is required for apply patch')];
};

/** Reads the options of a PATCH. Throws 422. Source: apimachinery v1.34 `ValidatePatchOptions`. */
export const readPatchOptions = (request: HttpRequest, type: PatchType): PatchOptions => {
  const { query } = request;
  const dryRun = query.getAll('dryRun');
  const faults = [
    ...typeFaults(request, type),
    ...fieldManagerFaults(query),
    ...dryRunFaults(dryRun),
    ...fieldValidationFaults(query),
  ];
  if (faults.length > 0) throw optionsError('PatchOptions', faults);
  return { dryRun: dryRun.length > 0, force: isTrue(query.get('force')) };
};
