import { describe, expect, it } from 'vitest';
import type { AgentPod } from '../../../../../agent/rules/containers/agent-pod.ts';
import { type DnsFacts, podDns } from '../../../../../agent/rules/cri/pod-dns.ts';

const MACHINE =
  'search example.org corp.\n# a comment\nnameserver 192.0.2.1\nnameserver 192.0.2.2\noptions edns0 timeout:1\n';
const FACTS: DnsFacts = { resolvConf: MACHINE, clusterDns: ['10.0.0.10'], clusterDomain: 'cluster.local' };
const CLUSTER_SEARCHES = [
  'shop.svc.cluster.local',
  'svc.cluster.local',
  'cluster.local',
  'example.org',
  'corp',
];

const podWith = (spec: object): AgentPod =>
  ({
    metadata: { name: 'web', namespace: 'shop', uid: 'u' },
    spec: { containers: [], ...spec },
  }) as unknown as AgentPod;

const HOST = {
  servers: ['192.0.2.1', '192.0.2.2'],
  searches: ['example.org', 'corp'],
  options: ['edns0', 'timeout:1'],
};
const CLUSTER = { servers: ['10.0.0.10'], searches: CLUSTER_SEARCHES, options: ['ndots:5'] };
const EMPTY = { servers: [], searches: [], options: [] };

describe('how the containers of a pod find names', () => {
  // Source: kubernetes v1.34 pkg/kubelet/network/dns.
  it.each([
    ['ClusterFirst, which is the default', {}, FACTS, CLUSTER],
    ['ClusterFirst on the host network', { dnsPolicy: 'ClusterFirst', hostNetwork: true }, FACTS, HOST],
    ['ClusterFirstWithHostNet', { dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true }, FACTS, CLUSTER],
    ['ClusterFirst without a name server', {}, { ...FACTS, clusterDns: [] }, HOST],
    ['Default', { dnsPolicy: 'Default' }, FACTS, HOST],
    ['None', { dnsPolicy: 'None' }, FACTS, EMPTY],
    [
      'a machine without a resolver',
      { dnsPolicy: 'Default' },
      { ...FACTS, resolvConf: '' },
      { servers: ['127.0.0.1'], searches: ['.'], options: [] },
    ],
    ['no cluster domain', {}, { ...FACTS, clusterDomain: '' }, { ...CLUSTER, searches: HOST.searches }],
    [
      'what the pod adds, with an option that replaces one',
      {
        dnsConfig: {
          nameservers: ['192.0.2.9', '10.0.0.10'],
          searches: ['own.example'],
          options: [{ name: 'ndots', value: '2' }, { name: 'rotate' }],
        },
      },
      FACTS,
      {
        servers: ['10.0.0.10', '192.0.2.9'],
        searches: [...CLUSTER_SEARCHES, 'own.example'],
        options: ['ndots:2', 'rotate'],
      },
    ],
  ] as const)('%s', (_, spec, facts, expected) => {
    expect(podDns(podWith(spec), facts)).toEqual(expected);
  });

  it('keeps to three servers, 32 domains, and 2048 characters of them', () => {
    const nameservers = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];
    const many = Array.from({ length: 40 }, (_, index) => `d${index}`);
    const long = Array.from({ length: 20 }, (_, index) => `${index}${'x'.repeat(200)}`);
    const fitted = (searches: readonly string[]) =>
      podDns(podWith({ dnsPolicy: 'None', dnsConfig: { nameservers, searches } }), FACTS);
    expect(fitted(many).servers).toHaveLength(3);
    expect(fitted(many).searches).toHaveLength(32);
    expect(fitted(long).searches.join(' ').length).toBeLessThanOrEqual(2048);
    expect(fitted(long).searches.length).toBe(10);
  });
});
