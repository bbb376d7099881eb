/** The tag by which an operator says that a resource of AWS belongs to a cluster: its value is the id of the cluster. */
export const CLUSTER_TAG = 'rollcall.dev/cluster';
