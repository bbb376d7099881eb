/** Records the log of Nodes: the list at the beginning of the log, every change since, and the changes to come. */
import type { Node } from '../../../shared/kube/types/core.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import { changedAt } from '../../../shared/rules/history/changed-at.ts';
import type { HistoryRecorder } from '../../../shared/rules/history/recorder.ts';
import { seenNode } from '../../../shared/rules/history/seen-node.ts';
import { NODES } from '../requests/paths.ts';
import { floorOf, isExpired, listAll, newestVersion } from './collection-log.ts';
import type { HistoryApi, WatchEvent } from './history-api.ts';

/** The log goes back for an hour at least. */
const LOG_MS = 3_600_000;

export interface FollowDeps {
  readonly api: HistoryApi;
  readonly clock: Clock;
  readonly recorder: HistoryRecorder;
}

/** How far a reader has come. */
export interface Following {
  /** Everything up to here has been read when the API was asked last. */
  isCaughtUp: boolean;
}

const namesOf = (nodes: readonly Node[]) =>
  nodes.map((node) => [node.metadata.name, seenNode(node)] as const);

/** The instant of a list: that of the newest stamp in it, and at most an hour ago, because the log is complete since then. */
const instantOf = (nodes: readonly Node[], receivedAt: number): number =>
  nodes.reduce((notBefore, node) => changedAt(node, { notBefore, receivedAt }), receivedAt - LOG_MS);

const beginAtFloor = async ({ api, clock, recorder }: FollowDeps): Promise<void> => {
  const floor = await floorOf(api, NODES);
  const { revision, items } = await listAll(api, NODES, floor);
  const at = floor === undefined ? clock.now() : instantOf(items, clock.now());
  recorder.begin({ revision, at, nodes: namesOf(items) });
};

const beginNow = async ({ api, clock, recorder }: FollowDeps): Promise<void> => {
  const { revision, items } = await listAll(api, NODES);
  recorder.begin({ revision, at: clock.now(), nodes: namesOf(items) });
};

const begin = async (deps: FollowDeps): Promise<void> => {
  if (deps.recorder.revision !== undefined) return beginNow(deps);
  try {
    await beginAtFloor(deps);
  } catch (error) {
    // The log moved on between the two requests.
    if (!isExpired(error)) throw error;
    await beginNow(deps);
  }
};

const take = ({ clock, recorder }: FollowDeps, { type, object }: WatchEvent, isLive: boolean): void => {
  const revision = Number(object.metadata.resourceVersion);
  if (type === 'BOOKMARK' || !Number.isSafeInteger(revision)) return;
  const receivedAt = clock.now();
  const notBefore = recorder.lastAt;
  const stamped = type === 'DELETED' ? notBefore : changedAt(object, { notBefore, receivedAt });
  // A change that has just been made and has no stamp was made now.
  const at = stamped === notBefore && isLive ? receivedAt : stamped;
  const seen = type === 'DELETED' ? undefined : seenNode(object);
  recorder.change({ revision, at, name: object.metadata.name, seen });
};

/** Records until `signal` or the API ends the watch. Throws what the API says. */
export const followNodes = async (
  deps: FollowDeps,
  following: Following,
  signal: AbortSignal,
): Promise<void> => {
  const { api, recorder } = deps;
  if (recorder.revision === undefined) await begin(deps);
  const newest = await newestVersion(api, NODES);
  following.isCaughtUp = (recorder.revision ?? 0) >= newest;
  try {
    for await (const event of api.watch(NODES, String(recorder.revision), signal)) {
      take(deps, event, following.isCaughtUp);
      following.isCaughtUp ||= (recorder.revision ?? 0) >= newest;
    }
  } catch (error) {
    if (!isExpired(error)) throw error;
    await beginNow(deps);
  } finally {
    following.isCaughtUp = false;
  }
};
