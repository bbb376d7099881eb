import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runChaos } from '../../chaos/chaos.ts';

const KILLS = 5;
const SEED = 20;

describe('a host that is killed repeatedly under load', () => {
  const root = mkdtempSync(join(tmpdir(), 'rollcall-chaos-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('keeps every acknowledged write, every deadline and every machine that sends heartbeats', {
    timeout: 90_000,
  }, async () => {
    const folder = join(root, 'host');
    const { violations, counts } = await runChaos({
      folder,
      kills: KILLS,
      seed: SEED,
      awayEach: 0,
      disturbEach: 0,
    });
    expect(violations).toEqual([]);
    expect(counts.writes).toBeGreaterThan(100);
  });

  it('marks silent machines Unknown and no others, also after suspensions and steps of its clock', {
    timeout: 180_000,
  }, async () => {
    const folder = join(root, 'disturbed');
    const { violations } = await runChaos({ folder, kills: 4, seed: SEED, awayEach: 0, disturbEach: 1 });
    expect(violations).toEqual([]);
  });
});
