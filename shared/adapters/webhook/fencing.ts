/** A service of the operator that switches machines off. */
import { isObject } from '../../kube/json/json-object.ts';
import type { Fencing } from '../../ports/outside/fencing.ts';
import { callWebhook, type WebhookOptions } from './call.ts';

/** Asks by a POST. Only the answer 200 with `{ "state": "off" }` is a proof; 202 means that it is under way. */
export const createWebhookFencing = (options: WebhookOptions): Fencing => ({
  fence: async ({ node, uid, providerId, notReadySince, key }) => {
    const asked = { node, uid, providerID: providerId, notReadySince };
    const { status, body } = await callWebhook(options, asked, { 'idempotency-key': key });
    if (status === 202) return false;
    if (status === 200 && isObject(body) && body['state'] === 'off') return true;
    throw new Error(`${options.url} answered ${status}; 200 with the state "off", or 202, is expected`);
  },
});
