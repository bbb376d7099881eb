/** Reads the log of changes of a collection through the API: from as far back as it is kept, and then on. */

import { errorOf } from '../../../gateway/upstream/upstream-answer.ts';
import { hasReason, type StatusError } from '../../../shared/kube/errors/status-error.ts';
import type { ApiList, ApiObject } from '../../../shared/kube/types/meta.ts';
import type { HistoryApi } from './history-api.ts';

/** Objects in a page of a list. */
const PAGE = 500;
/** No log begins with it, unless nothing has ever been deleted of it. */
const OLDEST = '1';

/** Whether the log does not go back as far as the version that was asked for. */
export const isExpired = (error: unknown): error is StatusError => hasReason(error, 'Expired');

const readList = async (api: HistoryApi, path: string): Promise<ApiList> => {
  const { status, text } = await api.get(path);
  const body = JSON.parse(text);
  if (status === 200) return body;
  throw errorOf(body);
};

/** Reads a collection page by page: as it was at the version `exact`, or as it is. Throws the API's refusal. */
export const listAll = async (
  api: HistoryApi,
  path: string,
  exact?: string,
): Promise<{ readonly revision: number; readonly items: readonly ApiObject[] }> => {
  const items: ApiObject[] = [];
  let query = exact === undefined ? '' : `&resourceVersion=${exact}&resourceVersionMatch=Exact`;
  for (;;) {
    const { metadata, items: page } = await readList(api, `${path}?limit=${PAGE}${query}`);
    items.push(...page);
    if (!metadata.continue) return { revision: Number(metadata.resourceVersion), items };
    query = `&continue=${encodeURIComponent(metadata.continue)}`;
  }
};

/** The newest version of a collection. */
export const newestVersion = async (api: HistoryApi, path: string): Promise<number> =>
  Number((await readList(api, `${path}?limit=1`)).metadata.resourceVersion);

/**
 * The version from which the log is complete, which a watch from the oldest version is told. `undefined`: the log begins with the
 * collection, or the API does not say.
 */
export const floorOf = async (api: HistoryApi, path: string): Promise<string | undefined> => {
  const asked = new AbortController();
  try {
    for await (const _ of api.watch(path, OLDEST, asked.signal)) break;
    return undefined;
  } catch (error) {
    if (!isExpired(error)) throw error;
    // Kubernetes and Rollcall say `too old resource version: 1 (FLOOR)`.
    return /\((\d+)\)$/.exec(error.message)?.[1];
  } finally {
    asked.abort();
  }
};
