import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** A client by the environment's region and credentials, kept for the life of the process. */
export const createSecretsClient = (): SecretsManagerClient => new SecretsManagerClient({});
