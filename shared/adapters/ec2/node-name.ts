/** Which Node EC2 names for an instance. */
import type { Instance } from '@aws-sdk/client-ec2';
import { CLUSTER_TAG } from '../../settings/aws/cluster-tag.ts';

/** The tag of an instance with the name of its Node. */
export const NODE_TAG = 'rollcall.dev/node';

const tagOf = ({ Tags = [] }: Instance, key: string): string | undefined =>
  Tags.find(({ Key }) => Key === key)?.Value;

/** The name by which the instance is looked up: the operator's tag, or else the private DNS name. Networks of an account share such names, so this is no proof. */
export const lookupNameOf = (instance: Instance): string | undefined =>
  tagOf(instance, NODE_TAG) ?? (instance.PrivateDnsName || undefined);

/** The Node that the operator names by the tag; without it, the one that has the private DNS name, if the instance has the tag of this cluster. */
export const nodeNameOf = (instance: Instance, clusterId: string): string | undefined => {
  const isOfCluster = tagOf(instance, CLUSTER_TAG) === clusterId;
  return isOfCluster ? lookupNameOf(instance) : tagOf(instance, NODE_TAG);
};

/** Of several instances with a name the one with the highest rank counts: a name may be given again, and a tag counts above a DNS name. */
export const rankOf = (instance: Instance, clusterId: string): number => {
  if (instance.State?.Name === 'terminated') return 0;
  if (tagOf(instance, NODE_TAG) !== undefined) return 3;
  return nodeNameOf(instance, clusterId) === undefined ? 1 : 2;
};
