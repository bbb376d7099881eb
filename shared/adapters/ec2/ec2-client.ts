import { EC2Client } from '@aws-sdk/client-ec2';
import { EC2_LIMITS, limited } from '../system/aws-requests.ts';

/** Creates a client with the region and credentials of the environment, which slows down when it is throttled. Create one per process. */
export const createEc2Client = (): EC2Client =>
  new EC2Client({ ...limited(EC2_LIMITS), retryMode: 'adaptive' });
