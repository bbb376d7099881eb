/** A service of the operator as the provider of machines. */
import { summarize } from '../../kube/errors/field-error.ts';
import { type CloudProvider, CloudUnavailableError } from '../../ports/outside/cloud-provider.ts';
import { machineFinder, machinesFrom } from '../../rules/cloud/machine-list.ts';
import { callWebhook, type WebhookOptions } from './call.ts';

const machinesOf = async (options: WebhookOptions, queries: readonly object[]) => {
  const { status, body } = await callWebhook(options, { queries });
  if (status !== 200) throw new Error(`${options.url} answered ${status}; 200 is expected`);
  const list = machinesFrom(body);
  if ('faults' in list) throw new Error(`the answer of ${options.url} is refused: ${summarize(list.faults)}`);
  return list.machines;
};

/**
 * Asks the service with `{ queries: [{ nodeName, providerID }] }`; it answers 200 with `{ machines: [...] }`. A machine that it leaves out does
 * not exist.
 */
export const createWebhookCloud = (options: WebhookOptions): CloudProvider => ({
  instances: async (queries) => {
    const asked = queries.map(({ nodeName, providerId }) => ({ nodeName, providerID: providerId }));
    try {
      const find = machineFinder(await machinesOf(options, asked));
      return queries.map(({ nodeName, providerId }) => find(nodeName, providerId) ?? 'missing');
    } catch (error) {
      throw new CloudUnavailableError('the webhook did not describe the machines', { cause: error });
    }
  },
});
