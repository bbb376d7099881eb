import { randomUUID } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCommandSink } from '../../../../host/notifications/command-sink.ts';
import { createHttpSink } from '../../../../host/notifications/http-sink.ts';
import { createOutbox } from '../../../../host/notifications/outbox.ts';
import { type SenderDeps, startSender } from '../../../../host/notifications/sender.ts';
import type { Sink } from '../../../../host/notifications/sink.ts';
import { openSqliteState, type SqliteState } from '../../../../shared/adapters/sqlite/state.ts';
import type { LifecycleEvent } from '../../../../shared/rules/notifications/lifecycle-event.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import { faultsOf } from '../../../support/objects/event-schemas.ts';
import {
  ANSWERS,
  type EventReceiver,
  isSigned,
  startReceiver,
} from '../../../support/servers/event-receiver.ts';
import { removeFolder, temporaryFolder } from '../../../support/stores/sqlite-folders.ts';

let folder: string;
let state: SqliteState;
let receiver: EventReceiver;
let aheadMs: number;
let outcomes: string[];
const stops: (() => Promise<void>)[] = [];
const clock = { now: () => Date.now() + aheadMs };

beforeEach(async () => {
  [aheadMs, outcomes] = [0, []];
  folder = temporaryFolder();
  state = openSqliteState({ folder, clock });
  receiver = await startReceiver();
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await receiver.stop();
  state.close();
  removeFolder(folder);
});

