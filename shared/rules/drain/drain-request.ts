/** What a drain of a node was asked to do, and how the annotation of the Node says it. */
import { isObject, type JsonObject } from '../../kube/json/json-object.ts';
import { parseLabelSelector } from '../../kube/selector/label-selector.ts';
import { type EpochMs, earliest, parseTime } from '../../kube/values/time.ts';

/**
 * A request to empty a node. Without options it leaves what `kubectl drain` without flags refuses: bare pods, pods with an emptyDir. Whoever
 * knows that the machine goes in any case adds `WHOLE_NODE`.
 */
export interface DrainRequest {
  /** Names the request: the same id is the same request. */
  readonly id: string;
  readonly requestedAt: EpochMs;
  /** Who asks: a user, or a controller. */
  readonly by: string;
  /** Why, for people. */
  readonly reason: string;
  /** The drain gives up from this instant on. Absent: never. */
  readonly deadlineAt?: EpochMs;
  /** From this instant on pods are deleted, and no budget is asked. Absent: never. */
  readonly deleteAt?: EpochMs;
  /** Seconds that each pod gets to stop. Absent: what the pod itself says. */
  readonly gracePeriodSeconds?: number;
  /** Pods that no controller would make again go, too. */
  readonly force?: boolean;
  /** Pods of DaemonSets, which always stay, do not keep the node from being drained. */
  readonly ignoreDaemonSets?: boolean;
  /** Pods that lose the data of an emptyDir go, too. */
  readonly deleteEmptyDirData?: boolean;
  /** Label selectors: only pods that match one of them go. Absent: all. */
  readonly podSelectors?: readonly string[];
  /** The node was cordoned before the first request; it stays so when the drain is taken back. */
  readonly foundCordoned?: boolean;
}

const isSelector = (text: string): boolean => {
  try {
    parseLabelSelector(text);
    return true;
  } catch {
    return false;
  }
};

/** Whether each selector can be parsed. Otherwise nobody knows which pods are meant, and none goes. */
export const isValid = ({ podSelectors = [] }: DrainRequest): boolean => podSelectors.every(isSelector);

/** Options of a request that leaves nothing but pods of DaemonSets and static pods. */
export const WHOLE_NODE = { force: true, ignoreDaemonSets: true, deleteEmptyDirData: true } as const;

/** Whether the drain gives up at `now` (ms). */
export const isPastDeadline = ({ deadlineAt }: DrainRequest, now: EpochMs): boolean =>
  deadlineAt !== undefined && now >= deadlineAt;

/** Maximum length of `by` and of `reason`. */
const MAX_TEXT = 256;

const latest = (a: EpochMs | undefined, b: EpochMs | undefined): EpochMs | undefined =>
  a === undefined || b === undefined ? undefined : Math.max(a, b);

const selectedByEither = (a: DrainRequest, b: DrainRequest): readonly string[] | undefined =>
  a.podSelectors && b.podSelectors ? [...new Set([...a.podSelectors, ...b.podSelectors])].sort() : undefined;

const defined = <T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;

/**
 * The request that does, at any time, whatever one of the two would do then. It has the name, the author and the reason of the later one,
 * so that the author of the first one sees that the node is no longer its own.
 */
export const joined = (first: DrainRequest, later: DrainRequest): DrainRequest => {
  const either = (option: 'force' | 'ignoreDaemonSets' | 'deleteEmptyDirData') =>
    first[option] || later[option] ? true : undefined;
  const optional = {
    deadlineAt: latest(first.deadlineAt, later.deadlineAt),
    deleteAt: earliest([first.deleteAt, later.deleteAt]),
    gracePeriodSeconds: earliest([first.gracePeriodSeconds, later.gracePeriodSeconds]),
    force: either('force'),
    ignoreDaemonSets: either('ignoreDaemonSets'),
    deleteEmptyDirData: either('deleteEmptyDirData'),
    podSelectors: selectedByEither(first, later),
    foundCordoned: first.foundCordoned,
  };
  const requestedAt = Math.min(first.requestedAt, later.requestedAt);
  return { id: later.id, requestedAt, by: later.by, reason: later.reason, ...defined(optional) };
};

const INSTANTS = { requestedAt: 'requestedAt', deadlineAt: 'deadline', deleteAt: 'deleteAfter' } as const;
const FLAGS = ['force', 'ignoreDaemonSets', 'deleteEmptyDirData', 'foundCordoned'] as const;

const toText = (at: EpochMs | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();

/** The text of the annotation. Instants are in RFC 3339 with milliseconds. */
export const drainText = (request: DrainRequest): string => {
  const { requestedAt, deadlineAt, deleteAt, by, reason, ...others } = request;
  const instants = { deadline: toText(deadlineAt), deleteAfter: toText(deleteAt) };
  const texts = { by: by.slice(0, MAX_TEXT), reason: reason.slice(0, MAX_TEXT) };
  return JSON.stringify({ ...others, ...texts, requestedAt: toText(requestedAt), ...instants });
};

const parsed = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** An instant that is there and cannot be read spoils the request: a deadline must not be forgotten. */
const instantsIn = (members: JsonObject): Readonly<Record<string, EpochMs>> | undefined => {
  const instants: Record<string, EpochMs> = {};
  for (const [name, member] of Object.entries(INSTANTS)) {
    const text = members[member];
    if (text === undefined) continue;
    const at = typeof text === 'string' ? parseTime(text) : undefined;
    if (at === undefined) return undefined;
    instants[name] = at;
  }
  return instants;
};

const isSelectors = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isSeconds = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const optionsIn = (members: JsonObject): object | undefined => {
  const { gracePeriodSeconds, podSelectors } = members;
  if (gracePeriodSeconds !== undefined && !isSeconds(gracePeriodSeconds)) return undefined;
  if (podSelectors !== undefined && !isSelectors(podSelectors)) return undefined;
  const flags = FLAGS.filter((name) => members[name] === true).map((name) => [name, true]);
  return defined({ ...Object.fromEntries(flags), gracePeriodSeconds, podSelectors });
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads the text of the annotation; `undefined` if it is not a request. Needed are an id and the instant of the request. */
export const drainFrom = (text: string): DrainRequest | undefined => {
  const members = parsed(text);
  const [instants, options] = members ? [instantsIn(members), optionsIn(members)] : [];
  const { id, by, reason } = members ?? {};
  const { requestedAt } = instants ?? {};
  if (!options || requestedAt === undefined || typeof id !== 'string' || id === '') return undefined;
  return { id, by: textOf(by), reason: textOf(reason), ...instants, requestedAt, ...options };
};
