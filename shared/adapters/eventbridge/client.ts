import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { limited } from '../system/aws-requests.ts';

/** Creates a client with the region and credentials of the environment. Create one per process. */
export const createEventBridgeClient = (): EventBridgeClient => new EventBridgeClient(limited());
