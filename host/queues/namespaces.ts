/**
 * Empties namespaces that are being deleted on a host without controllers. There, nobody else would, and `kubectl delete namespace`
 * would wait for ever.
 */
import type { LoadedController } from '../../lambdas/controllers.ts';
import { type EpochMs, parseTime } from '../../shared/kube/values/time.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { SETTLE_SECONDS } from '../../shared/rules/owners/namespace-content.ts';
import { type Loop, startLoop } from '../../shared/serving/machine/loop.ts';
import type { Invocation } from './invocation.ts';

const LOOK_MS = SETTLE_SECONDS * 1_000;

const isDue = ({ object }: LiveRow, now: EpochMs): boolean => {
  const age = now - (parseTime(object.metadata.deletionTimestamp ?? '') ?? Number.NaN);
  // A deletion in the future began before the clock was set back.
  return age < 0 || age >= LOOK_MS;
};

const lookAtAll = async (deps: Invocation, handle: LoadedController['work']['handle']): Promise<void> => {
  const { rows } = await deps.objects.page({ resource: 'namespaces', namespace: '' });
  for (const { key, uid } of rows.filter((row) => isDue(row, deps.clock.now())))
    await handle(deps, { v: 1, name: key.name, uid });
};

/** The next look comes with the next turn of the loop: nobody would take a message. */
const NO_QUEUES = { send: async () => {} };

/** Looks at all namespaces that are being deleted, every five seconds. */
export const startNamespaceLooks = (
  deps: Invocation,
  controllers: readonly LoadedController[],
): readonly Loop[] => {
  const given = { ...deps, queues: { ...deps.queues, ...NO_QUEUES } };
  return controllers
    .filter(({ name }) => name === 'namespace')
    .map(({ work }) =>
      startLoop({
        everyMs: LOOK_MS,
        work: () => lookAtAll(given, work.handle),
        onError: (error) =>
          deps.hostLog.error('failed to empty namespaces that are being deleted', { error }),
      }),
    );
};
