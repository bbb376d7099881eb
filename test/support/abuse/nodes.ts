import type { Abuse } from './abuse.ts';
import { members, NODES, node, post, times } from './abuse.ts';

const aNode = (title: string, largest: number, make: (size: number, name: string) => object): Abuse => {
  const prefix = title.replaceAll(/[^a-z]+/g, '-');
  return {
    name: `Node: ${title}`,
    largest,
    request: (size) => post(NODES, { ...node(`${prefix}-${size}`), ...make(size, `${prefix}-${size}`) }),
  };
};
const owner = (index: number, rest: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  name: `n${index}`,
  uid: `u${index}`,
  ...rest,
});

const metadata = (title: string, largest: number, make: (size: number) => object): Abuse =>
  aNode(title, largest, (size, name) => ({ metadata: { name, ...make(size) } }));

const METADATA: readonly Abuse[] = [
  metadata('a long version of an owner', 3_000_000, (size) => ({
    ownerReferences: [owner(0, { apiVersion: 'a'.repeat(size) })],
  })),
  metadata('a version of slashes', 3_000_000, (size) => ({
    ownerReferences: [owner(0, { apiVersion: `${'a'.repeat(size)}//` })],
  })),
  metadata('many owners', 40_000, (size) => ({ ownerReferences: times(size, (index) => owner(index)) })),
  metadata('many owners in control', 20_000, (size) => ({
    ownerReferences: times(size, (index) => owner(index, { controller: true })),
  })),
  metadata('owners that are events', 20_000, (size) => ({
    ownerReferences: times(size, (index) => owner(index, { kind: 'Event' })),
  })),
  metadata('many labels', 200_000, (size) => ({ labels: members(size, (index) => [`l${index}`, 'x']) })),
  metadata('many bad labels', 100_000, (size) => ({ labels: members(size, (index) => [`-l${index}`, '-']) })),
  metadata('a long label', 3_000_000, (size) => ({ labels: { [`${'a'.repeat(size)}!`]: 'x' } })),
  metadata('a label of dots', 1_500_000, (size) => ({ labels: { [`${'a.'.repeat(size)}!/x`]: 'x' } })),
  metadata('a label of slashes', 3_000_000, (size) => ({ labels: { ['/'.repeat(size)]: 'x' } })),
  metadata('a long value of a label', 3_000_000, (size) => ({ labels: { a: `${'a'.repeat(size)}!` } })),
  metadata('many annotations', 150_000, (size) => ({
    annotations: members(size, (index) => [`a${index}`, 'x']),
  })),
  metadata('many bad annotations', 100_000, (size) => ({
    annotations: members(size, (index) => [`-${index}`, 'x']),
  })),
  metadata('many finalizers', 100_000, (size) => ({
    finalizers: times(size, (index) => `example.com/f${index}`),
  })),
  metadata('many bad finalizers', 100_000, (size) => ({ finalizers: times(size, () => '-') })),
  metadata('a long finalizer', 3_000_000, (size) => ({ finalizers: [`${'a'.repeat(size)}!/x`] })),
  {
    name: 'Node: a long name',
    largest: 3_000_000,
    request: (size) => post(NODES, node(`${'a'.repeat(size)}!`)),
  },
  {
    name: 'Node: a name of dots',
    largest: 1_500_000,
    request: (size) => post(NODES, node(`${'a.'.repeat(size)}!`)),
  },
  {
    name: 'Node: a long generated name',
    largest: 3_000_000,
    request: (size) => post(NODES, { ...node(''), metadata: { generateName: 'a-'.repeat(size / 2) } }),
  },
];

const status = (title: string, largest: number, make: (size: number) => object): Abuse =>
  aNode(title, largest, (size) => ({ status: make(size) }));

const AMOUNTS: readonly Abuse[] = [
  status('a quantity of many digits', 3_000_000, (size) => ({ capacity: { cpu: '1'.repeat(size) } })),
  status('a bad quantity of many digits', 3_000_000, (size) => ({
    capacity: { cpu: `${'1'.repeat(size)}!` },
  })),
  status('a quantity of a long fraction', 3_000_000, (size) => ({
    capacity: { cpu: `0.${'1'.repeat(size)}` },
  })),
  status('a quantity of letters', 3_000_000, (size) => ({ capacity: { cpu: `1${'E'.repeat(size)}!` } })),
  status('a quantity of zeros', 3_000_000, (size) => ({ capacity: { cpu: `${'0'.repeat(size)}1` } })),
  status('a quantity of a long exponent', 3_000_000, (size) => ({
    capacity: { cpu: `1e${'9'.repeat(size)}` },
  })),

  status('many quantities', 100_000, (size) => ({
    capacity: members(size, (index) => [`r${index}.test/x`, '1']),
  })),
  status('a long time', 3_000_000, (size) => ({
    conditions: [
      { type: 'Ready', status: 'True', lastHeartbeatTime: `2026-03-01T12:00:00.${'1'.repeat(size)}!` },
    ],
  })),
  status('a long time of letters', 3_000_000, (size) => ({
    conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: 'a'.repeat(size) }],
  })),
  status('a long address', 3_000_000, (size) => ({
    addresses: [{ type: 'InternalIP', address: '1.'.repeat(size / 2) }],
  })),
  status('many addresses', 50_000, (size) => ({
    addresses: times(size, (index) => ({
      type: 'InternalIP',
      address: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    })),
  })),
  status('many conditions', 30_000, (size) => ({
    conditions: times(size, (index) => ({ type: `t${index}`, status: 'True' })),
  })),
  status('many images', 40_000, (size) => ({ images: times(size, (index) => ({ names: [`i${index}`] })) })),
  aNode('many taints', 60_000, (size) => ({
    spec: { taints: times(size, (index) => ({ key: `k${index}`, effect: 'NoSchedule' })) },
  })),
  aNode('one taint many times', 60_000, (size) => ({
    spec: { taints: times(size, () => ({ key: 'k', effect: 'NoSchedule' })) },
  })),
  aNode('many ranges', 100_000, (size) => ({ spec: { podCIDRs: times(size, () => '10.0.0.0/8') } })),
  aNode('many bad ranges', 100_000, (size) => ({ spec: { podCIDRs: times(size, () => 'x') } })),
  aNode('a long range', 3_000_000, (size) => ({ spec: { podCIDRs: [`${':'.repeat(size)}/8`] } })),
  aNode('unknown members', 150_000, (size) => members(size, (index) => [`m${index}`, 1])),
  aNode('unknown members deep down', 100_000, (size) => ({
    spec: { taints: [members(size, (index) => [`m${index}`, 1])] },
  })),
];

export const NODE_ABUSES: readonly Abuse[] = [...METADATA, ...AMOUNTS];
