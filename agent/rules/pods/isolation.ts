/**
 * Who keeps the containers of a node apart from it and from each other: an OCI runtime (`oci-rootless`: of an agent that is not root), a
 * runtime that speaks the CRI, or nothing (`none`, plain mode). The value of the label `rollcall.dev/isolation` of the Node, by which pods
 * may select nodes.
 */
export type Isolation = 'oci' | 'oci-rootless' | 'cri' | 'none';

export const ISOLATION_LABEL = 'rollcall.dev/isolation';

/** Whether containers are bundles of an OCI runtime. */
export const hasBundles = (isolation: Isolation): boolean =>
  isolation === 'oci' || isolation === 'oci-rootless';

/** Whether containers have namespaces and users by their runtime, which reads the pod for that. */
export const isByRuntime = (isolation: Isolation): boolean => isolation !== 'none';
