/** Logs of containers, and streams to them. */
import type { ContainerStreams } from '../../../ports/machine/container-streams.ts';
import type { Place } from '../../containers/places.ts';
import { dialMachine } from '../../linux/dial-machine.ts';
import { hasFormerLog } from '../containers/former.ts';
import type { OciParts } from '../containers/parts.ts';
import { readRecord } from '../containers/records.ts';
import { attach } from './attach.ts';
import { execStream } from './exec-stream.ts';

export const createOciStreams = (
  parts: OciParts,
  placeOf: (id: string) => Place | undefined,
): ContainerStreams => {
  const present = (id: string): Place => {
    const place = placeOf(id);
    if (place) return place;
    throw new Error(`container ${id} is not running`);
  };
  return {
    log: async (id) => {
      const place = placeOf(id);
      const record = place && readRecord(place);
      return record && !hasFormerLog(record) ? { path: record.logFile } : undefined;
    },
    exec: async (id, command, wanted) => await execStream(parts, present(id), command, wanted),
    attach: async (id, wanted) => await attach(parts, present(id), wanted),
    forward: async () => ({ dial: dialMachine }),
  };
};
