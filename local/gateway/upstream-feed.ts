/** What one watch of the API brings, across as many requests as it takes. */
import type { ApiObject } from '../../shared/api/meta.ts';
import {
  resourceExpired,
  type Status,
  type StatusError,
  serviceUnavailable,
} from '../../shared/api/status-error.ts';
import type { Change, ChangeType } from '../../shared/apiserver/watch/change.ts';
import type { Feed } from '../../shared/apiserver/watch/source.ts';
import { linesOf } from './lines.ts';
import type { Upstream } from './upstream.ts';

export interface FeedDeps {
  readonly upstream: Upstream;
  /** Of the collection, with its selectors. */
  readonly path: string;
  readonly selectors: URLSearchParams;
  /** `Authorization` of somebody who may watch this. */
  readonly authorization: () => string | undefined;
  /** The API no longer takes this one. */
  readonly refused: (authorization: string | undefined) => void;
  /** There is something to poll for. */
  readonly onNews: () => void;
}

interface UpstreamEvent {
  readonly type: ChangeType | 'BOOKMARK' | 'ERROR';
  readonly object: ApiObject;
}

/** Milliseconds between two looks while a request is open, and after one that brought nothing. */
const OPEN_REST_MS = 1_000;
const CLOSED_REST_MS = 250;
/** A feed that nobody polls for so long (ms) is no longer wanted. */
const UNWANTED_AFTER_MS = 10_000;

const versionOf = ({ metadata }: ApiObject): number => Number(metadata.resourceVersion ?? 0);

/** Upstream has applied the selectors: what it calls MODIFIED was and is among the objects that match. */
const changeOf = ({ type, object }: UpstreamEvent, position: number): Change => ({
  position,
  type: type as ChangeType,
  object,
  previous: () => object,
});

const expiredOr = (status: Partial<Status>): StatusError =>
  status.code === 410
    ? resourceExpired(status.message)
    : serviceUnavailable(`the watch of the API ended: ${status.message ?? 'it does not say why'}`, {});

const textOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  let text = '';
  for await (const line of linesOf(body)) text += `${line}\n`;
  return text;
};

const refusalOf = async (code: number, body: AsyncIterable<Uint8Array>): Promise<StatusError> => {
  const text = await textOf(body);
  try {
    return expiredOr({ code, message: (JSON.parse(text) as Status).message ?? text });
  } catch {
    return expiredOr({ code, message: `HTTP ${code}: ${text.slice(0, 200)}` });
  }
};

/** Follows the watch from `after` on, exclusive. Requests go out while somebody polls. */
export const createUpstreamFeed = (deps: FeedDeps, after: number): Feed<Change> => {
  let position = after;
  let seen = after;
  let ready: Change[] = [];
  let failure: Error | undefined;
  let reading: AbortController | undefined;
  let unwanted: NodeJS.Timeout | undefined;

  const take = (event: UpstreamEvent): void => {
    if (event.type === 'ERROR') throw expiredOr(event.object as unknown as Status);
    // Versions outside of the change log need not be in order.
    seen = Math.max(seen, versionOf(event.object));
    if (event.type === 'BOOKMARK') return;
    ready.push(changeOf(event, seen));
    deps.onNews();
  };

  const query = (): URLSearchParams => {
    const wanted = new URLSearchParams(deps.selectors);
    wanted.set('watch', 'true');
    wanted.set('allowWatchBookmarks', 'true');
    wanted.set('resourceVersion', String(seen));
    return wanted;
  };

  const readOnce = async ({ signal }: AbortController): Promise<void> => {
    const authorization = deps.authorization();
    const headers = { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) };
    const path = `${deps.path}?${query()}`;
    const { status, body } = await deps.upstream.open({ method: 'GET', path, headers, signal });
    if (status === 401 || status === 403) deps.refused(authorization);
    if (status !== 200) throw await refusalOf(status, body);
    for await (const line of linesOf(body)) take(JSON.parse(line) as UpstreamEvent);
  };

  const read = async (controller: AbortController): Promise<void> => {
    try {
      await readOnce(controller);
    } catch (error) {
      if (controller.signal.aborted) return;
      failure = error instanceof Error ? error : new Error(String(error));
    } finally {
      reading = undefined;
      deps.onNews();
    }
  };

  const stayWanted = (): void => {
    clearTimeout(unwanted);
    unwanted = setTimeout(() => reading?.abort(), UNWANTED_AFTER_MS).unref();
  };

  const taken = (): readonly Change[] => {
    const events = ready;
    ready = [];
    position = seen;
    return events;
  };

  return {
    position: () => position,
    restMs: () => (reading ? OPEN_REST_MS : CLOSED_REST_MS),
    poll: async () => {
      stayWanted();
      if (ready.length > 0) return taken();
      const failed = failure;
      failure = undefined;
      if (failed) throw failed;
      if (!reading) {
        reading = new AbortController();
        void read(reading);
      }
      return taken();
    },
  };
};
