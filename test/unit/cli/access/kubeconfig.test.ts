import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const KEYS = JSON.stringify({ current: 'k1', keys: { k1: Buffer.alloc(32, 7).toString('base64url') } });

const run = (line: string, outputs: Readonly<Record<string, string>>) =>
  runCommandLine(line, { now: () => NOW, readSecret: async () => KEYS, stackOutputs: async () => outputs });

const OUTPUTS = { SigningKeySecretArn: 'arn', TokenIssuer: 'site', ApiUrl: 'https://x.lambda-url.example' };

it('is made for the function URL of a stack, without a certificate authority', async () => {
  const { code, printed } = await run('kubeconfig --stack Rollcall --viewer', OUTPUTS);
  expect(code).toBe(0);
  const { clusters, users } = parse(printed);
  expect(clusters).toEqual([{ name: 'site', cluster: { server: OUTPUTS.ApiUrl } }]);
  const [, payload = ''] = users[0].user.token.split('.');
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
    iss: 'site',
    groups: ['rollcall:viewers'],
  });
});

it('names the output that a stack lacks', async () => {
  const { code, complaint } = await run('kubeconfig --stack Other', {});
  expect(code).toBe(1);
  expect(complaint).toContain('has no output SigningKeySecretArn');
});
