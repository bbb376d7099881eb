import type { Abuse } from './abuse.ts';
import {
  CONFIG_MAPS,
  configMap,
  get,
  members,
  PODS,
  patch,
  pod,
  post,
  STRATEGIC_PATCH,
  times,
} from './abuse.ts';

const label = (size: number): string => `s${size}`;

const container = (index: number, rest: object = {}) => ({ name: `c${index}`, image: 'i', ...rest });
const one = (rest: object): object => ({ containers: [container(0, rest)] });
const toleration = (index: number) => ({ key: `k${index}`, operator: 'Exists' });

const configured = (title: string, largest: number, make: (size: number) => object): Abuse => ({
  name: `ConfigMap: ${title}`,
  largest,
  request: (size) => post(CONFIG_MAPS, configMap(`${title.replaceAll(/[^a-z]+/g, '-')}-${size}`, make(size))),
});

const DATA: readonly Abuse[] = [
  configured('many keys', 150_000, (size) => ({ data: members(size, (index) => [`k${index}`, 'x']) })),
  configured('many bad keys', 150_000, (size) => ({ data: members(size, (index) => [`!${index}`, 'x']) })),
  configured('keys in both parts', 80_000, (size) => ({
    data: members(size, (index) => [`k${index}`, 'x']),
    binaryData: members(size, (index) => [`k${index}`, 'eA==']),
  })),
  configured('a long key', 3_000_000, (size) => ({ data: { [`${'a'.repeat(size)}!`]: 'x' } })),
  configured('one long value', 3_000_000, (size) => ({ data: { a: 'x'.repeat(size) } })),
  configured('bytes', 3_000_000, (size) => ({ binaryData: { a: 'A'.repeat(size - (size % 4)) } })),
  configured('bytes with a fault at the end', 3_000_000, (size) => ({
    binaryData: { a: `${'A'.repeat(size)}!` },
  })),
  configured('bytes in lines', 1_500_000, (size) => ({ binaryData: { a: 'A\n'.repeat(size) } })),
];

/** A change of an immutable field, printed as a difference of two texts. */
const CHANGES: readonly Abuse[] = [
  {
    name: 'Pod: a changed list of variables',
    largest: 5_000,
    // Smaller differences are compared line by line.
    smallest: 400,
    before: (size) => [
      post(
        PODS,
        pod(
          `changed-${label(size)}`,
          one({ env: times(size, (index) => ({ name: `E${index}`, value: 'x' })) }),
        ),
      ),
    ],
    request: (size) =>
      patch(`${PODS}/changed-${label(size)}`, STRATEGIC_PATCH, {
        spec: {
          containers: [{ name: 'c0', env: times(size, (index) => ({ name: `E${index}`, value: 'y' })) }],
        },
      }),
  },
  {
    name: 'Pod: other tolerations',
    largest: 10_000,
    before: (size) => [
      post(PODS, pod(`tolerations-${label(size)}`, { tolerations: times(size, toleration) })),
    ],
    request: (size) =>
      patch(`${PODS}/tolerations-${label(size)}`, 'application/merge-patch+json', {
        spec: { tolerations: times(size, (index) => toleration(index + size)) },
      }),
  },
  {
    name: 'Table: a large pod',
    largest: 15_000,
    before: (size) => [
      post(PODS, pod(`table-${label(size)}`, { containers: times(size, (index) => container(index)) })),
    ],
    request: (size) =>
      get(`${PODS}/table-${label(size)}`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
  },
];

export const OBJECT_ABUSES: readonly Abuse[] = [...DATA, ...CHANGES];
