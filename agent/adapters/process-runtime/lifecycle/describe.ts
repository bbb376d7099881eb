/** What the agent is told of a container. */
import { join } from 'node:path';
import type { RuntimeContainer } from '../../../rules/containers/runtime-status.ts';
import { type Exit, shownEnd } from '../../../rules/runtime/container-state.ts';
import type { Place } from '../../containers/places.ts';
import { endIn } from '../../linux/bounded-file.ts';
import { logTail } from '../logs/logs.ts';
import { type ContainerRecord, type Found, logPlace, writtenAt } from '../processes/records.ts';
import { MESSAGE_FILE } from './plan-start.ts';

/** Bytes of the file. Source: kubernetes v1.34 `MaxContainerTerminationMessageLength`. */
const MOST_MESSAGE = 4096;
/** Of the log. Source: `MaxContainerTerminationMessageLogLength`, `…LogLines`. */
const MOST_LOG_BYTES = 2048;
const MOST_LOG_LINES = 80;

const messageOf = async (
  place: Place,
  record: ContainerRecord,
  exit: Exit,
  hasRun: boolean,
): Promise<string> => {
  if (!hasRun && !exit.isUnknown)
    return (await endIn(join(place.folder, 'start-error'), MOST_MESSAGE))?.trim() ?? '';
  const text = (await endIn(join(place.folder, MESSAGE_FILE), MOST_MESSAGE)) ?? '';
  const { terminationMessageFallsBackToLogs: fallsBack = false } = record.spec;
  if (text !== '' || !fallsBack || exit.code === 0) return text;
  return await logTail(logPlace(record), MOST_LOG_BYTES, MOST_LOG_LINES);
};

const endOf = async (place: Place, record: ContainerRecord, exit: Exit, hasRun: boolean) => {
  const finishedAt = writtenAt(place, 'exit');
  const message = await messageOf(place, record, exit, hasRun);
  return {
    ...shownEnd(exit, hasRun),
    ...(finishedAt !== undefined && { finishedAt }),
    ...(message !== '' && { message }),
  };
};

const STATES = {
  reserved: 'created',
  starting: 'created',
  running: 'running',
  lost: 'unknown',
  exited: 'exited',
} as const;

/** A container in the agent's terms. */
export const describe = async (
  place: Place,
  record: ContainerRecord,
  { state, main, exit }: Found,
): Promise<RuntimeContainer> => {
  const { spec, createdAt } = record;
  const startedAt = writtenAt(place, 'main');
  return {
    id: place.id,
    name: spec.name,
    state: STATES[state],
    createdAt,
    ...(startedAt !== undefined && { startedAt }),
    ...(exit && (await endOf(place, record, exit, main !== undefined))),
    restartCount: spec.restartCount,
    image: spec.image,
    imageId: spec.image,
    wantedImage: spec.image,
  };
};
