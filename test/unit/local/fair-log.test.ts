import { describe, expect, it } from 'vitest';
import { takingTurns } from '../../../local/fair-log.ts';
import type { Commit, CommitOutcome, ObjectLog } from '../../../shared/ports/object-log.ts';

const WRITES = 50;
const committed: CommitOutcome = { outcome: 'committed' };
// What else is committed does not matter here.
const aCommit = { key: { resource: 'nodes' } } as Commit;
const atOnce: Pick<ObjectLog, 'commit'> = { commit: async () => committed };

describe('a log that lets others have a turn', () => {
  it('hears others between the commits of a writer that never waits', async () => {
    const log = takingTurns(atOnce, () => undefined);
    let done = 0;
    let heardAfter: number | undefined;
    setImmediate(() => {
      heardAfter = done;
    });
    for (; done < WRITES; done += 1) await log.commit(aCommit);
    expect(heardAfter).toBeLessThan(2);
  });

  it('tells the resource of each commit and hands on its outcome', async () => {
    const told: string[] = [];
    const log = takingTurns(atOnce, (resource) => told.push(resource));
    expect(await log.commit(aCommit)).toBe(committed);
    expect(told).toEqual(['nodes']);
  });
});
