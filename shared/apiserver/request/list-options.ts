/** Reads the options of a list from its query. */

import type { ServedKind } from '../../kinds/contract/strategy.ts';
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, notSupported } from '../../kube/errors/field-error.ts';
import { badRequest, StatusError } from '../../kube/errors/status-error.ts';
import type { FieldRequirement } from '../../kube/selector/field-selector.ts';
import { matchesFields, parseFieldSelector, SelectorError } from '../../kube/selector/field-selector.ts';
import { matchesLabels, parseLabelSelector } from '../../kube/selector/label-selector.ts';
import { quote } from '../../kube/text/go-quote.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { ListPosition } from '../../store/lists/lists.ts';
import { decodeContinue } from './continue.ts';
import { integerParameter, optionsError } from './options.ts';

const readable = <R>(read: () => R): R => {
  try {
    return read();
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message) : error;
  }
};

/** The options of a list or of a DELETE of a collection. */
export interface ListOptions {
  readonly fieldRequirements: readonly FieldRequirement[];
  readonly matches: (object: ApiObject) => boolean;
  /** Most objects of a page; `undefined` for all. */
  readonly limit: number | undefined;
  readonly continueAt: ListPosition | undefined;
  /** When the first page was read (ms), for a list that is continued. */
  readonly begunAt?: EpochMs;
  /** Whether every object matches: there is no selector. */
  readonly selectsAll: boolean;
  /** The oldest revision that the client accepts. */
  readonly notOlderThan: number | undefined;
}

/** The fields of an object by which its kind can be selected, besides its name and namespace. */
export type FieldsOf = (object: ApiObject) => Readonly<Record<string, string>>;

const NAME = 'metadata.name';
const NAMESPACE = 'metadata.namespace';

// Kinds without fields of their own can be selected by namespace even if they are cluster-scoped.
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

const MATCHES = ['Exact', 'NotOlderThan', ''] as const;
const MATCH = 'resourceVersionMatch';

const matchFaults = (match: string, version: string, token: string | null): readonly FieldError[] => {
  if (match === '') return [];
  const isKnown = (MATCHES as readonly string[]).includes(match);
  return [
    ...(version === ''
      ? [forbiddenField(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`)]
      : []),
    ...(token ? [forbiddenField(MATCH, `${MATCH} is forbidden when continue is provided`)] : []),
    ...(isKnown ? [] : [notSupported(MATCH, match, MATCHES)]),
    ...(match === 'Exact' && version === '0'
      ? [forbiddenField(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`)]
      : []),
  ];
};

const initialEventsFaults = (query: URLSearchParams): readonly FieldError[] =>
  query.has('sendInitialEvents')
    ? [forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list')]
    : [];

/** The number of a resourceVersion in a query, 0 if there is none. Throws 400; `before` starts its message. */
export const readVersion = (version: string, before = ''): number => {
  if (/^\d*$/.test(version)) return Number(version);
  const why = `strconv.ParseUint: parsing ${quote(version)}: invalid syntax`;
  throw badRequest(`${before}resourceVersion: ${invalidValue('resourceVersion', version, why).message}`);
};

const positionOf = (query: URLSearchParams): Pick<ListOptions, 'continueAt' | 'begunAt' | 'notOlderThan'> => {
  const [token, version] = [query.get('continue'), query.get('resourceVersion') ?? ''];
  const match = query.get('resourceVersionMatch') ?? '';
  const faults = [...matchFaults(match, version, token), ...initialEventsFaults(query)];
  if (faults.length > 0) throw optionsError('ListOptions', faults);
  if (token && version !== '' && version !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  const revision = readVersion(version, 'invalid resource version: ');
  if (token) return { ...decodeContinue(token), notOlderThan: undefined };
  if (match === 'Exact') return { continueAt: { revision, after: '' }, notOlderThan: revision };
  return { continueAt: undefined, notOlderThan: revision === 0 ? undefined : revision };
};

const limitOf = (query: URLSearchParams): number | undefined => {
  const limit = integerParameter(query, 'limit') ?? 0;
  return limit > 0 ? limit : undefined;
};

/**
 * Reads the options. Throws 400 for selectors, numbers and tokens that cannot be parsed, 422 for options that
 * exclude each other.
 */
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
    selectsAll: !query.get('labelSelector') && !query.get('fieldSelector'),
    limit: limitOf(query),
    ...positionOf(query),
  };
};

/** An empty object, from which the selectable fields of a kind are learned. */
const EMPTY = {
  apiVersion: '',
  kind: '',
  metadata: { name: '' },
  spec: {},
  status: {},
  involvedObject: {},
} as const;

/** Throws 504 when the client has seen a newer state than this list's revision. */
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
