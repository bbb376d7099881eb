/** Options that travel in the query or in a DELETE's body. */
import type { FieldError } from '../api/field-error.ts';
import { invalidObject, invalidValue, notSupported } from '../api/field-error.ts';
import { decode } from '../api/schema/decode.ts';
import { kindSchema } from '../api/schema/schema-of.ts';
import type { StatusError } from '../api/status-error.ts';
import { badRequest } from '../api/status-error.ts';
import { checkMediaType, parseJson } from './body.ts';
import type { HttpRequest } from './http.ts';

const optionsError = (kind: string, errors: readonly FieldError[]): StatusError =>
  invalidObject({ kind, group: 'meta.k8s.io' }, '', errors);

const dryRunFaults = (values: readonly string[]): readonly FieldError[] =>
  values.every((value) => value === 'All') ? [] : [notSupported('dryRun', values, ['All'])];

const FIELD_VALIDATION = ['', 'Ignore', 'Strict', 'Warn'] as const;

const fieldValidationFaults = (query: URLSearchParams): readonly FieldError[] => {
  const value = query.get('fieldValidation') ?? '';
  return (FIELD_VALIDATION as readonly string[]).includes(value)
    ? []
    : [notSupported('fieldValidation', value, FIELD_VALIDATION)];
};

/** Whether `values` of `dryRun` ask for a trial. Throws 422 for others than `All`; `kind` names the options. */
export const dryRunOf = (values: readonly string[], kind: string): boolean => {
  const faults = dryRunFaults(values);
  if (faults.length > 0) throw optionsError(kind, faults);
  return values.length > 0;
};

/** Whether a write is to be tried only. Throws 422 for options with unknown values; `kind` names them, as `CreateOptions`. */
export const isDryRun = ({ query }: HttpRequest, kind: string): boolean => {
  const values = query.getAll('dryRun');
  const faults = [...dryRunFaults(values), ...fieldValidationFaults(query)];
  if (faults.length > 0) throw optionsError(kind, faults);
  return values.length > 0;
};

/** The number in a query parameter; `undefined` when it is absent or empty. Throws 400 as Go's parser would. */
export const integerParameter = (query: URLSearchParams, name: string): number | undefined => {
  const value = query.get(name);
  if (value === null || value === '') return undefined;
  if (!/^[+-]?\d+$/.test(value))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  return Number(value);
};

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun: boolean;
}

interface WireDeleteOptions {
  readonly kind?: string;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: DeleteOptions['preconditions'];
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly dryRun?: readonly string[];
}

const DELETE_OPTIONS = kindSchema('apis.meta.v1.DeleteOptions');

const readBody = (request: HttpRequest): WireDeleteOptions => {
  if (request.body.byteLength === 0) return {};
  checkMediaType(request, 'application/json');
  const value = parseJson(request.body, (complaint) =>
    badRequest(`couldn't get version/kind; json parse error: ${complaint}`),
  );
  const options = decode(value ?? {}, DELETE_OPTIONS) as WireDeleteOptions;
  if (options.kind !== undefined && options.kind !== 'DeleteOptions')
    throw badRequest(`no kind "${options.kind}" is registered for version "v1" in scheme "rollcall"`);
  return options;
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

/** DELETE's options: the body's beat those of the query. Throws 400, 415 and 422. */
export const readDeleteOptions = (request: HttpRequest): DeleteOptions => {
  const body = readBody(request);
  const grace = body.gracePeriodSeconds ?? integerParameter(request.query, 'gracePeriodSeconds');
  const dryRun = body.dryRun ?? request.query.getAll('dryRun');
  const faults = [...dryRunFaults(dryRun), ...propagationFaults(body)];
  if (faults.length > 0) throw optionsError('DeleteOptions', faults);
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    preconditions: body.preconditions ?? {},
    dryRun: dryRun.length > 0,
  };
};
