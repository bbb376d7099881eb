/** Reads the nodes or pods whose metrics are asked for. */

import type { ServedKind } from '../../kinds/contract/strategy.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Call } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { begunAtOf, readContinued } from '../request/continue.ts';
import { checkNotOlder, readListOptions } from '../request/list-options.ts';
import { listRequestOf } from '../request/list-request.ts';
import { type CutPage, listPage } from '../verbs/page.ts';

/** What was read, with where the next page starts. */
export interface Sources<T> extends Omit<CutPage, 'objects'> {
  readonly objects: readonly T[];
  readonly begunAt: EpochMs;
}

/** `slim` makes what is kept of each object. `isWhole`: without a limit all are read, because clients of metrics do not ask for a second page. */
export const readSources = async <T extends ApiObject>(
  { request, info }: Call,
  deps: ApiServerDeps,
  kind: ServedKind,
  { slim, isWhole }: { readonly slim: (object: T) => T; readonly isWhole: boolean },
): Promise<Sources<T>> => {
  const now = deps.clock.now();
  const options = readListOptions(request.query, kind, () => ({}));
  const wanted = listRequestOf(info, kind, options.fieldRequirements);
  const read = (continueAt = options.continueAt): Promise<CutPage> =>
    readContinued(options, now, () => listPage(deps, wanted, { ...options, continueAt }));
  const slimmed = (page: CutPage): readonly T[] => page.objects.map((one) => slim(one as T));
  let page = await read();
  checkNotOlder(page.revision, options.notOlderThan);
  const objects = [...slimmed(page)];
  while (isWhole && options.limit === undefined && page.next) {
    page = await read(page.next);
    for (const one of slimmed(page)) objects.push(one);
  }
  return { ...page, objects, begunAt: begunAtOf(options, now) };
};
