/** One OpenAPI 3 document per group version. */
import { apiVersionOf } from '../../kinds/contract/strategy.ts';
import { messageOf } from '../../kube/schema/messages.ts';
import '../../kube/schema/rare-messages.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import type { Resource } from '../contract/resource.ts';
import { pathItem } from './operations.ts';
import { type Kind, pathsOf } from './paths.ts';
import { addStruct, type OpenApiSchema, refTo, schemaNameOf, structSchema } from './schemas.ts';

const GROUP_VERSION_KIND = 'x-kubernetes-group-version-kind';

const text = { type: 'string' };

const LIST_META: OpenApiSchema = {
  description: 'What is known of a list as a whole.',
  type: 'object',
  properties: {
    continue: text,
    remainingItemCount: { type: 'integer', format: 'int64' },
    resourceVersion: text,
    selfLink: text,
  },
};

const STATUS: OpenApiSchema = {
  description: 'The outcome of a request that returns no other object.',
  type: 'object',
  properties: {
    apiVersion: text,
    code: { type: 'integer', format: 'int32' },
    details: { type: 'object' },
    kind: text,
    message: text,
    metadata: refTo(schemaNameOf('apis.meta.v1.ListMeta')),
    reason: text,
    status: text,
  },
  'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Status' }],
};

const messageNameOf = ({ group, version, kind }: Kind): string =>
  `${group === '' ? 'core' : group.split('.')[0]}.${version}.${kind}`;

const nameOf = (kind: Kind): string => schemaNameOf(messageNameOf(kind));

const listSchema = (kind: Kind): OpenApiSchema => ({
  description: `A list of ${kind.kind} objects.`,
  type: 'object',
  required: ['items'],
  properties: {
    apiVersion: { type: 'string' },
    items: { type: 'array', items: refTo(nameOf(kind)) },
    kind: { type: 'string' },
    metadata: refTo(schemaNameOf('apis.meta.v1.ListMeta')),
  },
  [GROUP_VERSION_KIND]: [{ ...kind, kind: `${kind.kind}List` }],
});

/** The schema of kinds whose fields are not described: any object. */
const anyObject = (): OpenApiSchema => ({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });

const addKind = (kind: Kind, components: Map<string, OpenApiSchema>): void => {
  const message = messageNameOf(kind);
  const isKnown = messageOf(message) !== undefined;
  const struct = kindSchema(message);
  const schema = isKnown ? structSchema(struct) : anyObject();
  if (isKnown) addStruct(struct, components);
  components.set(nameOf(kind), { ...schema, [GROUP_VERSION_KIND]: [kind] });
};

const kindsOf = (resources: readonly Resource[]): readonly Kind[] =>
  resources.flatMap((resource) => pathsOf(resource).map(({ kind }) => kind));

const withDeleteOptions = (): Readonly<Record<string, OpenApiSchema>> => {
  const components = new Map<string, OpenApiSchema>();
  addStruct(kindSchema('apis.meta.v1.DeleteOptions'), components);
  return Object.fromEntries(components);
};

/** Schemas of lists, statuses, watch events and the like, by name. */
const META_SCHEMAS: Readonly<Record<string, OpenApiSchema>> = {
  ...withDeleteOptions(),
  [schemaNameOf('apis.meta.v1.ListMeta')]: LIST_META,
  [schemaNameOf('apis.meta.v1.Status')]: STATUS,
};

const schemasOf = (resources: readonly Resource[]): Readonly<Record<string, OpenApiSchema>> => {
  const components = new Map<string, OpenApiSchema>(Object.entries(META_SCHEMAS));
  for (const kind of kindsOf(resources)) addKind(kind, components);
  for (const { group, version, kind, verbs } of resources)
    if (verbs.list)
      components.set(`${nameOf({ group, version, kind })}List`, listSchema({ group, version, kind }));
  return Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** The document of a group version, such as `v1` or `apps/v1`; `version` is that of Kubernetes. */
export const openApiDocument = (
  resources: readonly Resource[],
  groupVersion: string,
  version: string,
): object => {
  const served = resources.filter((resource) => apiVersionOf(resource) === groupVersion);
  const paths = served
    .flatMap(pathsOf)
    .map((path) => [path.path, pathItem(path, (kind, name) => nameOf({ ...kind, kind: name }))] as const);
  return {
    openapi: '3.0.0',
    info: { title: 'Rollcall', version },
    paths: Object.fromEntries(paths),
    components: {
      schemas: schemasOf(served),
      securitySchemes: {
        BearerToken: {
          type: 'apiKey',
          description: 'A bearer token',
          name: 'authorization',
          in: 'header',
        },
      },
    },
  };
};
