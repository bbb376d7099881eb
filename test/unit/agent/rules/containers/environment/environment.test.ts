import { describe, expect, it } from 'vitest';
import type { Container } from '../../../../../../agent/rules/containers/container.ts';
import {
  commandOf,
  type EnvironmentFacts,
  environmentOf,
  environmentSources,
} from '../../../../../../agent/rules/containers/environment/environment.ts';

const factsFor = (container: Omit<Container, 'name'>): EnvironmentFacts => ({
  pod: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'p',
      namespace: 'ns',
      uid: 'u',
      labels: { app: 'web', 'a.b/c': 'say "hi"' },
      annotations: { note: 'x' },
    },
    spec: {
      nodeName: 'n1',
      serviceAccountName: 'builder',
      containers: [
        { name: 'c', ...container },
        { name: 'other', resources: { requests: { cpu: '1500m' } } },
      ],
    },
  },
  container: { name: 'c', ...container },
  configMaps: new Map([['cm', { key: 'from-map', HOST: 'db' }]]),
  secrets: new Map([['sec', { password: 'hunter2' }]]),
  allocatable: { cpu: '2', memory: '4Gi' },
  services: { WEB_SERVICE_HOST: '10.0.0.9', SHADOWED: 'service' },
  podIPs: ['10.1.0.2', 'fd00::2'],
  hostIPs: ['192.0.2.1'],
});

const variable = (container: Omit<Container, 'name'>, name: string): string | undefined => {
  const environment = environmentOf(factsFor(container));
  if ('fault' in environment) throw new Error(environment.fault);
  return environment.get(name);
};

const fault = (container: Omit<Container, 'name'>): string | undefined => {
  const environment = environmentOf(factsFor(container));
  return 'fault' in environment ? environment.fault : undefined;
};

