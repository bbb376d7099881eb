/**
 * Until when changes were announced. A stack that takes over the tables of a deleted one reads their stream from its beginning, up to a day back: what
 * the router of the deleted stack has announced is not announced again.
 */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { ControlStore, Sighting } from '../../shared/ports/store/control-store.ts';

export interface RoutedUntilDeps {
  readonly control: Pick<ControlStore, 'sightings' | 'sighting' | 'replaceSighting'>;
  /** Names the stack of this router: another one after each creation of a stack, the same after its updates. */
  readonly router: string;
}

export interface RoutedUntil {
  /** Until when routers of earlier stacks have announced changes; 0: there was none. Rejects while that is not known. */
  earlier(): Promise<EpochMs>;
  /** Notes that this router has announced a change of this instant, at most once a minute of such instants. */
  note(at: EpochMs): Promise<void>;
}

const topic = 'routed';
const EVERY_MS = 60_000;

/**
 * Instants are those that the stream gives to its records, so no clock of ours has a part in it. A router does not compare with its own instant:
 * one shard may be hours behind another, and its changes were not announced.
 */
export const createRoutedUntil = ({ control, router }: RoutedUntilDeps): RoutedUntil => {
  const read = async () => {
    const all = await control.sightings(topic);
    const others = all.filter(({ name }) => name !== router).map(({ since }) => since);
    return { own: all.find(({ name }) => name === router), earlier: Math.max(0, ...others) };
  };
  let known: ReturnType<typeof read> | undefined;
  const state = (): ReturnType<typeof read> => {
    known ??= read().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  const store = async (own: Sighting | undefined, since: EpochMs): Promise<Sighting | undefined> => {
    const next: Sighting = { topic, name: router, uid: '', since };
    // Another environment of this function was faster if it is not stored: it reads another shard.
    return (await control.replaceSighting(next, own, next)) ? next : control.sighting(next);
  };

  return {
    earlier: async () => (await state()).earlier,
    note: async (at) => {
      const now = await state();
      if (!now.own || at >= now.own.since + EVERY_MS) now.own = await store(now.own, at);
    },
  };
};
