import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** Creates a client with the region and credentials of the environment. Create one per process. */
export const createSecretsClient = (): SecretsManagerClient => new SecretsManagerClient({});
