import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { judgeAudit } from '../../runner/audit.ts';

const advisory = (severity: string, id = 'GHSA-aaaa-bbbb-cccc') => ({
  source: 1,
  name: 'ws',
  dependency: 'ws',
  title: 'A title',
  severity,
  range: '<9',
  url: `https://github.com/advisories/${id}`,
});

const report = (...via: readonly (object | string)[]): string =>
  JSON.stringify({ auditReportVersion: 2, vulnerabilities: { ws: { name: 'ws', via } } });

const LINE = 'ws <9: A title (https://github.com/advisories/GHSA-aaaa-bbbb-cccc)';
const ID = 'GHSA-aaaa-bbbb-cccc';
const UNUSED = `${ID} is not reported any more: remove it from the accepted advisories`;
const NO_ANSWER = 'the registry did not answer, so nothing was audited: connect ECONNREFUSED';

describe('an audit', () => {
  it.each([
    { what: 'no advisory', printed: report(), accepted: [], failures: [], warnings: [] },
    { what: 'a low one', printed: report(advisory('low')), accepted: [], failures: [], warnings: [] },
    {
      what: 'a moderate one',
      printed: report(advisory('moderate')),
      accepted: [],
      failures: [],
      warnings: [],
    },
    {
      what: 'a high one',
      printed: report(advisory('high')),
      accepted: [],
      failures: [`high: ${LINE}`],
      warnings: [],
    },
    {
      what: 'a critical one',
      printed: report(advisory('critical')),
      accepted: [],
      failures: [`critical: ${LINE}`],
      warnings: [],
    },
    {
      what: 'one that two packages have',
      printed: report('ws', advisory('high'), advisory('high')),
      accepted: [],
      failures: [`high: ${LINE}`],
      warnings: [],
    },
    {
      what: 'an accepted one',
      printed: report(advisory('high')),
      accepted: [ID],
      failures: [],
      warnings: [],
    },
    {
      what: 'another than the accepted one',
      printed: report(advisory('high')),
      accepted: ['GHSA-1'],
      failures: [`high: ${LINE}`],
      warnings: [UNUSED.replace(ID, 'GHSA-1')],
    },
    {
      what: 'an accepted one that is gone',
      printed: report(),
      accepted: [ID],
      failures: [],
      warnings: [UNUSED],
    },
    {
      what: 'an accepted one that became moderate',
      printed: report(advisory('moderate')),
      accepted: [ID],
      failures: [],
      warnings: [UNUSED],
    },
    {
      what: 'no network',
      printed: '{"message":"connect ECONNREFUSED","error":{"summary":""}}',
      accepted: [ID],
      failures: [],
      warnings: [NO_ANSWER],
    },
  ])('with $what', ({ printed, accepted, failures, warnings }) => {
    const verdict = judgeAudit(
      printed,
      accepted.map((id) => ({ id, reason: 'the parser is not reached' })),
    );
    expect(verdict).toEqual({ failures, warnings });
  });

  it('fails if npm printed something else, such as that there is no lock file', () => {
    expect(() => judgeAudit('{"error":{"code":"ENOLOCK"}}', [])).toThrow('ENOLOCK');
  });
});

describe('the program, with the npm of this machine', () => {
  let registry: Server | undefined;
  let cache: string;

  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'rollcall-npm-'));
  });

  afterEach(() => {
    registry?.close();
    registry = undefined;
    rmSync(cache, { recursive: true, force: true });
  });

  /** Returns the URL of a registry that knows these advisories, and no package. */
  const serve = async (advisories: object): Promise<string> => {
    registry = createServer((request, response) => {
      request.resume();
      response.statusCode = request.url?.endsWith('/advisories/bulk') ? 200 : 404;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(advisories));
    }).listen(0, '127.0.0.1');
    await once(registry, 'listening');
    return `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  };

  const audit = async (url: string): Promise<{ readonly printed: string; readonly code: number }> => {
    // npm keeps what it has found about an advisory in its cache, so each run has a cache of its own.
    const npm = { npm_config_registry: url, npm_config_noproxy: '127.0.0.1', npm_config_cache: cache };
    const child = spawn(process.execPath, ['test/runner/audit.ts'], {
      env: { ...process.env, ...npm },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return { printed, code };
  };

  const found = { id: 1, title: 'A title', vulnerable_versions: '*', cwe: [], cvss: { score: 0 } };
  const url = `https://github.com/advisories/${ID}`;

  it('fails on a high advisory, and names it', async () => {
    const { printed, code } = await audit(await serve({ ws: [{ ...found, url, severity: 'high' }] }));
    expect(printed).toContain(`high: ws *: A title (${url})`);
    expect(code).toBe(1);
  });

  it('passes with a moderate one', async () => {
    const { code, printed } = await audit(await serve({ ws: [{ ...found, url, severity: 'moderate' }] }));
    expect(printed).not.toContain(ID);
    expect(code).toBe(0);
  });

  it('warns, and passes, where nothing answers', async () => {
    const gone = await serve({});
    registry?.close();
    const { code, printed } = await audit(gone);
    expect(printed).toMatch(/^WARNING test:audit: the registry did not answer/);
    expect(code).toBe(0);
  });
});
