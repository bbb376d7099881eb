import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createWebhookCloud } from '../../../../shared/adapters/webhook/machines.ts';
import { CloudUnavailableError } from '../../../../shared/ports/outside/cloud-provider.ts';

interface Got {
  readonly authorization: string | undefined;
  readonly body: unknown;
}

/** A service that answers everything alike. */
const serving = async (status: number, body: string, use: (url: string, got: Got[]) => Promise<void>) => {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const sent: unknown = JSON.parse(Buffer.concat(parts).toString());
      got.push({ authorization: request.headers.authorization, body: sent });
      response.writeHead(status, { location: '/elsewhere' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/machines`, got);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

const QUERIES = [
  { nodeName: 'n1', providerId: 'metal://1' },
  { nodeName: 'n2', providerId: '' },
];

describe('a webhook as the provider of machines', () => {
  it('is asked with its token, and answers with machines', async () => {
    const answer = JSON.stringify({
      machines: [{ providerID: 'metal://2', nodeName: 'n2', state: 'stopped' }],
    });
    await serving(200, answer, async (url, got) => {
      const cloud = createWebhookCloud({ url, token: async () => 'secret' });
      expect(await cloud.instances(QUERIES)).toEqual([
        'missing',
        { providerId: 'metal://2', nodeName: 'n2', state: 'stopped' },
      ]);
      expect(got).toEqual([
        {
          authorization: 'Bearer secret',
          body: {
            queries: [
              { nodeName: 'n1', providerID: 'metal://1' },
              { nodeName: 'n2', providerID: '' },
            ],
          },
        },
      ]);
    });
  });

  it.each([
    ['an error', 500, '{"machines":[]}', 'answered 500'],
    ['a redirect', 302, '', ''],
    ['no JSON', 200, 'hello', 'machines: Invalid value'],
    ['a fault', 200, '{"machines":[{"state":"running"}]}', 'machines[0].providerID: Required value'],
  ])('is unavailable with %s', async (_, status, body, why) => {
    await serving(status, body, async (url) => {
      const cloud = createWebhookCloud({ url, token: async () => undefined });
      const error = await cloud.instances(QUERIES).catch((one: unknown) => one);
      expect(error).toBeInstanceOf(CloudUnavailableError);
      expect(String((error as Error).cause)).toContain(why);
    });
  });
});
