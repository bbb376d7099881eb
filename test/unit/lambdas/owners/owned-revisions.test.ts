import { describe, expect, it } from 'vitest';
import {
  deleteRevisions,
  keepRevision,
  readRevisions,
  writesRevisions,
} from '../../../../lambdas/owners/owned-revisions.ts';
import type { ControllerRevision, Workload } from '../../../../shared/kube/types/workloads.ts';
import { liveRow } from '../../../../shared/ports/store/rows.ts';
import {
  inRevisionOrder,
  newRevision,
  planRevisions,
  STATEFUL_SET_REVISIONS,
} from '../../../../shared/rules/workloads/revisions/controller-revisions.ts';
import { inTurn, type OwnerTurn, TurnLost } from '../../../../shared/store/turns/owner-turns.ts';
import { createIds } from '../../../../simulation/plane/ids.ts';
import { aWorkload, referenceTo } from '../../../support/objects/workload-objects.ts';
import { aWorkloadPlane } from '../../../support/planes/workload-plane.ts';

const SETS = 'statefulsets';
const REVISIONS = 'controllerrevisions';
const ACCOUNT = 'statefulset-controller';
const spec = (image: string) => ({
  template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } },
});
const set = aWorkload({ kind: 'StatefulSet', spec: spec('img:1') });

const setUp = async () => {
  const plane = await aWorkloadPlane();
  await plane.put(SETS, set);
  const deps = {
    ...plane.state,
    writer: plane.writer,
    clock: plane.clock,
    ids: createIds(),
    config: plane.config,
  };
  /** One look of a run that keeps the revision of the template. */
  const look = async (turn: OwnerTurn) => {
    const row = liveRow(await deps.objects.read({ resource: SETS, namespace: 'default', name: 'web' }));
    if (!row) throw new Error('the set is gone');
    const owner = row.object as Workload;
    const write = { turn: await turn.fence() };
    const plan = await readRevisions(deps, owner);
    const writing = { row, owner, account: ACCOUNT, naming: STATEFUL_SET_REVISIONS, write } as const;
    return { plan, write, kept: await keepRevision(deps, plan, writing) };
  };
  const run = async () => {
    const turn = await inTurn(deps, set.metadata.uid ?? '', look);
    if (turn.outcome !== 'done' || !turn.results[0]) throw new Error('another run has the turn');
    return turn.results[0];
  };
  const stored = async () =>
    inRevisionOrder(await plane.list<ControllerRevision>(REVISIONS)).map(
      ({ metadata: { name }, revision }) => [name, revision],
    );
  return { ...plane, deps, look, run, stored };
};

const nameFor = (image: string, collisions?: number) => {
  const owner = aWorkload({ kind: 'StatefulSet', spec: spec(image) });
  return newRevision(owner, planRevisions(owner, []), STATEFUL_SET_REVISIONS, collisions).metadata.name;
};

describe('revisions of an owner', () => {
  it('creates a revision once, and another one for another template (W-103)', async () => {
    const plane = await setUp();
    expect(writesRevisions((await plane.run()).plan)).toBe(true);
    expect(writesRevisions((await plane.run()).plan)).toBe(false);
    expect(await plane.stored()).toEqual([[nameFor('img:1'), 1]]);
    await plane.respec(SETS, 'web', spec('img:2'));
    await plane.run();
    expect(await plane.stored()).toEqual([
      [nameFor('img:1'), 1],
      [nameFor('img:2'), 2],
    ]);
    const [first] = await plane.list<ControllerRevision>(REVISIONS);
    expect(first?.metadata.ownerReferences).toEqual([referenceTo(set)]);
  });

  it('gives the revision of an earlier template the next number (W-103)', async () => {
    const plane = await setUp();
    await plane.run();
    await plane.respec(SETS, 'web', spec('img:2'));
    await plane.run();
    await plane.respec(SETS, 'web', spec('img:1'));
    const { kept } = await plane.run();
    expect(kept.revision).toMatchObject({ metadata: { name: nameFor('img:1') }, revision: 3 });
    expect(await plane.stored()).toEqual([
      [nameFor('img:2'), 2],
      [nameFor('img:1'), 3],
    ]);
  });

  it('adopts what an owner of the same name has left (W-104)', async () => {
    const plane = await setUp();
    await plane.run();
    const name = nameFor('img:1');
    await plane.change<ControllerRevision>(REVISIONS, name, (one) => {
      const { ownerReferences: _cut, ...metadata } = one.metadata;
      return { ...one, metadata };
    });
    await plane.run();
    expect((await plane.read<ControllerRevision>(REVISIONS, name))?.metadata.ownerReferences).toEqual([
      referenceTo(set),
    ]);
    expect(await plane.stored()).toEqual([[name, 1]]);
  });

  it('takes another name if something else has the name (W-106)', async () => {
    const plane = await setUp();
    const name = nameFor('img:1');
    await plane.put(REVISIONS, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name, namespace: 'default', uid: 'foreign' },
    });
    const { kept } = await plane.run();
    expect(kept).toMatchObject({ revision: { metadata: { name: nameFor('img:1', 1) } }, collisionCount: 1 });
    expect(await plane.stored()).toHaveLength(2);
    await plane.run();
    expect(await plane.stored()).toHaveLength(2);
  });

  it('writes nothing once another run has taken over the turn', async () => {
    const plane = await setUp();
    const slow = inTurn(plane.deps, set.metadata.uid ?? '', async (turn) => {
      const write = { turn: await turn.fence() };
      await plane.state.ownerTurns.raise({ ...write.turn, run: 'later', number: write.turn.number + 1 }, 0);
      return plane.look({ ...turn, fence: async () => write.turn });
    });
    await expect(slow).rejects.toBeInstanceOf(TurnLost);
    expect(await plane.stored()).toEqual([]);
  });

  it('deletes revisions (W-107)', async () => {
    const plane = await setUp();
    const { kept, write } = await plane.run();
    await deleteRevisions(plane.deps, [kept.revision], write);
    expect(await plane.stored()).toEqual([]);
  });
});
