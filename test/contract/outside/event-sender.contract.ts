import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EventSenderDeps, lookAt, lookAtAll } from '../../../lambdas/event-sender/look.ts';
import { createEventDeliverer } from '../../../shared/adapters/webhook/deliver-event.ts';
import type { OutgoingMessage } from '../../../shared/ports/process/work-queue.ts';
import type { ControlStore } from '../../../shared/ports/store/control-store.ts';
import type { Outbox } from '../../../shared/ports/store/outbox.ts';
import type { LifecycleEvent } from '../../../shared/rules/notifications/lifecycle-event.ts';
import { createOutboxBus } from '../../../shared/store/events/outbox-bus.ts';
import {
  ANSWERS,
  type EventReceiver,
  isSigned,
  startReceiver,
} from '../../support/servers/event-receiver.ts';
import { T0 } from '../../support/stores/builders.ts';

interface Stores {
  readonly outbox: Outbox;
  readonly control: ControlStore;
}

const lost = (node: string, zone: string): LifecycleEvent => ({
  detailType: 'NodeLost',
  detail: { id: `u-${node}/1`, severity: 'warning', message: 'm', node, uid: 'u', zone },
});

const LOOK = { v: 1, kind: 'sink', sink: 's' } as const;

/** Functions that send to a URL, over real rows and a real receiver. */
export const eventSenderContract = (name: string, create: () => Promise<Stores>): void => {
  describe(`${name}: functions that tell a URL`, () => {
    let receiver: EventReceiver;
    let now: number;
    const sent: OutgoingMessage[] = [];
    beforeEach(async () => {
      [receiver, now, sent.length] = [await startReceiver(), T0, 0];
    });
    afterEach(() => receiver.stop());

    const setUp = async () => {
      const clock = { now: () => now };
      const queues = {
        send: async (_queue: string, messages: readonly OutgoingMessage[]) => void sent.push(...messages),
      };
      const deliverer = createEventDeliverer({
        target: { url: receiver.url },
        clock: { now: Date.now },
        readKeys: async () => 'new key\nold key\n',
      });
      const deliver = (event: Parameters<typeof deliverer.deliver>[0]) =>
        deliverer.deliver(event, new AbortController().signal);
      const deps: EventSenderDeps = {
        ...(await create()),
        clock,
        queues,
        clusterId: 'c',
        ids: { random: () => 0, uuid: () => randomUUID() },
        sinks: [{ name: 's', isGrouped: true, deliver }],
      };
      const sinks = [{ name: 's', isGrouped: true, filter: { severity: 'resolved' as const } }];
      const bus = createOutboxBus({ ...deps, sinks, bus: { publish: async () => undefined } });
      return { deps, bus };
    };
    const ids = (): readonly string[] => receiver.received.map(({ event }) => event.id);

    it('tell each zone once, signed, however many look at the same time', async () => {
      const { deps, bus } = await setUp();
      await bus.publish([1, 2, 3].flatMap((n) => [lost(`a${n}`, 'a'), lost(`b${n}`, 'b')]));
      now += 10_000;
      const reports = (await Promise.all(Array.from({ length: 12 }, () => lookAt(deps, LOOK)))).flat();
      // Those that came upon another run look again.
      now += 5_000;
      await lookAtAll(deps);
      expect(ids().toSorted()).toEqual(['u-a1/1/NodeLost/+2', 'u-b1/1/NodeLost/+2']);
      expect(reports.flatMap(({ told }) => told).length).toBeGreaterThan(0);
      expect(await deps.outbox.waiting('s', 10)).toEqual([]);
      const [got] = receiver.received;
      const header = String(got?.headers['rollcall-signature']);
      expect(
        ['new key', 'old key', 'other'].map((key) => isSigned(header, got?.body ?? '', key, Date.now())),
      ).toEqual([true, true, false]);
    });

    it('keep what a URL does not take, remember that it rests, and tell it later with the same id', async () => {
      const { deps, bus } = await setUp();
      receiver.answering(ANSWERS.busy);
      await bus.publish([lost('n1', 'a')]);
      now += 10_000;
      expect(await lookAt(deps, LOOK)).toMatchObject([{ told: [{ outcome: 'failed' }], nextAt: now + 500 }]);
      expect(await lookAt(deps, LOOK)).toMatchObject([{ told: [] }]);
      receiver.answering(ANSWERS.ok);
      now += 500;
      expect(await lookAt(deps, LOOK)).toMatchObject([
        { told: [{ outcome: 'delivered' }], nextAt: undefined },
      ]);
      expect(ids()).toEqual(['u-n1/1/NodeLost', 'u-n1/1/NodeLost']);
    });

    it('plan one look for what is due later', async () => {
      const { deps, bus } = await setUp();
      await bus.publish([lost('n1', 'a')]);
      sent.length = 0;
      await Promise.all(Array.from({ length: 8 }, () => lookAt(deps, LOOK)));
      await lookAt(deps, LOOK);
      expect(sent).toEqual([{ body: LOOK, delaySeconds: 10 }]);
    });
  });
};
