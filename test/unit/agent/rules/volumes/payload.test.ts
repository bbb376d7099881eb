import { describe, expect, it } from 'vitest';
import { hostPathVerdict } from '../../../../../agent/rules/volumes/host-path.ts';
import { mountPointsBelow } from '../../../../../agent/rules/volumes/mount-table.ts';
import { type DataObject, type PayloadFacts, payloadOf } from '../../../../../agent/rules/volumes/payload.ts';
import type { Projection } from '../../../../../agent/rules/volumes/volume.ts';
import { podOf } from '../../../../support/agent/pods/pod-world.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const MAPS: Readonly<Record<string, DataObject>> = {
  m: { data: { a: '1', b: '2' }, binaryData: { c: base64('3') } },
};
const SECRETS: Readonly<Record<string, DataObject>> = { s: { data: { k: base64('v') } } };

const pod = (spec: object = {}) => ({
  ...podOf('p', { containers: [{ name: 'c', resources: { limits: { cpu: '1500m' } } }], ...spec }),
  metadata: { name: 'p', namespace: 'default', uid: 'u', labels: { b: '2', a: '"1"' } },
});

const facts = (spec: object = {}): PayloadFacts => ({
  pod: pod(spec),
  defaultMode: 0o644,
  podIPs: ['10.0.0.7'],
  hostIPs: ['10.0.0.7'],
  allocatable: { memory: '1Gi' },
  configMap: (name) => MAPS[name],
  secret: (name) => SECRETS[name],
  token: ({ audience }) => (audience === 'none' ? { fault: 'failed to fetch token: no' } : { token: 'jwt' }),
});

const shown = (sources: readonly Projection[], spec: object = {}): object | string => {
  const payload = payloadOf(sources, facts(spec));
  if ('fault' in payload) return payload.fault;
  return Object.fromEntries(
    [...payload.files].map(([path, { data, mode, uid }]) => [
      path,
      `${Buffer.from(data).toString()} ${mode.toString(8)}${uid === undefined ? '' : ` of ${uid}`}`,
    ]),
  );
};

const rows: readonly (readonly [string, readonly Projection[], object | string])[] = [
  ['all keys', [{ configMap: { name: 'm' } }], { a: '1 644', b: '2 644', c: '3 644' }],
  ['a secret, decoded', [{ secret: { name: 's' } }], { k: 'v 644' }],
  [
    'some keys, under other paths, with their permissions',
    [{ configMap: { name: 'm', items: [{ key: 'a', path: 'x/y', mode: 0o400 }] } }],
    { 'x/y': '1 400' },
  ],
  ['no such object', [{ configMap: { name: 'n' } }], 'configmap "n" not found'],
  ['no such secret', [{ secret: { name: 'n' } }], 'secret "n" not found'],
  ['no such object, which may lack', [{ configMap: { name: 'n', optional: true } }], {}],
  [
    'no such key',
    [{ configMap: { name: 'm', items: [{ key: 'z', path: 'z' }] } }],
    'configmap references non-existent config key: z',
  ],
  [
    'no such key of a secret',
    [{ secret: { name: 's', items: [{ key: 'z', path: 'z' }] } }],
    'references non-existent secret key: z',
  ],
  [
    'no such key, which may lack',
    [
      {
        configMap: {
          name: 'm',
          optional: true,
          items: [
            { key: 'z', path: 'z' },
            { key: 'a', path: 'a' },
          ],
        },
      },
    ],
    { a: '1 644' },
  ],
  [
    'several faults',
    [{ configMap: { name: 'n' } }, { secret: { name: 'n' } }],
    '[configmap "n" not found, secret "n" not found]',
  ],
  [
    'two sources with one path',
    [{ configMap: { name: 'm' } }, { secret: { name: 's', items: [{ key: 'k', path: 'a' }] } }],
    { a: 'v 644', b: '2 644', c: '3 644' },
  ],
  [
    'the pod itself',
    [
      {
        downwardAPI: {
          items: [
            { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
            { path: 'cpu', resourceFieldRef: { containerName: 'c', resource: 'limits.cpu' }, mode: 0o600 },
            {
              path: 'memory',
              resourceFieldRef: { containerName: 'c', resource: 'limits.memory', divisor: '1Mi' },
            },
          ],
        },
      },
    ],
    { labels: 'a="\\"1\\""\nb="2" 644', cpu: '2 600', memory: '1024 644' },
  ],
  [
    'a field that pods do not have',
    [{ downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'spec.x' } }] } }],
    'unable to extract spec.x for x',
  ],
  ['a token', [{ serviceAccountToken: { path: 'token' } }], { token: 'jwt 644' }],
  ['no token', [{ serviceAccountToken: { path: 'token', audience: 'none' } }], 'failed to fetch token: no'],
  [
    'a path out of the volume',
    [{ configMap: { name: 'm', items: [{ key: 'a', path: '../a' }] } }],
    'invalid path: "../a" leads out of the volume',
  ],
  [
    'a source of which nobody knows',
    [{ podCertificate: {} }],
    'this agent has no volume source podCertificate',
  ],
];

describe('the files of a volume', () => {
  it.each(rows)('%s', (_name, sources, result) => {
    expect(shown(sources)).toEqual(result);
  });

  const token = [{ serviceAccountToken: { path: 'token' } }];

  it.each([
    [{ securityContext: { runAsUser: 5 } }, 'jwt 600 of 5'],
    [{ securityContext: { fsGroup: 6 } }, 'jwt 600'],
    [
      {
        securityContext: { runAsUser: 5 },
        initContainers: [{ name: 'i', securityContext: { runAsUser: 6 } }],
      },
      'jwt 644',
    ],
  ])('%j: a token that is %s', (spec, text) => {
    expect(shown(token, spec)).toEqual({ token: text });
  });
});

describe('hostPathVerdict', () => {
  it.each([
    ['', undefined, { make: 'directory' }],
    ['', 'file', {}],
    ['DirectoryOrCreate', undefined, { make: 'directory' }],
    ['FileOrCreate', undefined, { make: 'file' }],
    ['FileOrCreate', 'directory', { fault: 'hostPath type check failed: /p is not a file' }],
    ['Directory', undefined, { fault: 'hostPath type check failed: /p is not a directory' }],
    ['Socket', 'file', { fault: 'hostPath type check failed: /p is not a socket file' }],
    ['CharDevice', 'characterDevice', {}],
    ['BlockDevice', 'characterDevice', { fault: 'hostPath type check failed: /p is not a block device' }],
    ['Other', 'file', { fault: 'Other is an invalid volume type' }],
  ] as const)('type "%s" where there is %s', (type, there, verdict) => {
    expect(hostPathVerdict('/p', type, there)).toEqual(verdict);
  });
});

describe('mountPointsBelow', () => {
  it('reads escaped paths, the last mount first', () => {
    const table = ['/a', '/a/b\\040c', '/ab', '/a/d'].map(
      (path, id) => `${id} 1 0:1 / ${path} rw - tmpfs tmpfs rw`,
    );
    expect(mountPointsBelow(table.join('\n'), '/a')).toEqual(['/a/d', '/a/b c', '/a']);
  });
});
