import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { limited } from '../system/aws-requests.ts';

/** Creates a client with the region and credentials of the environment. Create one per process. */
export const createSecretsClient = (): SecretsManagerClient => new SecretsManagerClient(limited());
