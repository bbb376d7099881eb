/** What operators do to stop what the control plane does, and to let it go on. */
import type { Hold } from '../../shared/kube/types/hold.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import { toTime } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { HOLDS, settleHolds } from '../../shared/store/holds/settle-holds.ts';
import { createLister } from '../../shared/store/lists/lists.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';
import type { PlannedAction } from '../plan/plan-actions.ts';
import { createIds } from '../plane/ids.ts';

type Of<K> = Extract<PlannedAction, { kind: K }>;

/** What making a Hold needs. */
export interface HoldActionDeps {
  readonly writer: ObjectWriter;
  readonly clock: Clock;
  readonly state: { readonly objects: ObjectStore; readonly control: ControlStore };
}

const keyOf = (name: string) => ({ resource: HOLDS, namespace: '', name });

/** Makes a Hold, and brings it into force as the API does before it answers: lost messages change nothing of that. */
export const makeHold = async (
  { writer, state, clock }: HoldActionDeps,
  { name, zones, stops }: Of<'hold'>,
): Promise<void> => {
  await writer.write(keyOf(name), (_row, now) => {
    const metadata = { name, uid: `hold-${name}`, generation: 1, creationTimestamp: toTime(now) };
    const next: Hold = {
      apiVersion: 'rollcall.dev/v1',
      kind: 'Hold',
      metadata,
      spec: { ...optional('zones', zones), ...optional('stops', stops), reason: 'of the scenario' },
      status: { by: 'operator' },
    };
    return { next, writer: 'client' };
  });
  const own = { ...state, clock, ids: createIds() };
  await settleHolds({ ...own, writer, lister: createLister(own) });
};

/** Deletes it. */
export const endHold = async (writer: ObjectWriter, { name }: Of<'resume'>): Promise<void> => {
  await writer.write(keyOf(name), () => ({ next: 'delete', writer: 'client' }));
};
