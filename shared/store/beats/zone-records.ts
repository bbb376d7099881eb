import type { PassRecord, ZoneRecord } from '../../ports/store/control-store.ts';

/** Whether a zone's record is valid: readers ignore records that were written before full disruption ended. */
export const isCurrentZone = (
  { pass }: Pick<ZoneRecord, 'pass'>,
  record: Pick<PassRecord, 'floorPass'> | undefined,
): boolean => pass >= (record?.floorPass ?? 0);
