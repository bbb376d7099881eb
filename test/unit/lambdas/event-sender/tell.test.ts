import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type EventSenderDeps, lookAt, lookAtAll } from '../../../../lambdas/event-sender/look.ts';
import { telemetry } from '../../../../lambdas/event-sender/metrics.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import type { OutgoingMessage } from '../../../../shared/ports/process/work-queue.ts';
import type { CloudEvent } from '../../../../shared/rules/notifications/cloud-event.ts';
import type { Delivery } from '../../../../shared/rules/notifications/delivery.ts';
import type { LifecycleEvent } from '../../../../shared/rules/notifications/lifecycle-event.ts';
import { parseSinkFilters } from '../../../../shared/settings/events/sink-filters.ts';
import { createOutboxBus } from '../../../../shared/store/events/outbox-bus.ts';
import { faultsOf } from '../../../support/objects/event-schemas.ts';
import { createMemoryOutbox } from '../../../support/stores/memory-outbox.ts';

const START = 1_800_000_000_000;
const OK: Delivery = { verdict: 'delivered' };
const DOWN: Delivery = { verdict: 'retry', said: 'status 503' };
const LOOK = { v: 1, kind: 'sink', sink: 's' } as const;

const lost = (node: string, zone = 'a', revision = 1): LifecycleEvent => ({
  detailType: 'NodeLost',
  detail: { id: `u-${node}/${revision}`, severity: 'warning', message: 'm', node, uid: 'u', zone },
  labels: { pool: node },
});
const returned = (node: string, revision: number): LifecycleEvent => ({
  detailType: 'NodeReturned',
  detail: { id: `u-${node}/${revision}`, severity: 'resolved', message: 'm', node, uid: 'u', zone: 'a' },
});
const outage: LifecycleEvent = {
  detailType: 'ZoneStateChanged',
  detail: {
    id: 'zone/a/0/FullDisruption',
    severity: 'critical',
    message: 'm',
    zone: 'a',
    state: 'FullDisruption',
    size: 3,
    notReady: 3,
    rate: 0.1,
  },
};
const many = (count: number): readonly LifecycleEvent[] =>
  Array.from({ length: count }, (_, n) => lost(`n${n}`));

interface Options {
  readonly filters?: string;
  readonly isGrouped?: boolean;
  /** What the sink answers, the last one for ever. */
  readonly answers?: readonly (Delivery | Error)[];
  readonly during?: (deps: EventSenderDeps) => Promise<unknown>;
}

