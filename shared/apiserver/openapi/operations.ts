/** The operations of an OpenAPI document: the requests that a path takes, and their responses. */
import type { Verb } from '../contract/request-info.ts';
import type { Kind, ServedPath } from './paths.ts';
import { refTo } from './schemas.ts';

/** For each verb: HTTP method, action, start of the operation's name, query parameters. */
const OPERATIONS: Readonly<
  Partial<Record<Verb, { method: string; action: string; prefix: string; query: string }>>
> = {
  get: { method: 'get', action: 'get', prefix: 'read', query: '' },
  list: {
    method: 'get',
    action: 'list',
    prefix: 'list',
    query:
      'allowWatchBookmarks continue fieldSelector labelSelector limit resourceVersion resourceVersionMatch sendInitialEvents timeoutSeconds watch',
  },
  create: { method: 'post', action: 'post', prefix: 'create', query: 'dryRun fieldManager fieldValidation' },
  update: { method: 'put', action: 'put', prefix: 'replace', query: 'dryRun fieldManager fieldValidation' },
  patch: {
    method: 'patch',
    action: 'patch',
    prefix: 'patch',
    query: 'dryRun fieldManager fieldValidation force',
  },
  delete: {
    method: 'delete',
    action: 'delete',
    prefix: 'delete',
    query: 'dryRun gracePeriodSeconds orphanDependents propagationPolicy',
  },
  deletecollection: {
    method: 'delete',
    action: 'deletecollection',
    prefix: 'deleteCollection',
    query: 'continue dryRun fieldSelector gracePeriodSeconds labelSelector limit propagationPolicy',
  },
};

const BOOLEANS = ['allowWatchBookmarks', 'force', 'orphanDependents', 'sendInitialEvents', 'watch'];
const INTEGERS = ['gracePeriodSeconds', 'limit', 'timeoutSeconds'];

const typeOfParameter = (name: string): string => {
  if (BOOLEANS.includes(name)) return 'boolean';
  return INTEGERS.includes(name) ? 'integer' : 'string';
};

const queryParameter = (name: string) => ({
  name,
  in: 'query',
  schema: { type: typeOfParameter(name), uniqueItems: true },
});

const pathParameter = (name: string) => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
});

const PATCH_TYPES = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

const bodyOf = (verb: Verb, schema: object): object => {
  const types = verb === 'patch' ? PATCH_TYPES : ['*/*'];
  const content = Object.fromEntries(
    types.map((type) => [type, { schema: verb === 'patch' ? { type: 'object' } : schema }]),
  );
  return ['create', 'update', 'patch'].includes(verb) ? { requestBody: { content, required: true } } : {};
};

const operationOf = (
  { kind, title }: ServedPath,
  verb: Verb,
  schemaName: (kind: string) => string,
): readonly [string, object] | undefined => {
  const operation = OPERATIONS[verb];
  if (!operation) return undefined;
  const { method, action, prefix, query } = operation;
  const answered = refTo(schemaName(verb === 'list' ? `${kind.kind}List` : kind.kind));
  const names = query.split(' ').filter((name) => name !== '');
  return [
    method,
    {
      operationId: `${prefix}${title}`,
      ...(names.length > 0 ? { parameters: names.map(queryParameter) } : {}),
      ...bodyOf(verb, refTo(schemaName(kind.kind))),
      responses: {
        [verb === 'create' ? '201' : '200']: {
          description: verb === 'create' ? 'Created' : 'OK',
          content: { 'application/json': { schema: answered } },
        },
        '401': { description: 'Unauthorized' },
      },
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': kind,
    },
  ];
};

/** The path item of a path in OpenAPI 3. */
export const pathItem = (served: ServedPath, schemaName: (kind: Kind, name: string) => string): object => {
  const operations = served.verbs.flatMap((verb) => {
    const operation = operationOf(served, verb, (name) => schemaName(served.kind, name));
    return operation ? [operation] : [];
  });
  const parameters = [
    ...(served.named ? [pathParameter('name')] : []),
    ...(served.namespaced ? [pathParameter('namespace')] : []),
    queryParameter('pretty'),
  ];
  return { ...Object.fromEntries(operations), parameters };
};
