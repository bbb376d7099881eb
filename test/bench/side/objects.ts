/** The requests of the client, as bytes: the same for both control planes. */
import { aKubeletNode } from '../fleet/fleet.ts';

/** They make a Node of 3.4 KB. */
const IMAGES = 6;

const NODES = '/api/v1/nodes';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
export const PODS = '/api/v1/namespaces/default/pods';
/** What kubectl asks for. */
export const PAGE = 500;
/** The media type of a Table, as kubectl asks for it. */
export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

const headOf = (line: string, token: string, headers: readonly string[]): string =>
  [`${line} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${token}`, ...headers, '', ''].join('\r\n');

const withBody = (line: string, token: string, body: object, type = 'application/json'): Buffer => {
  const text = JSON.stringify(body);
  const headers = [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(text)}`];
  return Buffer.from(headOf(line, token, headers) + text);
};

/** A Node that registers, Ready. */
export const nodeCreation = (name: string, token: string): Buffer => {
  const { uid: _uid, creationTimestamp: _time, ...metadata } = aKubeletNode(name).metadata;
  const node = { ...aKubeletNode(name, { images: IMAGES, at: Date.now() }), metadata };
  return withBody(`POST ${NODES}`, token, node);
};

/** Removes all taints of a Node. */
export const untainting = (name: string, token: string): Buffer =>
  withBody(`PATCH ${NODES}/${name}`, token, { spec: { taints: null } }, 'application/merge-patch+json');

export const nodeDeletion = (name: string, token: string): Buffer =>
  Buffer.from(headOf(`DELETE ${NODES}/${name}`, token, []));

export const podName = (index: number): string => `pod-${index}`;

/** Thousands of these fit on few nodes. */
const REQUESTS = { cpu: '10m', memory: '10Mi' };

export const podCreation = (name: string, token: string): Buffer =>
  withBody(`POST ${PODS}`, token, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'web' } },
    spec: {
      containers: [{ name: 'web', image: 'registry.k8s.io/pause:3.10', resources: { requests: REQUESTS } }],
    },
  });

/** The next page of all Nodes. `more` is what the page before told, '' for the first. */
export const pageOfNodes = (more: string, accept: string, token: string): Buffer => {
  const query = more === '' ? '' : `&continue=${encodeURIComponent(more)}`;
  return Buffer.from(headOf(`GET ${NODES}?limit=${PAGE}${query}`, token, [`Accept: ${accept}`]));
};

const leaseOf = (name: string, metadata: object): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: 'kube-node-lease', ...metadata },
  spec: {
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: new Date().toISOString().replace('Z', '000Z'),
  },
});

export const leaseCreation = (name: string, token: string): Buffer =>
  withBody(`POST ${LEASES}`, token, leaseOf(name, {}));

/** As a kubelet renews: with the version that its last write was answered with. */
export const renewal = (name: string, resourceVersion: string, token: string): Buffer =>
  withBody(`PUT ${LEASES}/${name}`, token, leaseOf(name, { resourceVersion }));
