import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue } from '../../kube/errors/field-error.ts';
import { forbidden } from '../../kube/errors/status-error.ts';
import type { Namespace } from '../../kube/types/core.ts';
import { dnsLabelFaults } from '../../kube/values/names.ts';
import { IMMORTAL_NAMESPACES, markNamespaceDeleted } from '../../rules/owners/collect.ts';
import { heldForContent, withNameLabel } from '../../rules/owners/namespace-holds.ts';
import { defaultSecondsFaults } from '../../rules/pod-admission/default-seconds.ts';
import type { AdmissionRequest } from '../contract/admission-request.ts';
import { storedObject } from '../contract/stored-object.ts';
import { validateFinalizer, validateMetadataUpdate } from '../fields/metadata.ts';

/**
 * Refuses the deletion of a built-in namespace. Throws 403. Source: apiserver v1.34 admission plugin
 * `NamespaceLifecycle`.
 */
const admit = ({ operation, object }: AdmissionRequest<Namespace>): Namespace => {
  const { name } = object.metadata;
  if (operation === 'delete' && IMMORTAL_NAMESPACES.includes(name))
    throw forbidden({ resource: 'namespaces', name }, 'this namespace may not be deleted');
  return object;
};

const validateOwn = ({ metadata, spec }: Namespace): readonly FieldError[] => [
  ...defaultSecondsFaults(metadata),
  ...(spec?.finalizers ?? []).flatMap((one) => validateFinalizer(one, 'spec.finalizers')),
];

/** The phase must agree with `deletionTimestamp`. Source: core validation v1.34 `ValidateNamespaceStatusUpdate`. */
const validatePhase = ({ metadata, status }: Namespace): readonly FieldError[] => {
  const isGoing = metadata.deletionTimestamp !== undefined;
  const phase = isGoing ? 'Terminating' : 'Active';
  const when = isGoing ? 'is not empty' : 'is empty';
  return status?.phase === phase
    ? []
    : [
        invalidValue(
          'status.phase',
          status?.phase ?? '',
          `may only be '${phase}' if \`deletionTimestamp\` ${when}`,
        ),
      ];
};

/**
 * How Namespaces behave. A DELETE only begins the deletion: the namespace is removed when it is empty and has no
 * finalizers.
 */
export const namespaceStrategy = storedObject<Namespace>(
  {
    kind: { group: '', version: 'v1', kind: 'Namespace', resource: 'namespaces', namespaced: false },
    message: 'core.v1.Namespace',
    nameRule: dnsLabelFaults,
    rules: validateOwn,
  },
  {
    defaults: withNameLabel,
    admit,
    forCreate: heldForContent,
    forUpdate: (after, before) => ({ ...after, spec: before.spec ?? {}, status: before.status ?? {} }),
    forStatusUpdate: (after, before) => ({ ...after, spec: before.spec ?? {} }),
    validateStatusUpdate: (after, before) => [
      ...validateMetadataUpdate(after.metadata, before.metadata),
      ...defaultSecondsFaults(after.metadata),
      ...validatePhase(after),
    ],
    fields: ({ status }) => ({ 'status.phase': status?.phase ?? '' }),
    // The first DELETE only marks the namespace, even if there are no finalizers.
    isHeld: ({ spec }, before) =>
      (spec?.finalizers ?? []).length > 0 ||
      (before !== undefined && before.metadata.deletionTimestamp === undefined),
    deletionReturnsObject: true,
    markDeleted: markNamespaceDeleted,
  },
);

/** How PUT of the subresource `finalize` behaves: it changes only the finalizers in `spec`. */
export const finalizeStrategy: typeof namespaceStrategy = {
  ...namespaceStrategy,
  forUpdate: (after, before) => ({ ...after, status: before.status ?? {} }),
};
