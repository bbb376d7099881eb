import { EventBridgeClient } from '@aws-sdk/client-eventbridge';

/** A client by the environment's region and credentials, kept for the life of the process. */
export const createEventBridgeClient = (): EventBridgeClient => new EventBridgeClient({});