const lost = (node: string, zone = 'a'): LifecycleEvent => ({
  detailType: 'NodeLost',
  detail: { id: `u-${node}/1`, severity: 'warning', message: 'm', node, uid: 'u', zone },
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

const startWith = (sink: Sink, most?: number) => {
  const deps: SenderDeps = {
    notices: state.notices,
    clock,
    random: () => 0,
    clusterId: 'c',
    onDelivery: (_sink, outcome) => void outcomes.push(outcome),
    onLength: () => undefined,
    onError: (error) => void outcomes.push(String(error)),
  };
  const sender = startSender(deps, sink);
  stops.push(sender.stop);
  const bus = createOutbox({ ...deps, onDropped: () => undefined, ...(most ? { most } : {}) }, [sender]);
  return { sender, bus };
};

const httpSink = (isGrouped: boolean, keyFile?: string): Sink =>
  createHttpSink({ url: receiver.url, filter: { severity: 'resolved' }, isGrouped, keyFile }, clock);

const ids = (): readonly string[] => receiver.received.map(({ event }) => event.id);
const arrived = (count: number) =>
  eventually(`${count} events have arrived`, 20_000, async () => ids().length >= count, {
    everyMs: 10,
    seen: () => [ids(), outcomes],
  });
const isEmpty = (name: string) =>
  eventually('nothing waits', 20_000, async () => state.notices.length(name).count === 0, { everyMs: 10 });

describe('an HTTP sink', () => {
  it('gets each event as a signed CloudEvent, by both of two keys', async () => {
    const keyFile = join(folder, 'keys');
    writeFileSync(keyFile, 'new key\nold key\n');
    const { bus } = startWith(httpSink(false, keyFile));
    await bus.publish([lost('n1')]);
    await arrived(1);
    const [got] = receiver.received;
    expect(got?.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    expect(got?.event).toMatchObject({
      specversion: '1.0',
      id: 'u-n1/1/NodeLost',
      type: 'dev.rollcall.NodeLost',
    });
    const header = String(got?.headers['rollcall-signature']);
    const signed = (key: string) => isSigned(header, got?.body ?? '', key, Date.now());
    expect(['new key', 'old key', 'other'].map(signed)).toEqual([true, true, false]);
  });

  it.each(['busy', 'redirect', 'close', 'garbage'] as const)(
    'that answers with %s gets the event again, with the same id, and no other URL does',
    async (kind) => {
      receiver.answering(ANSWERS[kind]);
      const { bus } = startWith(httpSink(false));
      await bus.publish([lost('n1')]);
      await arrived(1);
      receiver.answering(ANSWERS.ok);
      await arrived(2);
      expect(new Set(ids())).toEqual(new Set(['u-n1/1/NodeLost']));
      expect(new Set(receiver.received.map(({ path }) => path))).toEqual(new Set(['/hook']));
      expect(outcomes).toContain('failed');
    },
  );

  it('that refuses an event for good gets the next one, and one that answers without end is cut off', async () => {
    receiver.answering(ANSWERS.refuse);
    const sink = httpSink(false);
    const { bus } = startWith(sink);
    await bus.publish([lost('n1')]);
    await isEmpty(sink.name);
    receiver.answering(ANSWERS.endless);
    await bus.publish([lost('n2')]);
    await isEmpty(sink.name);
    receiver.answering(ANSWERS.ok);
    await bus.publish([lost('n3')]);
    await isEmpty(sink.name);
    expect(outcomes).toEqual(['refused', 'delivered', 'delivered']);
    expect(ids()).toEqual(['u-n1/1/NodeLost', 'u-n2/1/NodeLost', 'u-n3/1/NodeLost']);
  });

  it('is not waited for: what is published is stored at once, also while the sink hangs', async () => {
    receiver.answering(ANSWERS.hang);
    const sink = httpSink(false);
    const { bus } = startWith(sink);
    await bus.publish([lost('n1')]);
    await arrived(1);
    await bus.publish(Array.from({ length: 1_000 }, (_, n) => lost(`m${n}`)));
    expect(state.notices.length(sink.name).count).toBe(1_001);
    expect(ids()).toHaveLength(1);
  });

  it('gets an outage of a zone of 1,000 nodes as one notification, which counts all', async () => {
    const sink = httpSink(true);
    const { bus } = startWith(sink);
    await bus.publish(Array.from({ length: 1_000 }, (_, n) => lost(`n${n}`)));
    await bus.publish([outage]);
    aheadMs = 11_000;
    await isEmpty(sink.name);
    const [only, ...others] = receiver.received.map(({ event }) => event);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ id: 'zone/a/0/FullDisruption/ZoneStateChanged/+1000' });
    expect(only?.data['grouped']).toMatchObject([{ type: 'NodeLost', count: 1_000 }]);
    expect(faultsOf('ZoneStateChanged', only?.data)).toEqual([]);
  });

  it('that was away is told first how much was dropped', async () => {
    receiver.answering(ANSWERS.busy);
    const sink = httpSink(false);
    const { bus } = startWith(sink, 10);
    await bus.publish(Array.from({ length: 25 }, (_, n) => lost(`n${n}`)));
    expect(state.notices.length(sink.name).count).toBe(9);
    receiver.answering(ANSWERS.ok);
    await isEmpty(sink.name);
    const dropped = receiver.received.find(({ event }) => event.type === 'dev.rollcall.NotificationsDropped');
    expect(dropped?.event.data).toMatchObject({ count: 16, byType: { NodeLost: 16 } });
    expect(faultsOf('NotificationsDropped', dropped?.event.data)).toEqual([]);
    expect(state.notices.dropped(sink.name)).toBeUndefined();
  });

  it('gets what an earlier process has stored, also when the clock was set back in between', async () => {
    receiver.answering(ANSWERS.busy);
    const first = startWith(httpSink(true));
    await first.bus.publish([lost('n1')]);
    await first.sender.stop();
    aheadMs = -86_400_000;
    state.moveInstants(-86_400_000);
    aheadMs += 11_000;
    receiver.answering(ANSWERS.ok);
    startWith(httpSink(true));
    await arrived(1);
    expect(ids()[0]).toBe('u-n1/1/NodeLost');
  });

  it('gets an event once that is published again while it waits', async () => {
    const sink = httpSink(true);
    const { bus } = startWith(sink);
    await bus.publish([lost('n1')]);
    await bus.publish([lost('n1')]);
    expect(state.notices.length(sink.name).count).toBe(1);
  });
});

describe('a command', () => {
  const script = (text: string): [string, ...string[]] => {
    const path = join(folder, `${randomUUID()}.sh`);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return [path, join(folder, 'out')];
  };
  const filter = { severity: 'info' as const, types: ['NodeLost' as const] };
  const run = (command: [string, ...string[]]) => {
    const sink = createCommandSink({ command, filter, isGrouped: false });
    return { name: sink.name, ...startWith(sink) };
  };
  const out = (): string => readFileSync(join(folder, 'out'), 'utf8');

  it('gets the event on stdin and in few variables, and no shell reads its arguments', async () => {
    const { bus, name } = run([
      ...script('cat >"$1"; echo "$2 $ROLLCALL_EVENT_TYPE $ROLLCALL_EVENT_SUBJECT" >>"$1"'),
      '$(id)',
    ]);
    await bus.publish([lost('n1')]);
    await isEmpty(name);
    const [json = '', words] = out().split('\n');
    expect(JSON.parse(json)).toMatchObject({ specversion: '1.0', id: 'u-n1/1/NodeLost' });
    expect(words).toBe('$(id) NodeLost node/n1');
  });

  it('that fails is run again for the same event, at last given up, and does not block the next event', async () => {
    const { bus, name } = run(script('echo x >>"$1"; test "$(wc -l <"$1")" -ge 3'));
    await bus.publish([lost('n1')]);
    await isEmpty(name);
    expect(out()).toBe('x\nx\nx\n');
    expect(outcomes).toEqual(['failed', 'failed', 'delivered']);
  });

  it('ends with all that it has started', async () => {
    const { bus, name } = run(script('sleep 300 & echo $! >"$1"'));
    await bus.publish([lost('n1')]);
    await isEmpty(name);
    const pid = Number(out());
    await eventually('the process is gone', 10_000, async () => {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return text.includes(') Z ') || undefined;
    }).catch(() => expect(() => readFileSync(`/proc/${pid}/stat`)).toThrow('ENOENT'));
  });

  it('that does not exist fails as one that exits with an error', async () => {
    const { bus } = run(['/no/such/program']);
    await bus.publish([lost('n1')]);
    await eventually('it failed', 10_000, async () => outcomes.includes('failed'));
  });
});
