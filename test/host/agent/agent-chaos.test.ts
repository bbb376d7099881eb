import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runAgentChaos } from '../../agent-chaos/chaos.ts';
import { createRandom } from '../../chaos/random.ts';

const DURATION_MS = 12_000;
const SEED = 33;

describe.runIf(process.getuid?.() === 0)(
  'an agent that is killed repeatedly, with its shims and programs',
  () => {
    it('starts nothing twice and forgets nothing', { timeout: 120_000 }, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'rollcall-agent-chaos-'));
      const { violations, agents, starts } = await runAgentChaos(
        folder,
        DURATION_MS,
        createRandom(SEED).next,
      );
      expect(violations).toEqual([]);
      expect(agents).toBeGreaterThan(3);
      expect(starts).toBeGreaterThan(5);
      rmSync(folder, { recursive: true, force: true });
    });
  },
);
