import { CLUSTER_TAG } from '../../shared/settings/aws/cluster-tag.ts';
import type { ControlPlaneProps } from './control-plane-props.ts';

/** The condition of an IAM statement that only covers what belongs to this cluster: what a Node says of its machine reaches no other one. */
export const ofCluster = ({ configuration }: Pick<ControlPlaneProps, 'configuration'>) => ({
  StringEquals: { [`aws:ResourceTag/${CLUSTER_TAG}`]: configuration.clusterId },
});
