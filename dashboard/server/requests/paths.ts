/** Paths of the lists that the dashboard reads. */

export const NODES = '/api/v1/nodes';
export const PODS = '/api/v1/pods';
export const ZONES = '/apis/rollcall.dev/v1/zones';
/** The Leases of nodes. */
export const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** A list of what the field selector selects. */
export const selected = (path: string, selector: string): string =>
  `${path}?${new URLSearchParams({ fieldSelector: selector }).toString()}`;

/** The pods of a node. */
export const podsOn = (node: string): string => selected(PODS, `spec.nodeName=${node}`);
