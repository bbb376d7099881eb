/** Every kind of large body that the API takes, at the limits of values or of bytes. */
import { MAX_BODY_VALUES } from '../../../shared/kube/json/value-limits.ts';
import {
  type AbusiveRequest,
  ACCESS_REVIEWS,
  APPLY_PATCH,
  asText,
  CONFIG_MAPS,
  configMap,
  JSON_PATCH,
  JSON_TYPE,
  MERGE_PATCH,
  members,
  NODES,
  node,
  PROTOBUF_TYPE,
  patch,
  post,
  raw,
  STRATEGIC_PATCH,
  times,
  YAML_TYPE,
} from '../../support/abuse/abuse.ts';
import { conditions, statusOf, withConditions } from '../../support/abuse/condition-nodes.ts';
import { encodeBody } from '../../support/objects/protobuf-encoder.ts';

export interface BodyKind {
  readonly name: string;
  /** Sent once, before the requests. */
  readonly before?: readonly AbusiveRequest[];
  /** The request of a repetition, each with something to change. */
  readonly request: (repetition: number) => AbusiveRequest;
  /** JSON of what the request is about, to compare its cost with that of `JSON.parse`. The body if absent. */
  readonly json?: (repetition: number) => string;
}

/** Values that are left for what surrounds the many. */
const AROUND = 60;
const FULL = MAX_BODY_VALUES - AROUND;
/** Operations of a JSON patch; conditions, of three values each; lines of YAML, of two marks each. */
const [OPERATIONS, CONDITIONS, YAML_LINES] = [10_000, FULL / 3, 1_980];
/** Conditions that three managers may own: the object has an owner for each of their members. */
const ORDERED = 2_900;
/** Characters: a ConfigMap has a mebibyte of data at most, a body three. */
const [DATA_BYTES, BODY_BYTES] = [1_040_000, 3_000_000];

const dataOf = (count: number, value: string): object => members(count, (index) => [`key-${index}`, value]);
const value = (repetition: number): string => `x${repetition}`;
const status = (repetition: number): string => (repetition % 2 === 0 ? 'False' : 'True');
const apply = (path: string, repetition: number, body: string): AbusiveRequest =>
  raw('PATCH', `${path}?fieldManager=m${repetition % 2}&force=true`, APPLY_PATCH, body);

