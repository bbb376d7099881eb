import { describe, expect, it } from 'vitest';
import { createHostMetrics } from '../../../../host/figures/host-metrics.ts';
import { createFlowControl, WORK_BYTES } from '../../../../host/queues/flow-control.ts';
import { workBytesOf } from '../../../../host/queues/work-bytes.ts';
import { API_BODY_LIMIT } from '../../../../shared/apiserver/body/body.ts';
import { requestInfoOf } from '../../../../shared/apiserver/contract/request-info.ts';
import { ANONYMOUS, type User } from '../../../../shared/kinds/contract/user.ts';
import { GROUP_NODES } from '../../../../shared/kube/types/well-known.ts';
import { parseHostConfiguration } from '../../../../shared/settings/host/host-configuration.ts';

const LIMITS = {
  requests: { all: 6, perIdentity: 2, perAddress: 4 },
  watches: { perIdentity: 2, perAddress: 3 },
};
const HOUSE = '10.0.0.1';

const aHost = () => {
  const metrics = createHostMetrics();
  const flow = createFlowControl({
    limits: LIMITS,
    metrics,
    elapsed: () => 0,
    nextTurn: setImmediate,
    afterStart: setImmediate,
  });
  /** Lets a request in: how to end it, or the code of its refusal. */
  const enter = (sender: User, method: string, url: string, address = HOUSE) => {
    const { pathname: path, searchParams: query } = new URL(url, 'http://api.test');
    const answered = new AbortController();
    const head = { method, path, query, headers: {}, address, signal: answered.signal };
    try {
      flow.enter(head, requestInfoOf(head), sender);
      return { code: 200, end: () => answered.abort() };
    } catch (error) {
      return { code: (error as { code: number }).code, end: () => undefined };
    }
  };
  const codes = (count: number, ...request: Parameters<typeof enter>): readonly number[] =>
    Array.from({ length: count }, () => enter(...request).code);
  return { enter, codes, metrics, flow };
};

const user = (name: string): User => ({ name, groups: ['system:authenticated'] });
const node = (name: string): User => ({ name: `system:node:${name}`, groups: [GROUP_NODES] });
const PODS = '/api/v1/pods';
const WATCH = '/api/v1/pods?watch=1';
const beatOf = (name: string): string => `/apis/rollcall.dev/v1/nodes/${name}/heartbeat`;

describe('requests in flight', () => {
  it('are limited for each identity', () => {
    const { codes } = aHost();
    expect(codes(3, user('ann'), 'GET', PODS)).toEqual([200, 200, 429]);
    expect(codes(1, user('bob'), 'GET', PODS)).toEqual([200]);
  });

  it('are limited for each address, whatever their identity', () => {
    const { codes } = aHost();
    const sent = ['a', 'b', 'c', 'd', 'e'].flatMap((name) => codes(1, user(name), 'GET', PODS));
    expect(sent).toEqual([200, 200, 200, 200, 429]);
    expect(codes(1, user('e'), 'GET', PODS, '10.0.0.2')).toEqual([200]);
  });

  it('are limited for all together', () => {
    const { codes } = aHost();
    const sent = Array.from({ length: 7 }, (_, index) =>
      codes(1, user(`u${index}`), 'GET', PODS, `10.0.0.${index}`),
    );
    expect(sent.flat()).toEqual([200, 200, 200, 200, 200, 200, 429]);
  });

  it('count until they are answered', () => {
    const { enter, codes } = aHost();
    const [first] = [enter(user('ann'), 'GET', PODS), enter(user('ann'), 'GET', PODS)];
    first.end();
    expect(codes(2, user('ann'), 'GET', PODS)).toEqual([200, 429]);
  });

  it('of anonymous senders count for their address', () => {
    const { codes } = aHost();
    expect(codes(3, ANONYMOUS, 'GET', PODS)).toEqual([200, 200, 429]);
    expect(codes(2, ANONYMOUS, 'GET', PODS, '10.0.0.2')).toEqual([200, 200]);
  });
});

describe('watches', () => {
  it('are limited for each identity and each address, apart from requests', () => {
    const { codes } = aHost();
    expect(codes(3, user('ann'), 'GET', WATCH)).toEqual([200, 200, 429]);
    expect(codes(2, user('bob'), 'GET', WATCH)).toEqual([200, 429]);
    expect(codes(1, user('ann'), 'GET', PODS)).toEqual([200]);
  });

  it('are counted', () => {
    const { enter, flow, metrics } = aHost();
    const watch = enter(user('ann'), 'GET', WATCH);
    flow.record();
    expect(metrics.text()).toContain('apiserver_longrunning_requests 1\n');
    watch.end();
    flow.record();
    expect(metrics.text()).toContain('apiserver_longrunning_requests 0\n');
  });
});

