/** Follows a collection: its present state, then its changes, until a signal ends that. */
import { setTimeout } from 'node:timers/promises';
import { hasReason } from '../../../shared/kube/errors/status-error.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { type BackOffDelays, backOff } from '../../../shared/kube/values/back-off.ts';
import type { DashboardApi } from './api.ts';
import type { Source } from './source.ts';

/** What is told to the follower. */
export interface Follower {
  /** The present state begins: what was told before no longer holds. */
  readonly onReset: () => void;
  readonly onObject: (object: ApiObject) => void;
  readonly onDeleted: (object: ApiObject) => void;
  /** The present state is complete. */
  readonly onWhole: () => void;
  /** The API has answered. */
  readonly onAnswer: () => void;
  /** The API does not answer, or refuses. It is asked again. */
  readonly onFailure: (error: unknown) => void;
}

export interface FollowDeps {
  readonly api: Pick<DashboardApi, 'list' | 'watch'>;
  /** Aborted when what was read may be old, so that it is read again. */
  readonly source: Pick<Source, 'heard' | 'round'>;
  /** Waits, and resolves early when the signal is aborted. Absent: by Node's timers. */
  readonly rest?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const restByTimer = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);

/** The next member. Rejects when the signal is aborted, even if the source of the members hangs, as on a connection that is dead. */
const nextOf = <T>(members: AsyncIterator<T>, signal: AbortSignal): Promise<IteratorResult<T>> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error('no longer followed'));
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    const listenNoMore = (): void => signal.removeEventListener('abort', stop);
    members.next().then(resolve, reject).finally(listenNoMore);
  });

async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const members = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await nextOf(members, signal);
      if (done) return;
      yield value;
    }
  } finally {
    // Whoever hangs ends when it can.
    void members.return?.()?.catch(() => undefined);
  }
}

const RETRY: BackOffDelays = { firstMs: 500, mostMs: 10_000 };

const readState = async (
  { api }: FollowDeps,
  path: string,
  follower: Follower,
  signal: AbortSignal,
): Promise<string> => {
  let position = '';
  follower.onReset();
  for await (const page of untilAborted(api.list(path, signal), signal)) {
    position = page.position;
    for (const item of page.items) follower.onObject(item);
  }
  signal.throwIfAborted();
  follower.onWhole();
  follower.onAnswer();
  return position;
};

/** Follows `path` until the signal is aborted. Never rejects. */
export const follow = async (
  deps: FollowDeps,
  path: string,
  follower: Follower,
  signal: AbortSignal,
): Promise<void> => {
  const { rest = restByTimer } = deps;
  let position: string | undefined;
  let failures = 0;

  const readChanges = async (after: string, reading: AbortSignal): Promise<void> => {
    for await (const { type, object } of untilAborted(deps.api.watch(path, after, reading), reading)) {
      follower.onAnswer();
      failures = 0;
      position = object.metadata.resourceVersion ?? position;
      // The gateway in this process makes bookmarks by itself.
      if (type === 'BOOKMARK') continue;
      deps.source.heard();
      if (type === 'DELETED') follower.onDeleted(object);
      else follower.onObject(object);
    }
  };

  const fail = async (error: unknown, reading: AbortSignal): Promise<void> => {
    if (hasReason(error, 'Expired')) {
      position = undefined;
      return;
    }
    failures += 1;
    follower.onFailure(error);
    await rest(backOff(RETRY, failures), reading);
  };

  const readOn = async (reading: AbortSignal): Promise<void> => {
    try {
      position ??= await readState(deps, path, follower, reading);
      await readChanges(position, reading);
      await rest(RETRY.firstMs, reading);
    } catch (error) {
      if (!reading.aborted) await fail(error, reading);
    }
  };

  while (!signal.aborted) {
    const round = deps.source.round();
    await readOn(AbortSignal.any([signal, round]));
    if (round.aborted) [position, failures] = [undefined, 0];
  }
};
