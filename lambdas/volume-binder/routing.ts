import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { schedulingSpec } from '../../shared/rules/scheduling/pods/scheduling-spec.ts';
import { isClaim } from '../../shared/rules/scheduling/pods/storage.ts';
import { isShutDown } from '../../shared/rules/storage/protection.ts';
import { sameJson } from '../../shared/store/commit/object-diff.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import { podOf, type Step } from '../contract/step.ts';
import type { VolumeBinderMessage } from './message.ts';

const FOLLOWED: ReadonlySet<string> = new Set([
  'persistentvolumeclaims',
  'persistentvolumes',
  'storageclasses',
]);

const CHANGE: readonly Outgoing<VolumeBinderMessage>[] = [{ body: { v: 1, kind: 'change' } }];

const UNUSED: readonly Outgoing<VolumeBinderMessage>[] = [{ body: { v: 1, kind: 'unused' } }];

/** Whether a pod with a node and claims is gone, or its node has ended it. */
const endsUse = ({ before, after }: Step): boolean => {
  const [was, is] = [podOf(before), podOf(after)];
  if (!was?.spec.nodeName || !(schedulingSpec(was).volumes ?? []).some(isClaim)) return false;
  return !is || (isShutDown(is) && !isShutDown(was));
};

/** Without what changes with each write, whatever it is about. */
const partOf = (row: LiveRow | undefined): unknown => {
  if (!row) return undefined;
  const { resourceVersion: _version, managedFields: _managers, ...metadata } = row.object.metadata;
  return { ...row.object, metadata };
};

const changes = ({ key, before, after }: Step): boolean =>
  FOLLOWED.has(key.resource) && !sameJson(partOf(before), partOf(after));

/** A message for each change of a claim, a volume or a class, and for pods that stop using claims. A resync of nodes sends none: the sweep looks at all of them. */
export const routing: Routing<VolumeBinderMessage> = {
  route: (step) => {
    if (step.key.resource === 'pods') return endsUse(step) ? UNUSED : [];
    return changes(step) ? CHANGE : [];
  },
  resync: async () => [],
};
