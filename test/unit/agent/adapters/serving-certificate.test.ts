import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { servingCertificate } from '../../../../agent/adapters/serving-certificate.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const YEAR_MS = 365 * 24 * 60 * 60_000;
const folder = mkdtempSync(join(tmpdir(), 'rollcall-certificate-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the certificate of the agent’s server', () => {
  it('is one that TLS takes, signed by its own key, for the node', async () => {
    const { pem, fingerprint } = await servingCertificate(folder, 'm1', NOW);
    const certificate = new X509Certificate(pem);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkHost('m1')).toBe('m1');
    expect(certificate.subject).toBe('CN=system:node:m1');
    expect(certificate.ca).toBe(false);
    expect(Date.parse(certificate.validFrom)).toBeLessThan(NOW);
    expect(fingerprint).toBe(createHash('sha256').update(certificate.raw).digest('hex'));
    expect(() => createSecureContext({ key: pem, cert: pem })).not.toThrow();
    expect(statSync(join(folder, 'serving.pem')).mode & 0o777).toBe(0o600);
  });

  it('stays the same until its last year, for the same node', async () => {
    const { fingerprint } = await servingCertificate(folder, 'm1', NOW);
    expect((await servingCertificate(folder, 'm1', NOW + 8 * YEAR_MS)).fingerprint).toBe(fingerprint);
    expect((await servingCertificate(folder, 'm1', NOW + 9.5 * YEAR_MS)).fingerprint).not.toBe(fingerprint);
    const { fingerprint: renewed } = await servingCertificate(folder, 'm1', NOW);
    expect((await servingCertificate(folder, 'm2', NOW)).fingerprint).not.toBe(renewed);
  });

  it('takes the place of a file that is none', async () => {
    writeFileSync(join(folder, 'serving.pem'), 'nothing');
    expect((await servingCertificate(folder, 'm1', NOW)).fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });
});
