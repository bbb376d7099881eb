// Holds of a control plane in virtual time.
import type { Hold, HoldSpec } from '../../../shared/kube/types/hold.ts';
import { liveRow, type ObjectKey } from '../../../shared/ports/store/rows.ts';
import type { ControlPlane } from '../../../simulation/plane/control-plane-types.ts';

const keyOf = (name: string): ObjectKey => ({ resource: 'holds', namespace: '', name });

/** As a client makes one, without the API: the controller brings it into force within a second. */
export const hold = async (
  plane: Pick<ControlPlane, 'writer' | 'run'>,
  spec: HoldSpec = {},
  name = 'incident',
): Promise<void> => {
  const next: Hold = {
    apiVersion: 'rollcall.dev/v1',
    kind: 'Hold',
    metadata: { name, uid: `uid-${name}`, generation: 1 },
    spec: { reason: 'switch upgrade', ...spec },
    status: { by: 'alice' },
  };
  await plane.writer.write(keyOf(name), () => ({ next, writer: 'client' }));
  await plane.run(3_000);
};

/** Deletes it. */
export const resume = async (plane: Pick<ControlPlane, 'writer'>, name = 'incident'): Promise<void> => {
  await plane.writer.write(keyOf(name), () => ({ next: 'delete', writer: 'client' }));
};

export const readHold = async (
  { state }: Pick<ControlPlane, 'state'>,
  name = 'incident',
): Promise<Hold | undefined> => liveRow(await state.objects.read(keyOf(name)))?.object;
