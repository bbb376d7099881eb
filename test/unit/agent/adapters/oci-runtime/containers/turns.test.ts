import { describe, expect, it } from 'vitest';
import { inTurn, type Turns } from '../../../../../../agent/adapters/oci-runtime/containers/turns.ts';

describe('work on containers', () => {
  it('is done one after the other for each, in its order, and leaves nothing', async () => {
    const turns: Turns = new Map();
    const told: string[] = [];
    const first = Promise.withResolvers<void>();
    const work = (name: string, until: Promise<void> = Promise.resolve()) =>
      async function begun(): Promise<string> {
        told.push(`${name} begins`);
        await until;
        told.push(`${name} ends`);
        return name;
      };
    const all = [
      inTurn(turns, 'a', work('a1', first.promise)),
      inTurn(turns, 'a', work('a2')),
      inTurn(turns, 'b', work('b1')),
    ];
    await all[2];
    expect(told).toEqual(['a1 begins', 'b1 begins', 'b1 ends']);
    first.resolve();
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1']);
    expect(told.slice(3)).toEqual(['a1 ends', 'a2 begins', 'a2 ends']);
    expect(turns.size).toBe(0);
  });

  it('goes on after one that failed', async () => {
    const turns: Turns = new Map();
    const failed = inTurn(turns, 'a', () => Promise.reject(new Error('no')));
    const next = inTurn(turns, 'a', async () => 2);
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe(2);
    expect(turns.size).toBe(0);
  });
});
