/** A node whose token is of an earlier version goes on over an upgrade of the stack, and nobody does anything for it. */
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSecretsClient } from '../../../shared/adapters/secrets/client.ts';
import { parseKeySet } from '../../../shared/adapters/secrets/key-set.ts';
import { readSecret } from '../../../shared/adapters/secrets/signing-keys.ts';
import type { Node } from '../../../shared/kube/types/core.ts';
import { cliToken, must, output } from '../support/deployment.ts';

const NAME = 'old-token';
const HOUR_SECONDS = 3_600;
const NODE_PATH = `/apis/rollcall.dev/v1/nodes/${NAME}`;

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** As earlier versions have signed it. */
const oldToken = async (node_uid: string | undefined): Promise<string> => {
  const arn = output('SigningKeySecretArn');
  const { kid, secret } = parseKeySet(await readSecret(createSecretsClient(), arn), arn).current;
  const iat = Math.floor(Date.now() / 1000);
  const who = { sub: `system:node:${NAME}`, groups: ['system:nodes'], node_uid };
  const claims = { ...who, iss: output('TokenIssuer'), aud: 'rollcall', iat, exp: iat + HOUR_SECONDS };
  const text = `${encoded({ alg: 'HS256', typ: 'JWT', kid })}.${encoded(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};

it('beats where all nodes do, renews its token, and beats with the new one', async () => {
  const admin = cliToken('--admin');
  const body = { metadata: { name: NAME } };
  const node = await must<Node>({ method: 'POST', path: '/api/v1/nodes', token: admin, body });
  const beat = (token: string) =>
    must<{ readonly kind: string }>({
      method: 'POST',
      path: `${NODE_PATH}/heartbeat`,
      token,
      on: 'HeartbeatUrl',
    });
  const token = await oldToken(node.metadata.uid);
  const { kind } = await beat(token);
  const renewed = await must<{ readonly status: { readonly token: string } }>({
    method: 'POST',
    path: `${NODE_PATH}/token`,
    token,
  });
  const [header = ''] = renewed.status.token.split('.');
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg: 'EdDSA' });
  expect(await beat(renewed.status.token)).toMatchObject({ kind });
  await must({ method: 'DELETE', path: `/api/v1/nodes/${NAME}`, token: admin });
});
