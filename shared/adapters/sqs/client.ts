import { SQSClient } from '@aws-sdk/client-sqs';
import { limited } from '../system/aws-requests.ts';

/** Creates a client with the region and credentials of the environment. Create one per process. */
export const createSqsClient = (): SQSClient => new SQSClient(limited());
