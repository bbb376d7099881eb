/** Options of writes, in the query or in the body of a DELETE. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidObject, invalidValue, notSupported } from '../../kube/errors/field-error.ts';
import type { StatusError } from '../../kube/errors/status-error.ts';
import { badRequest } from '../../kube/errors/status-error.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import { quote } from '../../kube/text/go-quote.ts';
import { optional } from '../../kube/values/optional.ts';
import type { Propagation } from '../../rules/propagation.ts';
import { readOptions } from '../body/body.ts';
import { fieldManagerFaults } from '../body/field-manager.ts';
import { FIELD_VALIDATION } from '../body/field-validation.ts';
import type { HttpRequest } from '../contract/http.ts';

/** The 422 for invalid options; `kind` is their kind, such as `CreateOptions`. */
export const optionsError = (kind: string, errors: readonly FieldError[]): StatusError =>
  invalidObject({ kind, group: 'meta.k8s.io' }, '', errors);

/** Faults of the option `dryRun`. */
export const dryRunFaults = (values: readonly string[]): readonly FieldError[] =>
  values.every((value) => value === 'All') ? [] : [notSupported('dryRun', values, ['All'])];

/** Faults of the query parameter `fieldValidation`. */
export const fieldValidationFaults = (query: URLSearchParams): readonly FieldError[] => {
  const value = query.get('fieldValidation') ?? '';
  return (FIELD_VALIDATION as readonly string[]).includes(value)
    ? []
    : [notSupported('fieldValidation', value, FIELD_VALIDATION)];
};

/**
 * Whether a write is a dry run. Throws 422 for options with unknown values; `kind` is their kind, such as
 * `CreateOptions`.
 */
export const isDryRun = ({ query }: HttpRequest, kind: string): boolean => {
  const values = query.getAll('dryRun');
  const faults = [...fieldManagerFaults(query), ...dryRunFaults(values), ...fieldValidationFaults(query)];
  if (faults.length > 0) throw optionsError(kind, faults);
  return values.length > 0;
};

/**
 * The integer in a query parameter; `undefined` when it is absent or empty. Throws 400 with the message of Go's
 * parser.
 */
export const integerParameter = (query: URLSearchParams, name: string): number | undefined => {
  const value = query.get(name);
  if (value === null || value === '') return undefined;
  if (!/^[+-]?\d+$/.test(value))
    throw badRequest(`strconv.ParseInt: parsing ${quote(value)}: invalid syntax`);
  return Number(value);
};

/** The options of a deletion. */
export interface DeleteOptions extends Propagation {
  readonly gracePeriodSeconds?: number;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun: boolean;
}

/** The options of a deletion as clients send them. */
export interface WireDeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: DeleteOptions['preconditions'];
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly dryRun?: readonly string[];
}

const DELETE_OPTIONS = kindSchema('apis.meta.v1.DeleteOptions');

const readBody = (request: HttpRequest): WireDeleteOptions =>
  readOptions(request, 'DeleteOptions', DELETE_OPTIONS);

const FALSE: readonly string[] = ['0', 'f', 'F', 'false', 'False', 'FALSE'];

const readQuery = ({ query }: HttpRequest): WireDeleteOptions => {
  const grace = integerParameter(query, 'gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  const orphan = query.get('orphanDependents');
  return {
    dryRun: query.getAll('dryRun'),
    ...optional('gracePeriodSeconds', grace),
    ...(policy ? { propagationPolicy: policy } : {}),
    ...(orphan === null ? {} : { orphanDependents: !FALSE.includes(orphan) }),
  };
};

const POLICIES = ['Foreground', 'Background', 'Orphan'] as const;

const propagationFaults = ({
  propagationPolicy: policy,
  orphanDependents,
}: WireDeleteOptions): readonly FieldError[] => {
  if (policy === undefined) return [];
  if (orphanDependents !== undefined)
    return [
      invalidValue(
        'propagationPolicy',
        policy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    ];
  return (POLICIES as readonly string[]).includes(policy)
    ? []
    : [notSupported('propagationPolicy', policy, [...POLICIES, 'nil'])];
};

/** Throws 422 for invalid options of a deletion. */
export const checkDeleteOptions = (given: WireDeleteOptions): void => {
  const faults = [...dryRunFaults(given.dryRun ?? []), ...propagationFaults(given)];
  if (faults.length > 0) throw optionsError('DeleteOptions', faults);
};

/** Reads the options of a DELETE: those of the body or, if it is empty, of the query. Throws 400, 415 and 422. */
export const readDeleteOptions = (request: HttpRequest): DeleteOptions => {
  const given = request.body.byteLength === 0 ? readQuery(request) : readBody(request);
  const { gracePeriodSeconds, orphanDependents, propagationPolicy, dryRun = [] } = given;
  checkDeleteOptions(given);
  return {
    ...optional('gracePeriodSeconds', gracePeriodSeconds),
    ...optional('orphanDependents', orphanDependents),
    ...optional('propagationPolicy', propagationPolicy),
    preconditions: given.preconditions ?? {},
    dryRun: dryRun.length > 0,
  };
};
