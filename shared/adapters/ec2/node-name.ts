/** Which Node EC2 names for an instance. */
import type { Instance } from '@aws-sdk/client-ec2';

/** The tag of an instance with the name of its Node. */
export const NODE_TAG = 'rollcall.dev/node';

/** The Node that the operator names by the tag; without it, the one that has the private DNS name. */
export const nodeNameOf = ({ Tags = [], PrivateDnsName }: Instance): string | undefined =>
  Tags.find(({ Key }) => Key === NODE_TAG)?.Value ?? (PrivateDnsName || undefined);
