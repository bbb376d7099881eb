import type { Namespace } from '../../api/core.ts';
import type { FieldError } from '../../api/field-error.ts';
import { invalidValue } from '../../api/field-error.ts';
import { forbidden } from '../../api/status-error.ts';
import { toTime } from '../../api/time.ts';
import { validateFinalizer, validateMetadataUpdate } from '../../api/validation/metadata.ts';
import { dnsLabelFaults } from '../../api/validation/names.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import { storedObject } from './stored-object.ts';

/** What holds a namespace until it is empty; not a finalizer of its metadata. */
const HOLD = 'kubernetes';
const NAME_LABEL = 'kubernetes.io/metadata.name';
const IMMORTAL: readonly string[] = ['default', 'kube-public', 'kube-system'];

const labelled = (namespace: Namespace): Namespace => {
  const { name, labels } = namespace.metadata;
  if (!name) return namespace;
  return {
    ...namespace,
    metadata: { ...namespace.metadata, labels: { ...labels, [NAME_LABEL]: name } },
  };
};

const held = (namespace: Namespace): Namespace => {
  const finalizers = namespace.spec?.finalizers ?? [];
  const all = finalizers.includes(HOLD) ? finalizers : [...finalizers, HOLD];
  return { ...namespace, spec: { finalizers: all }, status: { phase: 'Active' } };
};

/** Throws 403. Source: apiserver v1.34 admission plugin `NamespaceLifecycle`. */
const admit = ({ operation, object }: AdmissionRequest<Namespace>): Namespace => {
  const { name } = object.metadata;
  if (operation === 'delete' && IMMORTAL.includes(name))
    throw forbidden({ resource: 'namespaces', name }, 'this namespace may not be deleted');
  return object;
};

const validateHolds = ({ spec }: Namespace): readonly FieldError[] =>
  (spec?.finalizers ?? []).flatMap((one) => validateFinalizer(one, 'spec.finalizers'));

/** Source: core validation v1.34 `ValidateNamespaceStatusUpdate`. */
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

/** Deletion only begins: the namespace goes when it is empty and nothing holds it. */
export const namespaceStrategy = storedObject<Namespace>(
  {
    kind: { group: '', version: 'v1', kind: 'Namespace', resource: 'namespaces', namespaced: false },
    message: 'core.v1.Namespace',
    nameRule: dnsLabelFaults,
    rules: validateHolds,
  },
  {
    defaults: labelled,
    admit,
    forCreate: held,
    forUpdate: (after, before) => ({ ...after, spec: before.spec ?? {}, status: before.status ?? {} }),
    forStatusUpdate: (after, before) => ({ ...after, spec: before.spec ?? {} }),
    validateStatusUpdate: (after, before) => [
      ...validateMetadataUpdate(after.metadata, before.metadata),
      ...validatePhase(after),
    ],
    fields: ({ status }) => ({ 'status.phase': status?.phase ?? '' }),
    // The first DELETE does no more than begin, also where nothing holds the namespace.
    isHeld: ({ spec }, before) =>
      (spec?.finalizers ?? []).length > 0 ||
      (before !== undefined && before.metadata.deletionTimestamp === undefined),
    deletionReturnsObject: true,
    markDeleted: (namespace, now) =>
      namespace.metadata.deletionTimestamp === undefined
        ? {
            ...namespace,
            metadata: { ...namespace.metadata, deletionTimestamp: toTime(now) },
            status: { ...namespace.status, phase: 'Terminating' },
          }
        : namespace,
  },
);

/** PUT of `finalize`, which changes nothing but what holds the namespace. */
export const finalizeStrategy: typeof namespaceStrategy = {
  ...namespaceStrategy,
  forUpdate: (after, before) => ({ ...after, status: before.status ?? {} }),
};

/** The namespace once it is empty. */
export const withoutKubernetesFinalizer = (namespace: Namespace): Namespace => {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((one) => one !== HOLD);
  return { ...namespace, spec: finalizers.length === 0 ? {} : { finalizers } };
};

/** A namespace as every cluster has it from the start. */
export const builtInNamespace = (name: string, uid: string, creationTimestamp: string): Namespace =>
  held(labelled({ kind: 'Namespace', apiVersion: 'v1', metadata: { name, uid, creationTimestamp } }));
