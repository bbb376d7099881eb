import type { ControlPlaneProps } from './control-plane-props.ts';

/** The tag by which an operator says that a resource of AWS belongs to a cluster: its value is the id of the cluster. */
const CLUSTER_TAG = 'rollcall.dev/cluster';

/** The condition of an IAM statement that only covers what belongs to this cluster: what a Node says of its machine reaches no other one. */
export const ofCluster = ({ configuration }: Pick<ControlPlaneProps, 'configuration'>) => ({
  StringEquals: { [`aws:ResourceTag/${CLUSTER_TAG}`]: configuration.clusterId },
});
