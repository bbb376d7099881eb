import { jwtVerify } from 'jose';
import { TOKEN_AUDIENCE } from '../../shared/apiserver/authentication.ts';
import { createHeartbeatServer } from '../../shared/apiserver/heartbeat-server.ts';
import type { HttpRequest } from '../../shared/apiserver/http.ts';
import type { Serve } from '../../shared/apiserver/serve.ts';
import { aLease, nodeKey } from '../contract/builders.ts';
import type { Bench, Figure } from './figures.ts';
import { aKubeletNode, nodeName, uidOf } from './fleet.ts';
import { CLUSTER_ID, memoryServerDeps, nodeToken, signingKeys } from './memory-servers.ts';
import { spread } from './statistics.ts';

const NODE = nodeName(1);
const UID = uidOf(NODE);
const WARM_UP = 2_000;
const BATCHES = 40;
const BATCH = 100;
/** Milliseconds of processor time: the target of a warm beat. */
const MOST_MS = 1;

const HEARTBEAT_PATH = `/apis/rollcall.dev/v1/nodes/${NODE}/heartbeat`;
const LEASE_PATH = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${NODE}`;

type Call = () => Promise<unknown>;

const repeat = async (call: Call, times: number): Promise<void> => {
  for (let index = 0; index < times; index += 1) await call();
};

/** Processor milliseconds of the whole process per call; a batch is one sample, for the clock counts in microseconds. */
const cpuOf = async (call: Call): Promise<readonly number[]> => {
  await repeat(call, WARM_UP);
  const samples: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const before = process.cpuUsage();
    await repeat(call, BATCH);
    const { user, system } = process.cpuUsage(before);
    samples.push((user + system) / 1000 / BATCH);
  }
  return samples;
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

const figure = (name: string, samples: readonly number[], base: number): Figure => ({
  name,
  unit: 'ms CPU',
  ...spread(samples),
  samples: BATCHES * BATCH,
  ratio: { value: spread(samples).value / base, to: 'a bare JWT verify' },
  target: { atMost: MOST_MS },
});

/** Processor time of warm beats through the whole request path, token check included, over memory adapters. */
export const heartbeatCpu: Bench = async () => {
  const deps = memoryServerDeps();
  await deps.writer.write(nodeKey(NODE), () => ({ next: aKubeletNode(NODE), writer: 'client' }));
  const token = await nodeToken(NODE, UID);
  const serve = createHeartbeatServer(deps);
  const beat = requestOf('POST', HEARTBEAT_PATH, token, { intervalSeconds: 10 });
  const verify = await cpuOf(bareVerify(token));
  const base = spread(verify).value;
  return [
    { name: 'bare JWT verify', unit: 'ms CPU', ...spread(verify), samples: BATCHES * BATCH },
    figure('warm plain beat', await cpuOf(() => expectOk(serve, beat)), base),
    figure('warm Lease renewal', await cpuOf(await renewals(serve, token)), base),
  ];
};
