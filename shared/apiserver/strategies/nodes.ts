import type { Node } from '../../api/core.ts';
import { defaultNode } from '../../api/defaults/node.ts';
import type { ObjectMeta } from '../../api/meta.ts';
import { kindSchema } from '../../api/schema/schema-of.ts';
import { validateNode, validateNodeUpdate } from '../../api/validation/node.ts';
import { nodeWarnings } from '../../api/warnings/node.ts';
import { admitNode } from '../admission.ts';
import type { Strategy } from '../strategy.ts';

/** Annotation with the end of the newest token that was made for the Node; the control plane's own. */
export const TOKEN_EXPIRY_ANNOTATION = 'rollcall.dev/token-expiration';

const withTokenExpiry = (metadata: ObjectMeta, expiry: string | undefined): ObjectMeta => {
  const { [TOKEN_EXPIRY_ANNOTATION]: given, ...others } = metadata.annotations ?? {};
  if (given === expiry) return metadata;
  const { annotations: _annotations, ...rest } = metadata;
  const annotations = expiry === undefined ? others : { ...others, [TOKEN_EXPIRY_ANNOTATION]: expiry };
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
};

const keepOwn = (after: Node, before: Node | undefined): Node => ({
  ...after,
  metadata: withTokenExpiry(after.metadata, before?.metadata.annotations?.[TOKEN_EXPIRY_ANNOTATION]),
});

/** A Node that was changed by the control plane's own endpoint for tokens. */
export const withTokenExpiration = (node: Node, expiry: string): Node => ({
  ...node,
  metadata: withTokenExpiry(node.metadata, expiry),
});

const withoutConfigSource = (node: Node): Node => {
  const { configSource: _dropped, ...spec } = (node.spec ?? {}) as Readonly<Record<string, unknown>>;
  return { ...node, spec };
};

// A kubelet's configuration from the API is no more.
const withoutConfig = (node: Node): Node => {
  const { config: _dropped, ...status } = (node.status ?? {}) as Readonly<Record<string, unknown>>;
  return { ...node, status };
};

export const nodeStrategy: Strategy<Node> = {
  kind: { group: '', version: 'v1', kind: 'Node', resource: 'nodes', namespaced: false },
  schema: kindSchema('core.v1.Node'),
  defaults: defaultNode,
  forCreate: (node) => withoutConfig(withoutConfigSource(keepOwn(node, undefined))),
  forUpdate: (after, before) =>
    withoutConfigSource(keepOwn({ ...after, status: before.status ?? {} }, before)),
  forStatusUpdate: (after, before) => withoutConfig(keepOwn({ ...after, spec: before.spec ?? {} }, before)),
  validate: validateNode,
  validateUpdate: validateNodeUpdate,
  warnings: nodeWarnings,
  updateWarnings: nodeWarnings,
  admit: admitNode,
  fields: ({ spec }) => ({ 'spec.unschedulable': String(spec?.unschedulable === true) }),
};
