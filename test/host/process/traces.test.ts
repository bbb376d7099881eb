/** A real host with a collector: one story from a request to an eviction, told by linked spans. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { exportRequest } from '../../../host/tracing/exporter.ts';
import { createApiClient, expectOk } from '../../../shared/client/api-client.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import { type HostProcess, startHostProcess } from '../../support/servers/host-process.ts';
import { addReadyNode } from '../../support/servers/patient-host.ts';

type Sent = ReturnType<typeof exportRequest>['resourceSpans'][number]['scopeSpans'][number]['spans'][number];

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const NODE = '/api/v1/nodes/n1';
const SOON_MS = 15_000;
const EVICTION = 'process taint-eviction > commit pods';

const spans: Sent[] = [];
/** Whether the collector answers. */
let isThere = true;
const collector = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    if (!isThere) return response.destroy();
    const { resourceSpans } = JSON.parse(Buffer.concat(parts).toString()) as ReturnType<typeof exportRequest>;
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    return response.end('{}');
  });
});

let home: string;
let host: HostProcess;
let client: ReturnType<typeof createApiClient>;

const send = (method: string, path: string, body: object, spanId: string): Promise<unknown> =>
  expectOk(
    client.call(method, path, host.adminToken, body, {
      headers: { traceparent: `00-${TRACE}-${spanId}-01` },
    }),
  );

beforeAll(async () => {
  await new Promise<void>((done) => {
    collector.listen(0, '127.0.0.1', done);
  });
  home = mkdtempSync(join(tmpdir(), 'rollcall-traces-'));
  const folder = join(home, 'state');
  const { port } = collector.address() as AddressInfo;
  host = await startHostProcess(folder, '--trace', `http://127.0.0.1:${port}`, '--trace-share', '0');
  client = createApiClient(host.url, readFileSync(join(folder, 'ca.crt'), 'utf8'));
  await addReadyNode(host, 'n1');
});

afterAll(async () => {
  client?.close();
  await host?.kill();
  collector.closeAllConnections();
  collector.close();
  rmSync(home, { recursive: true, force: true });
});

const attributeOf = ({ attributes }: Sent, key: string): unknown =>
  Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];

/** The spans that this one has caused: its children, and those that are linked with it. */
const causedBy = ({ spanId }: Sent): readonly Sent[] =>
  spans.filter((span) => span.parentSpanId === spanId || span.links.some((link) => link.spanId === spanId));

/** All paths of names from a span to its last effects. */
const pathsFrom = (span: Sent): readonly string[] => {
  const next = causedBy(span);
  return next.length === 0
    ? [span.name]
    : next.flatMap((one) => pathsFrom(one).map((path) => `${span.name} > ${path}`));
};

const rootOf = (spanId: string): Sent | undefined => spans.find((span) => span.parentSpanId === spanId);

it('a taint of a client leads by links to the deletion of a pod that does not tolerate it', async () => {
  const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'img' }] };
  await send('POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'p1' }, spec }, '1'.repeat(16));
  const taints = [{ key: 'example.org/burns', effect: 'NoExecute' }];
  await send('PATCH', NODE, { spec: { taints } }, '2'.repeat(16));
  const patch = await eventually(
    'the story is told',
    SOON_MS,
    async () => {
      const root = rootOf('2'.repeat(16));
      const isTold = root && pathsFrom(root).some((path) => path.includes(EVICTION));
      return isTold ? root : undefined;
    },
    { seen: () => spans.map(({ name }) => name) },
  );
  expect(patch).toMatchObject({ traceId: TRACE, name: 'PATCH /api/v1/nodes/{name}', kind: 2 });
  expect(attributeOf(patch, 'http.response.status_code')).toBe('200');
  expect(attributeOf(patch, 'k8s.node.name')).toBe('n1');
  const paths = pathsFrom(patch);
  expect(paths).toContain('PATCH /api/v1/nodes/{name} > admission');
  const story = paths.filter((path) => path.includes(EVICTION));
  expect(story[0]).toMatch(
    /^PATCH \/api\/v1\/nodes\/\{name\} > execution > commit nodes > process changes > process taint-eviction > commit pods/,
  );
  const commit = spans.find(({ name, traceId }) => name === 'commit nodes' && traceId === TRACE);
  expect(attributeOf(commit ?? expect.fail(), 'rollcall.commit.outcome')).toBe('committed');
});

it('what follows a request is a trace of its own, and what no client traces has no span at the share 0', () => {
  const later = spans.filter(({ name }) => name.startsWith('process '));
  expect(later.length).toBeGreaterThan(0);
  for (const { traceId, links, parentSpanId, kind } of later) {
    expect(traceId).not.toBe(TRACE);
    expect(parentSpanId).toBeUndefined();
    expect(links.length).toBeGreaterThan(0);
    expect(kind).toBe(5);
  }
  const known = new Set(spans.map(({ spanId }) => spanId));
  const linked = spans.flatMap(({ links }) => links.map(({ spanId }) => spanId));
  expect(linked.filter((spanId) => !known.has(spanId))).toEqual([]);
  expect(spans.filter(({ name }) => name.includes('leases') || name.includes('heartbeat'))).toEqual([]);
});

it('requests and beats are answered while the collector is not there, and its return is noticed', async () => {
  isThere = false;
  for (let index = 0; index < 20; index += 1) {
    await send('PATCH', NODE, { metadata: { labels: { turn: `t${index}` } } }, '3'.repeat(16));
    await host.send('POST', '/apis/rollcall.dev/v1/nodes/n1/heartbeat');
  }
  expect(rootOf('3'.repeat(16))).toBeUndefined();
  isThere = true;
  await eventually('the spans come', SOON_MS, async () => rootOf('3'.repeat(16)));
});