describe('environmentOf', () => {
  it('reads references to variables declared before, and those of Services', () => {
    const env = [
      { name: 'A', value: 'a$(B)' },
      { name: 'B', value: 'b' },
      { name: 'C', value: '$(A)-$(B)-$(WEB_SERVICE_HOST)' },
    ];
    expect(variable({ env }, 'A')).toBe('a$(B)');
    expect(variable({ env }, 'C')).toBe('a$(B)-b-10.0.0.9');
  });

  it('takes the last variable of a name, and own ones before those of envFrom and Services', () => {
    const envFrom = [{ configMapRef: { name: 'cm' } }];
    const env = [
      { name: 'HOST', value: '$(HOST):1' },
      { name: 'HOST', value: '$(HOST)2' },
      { name: 'SHADOWED', value: 'own' },
    ];
    expect(variable({ envFrom, env }, 'HOST')).toBe('db:12');
    expect(variable({ envFrom, env }, 'SHADOWED')).toBe('own');
    expect(variable({}, 'SHADOWED')).toBe('service');
  });

  it('sets a variable without a value to nothing', () => {
    expect(variable({ env: [{ name: 'A' }] }, 'A')).toBe('');
  });

  it('puts the prefix before each key', () => {
    expect(variable({ envFrom: [{ prefix: 'P_', secretRef: { name: 'sec' } }] }, 'P_password')).toBe(
      'hunter2',
    );
  });

  it.each([
    ['metadata.name', 'p'],
    ['metadata.namespace', 'ns'],
    ['metadata.uid', 'u'],
    ["metadata.labels['a.b/c']", 'say "hi"'],
    ["metadata.annotations['none']", ''],
    ['metadata.labels', 'a.b/c="say \\"hi\\""\napp="web"'],
    ['metadata.annotations', 'note="x"'],
    ['spec.nodeName', 'n1'],
    ['spec.serviceAccountName', 'builder'],
    ['status.podIP', '10.1.0.2'],
    ['status.podIPs', '10.1.0.2,fd00::2'],
    ['status.hostIP', '192.0.2.1'],
    ['status.hostIPs', '192.0.2.1'],
  ])('reads the field %s', (fieldPath, wanted) => {
    expect(variable({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath } } }] }, 'A')).toBe(wanted);
  });

  it.each([
    [{ resource: 'limits.cpu' }, '2'],
    [{ resource: 'limits.memory', divisor: '1Mi' }, '512'],
    [{ resource: 'limits.memory', divisor: '1Gi' }, '1'],
    [{ resource: 'requests.cpu', divisor: '1m' }, '250'],
    [{ resource: 'requests.cpu', divisor: '0' }, '1'],
    [{ resource: 'requests.memory' }, '0'],
    [{ resource: 'requests.cpu', containerName: 'other' }, '2'],
    [{ resource: 'limits.hugepages-2Mi' }, '0'],
  ])('reads the resource %o', (resourceFieldRef, wanted) => {
    const resources = { limits: { memory: '512Mi' }, requests: { cpu: '250m' } };
    const env = [{ name: 'A', valueFrom: { resourceFieldRef } }];
    expect(variable({ resources, env }, 'A')).toBe(wanted);
  });

  it('reads keys of ConfigMaps and Secrets', () => {
    const configMapKeyRef = { name: 'cm', key: 'key' };
    const secretKeyRef = { name: 'sec', key: 'password' };
    expect(variable({ env: [{ name: 'A', valueFrom: { configMapKeyRef } }] }, 'A')).toBe('from-map');
    expect(variable({ env: [{ name: 'A', valueFrom: { secretKeyRef } }] }, 'A')).toBe('hunter2');
  });

  it.each([
    { name: 'cm', key: 'none', optional: true },
    { name: 'none', key: 'key', optional: true },
  ])('does not set a variable whose optional source %o is missing', (configMapKeyRef) => {
    expect(variable({ env: [{ name: 'A', valueFrom: { configMapKeyRef } }] }, 'A')).toBeUndefined();
  });

  it('leaves out an optional ConfigMap that is missing', () => {
    expect(fault({ envFrom: [{ configMapRef: { name: 'none', optional: true } }] })).toBeUndefined();
  });

  it.each<readonly [Omit<Container, 'name'>, string]>([
    [{ envFrom: [{ configMapRef: { name: 'none' } }] }, 'configmap "none" not found'],
    [{ envFrom: [{ secretRef: { name: 'none' } }] }, 'secret "none" not found'],
    [
      { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'cm', key: 'x' } } }] },
      "couldn't find key x in ConfigMap ns/cm",
    ],
    [
      { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'sec', key: 'x' } } }] },
      "couldn't find key x in Secret ns/sec",
    ],
    [
      { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.x' } } }] },
      'unsupported fieldPath: spec.x',
    ],
    [
      { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.x' } } }] },
      'unsupported container resource : limits.x',
    ],
    [
      {
        env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', containerName: 'x' } } }],
      },
      'container x not found',
    ],
  ])('says of %o what is missing', (container, wanted) => {
    expect(fault(container)).toBe(wanted);
  });
});

describe('commandOf', () => {
  it('replaces references in command and arguments', () => {
    const container = { name: 'c', command: ['sh', '-c', 'echo $(A)'], args: ['$$(A)', '$(B)'] };
    expect(commandOf(container, new Map([['A', 'x']]))).toEqual({
      command: ['sh', '-c', 'echo x'],
      args: ['$(A)', '$(B)'],
    });
  });
});

describe('environmentSources', () => {
  it('names what has to be read', () => {
    const { configMaps, secrets } = environmentSources({
      envFrom: [{ configMapRef: { name: 'a' } }, { secretRef: { name: 's' } }],
      env: [
        { name: 'A', valueFrom: { configMapKeyRef: { name: 'b', key: 'k' } } },
        { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
      ],
    });
    expect([...configMaps]).toEqual(['a', 'b']);
    expect([...secrets]).toEqual(['s']);
  });
});
