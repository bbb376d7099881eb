/** Stores the built-in PriorityClasses before the first request for PriorityClasses. */

import { classKey, systemClass } from '../../kinds/admission/priority-classes.ts';
import { SYSTEM_PRIORITIES } from '../../kube/types/well-known.ts';
import { toTime } from '../../kube/values/time.ts';
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';

const storeSystemClass = async (name: string, value: number, deps: ApiServerDeps): Promise<void> => {
  if ((await deps.objects.read(classKey(name)))?.state === 'live') return;
  const uid = deps.ids.uuid();
  await deps.writer.write(classKey(name), (row, now) => {
    if (row?.state === 'live') return undefined;
    const metadata = { name, uid, creationTimestamp: toTime(now), generation: 1 };
    return { next: { ...systemClass(name, value), metadata }, writer: 'controller' };
  });
};

/** Stores that are known to hold the built-in classes. */
const complete = new WeakSet<object>();

/**
 * Wraps a verb of PriorityClasses: the first request of a process stores the two built-in classes if they are
 * missing.
 */
export const withSystemClasses =
  (handle: Handle<ApiServerDeps>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    if (!complete.has(deps.objects)) {
      const classes = Object.entries(SYSTEM_PRIORITIES);
      await Promise.all(classes.map(([name, value]) => storeSystemClass(name, value, deps)));
      complete.add(deps.objects);
    }
    return handle(call, deps);
  };
