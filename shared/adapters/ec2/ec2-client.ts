import { EC2Client } from '@aws-sdk/client-ec2';

/** Attempts of one request. The SDK waits longer after each throttled one, and slows down by itself. */
const ATTEMPTS = 6;

/** Creates a client with the region and credentials of the environment. Create one per process. */
export const createEc2Client = (): EC2Client =>
  new EC2Client({ retryMode: 'adaptive', maxAttempts: ATTEMPTS });
