/** The clients that programs in JavaScript use, in both generations. */
import * as modern from '@kubernetes/client-node';
import * as former from 'kubernetes-client-node-1';
import { aNode } from '../objects.ts';

/** What both generations have in common is all that is used here. */
type Library = typeof modern;

export const LIBRARIES = [
  { generation: 'v2', library: modern },
  { generation: 'v1', library: former as unknown as Library },
];

export const configFrom = (library: Library, kubeconfig: string): modern.KubeConfig => {
  const config = new library.KubeConfig();
  config.loadFromFile(kubeconfig);
  return config;
};

/** Options of a patch of this type. */
export const withType = (library: Library, type: string): modern.ConfigurationOptions =>
  library.setHeaderOptions('Content-Type', type);

/** A copy with changes, of what a call returned. */
export const changed = <T extends object>(object: T, changes: Partial<T>): T =>
  Object.assign({}, object, changes);

/** A node as programs build it: times are `Date`, which go over the wire with milliseconds. */
export const nodeBody = (name: string, labels: Readonly<Record<string, string>> = {}): modern.V1Node => {
  const { status, ...node } = aNode(name, labels);
  const conditions = status.conditions.map((condition) => ({
    ...condition,
    lastHeartbeatTime: new Date(condition.lastHeartbeatTime),
    lastTransitionTime: new Date(condition.lastTransitionTime),
  }));
  return { ...node, status: { ...status, conditions } };
};

export const podBody = (
  name: string,
  labels: Readonly<Record<string, string>> = {},
  nodeName?: string,
): modern.V1Pod => ({
  metadata: { name, labels },
  spec: { containers: [{ name: 'c', image: 'example.org/c:1' }], ...(nodeName ? { nodeName } : {}) },
});

/** Code and Status of a call that is refused. Rejects when it is not. */
export const refusal = async (call: Promise<unknown>): Promise<Record<string, unknown>> => {
  const refused = await call.then(
    () => new Error('it was not refused'),
    (error: unknown) => error as { readonly code: number; readonly body: string },
  );
  if (refused instanceof Error && !('code' in refused)) throw refused;
  const { code, body } = refused as { readonly code: number; readonly body: string };
  const { reason, message, details, status } = JSON.parse(body) as Record<string, unknown>;
  return { code, reason, message, details, status };
};
