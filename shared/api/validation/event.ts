import type { Event } from '../core.ts';
import type { FieldError } from '../field-error.ts';
import { invalidValue } from '../field-error.ts';
import { anyName, validateCommonMetadata, validateMetadata } from './metadata.ts';

// Events about cluster-scoped objects live in one of these.
const CLUSTER_SCOPE_NAMESPACES: readonly string[] = ['default', 'kube-system'];

const validateInvolvedObject = (event: Event): readonly FieldError[] => {
  const { namespace = '' } = event.involvedObject;
  const own = event.metadata.namespace ?? '';
  const fits = namespace === '' ? CLUSTER_SCOPE_NAMESPACES.includes(own) : namespace === own;
  return fits ? [] : [invalidValue('involvedObject.namespace', namespace, 'does not match event.namespace')];
};

/** Rules for a new core Event; its name is free. Source: core validation v1.34 `legacyValidateEvent`. */
export const validateEvent = (event: Event): readonly FieldError[] => [
  ...validateInvolvedObject(event),
  ...validateMetadata(event.metadata, { namespaced: true, nameRule: anyName }),
];

/** Rules for a changed core Event. */
export const validateEventUpdate = (after: Event, before: Event): readonly FieldError[] => [
  ...validateCommonMetadata(after.metadata, before.metadata),
  ...validateInvolvedObject(after),
];
