/** The pods as the runtime has them. */
import { dirname } from 'node:path';
import { optional } from '../../../../shared/kube/values/optional.ts';
import { inLane } from '../../../lane.ts';
import type { RuntimePod } from '../../../ports/machine/runtime.ts';
import type { RuntimeContainer } from '../../../rules/containers/runtime-status.ts';
import type { Place } from '../../containers/places.ts';
import { readPod } from '../../containers/pod-record.ts';
import { describe } from './describe.ts';
import type { OciParts } from './parts.ts';
import { attemptFolder, type OciRecord, readRecord } from './records.ts';
import { noteRunning, stillRunning } from './running.ts';
import { isSandboxWhole } from './sandboxes.ts';
import { type Settled, settle } from './settle.ts';

const note = async (
  { ended, ends, running }: OciParts,
  place: Place,
  record: OciRecord,
  container: RuntimeContainer,
): Promise<void> => {
  if (container.state === 'exited') {
    ended.set(place.id, container);
    return;
  }
  ends.add(place);
  if (container.state === 'running') await noteRunning(running, place, record, container);
};

const lookAnew = async (parts: OciParts, place: Place): Promise<RuntimeContainer | undefined> => {
  // One container that cannot be judged or ended now must not hide all others; the next sweep tells why.
  const found = await settle(parts, place).catch((): Settled => ({ is: 'unknown' }));
  const record = readRecord(place);
  if (!found || !record) return undefined;
  const container = await describe(place, record, found);
  await note(parts, place, record, container);
  return container;
};

/** An agent that has just begun knows none of them, and a runtime takes a while for each. */
const look = async (parts: OciParts, place: Place): Promise<RuntimeContainer | undefined> =>
  parts.ended.get(place.id) ??
  stillRunning(parts.running, place)?.shown ??
  (await inLane(parts.looks, () => lookAnew(parts, place)));

type Shown = readonly [Place, RuntimeContainer];

/** The folder of an attempt has the layers of the image's folders, and the private root. */
const measured = ({ running }: OciParts, containers: readonly Shown[]): RuntimePod['measure']['containers'] =>
  containers.flatMap(([place, { name, state, startedAt }]) => {
    const record = state === 'running' ? (running.get(place.id)?.record ?? readRecord(place)) : undefined;
    if (!record) return [];
    const folders = { rootfs: attemptFolder(place, record), logs: dirname(record.logFile) };
    return [{ name, ...optional('startedAt', startedAt), cgroup: place.group, ...folders }];
  });

/** How many containers are looked at together. */
export const LOOKS_AT_ONCE = 4;

/** `undefined`: there is no such pod. */
export const readRuntimePod = async (parts: OciParts, uid: string): Promise<RuntimePod | undefined> => {
  const { places } = parts;
  const record = readPod(places.podFolder(uid));
  if (!record) return undefined;
  const all = places.containers(uid).map(async (place): Promise<readonly Shown[]> => {
    const container = await look(parts, place);
    return container ? [[place, container]] : [];
  });
  const found = (await Promise.all(all)).flat();
  return {
    pod: record.spec.pod,
    ...(isSandboxWhole(parts, uid, record) && { sandboxCreatedAt: record.createdAt }),
    containers: found.map(([, container]) => container),
    measure: { cgroup: places.podGroup(uid), containers: measured(parts, found) },
  };
};