const setUp = ({ filters = 's#', isGrouped = true, answers = [OK], during }: Options = {}) => {
  let [now, calls] = [START, 0];
  const got: CloudEvent[] = [];
  const sent: OutgoingMessage[] = [];
  const published: LifecycleEvent[] = [];
  const clock = { now: () => now, sleep: async () => undefined };
  const queues = {
    send: async (_queue: string, messages: readonly OutgoingMessage[]) => void sent.push(...messages),
  };
  const outbox = createMemoryOutbox();
  const { control } = createMemoryState();
  const deliver = async (event: CloudEvent): Promise<Delivery> => {
    got.push(event);
    const answer = answers[Math.min(calls, answers.length - 1)] ?? OK;
    calls += 1;
    await during?.(deps);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const deps: EventSenderDeps = {
    clock,
    queues,
    outbox,
    control,
    clusterId: 'c',
    ids: { random: () => 0, uuid: () => randomUUID() },
    sinks: [{ name: 's', isGrouped, deliver }],
  };
  const bus = createOutboxBus({
    outbox,
    queues,
    clock,
    sinks: parseSinkFilters(filters),
    bus: { publish: async (events) => void published.push(...events) },
  });
  const ids = () => got.map(({ id }) => id);
  const look = async () => {
    const [report] = await lookAt(deps, LOOK);
    if (!report) throw new Error('the sink is unknown');
    return report;
  };
  const advance = (ms: number): void => {
    now += ms;
  };
  return { deps, bus, outbox, got, sent, published, ids, look, advance };
};

describe('a bus that stores events', () => {
  it('publishes all, stores what passes the filter of each sink, and has the sender look when a group is due', async () => {
    const { bus, outbox, sent, published } = setUp({
      filters: 's#severity=critical t#group=off&selector=pool%3Dn1',
    });
    await bus.publish([lost('n1'), lost('n2'), outage]);
    expect(published).toHaveLength(3);
    const ids = async (sink: string) => (await outbox.waiting(sink, 9)).map(({ id }) => id);
    expect(await ids('s')).toEqual(['zone/a/0/FullDisruption/ZoneStateChanged']);
    expect(await ids('t')).toEqual(['u-n1/1/NodeLost']);
    expect(sent).toEqual([
      { body: { v: 1, kind: 'sink', sink: 's' }, delaySeconds: 10 },
      { body: { v: 1, kind: 'sink', sink: 't' }, delaySeconds: 0 },
    ]);
  });

  it('stores no labels: they are for selectors, and not told', async () => {
    const { bus, outbox } = setUp();
    await bus.publish([lost('n1')]);
    expect(JSON.stringify(await outbox.waiting('s', 1))).not.toContain('pool');
  });
});

describe('a look at a sink', () => {
  it('tells an outage of a zone of 1,000 nodes as one notification, ten seconds after its first event', async () => {
    const { bus, look, advance, ids, got, outbox } = setUp();
    await bus.publish(many(1_000));
    await bus.publish([outage]);
    advance(9_999);
    expect(await look()).toMatchObject({ told: [], nextAt: START + 10_000, waiting: 1_001 });
    advance(1);
    expect(await look()).toMatchObject({
      told: [{ outcome: 'delivered', grouped: 1_000 }],
      nextAt: undefined,
    });
    expect(ids()).toEqual(['zone/a/0/FullDisruption/ZoneStateChanged/+1000']);
    expect(faultsOf('ZoneStateChanged', got[0]?.data)).toEqual([]);
    expect(await outbox.waiting('s', 1)).toEqual([]);
  });

  it('tells what goes on after five minutes, and something worse after ten seconds', async () => {
    const { bus, look, advance, ids } = setUp();
    const step = async (event: LifecycleEvent, ms: number) => {
      await bus.publish([event]);
      advance(ms);
      return look();
    };
    await step(lost('n1'), 10_000);
    expect((await step(lost('n2'), 10_000)).nextAt).toBe(START + 10_000 + 300_000);
    await step(outage, 10_000);
    expect(ids()).toEqual(['u-n1/1/NodeLost', 'zone/a/0/FullDisruption/ZoneStateChanged/+1']);
  });

  it('sends a failed event again with the same id, later each time, and goes on in order when the sink is back', async () => {
    const answers = [DOWN, new Error('no answer'), OK];
    const { bus, look, advance, ids } = setUp({ isGrouped: false, answers });
    await bus.publish([lost('n1'), lost('n2')]);
    expect(await look()).toMatchObject({
      told: [{ outcome: 'failed', said: 'status 503' }],
      nextAt: START + 500,
    });
    expect(await look()).toMatchObject({ told: [], nextAt: START + 500 });
    advance(500);
    expect(await look()).toMatchObject({ told: [{ outcome: 'failed' }], nextAt: START + 1_500 });
    advance(1_000);
    await look();
    expect(ids()).toEqual([...Array(3).fill('u-n1/1/NodeLost'), 'u-n2/1/NodeLost']);
  });

  it('drops what the sink would never take, and says so in the log', async () => {
    const { bus, look, deps } = setUp({
      isGrouped: false,
      answers: [{ verdict: 'refused', said: 'status 400' }],
    });
    await bus.publish([lost('n1')]);
    const report = await look();
    expect(telemetry.linesOf([report])).toMatchObject([
      { level: 'error', fields: { sink: 's', said: 'status 400' } },
    ]);
    expect(await deps.outbox.waiting('s', 1)).toEqual([]);
  });

  it('tells what happened to a node in the order of its revisions, and an event that was stored twice once', async () => {
    const { bus, look, ids, deps } = setUp({ isGrouped: false });
    await bus.publish([returned('n1', 9)]);
    await bus.publish([lost('n1', 'a', 5)]);
    await bus.publish([lost('n1', 'a', 5)]);
    await look();
    expect(ids()).toEqual(['u-n1/5/NodeLost', 'u-n1/9/NodeReturned']);
    expect(await deps.outbox.waiting('s', 1)).toEqual([]);
  });

  it('counts an event that was stored twice once in its group', async () => {
    const { bus, look, advance, ids } = setUp();
    for (let time = 0; time < 2; time += 1) await bus.publish([lost('n1'), lost('n2'), outage]);
    advance(10_000);
    await look();
    expect(ids()).toEqual(['zone/a/0/FullDisruption/ZoneStateChanged/+2']);
  });

  it('leaves a sink alone while another run sends to it, and comes back in five seconds', async () => {
    const during = async (deps: EventSenderDeps) => {
      expect(await lookAt(deps, LOOK)).toMatchObject([{ told: [], nextAt: START + 5_000 }]);
    };
    const { bus, look, ids, sent } = setUp({ isGrouped: false, during });
    await bus.publish([lost('n1')]);
    await look();
    expect(ids()).toEqual(['u-n1/1/NodeLost']);
    expect(sent.at(-1)).toMatchObject({ delaySeconds: 5 });
  });

  it('takes over from a run that has died, and sends its event again', async () => {
    let dies = true;
    const during = () => {
      if (!dies) return Promise.resolve();
      dies = false;
      return new Promise<never>(() => undefined);
    };
    const { bus, look, advance, ids } = setUp({ isGrouped: false, during });
    await bus.publish([lost('n1')]);
    void look();
    await new Promise((resolve) => setImmediate(resolve));
    advance(29_999);
    expect((await look()).told).toEqual([]);
    advance(1);
    expect((await look()).told).toHaveLength(1);
    expect(ids()).toEqual(['u-n1/1/NodeLost', 'u-n1/1/NodeLost']);
  });

  it('plans one look for what is due later, however often it is asked', async () => {
    const { bus, look, advance, sent } = setUp();
    await bus.publish([lost('n1')]);
    sent.length = 0;
    advance(4_000);
    for (let time = 0; time < 5; time += 1) await look();
    expect(sent).toEqual([{ body: LOOK, delaySeconds: 6 }]);
  });

  it('makes room when a sink takes nothing for too long, and tells it first what was dropped', async () => {
    const { bus, look, advance, got, deps } = setUp({ answers: [DOWN, OK] });
    await bus.publish([outage]);
    advance(10_000);
    await look();
    await bus.publish(many(10_500));
    const report = await look();
    expect(report.dropped).toBe(1_501);
    expect(telemetry.metricsOf([report])).toContainEqual(
      expect.objectContaining({ samples: [{ value: 1_501, labels: { sink: 's' } }] }),
    );
    advance(500);
    await look();
    expect(got[1]?.data).toMatchObject({ count: 1_501, severity: 'warning' });
    expect(faultsOf('NotificationsDropped', got[1]?.data)).toEqual([]);
    expect((await deps.outbox.waiting('s', 20_000)).length).toBeLessThanOrEqual(9_000);
  });

  it('of a message for a sink that is not configured any more does nothing', async () => {
    const { deps } = setUp();
    expect(await lookAt(deps, { ...LOOK, sink: 'other' })).toEqual([]);
  });

  it('each minute finds what waits although its message was lost', async () => {
    const { bus, deps, advance, ids } = setUp();
    await bus.publish([lost('n1')]);
    advance(60_000);
    expect(await lookAtAll(deps)).toMatchObject([{ told: [{ outcome: 'delivered' }] }]);
    expect(ids()).toEqual(['u-n1/1/NodeLost']);
  });
});
