/** Which Node a machine has: events of a cloud name only the machine. */
import type { SightingKey } from '../../../shared/ports/store/control-store.ts';
import type { CloudNodeDeps } from '../deps.ts';

type Deps = Pick<CloudNodeDeps, 'clock' | 'control'>;

const keyOf = (instance: string): SightingKey => ({ topic: 'instance', name: instance });

/** Stores the name of the Node whose machine this is. If another run has stored one meanwhile, the next look decides. */
export const rememberNode = async (
  { clock, control }: Deps,
  instance: string,
  nodeName: string,
): Promise<void> => {
  const seen = await control.sighting(keyOf(instance));
  if (seen?.uid === nodeName) return;
  const next = { topic: 'instance', name: instance, uid: nodeName, since: clock.now() } as const;
  await control.replaceSighting(keyOf(instance), seen, next);
};

/** The name of the Node; `undefined`: no Node has named this machine. */
export const nodeOf = async ({ control }: Deps, instance: string): Promise<string | undefined> =>
  (await control.sighting(keyOf(instance)))?.uid;

/** The Node is gone: the machine has no Node any more, unless it has another one by now. */
export const forgetNode = async ({ control }: Deps, instance: string, nodeName: string): Promise<void> => {
  const seen = await control.sighting(keyOf(instance));
  if (seen?.uid === nodeName) await control.replaceSighting(keyOf(instance), seen, undefined);
};
