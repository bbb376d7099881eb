import type { Strategy } from '../../kinds/contract/strategy.ts';
import { hasReason } from '../../kube/errors/status-error.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { inParallel } from '../../store/turns/in-parallel.ts';
import type { Call, Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { ok } from '../contract/http.ts';
import { begunAtOf, readContinued } from '../request/continue.ts';
import type { ListOptions } from '../request/list-options.ts';
import { readListOptions } from '../request/list-options.ts';
import { listRequestOf } from '../request/list-request.ts';
import { readDeleteOptions } from '../request/options.ts';
import { deleteObject } from './delete.ts';
import { listOf } from './list.ts';
import type { CutPage } from './page.ts';
import { listPage } from './page.ts';

/** Deletions that run at the same time. */
const PARALLEL = 8;

/** The call as one for this object. */
const callFor = (call: Call, { metadata }: ApiObject): Call => ({
  ...call,
  info: { ...call.info, verb: 'delete', namespace: metadata.namespace ?? '', name: metadata.name },
});

/** Deletes each object; one that another client deleted meanwhile is no error. */
export const deleteEach = async (
  call: Call,
  objects: readonly ApiObject[],
  deleteOne: (call: Call) => Promise<unknown>,
): Promise<void> => {
  await inParallel(objects, PARALLEL, async (object) => {
    try {
      await deleteOne(callFor(call, object));
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  });
};

interface Reading<T extends ApiObject> {
  readonly call: Call;
  readonly strategy: Strategy<T>;
  readonly deps: ApiServerDeps;
}

const readPages = async function* <T extends ApiObject>(
  { call, strategy, deps }: Reading<T>,
  options: ListOptions,
): AsyncGenerator<CutPage> {
  const request = listRequestOf(call.info, strategy.kind, options.fieldRequirements, strategy.source);
  const now = deps.clock.now();
  let page = await readContinued(options, now, () => listPage(deps, request, options));
  yield page;
  // A client's limit ends the deletion after one page; without a limit all pages are read.
  while (page.next && options.limit === undefined) {
    page = await listPage(deps, request, { ...options, continueAt: page.next });
    yield page;
  }
};

/**
 * DELETE of a collection; answers with the objects before their deletion, as many as one answer holds. Source:
 * apiserver v1.34 registry/generic/registry `Store.DeleteCollection`.
 */
export const deleteCollectionVerb =
  <T extends ApiObject>(strategy: Strategy<T>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const { query } = call.request;
    const listOptions = readListOptions(query, strategy.kind, (object) => strategy.fields(object as T));
    const options = readDeleteOptions(call.request);
    const begunAt = begunAtOf(listOptions, deps.clock.now());
    let answer: CutPage | undefined;
    for await (const page of readPages({ call, strategy, deps }, listOptions)) {
      await deleteEach(call, page.objects, (one) => deleteObject({ call: one, strategy, deps }, options));
      answer ??= listOptions.limit === undefined ? { revision: page.revision, objects: page.objects } : page;
    }
    return ok(listOf(strategy.kind, answer ?? { revision: 0, objects: [] }, begunAt));
  };
