import { EventBridgeClient } from '@aws-sdk/client-eventbridge';

/** Creates a client with the region and credentials of the environment. Create one per process. */
export const createEventBridgeClient = (): EventBridgeClient => new EventBridgeClient({});
