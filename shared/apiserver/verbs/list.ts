import type { ServedKind, Strategy } from '../../kinds/contract/strategy.ts';
import { apiVersionOf } from '../../kinds/contract/strategy.ts';
import type { ApiList, ApiObject } from '../../kube/types/meta.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { ok } from '../contract/http.ts';
import { begunAtOf, encodeContinue, readContinued } from '../request/continue.ts';
import { checkNotOlder, readListOptions } from '../request/list-options.ts';
import { listRequestOf } from '../request/list-request.ts';
import type { CutPage } from './page.ts';
import { listPage } from './page.ts';

const withoutTypeMeta = ({ apiVersion: _version, kind: _kind, ...rest }: ApiObject): ApiObject =>
  rest as unknown as ApiObject;

/**
 * A page as `<Kind>List`. `begunAt` is when the first page was read (ms); it matters only if more pages may
 * follow. Items carry no kind, as in Kubernetes.
 */
export const listOf = (
  kind: ServedKind,
  { revision, objects, next, remaining }: CutPage,
  begunAt: EpochMs = 0,
): ApiList => ({
  kind: `${kind.kind}List`,
  apiVersion: apiVersionOf(kind),
  metadata: {
    resourceVersion: String(revision),
    ...(next ? { continue: encodeContinue({ continueAt: next, begunAt }) } : {}),
    ...optional('remainingItemCount', remaining),
  },
  items: objects.map(withoutTypeMeta),
});

/** GET of a collection, consistent at the list's resourceVersion. */
export const listVerb =
  <T extends ApiObject>(strategy: Strategy<T>): Handle<ApiServerDeps> =>
  async ({ request, info }, deps) => {
    const now = deps.clock.now();
    const options = readListOptions(request.query, strategy.kind, (object) => strategy.fields(object as T));
    const wanted = listRequestOf(info, strategy.kind, options.fieldRequirements, strategy.source);
    const page = await readContinued(options, now, () => listPage(deps, wanted, options));
    checkNotOlder(page.revision, options.notOlderThan);
    return ok(listOf(strategy.kind, page, begunAtOf(options, now)));
  };
