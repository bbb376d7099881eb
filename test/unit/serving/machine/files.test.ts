import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseConfigFile } from '../../../../host/folder/config-file.ts';
import { ensurePrivateFile, ensurePrivateFolder } from '../../../../shared/adapters/system/private-files.ts';
import { HostProblem } from '../../../../shared/serving/http/problem.ts';
import { createMetricsRegistry } from '../../../../shared/serving/http/prometheus.ts';
import {
  ensureCertificates,
  ensureSigningKeys,
  pathsOf,
  writePrivately,
} from '../../../../shared/serving/machine/files.ts';
import { ownAddresses } from '../../../../shared/serving/machine/own-addresses.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const DAY = 24 * 3_600_000;

describe('the folder of a host', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-files-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const paths = pathsOf(folder);
  const modeOf = (name: string): string => (statSync(join(folder, name)).mode & 0o777).toString(8);
  const certificates = (host: string, names: readonly string[] = [], now = NOW) =>
    ensureCertificates(paths, host, names, now);

  it('keeps its signing key, readable by its owner only', () => {
    const { current } = ensureSigningKeys(paths);
    expect(ensureSigningKeys(paths).current).toEqual(current);
    expect(statSync(paths.signingKey).mode & 0o777).toBe(0o600);
  });

  it('says what to do about a damaged signing key', () => {
    const damaged = pathsOf(mkdtempSync(join(folder, 'damaged-')));
    writePrivately(damaged.signingKey, '{}');
    expect(() => ensureSigningKeys(damaged)).toThrow(HostProblem);
    expect(() => ensureSigningKeys(damaged)).toThrow(/without one, delete it.*all tokens are void/);
  });

  it('is private whatever the umask, also if parent folders have to be created', () => {
    const umask = process.umask(0);
    try {
      const made = join(folder, 'parent', 'made');
      ensurePrivateFolder(made);
      ensurePrivateFile(join(made, 'file'));
      writePrivately(join(made, 'text'), 'text');
      expect(['parent', 'parent/made', 'parent/made/file', 'parent/made/text'].map(modeOf)).toEqual([
        '700',
        '700',
        '600',
        '600',
      ]);
    } finally {
      process.umask(umask);
    }
  });

  it('makes a file private that others could read, and keeps its content', () => {
    const path = join(folder, 'open');
    writeFileSync(path, 'content', { mode: 0o666 });
    chmodSync(path, 0o666);
    ensurePrivateFile(path);
    expect([modeOf('open'), readFileSync(path, 'utf8')]).toEqual(['600', 'content']);
  });

  it('has a certificate for all addresses of its machine if it listens at all of them', async () => {
    const { server } = await certificates('0.0.0.0', ['roll.example.org']);
    const certificate = new X509Certificate(server.certificate);
    expect(certificate.checkHost('roll.example.org')).toBe('roll.example.org');
    for (const address of ownAddresses()) expect(certificate.checkIP(address)).toBe(address);
  });

  it('keeps the mode of an existing folder', () => {
    const given = join(folder, 'given');
    mkdirSync(given);
    chmodSync(given, 0o755);
    ensurePrivateFolder(given);
    expect(modeOf('given')).toBe('755');
  });

  it.each(['/proc/nope', '/proc/nope/deeper', '/proc/self/cmdline/below'])(
    'is refused at once if it cannot be created: %s',
    (path) => expect(() => ensurePrivateFolder(path)).toThrow(/ENOENT|ENOTDIR/),
  );

  it('has a certificate for the loopback addresses, signed by its own CA, and keeps both', async () => {
    const { ca, server } = await certificates('127.0.0.1');
    const [authority, certificate] = [new X509Certificate(ca), new X509Certificate(server.certificate)];
    expect(authority.ca).toBe(true);
    expect(certificate.checkIssued(authority) && certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkIP('::1')).toBeDefined();
    expect(await certificates('127.0.0.1')).toEqual({ ca, server });
    expect(statSync(paths.serverKey).mode & 0o777).toBe(0o600);
  });

  it('renews the certificate for another name and before it expires, with the same CA', async () => {
    const { ca } = await certificates('127.0.0.1');
    const named = await certificates('127.0.0.1', ['roll.example']);
    expect(new X509Certificate(named.server.certificate).checkHost('roll.example')).toBe('roll.example');
    const later = await certificates('127.0.0.1', ['roll.example'], NOW + 380 * DAY);
    expect(later.server).not.toEqual(named.server);
    expect([named.ca, later.ca]).toEqual([ca, ca]);
  });
});

describe('a file with settings', () => {
  it.each([
    ['YAML', 'nodeMonitorPeriod: 2s\nfast: true\n'],
    ['JSON', '{"nodeMonitorPeriod": "2s", "fast": true}'],
  ])('may be %s', (_, text) =>
    expect(parseConfigFile(text, 'f')).toEqual({ nodeMonitorPeriod: '2s', fast: true }),
  );

  it.each([
    ['a: 1\n b: [', /^f: .* line 1/],
    ['- a', /^f: must hold settings by name/],
  ])('like %o is refused with its name and line', (text, message) =>
    expect(() => parseConfigFile(text, 'f')).toThrow(message),
  );
});

describe('metrics', () => {
  it('are written in the Prometheus text format', () => {
    const metrics = createMetricsRegistry({
      c_total: { kind: 'counter', help: 'A counter.', labels: ['zone'] },
      g: { kind: 'gauge', help: 'A gauge.' },
      h_seconds: { kind: 'histogram', help: 'A histogram.' },
    });
    metrics.add('c_total', { zone: 'a"b' });
    metrics.add('c_total', { zone: 'a"b' }, 2);
    metrics.set('g', {}, 7);
    metrics.observe('h_seconds', 0.01);
    const lines = metrics.text().split('\n');
    expect(lines).toContain('c_total{zone="a\\"b"} 3');
    expect(lines).toContain('# TYPE g gauge');
    expect(lines).toContain('g 7');
    expect(lines).toContain('h_seconds_bucket{le="0.004"} 0');
    expect(lines).toContain('h_seconds_bucket{le="0.016"} 1');
    expect(lines).toContain('h_seconds_bucket{le="+Inf"} 1');
    expect(lines).toContain('h_seconds_count 1');
  });
});
