import type { LiveRow } from '../../shared/ports/store/rows.ts';
import {
  isDeletingDependents,
  isOrphaningDependents,
  unblockedOwners,
} from '../../shared/rules/owners/garbage.ts';
import { edgeChange } from '../../shared/rules/owners/owner-edges.ts';
import { placeOfOwner } from '../../shared/rules/owners/stored-kinds.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import type { Step } from '../contract/step.ts';
import type { GarbageMessage } from './message.ts';

type Messages = readonly Outgoing<GarbageMessage>[];

const isGoing = (row: LiveRow | undefined): boolean =>
  row !== undefined && (isDeletingDependents(row.object) || isOrphaningDependents(row.object));

const namesNewOwners = ({ key, before, after }: Step): boolean => {
  const source = before && { object: before.object, hasEdges: true };
  return after !== undefined && (edgeChange(key.resource, source, after.object)?.puts ?? []).length > 0;
};

const needsLook = (step: Step): boolean =>
  step.after === undefined || namesNewOwners(step) || (isGoing(step.after) && !isGoing(step.before));

/** Owners that may have waited for this object only. */
const ofOwners = ({ key, before, after }: Step): Messages =>
  unblockedOwners(before?.object, after?.object).flatMap((owner) => {
    const place = placeOfOwner(owner, key.namespace);
    return place ? [{ body: { v: 1, kind: 'owner', ...place, uid: owner.uid } }] : [];
  });

/**
 * Messages for objects that are gone, that are being deleted with a policy about their dependents, or that name a new owner; and for owners
 * whose deletion an object blocked until now. A resync of nodes sends none: the collector has a sweep over all kinds.
 */
export const routing: Routing<GarbageMessage> = {
  route: (step) => {
    if (step.key.resource === 'events') return [];
    const own: Messages = needsLook(step)
      ? [{ body: { v: 1, kind: 'object', ...step.key, uid: step.uid } }]
      : [];
    return [...own, ...ofOwners(step)];
  },
  resync: async () => [],
};
