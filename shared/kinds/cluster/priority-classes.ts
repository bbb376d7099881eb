import { forbidden } from '../../kube/errors/status-error.ts';
import { ownMember } from '../../kube/json/own-member.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import type { PriorityClass } from '../../kube/types/scheduling.ts';
import { SYSTEM_PRIORITIES } from '../../kube/types/well-known.ts';
import { PRIORITY_CLASSES } from '../admission/priority-classes.ts';
import type { AdmissionRequest } from '../contract/admission-request.ts';
import type { ServedKind, Strategy } from '../contract/strategy.ts';
import { validatePriorityClass, validatePriorityClassUpdate } from '../fields/validate-priority-class.ts';

/** The kind PriorityClass and its resource. */
export const PRIORITY_CLASS_KIND: ServedKind = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  resource: PRIORITY_CLASSES,
  namespaced: false,
};

const refused = (name: string, why: string) =>
  forbidden({ resource: PRIORITY_CLASSES, group: PRIORITY_CLASS_KIND.group, name }, why);

const admit = ({ operation, object }: AdmissionRequest<PriorityClass>): PriorityClass => {
  const { name } = object.metadata;
  if (operation === 'delete' && ownMember(SYSTEM_PRIORITIES, name) !== undefined)
    throw refused(name, 'this is a system priority class and cannot be deleted');
  return object;
};

// Runs after validation: an invalid class gets its validation errors, not this refusal.
const checkDefault = (
  { metadata: { name }, globalDefault }: PriorityClass,
  other: PriorityClass | undefined,
  isNew: boolean,
): void => {
  if (globalDefault !== true || !other || (!isNew && other.metadata.name === name)) return;
  throw refused(
    name,
    `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
  );
};

/** How PriorityClasses behave; `other` is the class that is currently the default, if any. */
export const priorityClassStrategy = (other: PriorityClass | undefined): Strategy<PriorityClass> => ({
  kind: PRIORITY_CLASS_KIND,
  schema: kindSchema('scheduling.v1.PriorityClass'),
  defaults: (priorityClass) => ({ value: 0, preemptionPolicy: 'PreemptLowerPriority', ...priorityClass }),
  forCreate: (priorityClass) => ({
    ...priorityClass,
    metadata: { ...priorityClass.metadata, generation: 1 },
  }),
  forUpdate: (after) => after,
  validate: (priorityClass) => {
    const faults = validatePriorityClass(priorityClass);
    if (faults.length === 0) checkDefault(priorityClass, other, true);
    return faults;
  },
  validateUpdate: (after, before) => {
    const faults = validatePriorityClassUpdate(after, before);
    if (faults.length === 0) checkDefault(after, other, false);
    return faults;
  },
  admit,
  fields: () => ({}),
});
