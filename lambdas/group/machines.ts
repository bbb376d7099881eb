/** The provider of machines, and the service that switches them off, that a function is configured with. */
import { createSecretsClient } from '../../shared/adapters/secrets/client.ts';
import { readSecret } from '../../shared/adapters/secrets/signing-keys.ts';
import type { CloudProvider } from '../../shared/ports/outside/cloud-provider.ts';
import type { Fencing } from '../../shared/ports/outside/fencing.ts';
import type { CloudConfig } from '../../shared/settings/cloud.ts';
import type { OutOfServiceConfig } from '../../shared/settings/out-of-service.ts';

const ec2 = async (clusterId: string): Promise<CloudProvider> => {
  const { createEc2Client } = await import('../../shared/adapters/ec2/ec2-client.ts');
  const { ec2Instances } = await import('../../shared/adapters/ec2/instances.ts');
  const { createAutoScalingClient, lifecycleHooks } = await import('../../shared/adapters/ec2/lifecycle.ts');
  return {
    instances: ec2Instances(createEc2Client(), clusterId),
    ...lifecycleHooks(createAutoScalingClient()),
  };
};

/** Reads the token of webhooks before each call. `secretArn`: `none` if they get none. */
const tokenFrom = (secretArn: string): (() => Promise<string | undefined>) => {
  if (secretArn === 'none') return async () => undefined;
  const client = createSecretsClient();
  return async () => (await readSecret(client, secretArn)).trim();
};

/** Loads the provider; the clients of AWS only if it is EC2. `undefined`: none is configured. */
export const loadProvider = async (
  config: CloudConfig | undefined,
  secretArn: string,
  clusterId: string,
): Promise<CloudProvider | undefined> => {
  if (config?.provider === 'ec2') return ec2(clusterId);
  if (config?.provider !== 'webhook') return undefined;
  const { createWebhookCloud } = await import('../../shared/adapters/webhook/machines.ts');
  return createWebhookCloud({ url: config.url, token: tokenFrom(secretArn) });
};

/** Loads who switches machines off. `undefined`: nobody. */
export const loadFencing = async (
  { fencingUrl }: OutOfServiceConfig,
  secretArn: string,
): Promise<Fencing | undefined> => {
  if (fencingUrl === undefined) return undefined;
  const { createWebhookFencing } = await import('../../shared/adapters/webhook/fencing.ts');
  return createWebhookFencing({ url: fencingUrl, token: tokenFrom(secretArn) });
};
