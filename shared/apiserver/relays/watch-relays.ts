/** GET of the collection of Relays with `watch`. */
import type { Scan, Scanned } from '../changes/scan.ts';
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { answerWatch } from '../verbs/watch.ts';
import { watchedByScan } from '../watch/watched-by-scan.ts';
import { RELAY_KIND } from './relay-kind.ts';
import { readRelays } from './relays.ts';

/** Milliseconds between two reads of all relays while a watch is open: each reads the last batches of all parts. */
const EVERY_MS = 10_000;

const scanRelays = async (deps: ApiServerDeps): Promise<Scan> => {
  const relays = await readRelays(deps);
  return new Map(
    relays.map((object): [string, Scanned] => {
      const { name, resourceVersion } = object.metadata;
      return [name, { path: name, version: Number(resourceVersion), object, remains: object, createdAt: 0 }];
    }),
  );
};

/** Several changes of a relay between two reads become one event. */
export const watchRelays: Handle<ApiServerDeps> = async (call, deps) => {
  const { clock, watches } = deps;
  const watched = watches.scanned(RELAY_KIND.resource, (onError) =>
    watchedByScan({ scan: () => scanRelays(deps), everyMs: EVERY_MS, lagMs: 0, clock, onError }),
  );
  return answerWatch(call, deps, { kind: RELAY_KIND, fields: () => ({}), watched });
};
