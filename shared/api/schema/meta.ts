import { keptFlag, keptInt64, keptText, list, struct, text, textMap, time } from './field-types.ts';

const ownerReference = struct('OwnerReference', {
  apiVersion: keptText,
  kind: keptText,
  name: keptText,
  uid: keptText,
  controller: keptFlag,
  blockOwnerDeletion: keptFlag,
});

export const objectMeta = struct('ObjectMeta', {
  name: text,
  generateName: text,
  namespace: text,
  selfLink: text,
  uid: text,
  resourceVersion: text,
  generation: { type: 'int64' },
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: keptInt64,
  labels: textMap,
  annotations: textMap,
  ownerReferences: list(ownerReference),
  finalizers: list(keptText),
});

export const condition = (name: string) =>
  struct(name, {
    type: keptText,
    status: keptText,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
    reason: text,
    message: text,
  });

export const objectReference = struct('ObjectReference', {
  kind: text,
  namespace: text,
  name: text,
  uid: text,
  apiVersion: text,
  resourceVersion: text,
  fieldPath: text,
});

/** `meta/v1` DeleteOptions, the body of a DELETE. */
export const deleteOptions = struct('DeleteOptions', {
  apiVersion: text,
  kind: text,
  gracePeriodSeconds: keptInt64,
  preconditions: struct('Preconditions', { uid: keptText, resourceVersion: keptText }),
  orphanDependents: keptFlag,
  propagationPolicy: text,
  dryRun: list(keptText),
});
