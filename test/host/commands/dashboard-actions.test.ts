import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import { drainRequestOf } from '../../../shared/rules/drain/node-drain.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import type { HostProcess } from '../../support/servers/host-process.ts';
import { openDashboard } from '../../support/servers/open-dashboard.ts';
import { addReadyNode, newFolder, startPatientHost } from '../../support/servers/patient-host.ts';

const N1 = '/api/v1/nodes/n1';
const LINK = /http:\S+token=\S+/;

interface Told {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what is tested
  readonly body: any;
}

/** The command as a process, entered as a browser does. Everything that it ever told is kept. */
const startDashboard = async (folder: string, ...args: readonly string[]) => {
  const child = spawn(
    process.execPath,
    [resolve('cli/rollcall.js'), 'dashboard', '--folder', folder, '--no-beats', ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await closed;
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const link = await eventually('the link', 30_000, async () => LINK.exec(output)?.[0]);
  const { origin } = new URL(link);
  const entered = await openDashboard(link);
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  const told: string[] = [];
  const send = async (method: string, path: string, headers: object, body?: object): Promise<Told> => {
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: { ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    told.push(text);
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  const own = { origin, cookie, 'content-type': 'application/json', 'x-rollcall-dashboard': '1' };
  return {
    told,
    output: () => output,
    get: (path: string) => send('GET', path, { cookie }),
    post: (path: string, body: object, headers: object = {}) =>
      send('POST', `/data/actions/${path}`, { ...own, ...headers }, body),
  };
};

type Dashboard = Awaited<ReturnType<typeof startDashboard>>;

const preview = async ({ post }: Dashboard, request: object): Promise<Told> => {
  const shown = await post('preview', { node: 'n1', ...request });
  expect(shown.status).toBe(200);
  return shown;
};

const act = async (dashboard: Dashboard, request: object): Promise<Told> => {
  const { body } = await preview(dashboard, request);
  expect(body.refusals).toEqual([]);
  return dashboard.post('perform', { ticket: body.ticket });
};

const startBoth = async (...args: readonly string[]) => {
  const folder = newFolder();
  const host = await startPatientHost(folder);
  await addReadyNode(host, 'n1');
  return { host, dashboard: await startDashboard(folder, ...args) };
};

const n1 = (host: HostProcess): Promise<Node> => host.get<Node>(N1);
const versionOf = async (host: HostProcess): Promise<string | undefined> =>
  (await n1(host)).metadata.resourceVersion;

it('a dashboard without --allow-actions offers nothing and does nothing', async () => {
  const { host, dashboard } = await startBoth();
  const before = await versionOf(host);
  expect(await dashboard.get('/data/actions')).toEqual({ status: 200, body: { actions: [] } });
  for (const path of ['preview', 'perform', 'other'])
    expect(await dashboard.post(path, { node: 'n1', action: 'cordon' })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('rollcall dashboard --allow-actions') },
    });
  expect(await versionOf(host)).toBe(before);
}, 90_000);

it('an action is refused without the cookie, the origin, the header, the type, or with another origin', async () => {
  const { host, dashboard } = await startBoth('--allow-actions');
  const before = await versionOf(host);
  const statuses = await Promise.all(
    [
      { cookie: '' },
      { origin: 'http://rollcall.example' },
      { origin: 'null' },
      { 'x-rollcall-dashboard': '0' },
      { 'content-type': 'text/plain' },
      { 'sec-fetch-site': 'same-site' },
    ].map(async (headers) => {
      const { status } = await dashboard.post('preview', { node: 'n1', action: 'cordon' }, headers);
      return status;
    }),
  );
  expect(statuses).toEqual([401, 403, 403, 403, 415, 403]);
  expect((await dashboard.get('/data/actions/perform')).status).toBe(405);
  expect((await dashboard.post('preview', { node: 'n1', action: 'delete' })).status).toBe(422);
  expect((await dashboard.post('preview', { node: 'n2', action: 'cordon' })).status).toBe(404);
  expect((await dashboard.post('perform', { ticket: 'guess' })).body.isChanged).toBe(true);
  expect(await versionOf(host)).toBe(before);
}, 90_000);

it('what was shown is done, once, and only to the Node that was shown', async () => {
  const { host, dashboard } = await startBoth('--allow-actions');
  const shown = await preview(dashboard, { action: 'cordon' });
  expect(shown.body.sentences.join(' ')).toContain('No new pod is placed on it');
  expect((await n1(host)).spec?.unschedulable).toBeUndefined();
  const { ticket } = shown.body;
  expect(await dashboard.post('perform', { ticket })).toMatchObject({
    status: 200,
    body: { message: 'n1 is cordoned.' },
  });
  const cordoned = await n1(host);
  expect(cordoned.spec?.unschedulable).toBe(true);
  expect((await dashboard.post('perform', { ticket })).status).toBe(200);
  expect(await versionOf(host)).toBe(cordoned.metadata.resourceVersion);

  // Somebody else changes the Node while the dialog is open.
  const late = await preview(dashboard, { action: 'uncordon' });
  await host.send('PUT', N1, { ...cordoned, metadata: { ...cordoned.metadata, labels: { rack: 'r1' } } });
  const conflict = await dashboard.post('perform', { ticket: late.body.ticket });
  expect([conflict.status, conflict.body.isChanged]).toEqual([409, true]);
  expect((await n1(host)).spec?.unschedulable).toBe(true);
  expect((await act(dashboard, { action: 'uncordon' })).status).toBe(200);
  expect((await n1(host)).spec?.unschedulable).toBeUndefined();

  const taint = { key: 'example.com/repair', value: 'disk', effect: 'NoSchedule' };
  expect((await act(dashboard, { action: 'taint', taint })).status).toBe(200);
  expect((await n1(host)).spec?.taints).toMatchObject([taint]);
  const { key, effect } = taint;
  expect((await act(dashboard, { action: 'untaint', taint: { key, effect } })).status).toBe(200);
  expect((await n1(host)).spec?.taints ?? []).toEqual([]);

  // A node that answers is not off.
  const off = await preview(dashboard, { action: 'outOfService' });
  expect(off.body).toMatchObject({ ticket: '', refusals: [expect.stringContaining('It is ready.')] });

  // Its Node is deleted, and made anew under its name.
  const gone = await preview(dashboard, { action: 'cordon' });
  const anew = await preview(dashboard, { action: 'cordon' });
  await host.send('DELETE', N1);
  expect((await dashboard.post('perform', { ticket: gone.body.ticket })).status).toBe(404);
  const again = await eventually('a new Node', 20_000, async () => {
    await addReadyNode(host, 'n1').catch(() => undefined);
    return (await n1(host)).metadata.uid !== cordoned.metadata.uid || undefined;
  });
  expect(again).toBe(true);
  const other = await dashboard.post('perform', { ticket: anew.body.ticket });
  expect(other).toMatchObject({
    status: 409,
    body: { isChanged: true, message: expect.stringContaining('made anew') },
  });
  expect((await n1(host)).spec?.unschedulable).toBeUndefined();
  expect(dashboard.output()).toMatch(/action of the page action=cordon node=n1 status=200/);
}, 120_000);

it('a drain is shown pod by pod, refused like by the API, and asked for in the name of the dashboard', async () => {
  const { host, dashboard } = await startBoth('--allow-actions');
  await host.send('POST', '/api/v1/namespaces/default/pods', {
    metadata: { name: 'bare' },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
  });
  const refused = await preview(dashboard, { action: 'drain', drain: {} });
  expect(refused.body).toMatchObject({
    ticket: '',
    refusals: [expect.stringContaining('cannot delete Pods that declare no controller')],
    pods: [{ namespace: 'default', name: 'bare', fate: 'held' }],
  });
  const shown = await preview(dashboard, { action: 'drain', drain: { force: true, reason: 'disk' } });
  expect(shown.body.pods).toMatchObject([{ name: 'bare', fate: 'goes' }]);
  expect((await dashboard.post('perform', { ticket: shown.body.ticket })).status).toBe(200);
  expect(drainRequestOf(await n1(host))).toMatchObject({
    by: 'rollcall-dashboard',
    reason: 'disk',
    force: true,
  });
  await eventually('the pod goes', 30_000, async () => {
    const pods: readonly Pod[] = await host.pods();
    return pods.every(({ metadata }) => metadata.deletionTimestamp !== undefined);
  });
  const again = await preview(dashboard, { action: 'drain', drain: { force: true } });
  expect(again.body.refusals).toEqual(['It is being drained already, with at least these options.']);
  // No token of the API is in anything that the page was told.
  expect(dashboard.told.join('\n')).not.toMatch(/eyJ[\w-]+\.[\w-]+\./);
}, 120_000);
