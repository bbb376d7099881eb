/** Groups of commits leave what the same commits leave one after the other, on the store of a host. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { createGroupCommit } from '../../../../host/folder/group-commit.ts';
import { openSqliteState, type SqliteState } from '../../../../shared/adapters/sqlite/state.ts';
import { NODE_LEASE_NAMESPACE } from '../../../../shared/kube/types/well-known.ts';
import type { Commit, HeartbeatEffect } from '../../../../shared/ports/store/commit.ts';
import { nodeKey } from '../../../../shared/ports/store/rows.ts';
import { aCommit, EXPIRES_AT, T0 } from '../../../support/stores/builders.ts';

const root = mkdtempSync(join(tmpdir(), 'rollcall-groups-'));
afterAll(() => rmSync(root, { recursive: true }));

const NODES = ['n1', 'n2', 'n3'];
const WAYS = ['urgent', 'monitor', 'patient'] as const;

const step = fc.record({
  node: fc.constantFrom(...NODES),
  way: fc.constantFrom(...WAYS),
  effect: fc.constantFrom('adopt', 'retire', 'beat', 'unmoved', undefined),
  uid: fc.constantFrom('first', 'second'),
  at: fc.integer({ min: 1, max: 3 }),
  isNew: fc.boolean(),
  isBeaten: fc.boolean(),
  /** How many commits of this node ago the one was that it has read. */
  ago: fc.constantFrom(1, 1, 1, 2),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const effectOf = ({ node, effect, uid, at, isBeaten }: Step): HeartbeatEffect | undefined => {
  const beat = { at: T0 + at, times: { Ready: `t${at}` } };
  switch (effect) {
    case 'adopt':
      return { effect, node, uid, expiresAt: EXPIRES_AT, ...(isBeaten && { beat }) };
    case 'retire':
      return { effect, node, version: at, expiresAt: EXPIRES_AT };
    case 'beat':
      return { effect, node, uid, beat, expiresAt: EXPIRES_AT };
    case 'unmoved':
      return { effect, node, observedAt: isBeaten ? T0 + at : undefined };
    case undefined:
      return undefined;
  }
};

let revision = 0;
/** Each expects that the one of its node before it was written, or the one before that, or that there is no Node. */
const commitsOf = (steps: readonly Step[]): readonly Commit[] => {
  const written = new Map<string, number[]>();
  return steps.map((one) => {
    revision += 1;
    const before = written.get(one.node) ?? [];
    written.set(one.node, [...before, revision]);
    const expected = one.isNew ? undefined : before.at(-one.ago);
    const heartbeat = effectOf(one);
    return aCommit({
      key: nodeKey(one.node),
      revision,
      uid: one.uid,
      ...(expected === undefined ? {} : { expected }),
      ...(heartbeat && { heartbeat }),
      ...(one.effect === 'retire' && expected !== undefined && { type: 'DELETED' as const }),
    });
  });
};

/** The names of a run are of no other one: all runs write into the same two folders. */
const namesOf = (run: number): readonly string[] => NODES.map((name) => `${name}-${run}`);

const storedIn = async ({ objects, heartbeats }: SqliteState, names: readonly string[]) =>
  await Promise.all(
    names.map(async (name) => [
      await objects.read(nodeKey(name)),
      await heartbeats.read({ namespace: NODE_LEASE_NAMESPACE, name }),
    ]),
  );

const open = (name: string): SqliteState =>
  openSqliteState({ folder: join(root, name), clock: { now: () => T0 } });

it('groups leave what the same commits leave one after the other', async () => {
  const [together, alone] = [open('together'), open('alone')];
  const order: Commit[] = [];
  const ways = createGroupCommit((group) => {
    order.push(...group);
    return together.commitTogether(group);
  });
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      runs += 1;
      const commits = commitsOf(steps.map((one) => ({ ...one, node: `${one.node}-${runs}` })));
      const outcomes = await Promise.all(
        commits.map((one, place) => ways[steps[place]?.way ?? 'urgent'](one)),
      );
      const expected = new Map<Commit, unknown>();
      for (const one of order.splice(0)) expected.set(one, await alone.objects.commit(one));
      expect(outcomes).toEqual(commits.map((one) => expected.get(one)));
      expect(await storedIn(together, namesOf(runs))).toEqual(await storedIn(alone, namesOf(runs)));
    }),
    { numRuns: 400 },
  );
  together.close();
  alone.close();
  const names = Array.from({ length: runs }, (_, run) => namesOf(run + 1)).flat();
  const [later, laterAlone] = [open('together'), open('alone')];
  expect(await storedIn(later, names)).toEqual(await storedIn(laterAlone, names));
  later.close();
  laterAlone.close();
}, 120_000);
