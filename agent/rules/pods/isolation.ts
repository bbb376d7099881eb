/**
 * Who keeps the containers of a node apart from it and from each other: an OCI runtime, a runtime that speaks the CRI, or nothing (`none`,
 * plain mode). The value of the label `rollcall.dev/isolation` of the Node, by which pods may select nodes.
 */
export type Isolation = 'oci' | 'cri' | 'none';

export const ISOLATION_LABEL = 'rollcall.dev/isolation';

/** Whether containers have namespaces and users by their runtime, which reads the pod for that. */
export const isByRuntime = (isolation: Isolation): boolean => isolation !== 'none';
