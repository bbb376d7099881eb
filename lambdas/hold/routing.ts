import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { HOLDS } from '../../shared/store/holds/settle-holds.ts';
import type { Routing } from '../contract/controller.ts';
import type { HoldMessage } from './message.ts';

/** What of a Hold changes the book. */
const factsOf = (row: LiveRow | undefined): string => {
  const { generation, deletionTimestamp } = row?.object.metadata ?? {};
  return row ? `${row.uid}/${generation ?? 0}/${deletionTimestamp ?? ''}` : '';
};

/** A message for each Hold that is new, has changed or is gone. Its status changes nothing. */
export const routing: Routing<HoldMessage> = {
  route: ({ key, before, after }) =>
    key.resource === HOLDS && factsOf(before) !== factsOf(after) ? [{ body: { v: 1, kind: 'holds' } }] : [],
  resync: async () => [],
};
