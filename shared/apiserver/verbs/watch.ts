import type { ServedKind, Strategy } from '../../kinds/contract/strategy.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Matches } from '../changes/change.ts';
import type { Represent } from '../changes/lines.ts';
import type { Call, Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer } from '../contract/http.ts';
import { streamed } from '../contract/http.ts';
import type { Watched } from '../feed/watched.ts';
import type { FieldsOf } from '../request/list-options.ts';
import { listRequestOf } from '../request/list-request.ts';
import { admitWatch, releasingSlot } from '../watch/admit-watch.ts';
import { endOf } from '../watch/duration.ts';
import { readWatchOptions, type WatchOptions } from '../watch/options.ts';
import { openWatchLines } from '../watch/watch.ts';

const NEVER = new AbortController().signal;

/** Combines the selectors with the namespace and name of the path. */
const matcherOf = ({ info }: Call, { matches }: WatchOptions): Matches => {
  const { namespace, name } = info;
  return (object) =>
    (namespace === '' || info.resource === 'namespaces' || object.metadata.namespace === namespace) &&
    (name === '' || object.metadata.name === name) &&
    matches(object);
};

/** A resource that can be watched. */
export interface Watchable {
  readonly kind: ServedKind;
  readonly fields: FieldsOf;
  /** An index of the store that answers these selectors. */
  readonly source?: Strategy['source'] | undefined;
  readonly watched: Watched;
}

const failureOf =
  ({ request }: Call, { clock, logger }: ApiServerDeps) =>
  (error: unknown) =>
    logger.requestFailed({ method: request.method, path: request.path, at: clock.now(), error });

/** Returns `undefined` if objects are sent unchanged; their JSON is then written once for all watches. */
const representOf = ({ representation }: Call): Represent | undefined => {
  if (!representation?.accepted.transform) return undefined;
  const represent = representation.events();
  return ({ object }) => represent(object);
};

/** Answers one watch with a stream of events. Throws 400, 422 and 429; later errors are sent as an event. */
export const answerWatch = async (call: Call, deps: ApiServerDeps, watchable: Watchable): Promise<Answer> => {
  const { kind, fields, source, watched } = watchable;
  const { limits } = deps.watches;
  const options = readWatchOptions(call.request.query, kind, { fields, isBuffered: limits.isBuffered });
  const place = { ...call.info, namespace: call.info.resource === 'namespaces' ? '' : call.info.namespace };
  const endsAt = endOf(deps.clock.now(), options.timeoutSeconds, limits, deps.ids.random());
  const leave = await admitWatch(call.user, limits, { clock: deps.clock, endsAt });
  const lines = await openWatchLines({
    watched,
    kind,
    options,
    request: listRequestOf(place, kind, options.fieldRequirements, source),
    matches: matcherOf(call, options),
    clock: deps.clock,
    endsAt,
    endsWithEvents: limits.isBuffered,
    signal: call.request.signal ?? NEVER,
    inTurn: call.request.inTurn,
    pause: deps.pause,
    represent: representOf(call),
    stillValid: call.request.stillValid,
    onError: failureOf(call, deps),
  });
  return streamed(releasingSlot(lines, leave));
};

/** GET of a collection with `watch`, for stored resources. */
export const watchVerb =
  <T extends ApiObject>({ kind, fields, source }: Strategy<T>): Handle<ApiServerDeps> =>
  async (call, deps) =>
    answerWatch(call, deps, {
      kind,
      fields: (object) => fields(object as T),
      source,
      watched: deps.watches.stored(kind.resource),
    });
