/** Prometheus' own tool reads the rules, and plays outages to them. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const RULES = 'monitoring/rollcall.rules.yaml';
const CASES = 'monitoring/rollcall.rules.test.yaml';

const promtool = process.env['ROLLCALL_PROMTOOL'] ?? '/usr/bin/promtool';
const isMissing = !existsSync(promtool);
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
if (isMissing)
  process.stdout.write(
    'skipped: the alert rules by promtool: not on this machine (ROLLCALL_PROMTOOL="$(test/unit/monitoring/promtool.sh)")\n',
  );

const run = (...args: readonly string[]): string =>
  execFileSync(promtool, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

it('promtool is there where no test may be skipped', () => expect(isMissing && isComplete).toBe(false));

describe.skipIf(isMissing)('by promtool, the alert rules', () => {
  it('can be loaded', () => expect(run('check', 'rules', RULES)).toContain('SUCCESS'));

  it('fire and end as their cases say', () => expect(run('test', 'rules', CASES)).toContain('SUCCESS'));
});
