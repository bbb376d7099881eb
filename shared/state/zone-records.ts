import type { PassRecord, ZoneRecord } from '../ports/control-store.ts';

/** Whether a zone's record may be acted on: one from before full disruption was left is ignored by every reader. */
export const isCurrentZone = (
  { pass }: Pick<ZoneRecord, 'pass'>,
  record: Pick<PassRecord, 'floorPass'> | undefined,
): boolean => pass >= (record?.floorPass ?? 0);
