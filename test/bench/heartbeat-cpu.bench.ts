import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { jwtVerify } from 'jose';
import { heartbeatKey } from '../../shared/adapters/dynamodb/heartbeat-items.ts';
import { HEARTBEAT } from '../../shared/adapters/dynamodb/schema.ts';
import { createMemoryState } from '../../shared/adapters/memory/state.ts';
import { TOKEN_AUDIENCE } from '../../shared/apiserver/authentication.ts';
import type { ApiServerDeps } from '../../shared/apiserver/deps.ts';
import { createHeartbeatServer } from '../../shared/apiserver/heartbeat-server.ts';
import type { HttpRequest } from '../../shared/apiserver/http.ts';
import type { Serve } from '../../shared/apiserver/serve.ts';
import { aLease, nodeKey } from '../contract/builders.ts';
import type { DynamoStores } from '../support/dynamodb-stores.ts';
import { onDynamoDb } from './dynamodb.ts';
import { dynamoStoresOver } from './dynamodb-client.ts';
import type { Bench, Figure } from './figures.ts';
import { aKubeletNode, nodeName, uidOf } from './fleet.ts';
import { CLUSTER_ID, nodeToken, serverDeps, signingKeys } from './servers.ts';
import { spread } from './statistics.ts';

const NODE = nodeName(1);
const UID = uidOf(NODE);
const BATCH = 100;
/** Batches of calls before and while it is measured: each call over DynamoDB takes milliseconds. */
const IN_MEMORY = { warmUp: 20, batches: 40 };
const WITH_SDK = { warmUp: 5, batches: 20 };
/** Milliseconds of processor time: the target of a warm beat. */
const MOST_MS = 1;

const HEARTBEAT_PATH = `/apis/rollcall.dev/v1/nodes/${NODE}/heartbeat`;
const LEASE_PATH = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${NODE}`;

type Call = () => Promise<unknown>;
type Repetitions = typeof IN_MEMORY;
type Samples = Pick<Figure, 'value' | 'min' | 'p99' | 'samples'>;

const repeat = async (call: Call, times: number): Promise<void> => {
  for (let index = 0; index < times; index += 1) await call();
};

/** Processor milliseconds of the whole process per call; a batch is one sample, for the clock counts in microseconds. */
const cpuOf = async (call: Call, { warmUp, batches }: Repetitions): Promise<Samples> => {
  await repeat(call, warmUp * BATCH);
  const samples: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const before = process.cpuUsage();
    await repeat(call, BATCH);
    const { user, system } = process.cpuUsage(before);
    samples.push((user + system) / 1000 / BATCH);
  }
  return { ...spread(samples), samples: batches * BATCH };
};

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
  const options = { algorithms: ['HS256'], issuer: CLUSTER_ID, audience: TOKEN_AUDIENCE };
  return async () => jwtVerify(token, (await signingKeys.current()).secret, options);
};

const baseLine = (name: string, samples: Samples): Figure => ({ name, unit: 'ms CPU', ...samples });

const figure = (name: string, samples: Samples, base: Figure): Figure => ({
  ...baseLine(name, samples),
  ratio: { value: samples.value / base.value, to: `a ${base.name}` },
  target: { atMost: MOST_MS },
});

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

interface Calls {
  readonly beat: Call;
  readonly renew: Call;
}

const callsOver = async (deps: ApiServerDeps, token: string): Promise<Calls> => {
  await deps.writer.write(nodeKey(NODE), () => ({ next: aKubeletNode(NODE), writer: 'client' }));
  const serve = createHeartbeatServer(deps);
  const request = requestOf('POST', HEARTBEAT_PATH, token, { intervalSeconds: 10 });
  return { beat: () => expectOk(serve, request), renew: await renewals(serve, token) };
};

interface Run {
  readonly where: string;
  readonly times: Repetitions;
  readonly base: Figure;
}

const figuresOver = async (calls: Calls, { where, times, base }: Run): Promise<readonly Figure[]> => [
  figure(`warm plain beat, ${where}`, await cpuOf(calls.beat, times), base),
  figure(`warm Lease renewal, ${where}`, await cpuOf(calls.renew, times), base),
];

/** Without the database: authentication, routes, rules and answer. */
export const heartbeatCpu: Bench = async () => {
  const token = await nodeToken(NODE, UID);
  const base = baseLine('bare JWT verify', await cpuOf(bareVerify(token), IN_MEMORY));
  const calls = await callsOver(serverDeps(createMemoryState()), token);
  return [base, ...(await figuresOver(calls, { where: 'in memory', times: IN_MEMORY, base }))];
};

/** All that the function does: most of it is the SDK's. */
export const heartbeatSdkCpu: Bench = () =>
  onDynamoDb(async ({ stores, endpoint }) => {
    // Without the meter, whose own work would count.
    const unmetered = dynamoStoresOver(endpoint, stores.deps.tables);
    const base = baseLine('bare UpdateItem of the SDK', await cpuOf(bareUpdate(unmetered), WITH_SDK));
    const calls = await callsOver(serverDeps(unmetered), await nodeToken(NODE, UID));
    return [base, ...(await figuresOver(calls, { where: 'with the SDK', times: WITH_SDK, base }))];
  });
