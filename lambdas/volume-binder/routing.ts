import type { LiveRow } from '../../shared/ports/rows.ts';
import { sameJson } from '../../shared/state/object-diff.ts';
import type { Outgoing, Routing } from '../controller.ts';
import type { VolumeBinderMessage } from './message.ts';

const FOLLOWED: ReadonlySet<string> = new Set([
  'persistentvolumeclaims',
  'persistentvolumes',
  'storageclasses',
]);

const CHANGE: readonly Outgoing<VolumeBinderMessage>[] = [{ body: { v: 1, kind: 'change' } }];

/** Without what changes with each write, whatever it is about. */
const partOf = (row: LiveRow | undefined): unknown => {
  if (!row) return undefined;
  const { resourceVersion: _version, managedFields: _managers, ...metadata } = row.object.metadata;
  return { ...row.object, metadata };
};

/** A message for each change of a claim, a volume or a class. A resync of nodes sends none: the sweep looks at all of them. */
export const routing: Routing<VolumeBinderMessage> = {
  route: ({ key, before, after }) =>
    FOLLOWED.has(key.resource) && !sameJson(partOf(before), partOf(after)) ? CHANGE : [],
  resync: async () => [],
};
