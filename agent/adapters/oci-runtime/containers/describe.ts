/** What the agent is told of a container. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { optional } from '../../../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import { shownEnd } from '../../../rules/containers/exit.ts';
import type { RuntimeContainer } from '../../../rules/containers/runtime-status.ts';
import type { Place } from '../../containers/places.ts';
import { logEnd } from '../../cri/logs.ts';
import { endIn } from '../../linux/bounded-file.ts';
import { MESSAGE_FILE } from '../bundles/bundle.ts';
import { attemptFolder, type OciRecord } from './records.ts';
import type { Settled } from './settle.ts';

/** Bytes of the file. Source: kubernetes v1.34 `MaxContainerTerminationMessageLength`. */
const MOST_MESSAGE = 4096;

type Ended = Extract<Settled, { readonly is: 'ended' }>;

const messageOf = async (place: Place, record: OciRecord, { code }: Ended): Promise<string> => {
  const text = (await endIn(join(attemptFolder(place, record), MESSAGE_FILE), MOST_MESSAGE)) ?? '';
  const { terminationMessageFallsBackToLogs: fallsBack = false } = record.spec;
  return text !== '' || !fallsBack || code === 0 ? text : await logEnd(record.logFile);
};

const endOf = async (place: Place, record: OciRecord, end: Ended) => {
  const { code, at, isOutOfMemory, isUnknown } = end;
  const message = await messageOf(place, record, end);
  const shown = shownEnd({ code, oomKills: isOutOfMemory ? 1 : 0, isUnknown }, true);
  return { ...shown, finishedAt: at, ...(message !== '' && { message }) };
};

/** A keeper that is about to say how its program ended has it still. */
const STATES = {
  created: 'created',
  running: 'running',
  ending: 'running',
  unknown: 'unknown',
  ended: 'exited',
} as const;

/** The file is stored when the program is about to run. */
const startedAt = ({ folder }: Place): EpochMs | undefined => {
  const stat = statSync(join(folder, 'started'), { throwIfNoEntry: false });
  return stat && Math.floor(stat.mtimeMs);
};

/** A container in the agent's terms. */
export const describe = async (
  place: Place,
  record: OciRecord,
  found: Settled,
): Promise<RuntimeContainer> => {
  const { spec, createdAt } = record;
  const began = found.is === 'created' ? undefined : startedAt(place);
  return {
    id: place.id,
    name: spec.name,
    state: STATES[found.is],
    createdAt,
    ...optional('startedAt', began),
    ...(found.is === 'ended' && (await endOf(place, record, found))),
    restartCount: spec.restartCount,
    image: spec.image,
    imageId: spec.image,
    wantedImage: spec.image,
  };
};
