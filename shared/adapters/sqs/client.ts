import { SQSClient } from '@aws-sdk/client-sqs';

/** A client by the environment's region and credentials, kept for the life of the process. */
export const createSqsClient = (): SQSClient => new SQSClient({});