const yamlOf = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata:\n${times(YAML_LINES, (index) => `  key-${index}: x\n`).join('')}`;
const yamlAsJson = (name: string): string => asText(configMap(name, { data: dataOf(YAML_LINES, 'x') }));

const named = (name: string, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, ...metadata },
});
const labelled = (name: string) =>
  named(name, { labels: members(FULL / 3, (index) => [`label-${index}`, 'x']) });

const CREATES: readonly BodyKind[] = [
  {
    name: 'create, many members',
    request: (n) => post(CONFIG_MAPS, configMap(`create-${n}`, { data: dataOf(FULL, 'x') })),
  },
  {
    name: 'create, one long value',
    request: (n) => post(CONFIG_MAPS, configMap(`long-${n}`, { data: { a: 'x'.repeat(DATA_BYTES) } })),
  },
  {
    name: 'create, base64 in short lines',
    request: (n) =>
      post(CONFIG_MAPS, configMap(`lines-${n}`, { binaryData: { a: 'A\n'.repeat(BODY_BYTES / 3) } })),
  },
  {
    name: 'create, every label at fault',
    request: (n) =>
      post(NODES, {
        ...node('faults'),
        metadata: { name: `f-${n}`, labels: members(FULL, (i) => [`-${i}`, '-']) },
      }),
  },
  {
    name: 'create, YAML',
    request: (n) => raw('POST', CONFIG_MAPS, YAML_TYPE, yamlOf(`yaml-${n}`)),
    json: (n) => yamlAsJson(`yaml-${n}`),
  },
  {
    name: 'create, protobuf',
    request: (n) => raw('POST', NODES, PROTOBUF_TYPE, encodeBody(labelled(`proto-${n}`), 'core.v1.Node')),
    json: (n) => asText(labelled(`proto-${n}`)),
  },
  {
    name: 'create, protobuf, a long name at fault',
    request: (n) =>
      raw(
        'POST',
        NODES,
        PROTOBUF_TYPE,
        encodeBody(named(`${n}${'é'.repeat(BODY_BYTES / 2)}`), 'core.v1.Node'),
      ),
    json: (n) => asText(node(`${n}${'é'.repeat(BODY_BYTES / 2)}`)),
  },
];

const UPDATES: readonly BodyKind[] = [
  {
    name: 'update',
    before: [post(CONFIG_MAPS, configMap('update', { data: dataOf(FULL, 'x') }))],
    request: (n) =>
      raw(
        'PUT',
        `${CONFIG_MAPS}/update`,
        JSON_TYPE,
        asText(configMap('update', { data: dataOf(FULL, value(n)) })),
      ),
  },
  {
    name: 'update of a status',
    before: withConditions('status', CONDITIONS),
    request: (n) =>
      raw(
        'PUT',
        statusOf('status'),
        JSON_TYPE,
        asText(node('status', { status: { conditions: conditions(CONDITIONS, status(n)) } })),
      ),
  },
  {
    name: 'JSON patch',
    before: [post(NODES, node('json-patch'))],
    request: (n) =>
      patch(`${NODES}/json-patch`, JSON_PATCH, [
        { op: 'add', path: '/metadata/annotations', value: {} },
        ...times(OPERATIONS - 1, (index) => ({
          op: 'add',
          path: `/metadata/annotations/a${index}`,
          value: value(n),
        })),
      ]),
  },
  {
    name: 'merge patch',
    before: [post(NODES, node('merge'))],
    request: (n) =>
      patch(`${NODES}/merge`, MERGE_PATCH, {
        metadata: { labels: members(FULL, (index) => [`l${index}`, value(n)]) },
      }),
  },
  {
    name: 'strategic patch',
    before: withConditions('strategic', CONDITIONS),
    request: (n) =>
      patch(statusOf('strategic'), STRATEGIC_PATCH, {
        status: { conditions: conditions(CONDITIONS, status(n)) },
      }),
  },
];

const APPLIES: readonly BodyKind[] = [
  {
    name: 'apply, creates',
    request: (n) =>
      apply(`${CONFIG_MAPS}/apply-${n}`, 0, asText(configMap(`apply-${n}`, { data: dataOf(FULL, 'x') }))),
  },
  {
    name: 'apply, takes all by force',
    before: [apply(`${CONFIG_MAPS}/force`, 1, asText(configMap('force', { data: dataOf(FULL, 'x') })))],
    request: (n) =>
      apply(`${CONFIG_MAPS}/force`, n, asText(configMap('force', { data: dataOf(FULL, value(n)) }))),
  },
  {
    name: 'apply, in another order',
    before: withConditions('order', ORDERED),
    request: (n) => {
      const all = conditions(ORDERED, status(n));
      return apply(
        statusOf('order'),
        n,
        asText(node('order', { status: { conditions: n % 2 === 0 ? all.toReversed() : all } })),
      );
    },
  },
  {
    name: 'apply, YAML',
    request: (n) => apply(`${CONFIG_MAPS}/apply-yaml-${n}`, 0, yamlOf(`apply-yaml-${n}`)),
    json: (n) => yamlAsJson(`apply-yaml-${n}`),
  },
];

const access = (kind: string, spec: object, metadata: object = {}): object => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind,
  metadata,
  spec: { resourceAttributes: { verb: 'get', resource: 'nodes' }, ...spec },
});

const OTHERS: readonly BodyKind[] = [
  {
    name: 'TokenReview, many audiences',
    request: (n) =>
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: 'a', audiences: times(FULL, (index) => `a${n}-${index}`) },
      }),
  },
  {
    name: 'SelfSubjectAccessReview, many labels',
    request: (n) =>
      post(
        ACCESS_REVIEWS,
        access('SelfSubjectAccessReview', {}, { labels: members(FULL, (i) => [`l${i}`, value(n)]) }),
      ),
  },
  {
    name: 'SubjectAccessReview, much extra',
    request: () =>
      post(
        '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        access('SubjectAccessReview', {
          user: 'x',
          extra: members(Math.floor(FULL / 3), (i) => [`k${i}`, ['v']]),
        }),
      ),
  },
  {
    name: 'DeleteCollection, many options',
    request: () =>
      raw(
        'DELETE',
        CONFIG_MAPS,
        JSON_TYPE,
        asText({ kind: 'DeleteOptions', dryRun: times(FULL, () => 'All') }),
      ),
  },
];

/** Parts of the largest object: 35,000 values with those that say who owns its members. */
const PARTS = [10_000, 400, 400, 400, 400];
const largest = (name: string): readonly AbusiveRequest[] => [
  post(CONFIG_MAPS, configMap(name, { data: dataOf(PARTS[0] ?? 0, 'x') })),
  ...PARTS.slice(1).map((count, part) =>
    patch(`${CONFIG_MAPS}/${name}?fieldManager=p${part}`, MERGE_PATCH, {
      data: members(count, (index) => [`part-${part}-${index}`, 'x']),
    }),
  ),
];
const largestAsJson = (): string =>
  asText([dataOf(11_600, 'x'), times(11_600, (index) => ({ [`f:key-${index}`]: {} }))]);

const SMALL_ON_LARGE: readonly BodyKind[] = [
  {
    name: 'small merge patch of the largest object',
    before: largest('large-merge'),
    request: (n) =>
      patch(`${CONFIG_MAPS}/large-merge`, MERGE_PATCH, { metadata: { labels: { a: value(n) } } }),
    json: largestAsJson,
  },
  {
    name: 'small apply to the largest object',
    before: largest('large-apply'),
    request: (n) =>
      apply(`${CONFIG_MAPS}/large-apply`, 0, asText(configMap('large-apply', { data: { q: value(n) } }))),
    json: largestAsJson,
  },
];

export const BODY_KINDS: readonly BodyKind[] = [
  ...CREATES,
  ...UPDATES,
  ...APPLIES,
  ...OTHERS,
  ...SMALL_ON_LARGE,
];
