import { describe, expect, it, test } from 'vitest';
import type { HoldSpec } from '../../../../shared/kube/types/hold.ts';
import { LABEL_ZONE } from '../../../../shared/kube/types/well-known.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { heldBy, targetOf } from '../../../../shared/rules/holds/held-by.ts';
import { NO_HOLDS, nextBook } from '../../../../shared/rules/holds/hold-book.ts';

const NOW = 1_800_000_000_000;
const LABELS = { [LABEL_ZONE]: 'b', pool: 'gpu' };

const bookOf = (spec: HoldSpec) =>
  nextBook(
    NO_HOLDS,
    [{ apiVersion: 'rollcall.dev/v1', kind: 'Hold', metadata: { name: 'a', uid: 'u' }, spec }],
    NOW,
    0,
  );

describe('heldBy', () => {
  const gpu = { matchLabels: { pool: 'gpu' } };
  test.each([
    { name: 'all nodes, without a scope (V-102)', spec: {}, isHeld: true },
    { name: 'the nodes of its zones (V-102)', spec: { zones: ['a', 'b'] }, isHeld: true },
    { name: 'none of other zones (V-102)', spec: { zones: ['a'] }, isHeld: false },
    { name: 'the nodes that its selector selects (V-102)', spec: { nodeSelector: gpu }, isHeld: true },
    {
      name: 'none that its selector does not select (V-102)',
      spec: { nodeSelector: { matchLabels: { pool: 'cpu' } } },
      isHeld: false,
    },
    {
      name: 'only nodes for which both hold (V-102)',
      spec: { zones: ['a'], nodeSelector: gpu },
      isHeld: false,
    },
    { name: 'what it stops (V-102)', spec: { stops: ['Drains' as const] }, isHeld: true },
    { name: 'nothing else (V-102)', spec: { stops: ['Fencing' as const] }, isHeld: false },
  ])('covers $name', ({ spec, isHeld }) => {
    const held = heldBy(bookOf(spec), 'Drains', targetOf({ metadata: { labels: LABELS } }), NOW);
    expect(held !== undefined).toBe(isHeld);
  });

  it('covers a node that is not known, whatever the scope (V-102)', () => {
    const book = bookOf({ zones: ['a'], nodeSelector: { matchLabels: { pool: 'cpu' } } });
    expect(heldBy(book, 'NodeDeletion', undefined, NOW)?.name).toBe('a');
  });

  it('covers a node without labels only by a hold for all zones (V-102)', () => {
    const target = targetOf({ metadata: {} });
    expect(heldBy(bookOf({ zones: ['b'] }), 'Drains', target, NOW)).toBeUndefined();
    expect(heldBy(bookOf({ zones: ['no-zone'] }), 'Drains', target, NOW)?.name).toBe('a');
  });

  it('ends at its `until` (V-102)', () => {
    const book = bookOf({ until: toTime(NOW + 60_000) });
    const target = targetOf({ metadata: { labels: LABELS } });
    expect(heldBy(book, 'Drains', target, NOW + 59_999)?.name).toBe('a');
    expect(heldBy(book, 'Drains', target, NOW + 60_000)).toBeUndefined();
  });
});
