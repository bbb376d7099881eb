/** The finalizer in `spec` that keeps a namespace until it is empty. It is not one of the metadata's finalizers. */
import type { Namespace } from '../../kube/types/core.ts';

const HOLD = 'kubernetes';
const NAME_LABEL = 'kubernetes.io/metadata.name';

/** Whether the namespace waits until it is empty. */
export const isHeldForContent = ({ spec }: Namespace): boolean => (spec?.finalizers ?? []).includes(HOLD);

/** A new namespace: active, and held until it is empty. */
export const heldForContent = (namespace: Namespace): Namespace => {
  const finalizers = namespace.spec?.finalizers ?? [];
  const all = finalizers.includes(HOLD) ? finalizers : [...finalizers, HOLD];
  return { ...namespace, spec: { finalizers: all }, status: { phase: 'Active' } };
};

/** The namespace without the finalizer that kept it until it was empty. */
export const withoutHold = (namespace: Namespace): Namespace => {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((one) => one !== HOLD);
  return { ...namespace, spec: finalizers.length === 0 ? {} : { finalizers } };
};

/** The namespace with the label that has its name. */
export const withNameLabel = (namespace: Namespace): Namespace => {
  const { name, labels } = namespace.metadata;
  if (!name) return namespace;
  return {
    ...namespace,
    metadata: { ...namespace.metadata, labels: { ...labels, [NAME_LABEL]: name } },
  };
};

/** A built-in namespace as it is stored first. */
export const builtInNamespace = (name: string, uid: string, creationTimestamp: string): Namespace =>
  heldForContent(
    withNameLabel({ kind: 'Namespace', apiVersion: 'v1', metadata: { name, uid, creationTimestamp } }),
  );
