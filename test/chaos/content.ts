/** The objects that writers write: a number, and a payload that follows from it. */
import { createHash } from 'node:crypto';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import { LABEL_ZONE } from '../../shared/kube/types/well-known.ts';
import type { Resource } from './ledger.ts';

const NUMBER = 'chaos/number';
const PAYLOAD = 'chaos/payload';
/** Bodies above 1 KB are stored compressed. Every second payload is so large. */
const LINES = 24;

const payloadOf = (name: string, content: number): string =>
  Array.from({ length: (content % 2) * LINES }, (_, line) =>
    createHash('sha256').update(`${name}/${content}/${line}`).digest('hex'),
  ).join(' ');

const annotationsOf = (name: string, content: number): Readonly<Record<string, string>> => ({
  [NUMBER]: String(content),
  [PAYLOAD]: payloadOf(name, content),
});

export const pathOf = (resource: Resource, name = ''): string =>
  `/api/v1/${resource === 'pods' ? 'namespaces/default/' : ''}${resource}${name && `/${name}`}`;

export const createdObject = (resource: Resource, name: string, content: number): object => {
  const metadata = { name, annotations: annotationsOf(name, content) };
  if (resource === 'nodes')
    return { apiVersion: 'v1', kind: 'Node', metadata: { ...metadata, labels: { [LABEL_ZONE]: 'w' } } };
  // Of another scheduler: bound to a node they would count among the pods that are evicted.
  const spec = {
    schedulerName: 'nobody',
    containers: [{ name: 'c', image: 'registry.k8s.io/pause:3.10' }],
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, namespace: 'default' }, spec };
};

export const patchTo = (name: string, content: number): object => ({
  metadata: { annotations: annotationsOf(name, content) },
});

/** The number in an object; -1 if the payload does not belong to it. */
export const contentOf = ({ metadata }: ApiObject): number => {
  const content = Number(metadata.annotations?.[NUMBER] ?? -1);
  return metadata.annotations?.[PAYLOAD] === payloadOf(metadata.name ?? '', content) ? content : -1;
};
