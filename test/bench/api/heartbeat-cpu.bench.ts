import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { jwtVerify } from 'jose';
import { heartbeatKey } from '../../../shared/adapters/dynamodb/items/heartbeat-items.ts';
import { HEARTBEAT } from '../../../shared/adapters/dynamodb/table/schema.ts';
import { createMemoryState } from '../../../shared/adapters/memory/state.ts';
import { TOKEN_AUDIENCE } from '../../../shared/apiserver/access/authentication.ts';
import { tokenVerifier } from '../../../shared/apiserver/access/key-pairs.ts';
import type { ApiServerDeps } from '../../../shared/apiserver/contract/deps.ts';
import type { HttpRequest } from '../../../shared/apiserver/contract/http.ts';
import { createHeartbeatServer } from '../../../shared/apiserver/heartbeat-server.ts';
import type { Serve } from '../../../shared/apiserver/serve.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { aLease } from '../../support/stores/builders.ts';
import type { DynamoStores } from '../../support/stores/dynamodb-stores.ts';
import { onDynamoDb } from '../dynamodb/dynamodb.ts';
import { dynamoStoresOver } from '../dynamodb/dynamodb-client.ts';
import type { Bench } from '../figures/figures.ts';
import { aKubeletNode, nodeName, uidOf } from '../fleet/fleet.ts';
import { type Call, figuresOf } from './cpu-figures.ts';
import { CLUSTER_ID, nodeToken, serverDeps, signingKeys } from './servers.ts';

const NODE = nodeName(1);
const UID = uidOf(NODE);
/** Samples, and calls in each of them. */
const IN_MEMORY = { batches: 100, calls: 100 };
/** A call over DynamoDB takes milliseconds. */
const WITH_SDK = { batches: 100, calls: 20 };
/** Milliseconds of processor time: the target of a warm beat. */
const MOST_MS = 1;

const HEARTBEAT_PATH = `/apis/rollcall.dev/v1/nodes/${NODE}/heartbeat`;
const LEASE_PATH = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${NODE}`;

const requestOf = (method: string, path: string, token: string, body: object): HttpRequest => ({
  method,
  path,
  query: new URLSearchParams(),
  headers: {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json',
  },
  body: Buffer.from(JSON.stringify(body)),
});

const expectOk = async (
  serve: Serve,
  request: HttpRequest,
): Promise<{ readonly body: string | Uint8Array }> => {
  const response = await serve(request);
  if (response.status >= 300) throw new Error(`${response.status} ${String(response.body)}`);
  return response;
};

/** Renews as a kubelet does: with the version that the last answer brought. */
const renewals = async (serve: Serve, token: string): Promise<Call> => {
  const { spec, metadata } = aLease(NODE, UID);
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec };
  const put = async (resourceVersion?: string): Promise<string> => {
    const body = {
      ...lease,
      metadata: { ...metadata, name: NODE, namespace: 'kube-node-lease', resourceVersion },
    };
    const answer = await expectOk(serve, requestOf('PUT', LEASE_PATH, token, body));
    return JSON.parse(String(answer.body)).metadata.resourceVersion;
  };
  let version = await put();
  return async () => {
    version = await put(version);
  };
};

const bareVerify = (token: string): Call => {
  const options = { algorithms: ['EdDSA'], issuer: CLUSTER_ID, audience: TOKEN_AUDIENCE };
  return async () => jwtVerify(token, tokenVerifier((await signingKeys.current()).secret), options);
};

/** The least that a beat can cost with the SDK: one update of one attribute. */
const bareUpdate = ({ deps: { client, tables } }: DynamoStores): Call => {
  const command = () =>
    new UpdateCommand({
      TableName: tables.heartbeats,
      Key: heartbeatKey({ namespace: 'default', name: 'bare' }),
      UpdateExpression: 'SET #o = :o',
      ExpressionAttributeNames: { '#o': HEARTBEAT.observedAt },
      ExpressionAttributeValues: { ':o': Date.now() },
    });
  return () => client.send(command());
};

const callsOver = async (
  where: string,
  deps: ApiServerDeps,
  token: string,
): Promise<Readonly<Record<string, Call>>> => {
  await deps.writer.write(nodeKey(NODE), () => ({ next: aKubeletNode(NODE), writer: 'client' }));
  const serve = createHeartbeatServer(deps);
  const request = requestOf('POST', HEARTBEAT_PATH, token, { intervalSeconds: 10 });
  return {
    [`warm plain beat, ${where}`]: () => expectOk(serve, request),
    [`warm Lease renewal, ${where}`]: await renewals(serve, token),
  };
};

/** Without the database: authentication, routes, rules and answer. */
export const heartbeatCpu: Bench = async () => {
  const token = await nodeToken(NODE, UID);
  const calls = await callsOver('in memory', serverDeps(createMemoryState()), token);
  return figuresOf({ 'bare JWT verify': bareVerify(token), ...calls }, IN_MEMORY, MOST_MS);
};

/** All that the function does: most of it is the SDK's. */
export const heartbeatSdkCpu: Bench = () =>
  onDynamoDb(async ({ stores, endpoint }) => {
    // Without the meter, whose own work would count.
    const unmetered = dynamoStoresOver(endpoint, stores.deps.tables);
    const calls = await callsOver('with the SDK', serverDeps(unmetered), await nodeToken(NODE, UID));
    return figuresOf({ 'bare UpdateItem of the SDK': bareUpdate(unmetered), ...calls }, WITH_SDK, MOST_MS);
  });
