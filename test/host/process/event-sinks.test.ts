/** Events of a real host: a receiver that fails in many ways, a host that is killed in mid delivery, and the examples of commands. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/clocks/eventually.ts';
import { faultsOf } from '../../support/objects/event-schemas.ts';
import {
  ANSWERS,
  type EventReceiver,
  isSigned,
  startReceiver,
} from '../../support/servers/event-receiver.ts';
import { type HostProcess, rollcall, startHostProcess } from '../../support/servers/host-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-sinks-'));
const lines = join(folder, 'lines');
const chatUrl = join(folder, 'chat-url');
let host: HostProcess;
let hook: EventReceiver;
let chat: EventReceiver;

/** One sink gets all nodes that register, another one, by the example of a chat, what is drained. */
const settings = (): string =>
  JSON.stringify({
    eventSink: [`${hook.url}#types=node-registered&group=off`],
    eventKeyFile: join(folder, 'keys'),
    on: [
      { types: 'node-registered', command: [resolve('examples/on-event.sh'), lines] },
      {
        types: 'node-tainted',
        command: [process.execPath, resolve('examples/chat-webhook.js'), chatUrl],
        group: 'on',
      },
    ],
  });

const start = (): Promise<HostProcess> =>
  startHostProcess(join(folder, 'host'), '--config', join(folder, 'settings.json'));

beforeAll(async () => {
  hook = await startReceiver(ANSWERS.hang);
  chat = await startReceiver();
  writeFileSync(join(folder, 'keys'), 'new\nold\n');
  writeFileSync(chatUrl, `${chat.url}\n`);
  writeFileSync(join(folder, 'settings.json'), settings());
  host = await start();
});

afterAll(async () => {
  await host.stop();
  await hook.stop();
  await chat.stop();
  rmSync(folder, { recursive: true });
});

const until = (what: string, isSo: () => boolean): Promise<boolean> =>
  eventually(what, 30_000, async () => isSo(), { seen: host.output });

const addNode = (name: string): Promise<unknown> =>
  host.send('POST', '/api/v1/nodes', { metadata: { name } });

const metric = async (name: string): Promise<string> => {
  const text = String(await host.get<string>('/metrics').catch((error: unknown) => String(error)));
  return text
    .split('\n')
    .filter((line) => line.startsWith(name))
    .join('\n');
};

it('a host that is killed while a sink hangs tells it the same event after its next start, and what came later', async () => {
  await addNode('n1');
  await until('the first delivery hangs', () => hook.received.length === 1);
  await addNode('n2');
  await until(
    'the command has run for both',
    () => existsSync(lines) && /node\/n2/.test(readFileSync(lines, 'utf8')),
  );
  await host.kill();
  hook.answering(ANSWERS.busy);
  host = await start();
  await until('it is sent again', () => hook.received.length >= 2);
  hook.answering(ANSWERS.garbage);
  await until('and again', () => hook.received.length >= 3);
  hook.answering(ANSWERS.ok);
  await until('n2 arrives', () => hook.received.some(({ event }) => event.data['node'] === 'n2'));
  const order = hook.received.map(({ event }) => event.data['node']);
  expect(order.lastIndexOf('n1')).toBeLessThan(order.indexOf('n2'));
  const ids = new Set(hook.received.map(({ event }) => event.id));
  expect(ids.size).toBe(2);
  for (const { event, headers, body } of hook.received) {
    expect(faultsOf('NodeRegistered', event.data)).toEqual([]);
    const header = String(headers['rollcall-signature']);
    expect(['new', 'old', 'no'].map((key) => isSigned(header, body, key, Date.now()))).toEqual([
      true,
      true,
      false,
    ]);
  }
}, 120_000);

it('the example of a command has a line for each node, also if it was run twice', async () => {
  await until('both are there', () => readFileSync(lines, 'utf8').trim().split('\n').length === 2);
  expect(readFileSync(lines, 'utf8')).toMatch(
    /^\S+\/NodeRegistered info NodeRegistered node\/n1\n\S+ info NodeRegistered node\/n2\n$/,
  );
});

/** How many events the messages of the chat stand for. */
const toldInChat = (): number => {
  const texts = chat.received.map(({ body }) => String(JSON.parse(body).text));
  const more = texts.flatMap((text) =>
    [...text.matchAll(/^(\d+) NodeTainted \(/gm)].map(([, count]) => Number(count)),
  );
  return texts.length + more.reduce((sum, count) => sum + count, 0);
};

it('the example of a chat tells the taints of two new nodes that are cordoned, in fewer messages', async () => {
  for (const name of ['n1', 'n2'])
    await host.send('PUT', `/api/v1/nodes/${name}`, { metadata: { name }, spec: { unschedulable: true } });
  await until('the chat knows of all', () => toldInChat() >= 4);
  expect(toldInChat()).toBe(4);
  expect(chat.received.length).toBeLessThan(4);
  expect(String(JSON.parse(chat.received[0]?.body ?? '{}').text)).toMatch(
    /^⚪ node n\d got node.kubernetes.io\//,
  );
}, 60_000);

it('metrics tell deliveries by outcome, and that nothing waits', async () => {
  await eventually('nothing waits', 20_000, async () => {
    const waiting = await metric('rollcall_event_sink_waiting');
    return waiting !== '' && waiting.split('\n').every((line) => line.endsWith(' 0'));
  });
  expect(await metric('rollcall_event_sink_deliveries_total')).toMatch(/outcome="delivered"/);
});

it('settings of sinks that are wrong are refused before anything starts', async () => {
  const { code, output } = await rollcall(
    'serve',
    '--folder',
    join(folder, 'other'),
    '--on',
    'node-gone',
    '--',
    'true',
  );
  expect([code, output]).toEqual([2, expect.stringContaining('"node-gone" is no type of events')]);
  expect((await rollcall('serve', 'surplus')).output).toContain('unexpected argument "surplus"');
});
