import { describe, expect, it } from 'vitest';
import type { Change } from '../../../../lambdas/change-router/change.ts';
import { telemetry } from '../../../../lambdas/change-router/metrics.ts';
import { routeChanges } from '../../../../lambdas/change-router/route-changes.ts';
import { createRoutedUntil } from '../../../../lambdas/change-router/routed-until.ts';
import type { ControlStore } from '../../../../shared/ports/store/control-store.ts';
import { nodeFacts, withDerivedFields } from '../../../../shared/store/commit/node-facts.ts';
import { aNode, ready } from '../../../support/objects/domain-objects.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;

/** The first beat of a node: a lifecycle event, an Event and messages. */
const change = (at?: number): Change => {
  const object = withDerivedFields(aNode({ conditions: [ready('True', NOW)] }), undefined, NOW);
  const facts = { node: nodeFacts(object, undefined, 'client', NOW) };
  const key = { resource: 'nodes', namespace: '', name: 'node0' };
  return {
    after: { state: 'live', key, uid: 'u', revision: 7, object, facts },
    ...(at === undefined ? {} : { at }),
  };
};

const world = () => {
  const plane = createMemoryControlPlane();
  const { control } = plane.state;
  const got: string[] = [];
  let writes = 0;
  const counting = {
    sightings: control.sightings,
    sighting: control.sighting,
    replaceSighting: async (...given: Parameters<ControlStore['replaceSighting']>) => {
      writes += 1;
      return control.replaceSighting(...given);
    },
  };
  const take = async (part: string): Promise<void> => void got.push(part);
  const ports = {
    queues: { send: () => take('queue') },
    bus: { publish: () => take('bus') },
    sinks: [{ name: 'sink', publish: () => take('sink') }],
    recorder: { record: () => take('Event') },
  };
  /** An environment of the router of a stack. */
  const router = (name: string, store: typeof counting = counting) => {
    const routedUntil = createRoutedUntil({ control: store, router: name });
    const deps = { ...plane.invoke(), ...ports, routedUntil };
    return {
      routedUntil,
      report: (...changes: readonly Change[]) => routeChanges(deps, changes),
      /** What these changes cause, each kind once. */
      route: async (...changes: readonly Change[]): Promise<readonly string[]> => {
        got.length = 0;
        await routeChanges(deps, changes);
        return [...new Set(got)].toSorted();
      },
    };
  };
  return { router, counting, writes: () => writes };
};

const ALL = ['Event', 'bus', 'queue', 'sink'];

describe('a router of a stack that took over the tables of a deleted one', () => {
  it('announces nothing that was announced before, and sends all messages again', async () => {
    const { router } = world();
    await router('old').route(change(NOW));
    const next = router('new');
    expect(await next.route(change(NOW - 1000))).toEqual(['queue']);
    expect(await next.route(change(NOW))).toEqual(ALL);
    expect(await next.route(change(NOW + 1000))).toEqual(ALL);
    expect(await next.route(change())).toEqual(ALL);
  });

  it('goes on so after a cold start, when its own changes are newer', async () => {
    const { router } = world();
    await router('old').route(change(NOW));
    await router('new').route(change(NOW + MINUTE));
    expect(await router('new').routedUntil.earlier()).toBe(NOW);
    expect(await router('newest').routedUntil.earlier()).toBe(NOW + MINUTE);
  });
});

describe('a router', () => {
  it('announces what is older than what it has announced: one shard may be behind another', async () => {
    const { router } = world();
    await router('one').route(change(NOW));
    expect(await router('one').route(change(NOW - 3_600_000))).toEqual(ALL);
  });

  it('notes the latest instant of a batch, at most once a minute', async () => {
    const { router, writes } = world();
    const one = router('one');
    await one.route(change(NOW), change(NOW - 5), change());
    for (let second = 1; second < 60; second++) await one.route(change(NOW + second * 1000));
    expect(writes()).toBe(1);
    await one.route(change(NOW + MINUTE));
    expect(writes()).toBe(2);
    await one.route(change());
    expect(writes()).toBe(2);
    expect(await router('other').routedUntil.earlier()).toBe(NOW + MINUTE);
  });

  it('of another environment does not write over a later instant', async () => {
    const { router } = world();
    const [slow, fast] = [router('one'), router('one')];
    await slow.route(change(NOW));
    await fast.route(change(NOW + 5 * MINUTE));
    await slow.route(change(NOW + MINUTE));
    await slow.route(change(NOW + 2 * MINUTE));
    expect(await router('other').routedUntil.earlier()).toBe(NOW + 5 * MINUTE);
  });

  it('announces nothing while it does not know what was announced, and reads again', async () => {
    const { router, counting } = world();
    await router('old').route(change(NOW));
    let isDown = true;
    const next = router('new', {
      ...counting,
      sightings: async (topic) => {
        if (isDown) throw new Error('no table');
        return counting.sightings(topic);
      },
    });
    await expect(next.route(change(NOW - 1000))).rejects.toThrow('event bus: no table');
    isDown = false;
    expect(await next.route(change(NOW - 1000))).toEqual(['queue']);
  });

  it('goes on if it cannot note the instant, and says so', async () => {
    const { router, counting } = world();
    const down = { ...counting, replaceSighting: () => Promise.reject(new Error('no table')) };
    const report = await router('one', down).report(change(NOW));
    expect(report).toMatchObject({ changes: 1, unnoted: new Error('no table') });
    expect(telemetry.linesOf(report)).toMatchObject([{ level: 'error', fields: { error: report.unnoted } }]);
  });
});
