/** What a list asks for in its query. */
import { forbiddenField, invalidObject, invalidValue, notSupported } from '../api/field-error.ts';
import type { ApiObject } from '../api/meta.ts';
import type { FieldRequirement } from '../api/selector/field-selector.ts';
import { matchesFields, parseFieldSelector, SelectorError } from '../api/selector/field-selector.ts';
import { matchesLabels, parseLabelSelector } from '../api/selector/label-selector.ts';
import { badRequest, StatusError } from '../api/status-error.ts';
import type { ListPosition } from '../state/lists.ts';
import { integerParameter } from './options.ts';
import type { ServedKind } from './strategy.ts';

const TOKEN_VERSION = 'meta.k8s.io/v1';

/** The opaque `continue` of a page. */
export const encodeContinue = ({ revision, after }: ListPosition): string =>
  Buffer.from(JSON.stringify({ v: TOKEN_VERSION, rv: revision, start: after })).toString('base64url');

const isPosition = (value: unknown): value is { readonly rv: number; readonly start: string } => {
  const { v, rv, start } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return v === TOKEN_VERSION && Number.isSafeInteger(rv) && (rv as number) > 0 && typeof start === 'string';
};

const decodeContinue = (token: string): ListPosition => {
  const invalid = (why: string) => badRequest(`continue key is not valid: ${why}`);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error));
  }
  if (!isPosition(value)) throw invalid('server does not recognize this encoded version');
  return { revision: value.rv, after: value.start };
};

const readable = <R>(read: () => R): R => {
  try {
    return read();
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message) : error;
  }
};

export interface ListOptions {
  readonly fieldRequirements: readonly FieldRequirement[];
  readonly matches: (object: ApiObject) => boolean;
  /** Objects per page; `undefined` for all. */
  readonly limit: number | undefined;
  readonly continueAt: ListPosition | undefined;
  /** The list must not be older than this. */
  readonly notOlderThan: number | undefined;
}

/** What all kinds of a scope can be selected by, and the kind's own fields. */
export type FieldsOf = (object: ApiObject) => Readonly<Record<string, string>>;

const NAME = 'metadata.name';
const NAMESPACE = 'metadata.namespace';

// Kinds without fields of their own can be selected by namespace even where they lie in none.
const withNames =
  (fieldsOf: FieldsOf, hasNamespace: boolean): FieldsOf =>
  (object) => ({
    ...fieldsOf(object),
    [NAME]: object.metadata.name,
    ...(hasNamespace ? { [NAMESPACE]: object.metadata.namespace ?? '' } : {}),
  });

const checkFieldPaths = (
  requirements: readonly FieldRequirement[],
  known: readonly string[],
  hasOwn: boolean,
): void => {
  const unknown = requirements.find(({ path }) => !known.includes(path));
  if (!unknown) return;
  throw badRequest(
    hasOwn
      ? `field label not supported: ${unknown.path}`
      : `"${unknown.path}" is not a known field selector: only "${NAME}", "${NAMESPACE}"`,
  );
};

const matcher = (
  query: URLSearchParams,
  fieldRequirements: readonly FieldRequirement[],
  fieldsOf: FieldsOf,
): ListOptions['matches'] => {
  const labelRequirements = readable(() => parseLabelSelector(query.get('labelSelector') ?? ''));
  return (object) =>
    matchesLabels(labelRequirements, object.metadata.labels) &&
    (fieldRequirements.length === 0 || matchesFields(fieldRequirements, fieldsOf(object)));
};

const listOptionsError = (...errors: Parameters<typeof invalidObject>[2]) =>
  invalidObject({ kind: 'ListOptions', group: 'meta.k8s.io' }, '', errors);

const MATCHES = ['Exact', 'NotOlderThan'] as const;

const checkMatch = (match: string, version: string, token: string | null): void => {
  const field = 'resourceVersionMatch';
  if (match === '') return;
  if (token)
    throw listOptionsError(
      forbiddenField(field, 'resourceVersionMatch is forbidden when continue is provided'),
    );
  if (version === '')
    throw listOptionsError(
      forbiddenField(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
    );
  if (!(MATCHES as readonly string[]).includes(match))
    throw listOptionsError(notSupported(field, match, MATCHES));
  if (match === 'Exact' && version === '0')
    throw listOptionsError(
      forbiddenField(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
    );
};

const parseVersion = (version: string): number => {
  if (version === '') return 0;
  if (!/^\d+$/.test(version)) {
    const { field, message } = invalidValue(
      'resourceVersion',
      version,
      `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`,
    );
    throw badRequest(`invalid resource version: ${field}: ${message}`);
  }
  return Number(version);
};

const positionOf = (query: URLSearchParams): Pick<ListOptions, 'continueAt' | 'notOlderThan'> => {
  const [token, version] = [query.get('continue'), query.get('resourceVersion') ?? ''];
  const match = query.get('resourceVersionMatch') ?? '';
  checkMatch(match, version, token);
  if (token && version !== '' && version !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  const revision = parseVersion(version);
  if (token) return { continueAt: decodeContinue(token), notOlderThan: undefined };
  if (match === 'Exact') return { continueAt: { revision, after: '' }, notOlderThan: revision };
  return { continueAt: undefined, notOlderThan: revision === 0 ? undefined : revision };
};

const limitOf = (query: URLSearchParams): number | undefined => {
  const limit = integerParameter(query, 'limit') ?? 0;
  return limit > 0 ? limit : undefined;
};

/** Throws 400 for selectors, numbers and tokens that cannot be read, 422 for options that exclude each other. */
export const readListOptions = (
  query: URLSearchParams,
  kind: ServedKind,
  fieldsOf: FieldsOf,
): ListOptions => {
  const hasOwn = Object.keys(fieldsOf(EMPTY)).length > 0;
  const fields = withNames(fieldsOf, kind.namespaced || !hasOwn);
  const fieldRequirements = readable(() => parseFieldSelector(query.get('fieldSelector') ?? ''));
  checkFieldPaths(fieldRequirements, Object.keys(fields(EMPTY)), hasOwn);
  integerParameter(query, 'timeoutSeconds');
  return {
    fieldRequirements,
    matches: matcher(query, fieldRequirements, fields),
    limit: limitOf(query),
    ...positionOf(query),
  };
};

/** An object without anything, to learn which fields a kind has. */
const EMPTY = {
  apiVersion: '',
  kind: '',
  metadata: { name: '' },
  spec: {},
  status: {},
  involvedObject: {},
} as const;

/** Throws 504 when the client has seen a newer state than this list. */
export const checkNotOlder = (revision: number, notOlderThan: number | undefined): void => {
  if (notOlderThan === undefined || notOlderThan <= revision) return;
  throw new StatusError(
    'Timeout',
    `Timeout: Too large resource version: ${notOlderThan}, current: ${revision}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  );
};
