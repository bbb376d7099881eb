/** Reads the options of a watch from its query. Source: apimachinery v1.34 `meta/internalversion/validation`. */

import type { ServedKind } from '../../kinds/contract/strategy.ts';
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidObject, notSupported } from '../../kube/errors/field-error.ts';
import type { FieldRequirement } from '../../kube/selector/field-selector.ts';
import type { Matches } from '../changes/change.ts';
import { isSet } from '../contract/request-info.ts';
import type { FieldsOf } from '../request/list-options.ts';
import { readListOptions, readVersion } from '../request/list-options.ts';
import { integerParameter } from '../request/options.ts';

/** The options of a watch. */
export interface WatchOptions {
  readonly fieldRequirements: readonly FieldRequirement[];
  readonly matches: Matches;
  /** The client's resourceVersion; `undefined` for none or 0, which accept any state. */
  readonly version: number | undefined;
  /** Whether the watch begins with the current state, as ADDED events. */
  readonly sendsState: boolean;
  /** Whether a bookmark follows the current state. */
  readonly marksStateEnd: boolean;
  readonly bookmarks: boolean;
  /** The client's timeout; `undefined`: the server chooses. */
  readonly timeoutSeconds: number | undefined;
}

const MATCH = 'resourceVersionMatch';
const NOT_OLDER = 'NotOlderThan';

interface InitialEvents {
  /** The query's `sendInitialEvents`; `undefined` if it is absent. */
  readonly wanted: boolean | undefined;
  readonly match: string;
}

// A watch without a resourceVersion, or from 0, asks for the current state even if the client does not say so.
const initialEventsOf = (query: URLSearchParams): InitialEvents => {
  const match = query.get(MATCH) ?? '';
  const wanted = query.has('sendInitialEvents') ? isSet(query, 'sendInitialEvents') : undefined;
  const fromAnywhere = ['', '0'].includes(query.get('resourceVersion') ?? '');
  return wanted === undefined && match === '' && fromAnywhere
    ? { wanted: true, match: NOT_OLDER }
    : { wanted, match };
};

const matchFaults = ({ wanted, match }: InitialEvents, token: string): readonly FieldError[] => {
  if (match === '') return [];
  const alone = `${MATCH} is forbidden for watch unless sendInitialEvents is provided`;
  return [
    ...(wanted === undefined ? [forbiddenField(MATCH, alone)] : []),
    ...(match === NOT_OLDER ? [] : [notSupported(MATCH, match, [NOT_OLDER])]),
    ...(token === '' ? [] : [forbiddenField(MATCH, `${MATCH} is forbidden when continue is provided`)]),
  ];
};

/**
 * A buffered response cannot hold a state of any size, so clients that ask for it with `sendInitialEvents` are
 * refused and list instead.
 */
const refusedState = (query: URLSearchParams, isBuffered: boolean): readonly FieldError[] =>
  isBuffered && query.has('sendInitialEvents')
    ? [
        forbiddenField(
          'sendInitialEvents',
          'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
        ),
      ]
    : [];

const checkInitialEvents = (query: URLSearchParams, initial: InitialEvents, isBuffered: boolean): void => {
  const needsMatch = initial.wanted !== undefined && initial.match !== NOT_OLDER;
  const faults = [
    ...(needsMatch
      ? [forbiddenField(MATCH, `sendInitialEvents requires setting ${MATCH} to ${NOT_OLDER}`)]
      : []),
    ...refusedState(query, isBuffered),
    ...matchFaults(initial, query.get('continue') ?? ''),
  ];
  if (faults.length > 0) throw invalidObject({ kind: 'ListOptions', group: 'meta.k8s.io' }, '', faults);
};

const selectorsOf = (query: URLSearchParams): URLSearchParams => {
  const selectors = new URLSearchParams();
  for (const name of ['labelSelector', 'fieldSelector']) selectors.set(name, query.get(name) ?? '');
  return selectors;
};

/**
 * Reads the options. Throws 400 for values that cannot be parsed, 422 for options that exclude each other.
 * `isBuffered`: the response is sent as a whole.
 */
export const readWatchOptions = (
  query: URLSearchParams,
  kind: ServedKind,
  { fields, isBuffered }: { readonly fields: FieldsOf; readonly isBuffered: boolean },
): WatchOptions => {
  const initial = initialEventsOf(query);
  const timeoutSeconds = integerParameter(query, 'timeoutSeconds') || undefined;
  // `limit` does not affect a watch, but is validated as for a list.
  integerParameter(query, 'limit');
  checkInitialEvents(query, initial, isBuffered);
  const { fieldRequirements, matches } = readListOptions(selectorsOf(query), kind, fields);
  const bookmarks = isSet(query, 'allowWatchBookmarks');
  return {
    fieldRequirements,
    matches,
    version: readVersion(query.get('resourceVersion') ?? '') || undefined,
    sendsState: initial.wanted === true,
    marksStateEnd: initial.wanted === true && bookmarks,
    bookmarks,
    timeoutSeconds,
  };
};
