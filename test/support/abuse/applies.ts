import type { Abuse, AbusiveRequest } from './abuse.ts';
import {
  APPLY_PATCH,
  asText,
  CONFIG_MAPS,
  configMap,
  members,
  nested,
  node,
  post,
  raw,
  times,
} from './abuse.ts';
import { condition, conditions, named, statusOf, withConditions } from './condition-nodes.ts';

const applied = (path: string, manager: string, body: string, force = false): AbusiveRequest =>
  raw('PATCH', `${path}?fieldManager=${manager}${force ? '&force=true' : ''}`, APPLY_PATCH, body);

const dataOf = (size: number, value: string): object => members(size, (index) => [`key-${index}`, value]);
const yamlData = (name: string, size: number): string =>
  [
    'apiVersion: v1',
    'kind: ConfigMap',
    `metadata: {name: ${name}}`,
    'data:',
    ...times(size, (index) => `  key-${index}: value`),
    '',
  ].join('\n');

const APPLIES: readonly Abuse[] = [
  {
    name: 'apply: JSON with many members',
    largest: 100_000,
    request: (size) => {
      const name = named('apply-json', size);
      return applied(`${CONFIG_MAPS}/${name}`, 'one', asText(configMap(name, { data: dataOf(size, 'x') })));
    },
  },
  {
    name: 'apply: YAML with many members',
    largest: 100_000,
    request: (size) => {
      const name = named('apply-yaml', size);
      return applied(`${CONFIG_MAPS}/${name}`, 'one', yamlData(name, size));
    },
  },
  {
    name: 'apply: conflicts in every member',
    largest: 50_000,
    before: (size) => {
      const name = named('apply-conflict', size);
      const body = asText(configMap(name, { data: dataOf(size, 'x') }));
      return [applied(`${CONFIG_MAPS}/${name}`, 'one', body)];
    },
    request: (size) => {
      const name = named('apply-conflict', size);
      return applied(`${CONFIG_MAPS}/${name}`, 'two', asText(configMap(name, { data: dataOf(size, 'y') })));
    },
  },
  {
    name: 'apply: takes every member by force',
    largest: 50_000,
    before: (size) => {
      const name = named('apply-force', size);
      const body = asText(configMap(name, { data: dataOf(size, 'x') }));
      return [applied(`${CONFIG_MAPS}/${name}`, 'one', body)];
    },
    request: (size) => {
      const name = named('apply-force', size);
      return applied(
        `${CONFIG_MAPS}/${name}`,
        'two',
        asText(configMap(name, { data: dataOf(size, 'y') })),
        true,
      );
    },
  },
  {
    name: 'apply: removes what it applied',
    largest: 50_000,
    before: (size) => {
      const name = named('apply-removes', size);
      const body = asText(configMap(name, { data: dataOf(size, 'x') }));
      return [applied(`${CONFIG_MAPS}/${name}`, 'one', body)];
    },
    request: (size) => {
      const name = named('apply-removes', size);
      return applied(`${CONFIG_MAPS}/${name}`, 'one', asText(configMap(name)));
    },
  },
  {
    name: 'apply: a list in another order',
    largest: 20_000,
    before: (size) => withConditions(named('apply-order', size), size),
    request: (size) => {
      const name = named('apply-order', size);
      const status = { conditions: conditions(size, 'False').toReversed() };
      return applied(statusOf(name), 'one', asText(node(name, { status })), true);
    },
  },
  {
    name: 'apply: unknown members',
    largest: 150_000,
    request: (size) => {
      const name = named('apply-unknown', size);
      const body = configMap(
        name,
        members(size, (index) => [`m${index}`, 'x']),
      );
      return applied(`${CONFIG_MAPS}/${name}`, 'one', asText(body));
    },
  },
  {
    name: 'apply: one element many times',
    largest: 50_000,
    request: (size) => {
      const name = named('apply-twice', size);
      const status = { conditions: times(size, () => condition(1)) };
      return applied(statusOf(name), 'one', asText(node(name, { status })));
    },
  },
];

const owned = (index: number, fields: object): object => ({
  manager: `m${index}`,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-03-01T12:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: fields,
});

const MANAGED_FIELDS: readonly Abuse[] = [
  {
    name: 'managedFields: a set of many paths',
    largest: 80_000,
    request: (size) =>
      post(
        CONFIG_MAPS,
        configMap(named('paths', size), {
          metadata: {
            name: named('paths', size),
            managedFields: [owned(0, { 'f:data': members(size, (index) => [`f:key-${index}`, {}]) })],
          },
        }),
      ),
  },
  {
    name: 'managedFields: many managers',
    largest: 15_000,
    // Fewer are merged one by one.
    smallest: 400,
    request: (size) =>
      post(
        CONFIG_MAPS,
        configMap(named('managers', size), {
          metadata: {
            name: named('managers', size),
            managedFields: times(size, (index) => owned(index, { 'f:data': { [`f:key-${index}`]: {} } })),
          },
        }),
      ),
  },
  {
    name: 'managedFields: deep sets',
    largest: 200_000,
    request: (size) =>
      raw(
        'POST',
        CONFIG_MAPS,
        'application/json',
        `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${named('sets', size)}","managedFields":[${asText(
          owned(0, { x: 1 }),
        ).replace('{"x":1}', nested(size, '{"f:a":', '{}', '}'))}]}}`,
      ),
  },
];

export const APPLY_ABUSES: readonly Abuse[] = [...APPLIES, ...MANAGED_FIELDS];
