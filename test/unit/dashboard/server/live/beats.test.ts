import { expect, it } from 'vitest';
import { createBeats } from '../../../../../dashboard/server/live/beats.ts';
import type { NodeLine } from '../../../../../shared/rules/roll-call/node-line.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const lease = (name: string, at: number) => ({
  kind: 'Lease',
  apiVersion: 'coordination.k8s.io/v1',
  metadata: { name, resourceVersion: String(at) },
  spec: { holderIdentity: name, leaseDurationSeconds: 40 },
});

it('a silence is judged once: a later list, whose beats are all newer, does not excuse a node that is late', () => {
  const silence = { from: NOW - 60_000, to: NOW };
  const beats = createBeats({ asOf: () => NOW + 60_000, silence: () => silence });
  const list = (heardAt: number): void => {
    beats.begin();
    beats.put(lease('late', NOW - 70_000));
    beats.put(lease('heard', heardAt));
    beats.end();
  };
  const late = { name: 'late', ready: 'True' } as NodeLine;
  list(NOW - 30_000);
  expect(beats.silentSince(late)).toBe(NOW - 70_000);
  list(NOW + 50_000);
  expect(beats.silentSince(late)).toBe(NOW - 70_000);
});

it.each<[string, number, { readonly isLate: boolean; readonly isDoubtful: boolean }, number?]>([
  ['is shown while others are heard', 0, { isLate: true, isDoubtful: false }],
  ['is believed for an eighth of the grace period', 5_000, { isLate: true, isDoubtful: false }],
  [
    'is not known after a longer silence of all: the watch may hang',
    5_001,
    { isLate: false, isDoubtful: true },
  ],
  [
    'is shown after a longer silence of all if it was late before, but Leases are read again',
    5_001,
    { isLate: true, isDoubtful: true },
    30_000,
  ],
])('that a node is late %s', (_, muteMs, wanted, quietMs = 15_001) => {
  let now = NOW - muteMs;
  const beats = createBeats({ asOf: () => now, silence: () => undefined });
  beats.put(lease('quiet', NOW - quietMs));
  now = NOW;
  const quiet = { name: 'quiet', ready: 'True' } as NodeLine;
  const seen = () => ({ isLate: beats.silentSince(quiet) > 0, isDoubtful: beats.isDoubtful(quiet) });
  expect(seen()).toEqual(wanted);
  beats.begin();
  beats.put(lease('quiet', NOW - quietMs));
  beats.end();
  expect(seen()).toEqual({ isLate: true, isDoubtful: false });
});