describe('heartbeats', () => {
  it('of a whole site behind one address are accepted, however many other requests there are', () => {
    const { codes } = aHost();
    for (const name of ['a', 'b', 'c', 'd', 'e']) codes(3, user(name), 'GET', PODS);
    const beats = Array.from({ length: 5_000 }, (_, index) =>
      codes(1, node(`n${index}`), 'POST', beatOf(`n${index}`)),
    );
    expect(new Set(beats.flat())).toEqual(new Set([200]));
    const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1';
    expect(codes(1, node('n1'), 'PUT', lease)).toEqual([200]);
  });

  it('of one node are limited', () => {
    const { codes } = aHost();
    expect(codes(9, node('n1'), 'POST', beatOf('n1'))).toEqual([...Array(8).fill(200), 429]);
  });

  it('do not wait while all seats are taken', async () => {
    const { flow } = aHost();
    const head = { method: 'GET', path: PODS, query: new URLSearchParams(), headers: {} };
    for (const index of [1, 2, 3, 4]) {
      const place = flow.enter({ ...head, address: `${index}` }, requestInfoOf(head), user(`u${index}`));
      void place.run(() => new Promise(() => undefined));
    }
    await new Promise((resolve) => setImmediate(resolve));
    const beat = { ...head, method: 'POST', path: beatOf('n1') };
    expect(await flow.enter(beat, requestInfoOf(beat), node('n1')).run(async () => 'beaten')).toBe('beaten');
    const probe = { ...head, path: '/healthz' };
    expect(await flow.enter(probe, requestInfoOf(probe), ANONYMOUS).run(async () => 'ok')).toBe('ok');
  });

  it('have priority only if nodes send them, and other requests of nodes have none', () => {
    const { codes } = aHost();
    expect(codes(3, user('ann'), 'POST', beatOf('n1'))).toEqual([200, 200, 429]);
    expect(codes(3, node('n1'), 'GET', PODS)).toEqual([200, 200, 429]);
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/n1';
    expect(codes(1, node('n1'), 'PUT', lease)).toEqual([429]);
  });
});

it('health checks are always answered', () => {
  const { codes } = aHost();
  codes(3, ANONYMOUS, 'GET', PODS);
  expect(codes(20, ANONYMOUS, 'GET', '/healthz')).toEqual(Array(20).fill(200));
});

it('refusals are counted by level and reason', () => {
  const { codes, metrics } = aHost();
  codes(5, user('ann'), 'GET', PODS);
  codes(3, ANONYMOUS, 'GET', '/made/up');
  const name = 'apiserver_flowcontrol_rejected_requests_total';
  expect(
    metrics
      .text()
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`)),
  ).toEqual([
    `${name}{priority_level="global-default",reason="concurrency-limit"} 3`,
    `${name}{priority_level="catch-all",reason="concurrency-limit"} 1`,
  ]);
});

describe('the memory of requests with bodies', () => {
  const SIZES = [1, 300, 4_096, 40_000, 300_000, 1_000_000, API_BODY_LIMIT];
  const COUNT = 60;
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('is bounded, whatever is sent by whomever, and all are answered', async () => {
    const { flow } = aHost();
    let [held, most, answered] = [0, 0, 0];
    const send = async (index: number): Promise<void> => {
      const bytes = SIZES[index % SIZES.length] ?? 0;
      const head = { method: 'POST', path: PODS, query: new URLSearchParams(), headers: {} };
      const answer = new AbortController();
      const sent = { ...head, address: `${index}`, signal: answer.signal };
      await flow.enter(sent, requestInfoOf(head), user(`u${index % 9}`)).run(async () => {
        held += workBytesOf(bytes);
        most = Math.max(most, held);
        await settle();
        held -= workBytesOf(bytes);
        answered += 1;
      }, bytes);
      answer.abort();
    };
    // In groups, for a host has a limit of requests as well.
    for (let first = 0; first < COUNT; first += LIMITS.requests.all)
      await Promise.all(Array.from({ length: LIMITS.requests.all }, (_, index) => send(first + index)));
    expect([answered, held]).toEqual([COUNT, 0]);
    expect(most).toBeGreaterThan(WORK_BYTES / 2);
    expect(most).toBeLessThanOrEqual(WORK_BYTES);
  });

  it('is enough for the largest body, and with bodies and answers in hand 256 MB', () => {
    expect(workBytesOf(API_BODY_LIMIT)).toBeLessThan(WORK_BYTES);
    const { bodies, answers } = parseHostConfiguration().limits.bytes;
    expect(bodies + answers + WORK_BYTES).toBeLessThanOrEqual(256 * 1_048_576);
  });

  it('is not waited for by a beat of the usual size', async () => {
    const { flow } = aHost();
    const never = () => new Promise(() => undefined);
    const head = { method: 'POST', path: PODS, query: new URLSearchParams(), headers: {} };
    for (const name of ['a', 'b', 'c'])
      void flow.enter({ ...head, address: name }, requestInfoOf(head), user(name)).run(never, API_BODY_LIMIT);
    await settle();
    const beat = { ...head, path: beatOf('n1') };
    expect(await flow.enter(beat, requestInfoOf(beat), node('n1')).run(async () => 'beaten', 400)).toBe(
      'beaten',
    );
  });
});
