import { describe, expect, it } from 'vitest';
import type { Node, Pod, PodSpec } from '../../../../shared/kube/types/core.ts';
import { containerOf } from '../../../../shared/rules/streams/container-choice.ts';
import { logFaults } from '../../../../shared/rules/streams/log-options.ts';
import { endpointOf } from '../../../../shared/rules/streams/node-endpoint.ts';
import {
  forwardTarget,
  logTarget,
  proxyTarget,
  terminalsFault,
  terminalTarget,
} from '../../../../shared/rules/streams/node-request.ts';

const named = (...names: readonly string[]) => names.map((name) => ({ name }));
const podOf = (spec: PodSpec): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { namespace: 'ns', name: 'x', uid: 'u1' },
  spec,
});
const one = podOf({ containers: named('a') });
const two = podOf({ containers: named('a', 'b'), ephemeralContainers: named('e') });
const withInits = podOf({ containers: named('a', 'b'), initContainers: named('i', 'j') });
const MUST = 'a container name must be specified for pod x';

describe('J-180: the container of a request', () => {
  it.each([
    [one, '', { container: 'a' }],
    [one, 'a', { container: 'a' }],
    [one, 'z', { fault: 'container z is not valid for pod x' }],
    [two, '', { fault: `${MUST}, choose one of: [a b]` }],
    [two, 'e', { container: 'e' }],
    [withInits, '', { fault: `${MUST}, choose one of: [a b] or one of the init containers: [i j]` }],
    [withInits, 'j', { container: 'j' }],
    [podOf({ containers: [] }), '', { fault: MUST }],
  ])('%#: %j', (pod, asked, expected) => {
    expect(containerOf(pod, asked)).toEqual(expected);
  });
});

const NO_FLAGS = { follow: false, previous: false, timestamps: false };

describe('J-181: the options of logs', () => {
  it.each([
    [{}, []],
    [{ tailLines: 0, limitBytes: 1, sinceSeconds: 1 }, []],
    [{ tailLines: -1 }, ['tailLines: Invalid value: -1: must be greater than or equal to 0']],
    [{ limitBytes: 0 }, ['limitBytes: Invalid value: 0: must be greater than 0']],
    [{ sinceSeconds: 0 }, ['sinceSeconds: Invalid value: 0: must be greater than 0']],
    [
      { sinceSeconds: 0, sinceTime: '2026-03-01T12:00:00Z' },
      [': Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified'],
    ],
    [{ stream: 'All' }, ['stream: Forbidden: may not be specified']],
  ])('%j', (given, expected) => {
    const faults = logFaults({ ...NO_FLAGS, ...given });
    expect(faults.map(({ field, message }) => `${field}: ${message}`)).toEqual(expected);
  });
});

const TERMINALS = { stdin: false, stdout: false, stderr: false, tty: false };

describe('J-182: the request to the node', () => {
  it('for logs has the options that were given, sorted by name', () => {
    expect(logTarget(one, 'a', NO_FLAGS)).toEqual({ path: '/containerLogs/ns/x/a', query: '' });
    const options = {
      follow: true,
      previous: true,
      timestamps: true,
      sinceSeconds: 5,
      tailLines: 0,
      limitBytes: 7,
    };
    expect(logTarget(one, 'a', options).query).toBe(
      'follow=true&limitBytes=7&previous=true&sinceSeconds=5&tailLines=0&timestamps=true',
    );
    expect(logTarget(one, 'a', { ...NO_FLAGS, sinceTime: '2026-03-01T12:00:00Z' }).query).toBe(
      'sinceTime=2026-03-01T12%3A00%3A00Z',
    );
  });

  it('for exec and attach names the uid of the pod, and keeps the order of the command', () => {
    const all = { stdin: true, stdout: true, stderr: true, tty: true };
    expect(terminalTarget('exec', one, 'a', all, ['sh', '-c', 'a & b'])).toEqual({
      path: '/exec/ns/x/u1/a',
      query: 'command=sh&command=-c&command=a+%26+b&error=1&input=1&output=1&tty=1',
    });
    expect(terminalTarget('attach', one, 'a', { ...TERMINALS, stdout: true }, [])).toEqual({
      path: '/attach/ns/x/u1/a',
      query: 'output=1',
    });
  });

  it('for port-forward has the ports, if the client names them', () => {
    expect(forwardTarget(one, [])).toEqual({ path: '/portForward/ns/x/u1', query: '' });
    expect(forwardTarget(one, ['80', '443']).query).toBe('port=80%2C443');
  });

  it.each([
    ['/stats/summary', true],
    ['/metrics', true],
    ['/metrics/resource', true],
    ['/healthz', true],
    ['/containerLogs/ns/x/a', true],
    ['/containerLogs/ns/../a', false],
    ['/containerLogs/ns/x', false],
    ['/exec/ns/x/u1/a', false],
    ['/run/ns/x/a', false],
    ['', false],
  ])('J-183: through nodes/proxy %s: %s', (rest, isServed) => {
    expect(proxyTarget(rest, 'a=b')).toEqual(isServed ? { path: rest, query: 'a=b' } : undefined);
  });

  it.each([
    [{}, false],
    [{ stdin: true }, true],
    [{ stdout: true }, true],
    [{ stderr: true }, true],
    [{ stderr: true, tty: true }, false],
  ])('J-184: %j connects something: %s', (given, connects) => {
    const fault = terminalsFault({ ...TERMINALS, ...given });
    expect(fault).toBe(connects ? undefined : 'you must specify at least 1 of stdin, stdout, stderr');
  });
});

const FINGERPRINT = 'ab'.repeat(32);
const nodeOf = (
  port: unknown,
  fingerprint: string | undefined,
  addresses: readonly (readonly [string, string])[] = [],
): Node => ({
  kind: 'Node',
  apiVersion: 'v1',
  metadata: {
    name: 'n1',
    ...(fingerprint === undefined
      ? {}
      : { annotations: { 'rollcall.dev/serving-certificate': fingerprint } }),
  },
  status: {
    addresses: addresses.map(([type, address]) => ({ type, address })),
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  },
});

describe('J-185: the endpoint of a node', () => {
  it('has the addresses in order of preference, each once', () => {
    const addresses = [
      ['Hostname', 'n1'],
      ['ExternalIP', '203.0.113.1'],
      ['InternalIP', '10.0.0.1'],
      ['InternalIP', 'fd00::1'],
      ['InternalDNS', 'n1'],
      ['Other', 'x'],
    ] as const;
    expect(endpointOf(nodeOf(10_250, FINGERPRINT, addresses))).toEqual({
      addresses: ['10.0.0.1', 'fd00::1', '203.0.113.1', 'n1'],
      port: 10_250,
      fingerprint: FINGERPRINT,
    });
  });

  it.each([
    [undefined, FINGERPRINT, 'no server'],
    [0, FINGERPRINT, 'no server'],
    [70_000, FINGERPRINT, 'no server'],
    ['10250', FINGERPRINT, 'no server'],
    [10_250, undefined, 'has not told its certificate'],
    [10_250, FINGERPRINT.toUpperCase(), 'has not told its certificate'],
    [10_250, `${FINGERPRINT}00`, 'has not told its certificate'],
  ])('is none for port %j and certificate %s', (port, fingerprint, why) => {
    expect(endpointOf(nodeOf(port, fingerprint))).toEqual({ fault: expect.stringContaining(why) });
  });
});
