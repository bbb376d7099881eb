/** The pods as the runtime has them. */
import { optional } from '../../../../shared/kube/values/optional.ts';
import type { RuntimePod } from '../../../ports/machine/runtime.ts';
import type { RuntimeContainer } from '../../../rules/containers/runtime-status.ts';
import type { Place } from '../../containers/places.ts';
import { type PodRecord, readPod } from '../../containers/pod-record.ts';
import { logPlace, readContainer } from '../processes/records.ts';
import { describe } from './describe.ts';
import type { Parts } from './parts.ts';
import { stillRunning } from './running.ts';
import { settle } from './settle.ts';

const look = async (parts: Parts, place: Place): Promise<RuntimeContainer | undefined> => {
  const known = parts.ended.get(place.id) ?? stillRunning(parts.running, place)?.container;
  if (known) return known;
  const found = await settle(parts.machine, place);
  const record = readContainer(place);
  if (!found || !record) return undefined;
  const container = await describe(place, record, found);
  if (container.state === 'exited') parts.ended.set(place.id, container);
  else parts.ends.add(place);
  if (container.state === 'running' && found.main)
    parts.running.set(place.id, { main: found.main, container, log: logPlace(record) });
  return container;
};

/** Whether containers can be started in the sandbox. */
export const isSandboxWhole = ({ machine }: Parts, uid: string, { bootId }: PodRecord): boolean =>
  bootId === machine.bootId && machine.groups.exists(machine.places.podGroup(uid));

/** An image that is a folder belongs to the machine: it is no writable layer of the container. */
const measured = ({ running }: Parts, places: readonly Place[]) =>
  places.flatMap((place) => {
    const known = running.get(place.id);
    if (!known) return [];
    const { container, log } = known;
    const started = optional('startedAt', container.startedAt);
    return [{ name: place.key.name, ...started, cgroup: place.group, logs: log.folder }];
  });

/** `undefined`: there is no such pod. */
export const readRuntimePod = async (parts: Parts, uid: string): Promise<RuntimePod | undefined> => {
  const { places } = parts.machine;
  const record = readPod(places.podFolder(uid));
  if (!record) return undefined;
  const all = places.containers(uid);
  const containers: RuntimeContainer[] = [];
  for (const place of all) {
    const container = await look(parts, place);
    if (container) containers.push(container);
  }
  return {
    pod: record.spec.pod,
    ...(isSandboxWhole(parts, uid, record) && { sandboxCreatedAt: record.createdAt }),
    containers,
    measure: { cgroup: places.podGroup(uid), containers: measured(parts, all) },
  };
};
