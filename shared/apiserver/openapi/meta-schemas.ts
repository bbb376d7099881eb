/** Schemas that every document has and that request bodies are not decoded by. */
import { kindSchema } from '../../kube/schema/schema-of.ts';
import type { OpenApiSchema } from './schemas.ts';
import { addStruct, refTo, schemaNameOf } from './schemas.ts';

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

const withDeleteOptions = (): Readonly<Record<string, OpenApiSchema>> => {
  const components = new Map<string, OpenApiSchema>();
  addStruct(kindSchema('apis.meta.v1.DeleteOptions'), components);
  return Object.fromEntries(components);
};

/** Schemas of lists, statuses, watch events and the like, by name. */
export const META_SCHEMAS: Readonly<Record<string, OpenApiSchema>> = {
  ...withDeleteOptions(),
  [schemaNameOf('apis.meta.v1.ListMeta')]: LIST_META,
  [schemaNameOf('apis.meta.v1.Status')]: STATUS,
};
