/**
 * `npm run test:against-scheduler [-- --seed 1 --worlds 300]`: a kube-scheduler places one pod in each of many random clusters, and each of
 * its decisions has to be one that Rollcall's rules allow. Not a part of `npm test`: building it takes Go and some ten minutes.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createApiClient, expectOk } from '../../shared/client/api-client.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { ApiList, ApiObject } from '../../shared/kube/types/meta.ts';
import { hasGo } from '../clients/go-program.ts';
import type { Call } from '../clients/kubelets.ts';
import { buildBinaries } from '../e2e/build.ts';
import { startScheduler } from '../e2e/scheduler.ts';
import { report, type Verdict, withHost } from '../runner/recorded-host.ts';
import { eventually } from '../support/clocks/eventually.ts';
import { type Expected, expectedOf } from './expected.ts';
import { clearStage, prepareStage, putPending, putWorld, readStage } from './stage.ts';
import { NAMESPACES, worldOf } from './worlds.ts';

const SCRIPT = 'test:against-scheduler';
const LOGS = resolve('test-results', 'against-scheduler');
/** The other scheduler sees the cluster by watches. */
const SEEN_MS = 200;
const DECIDED_MS = 30_000;
const FIRST_DECISION_MS = 60_000;
const HOST = ['--controllers', 'none', '--scheduler-name', 'rollcall'];

const conditionOf = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === 'PodScheduled');

const decided = (call: Call, { metadata: { namespace, name } }: Pod): Promise<Pod> =>
  eventually(`a decision on ${name}`, DECIDED_MS, async () => {
    const pod = await call<Pod>('GET', `/api/v1/namespaces/${namespace}/pods/${name}`);
    return pod.spec.nodeName !== undefined || conditionOf(pod)?.status === 'False' ? pod : undefined;
  });

const isStaying = ({ kind, metadata }: ApiObject): boolean =>
  kind === 'Pod' && metadata.deletionTimestamp === undefined;

/** The pods that stood before and were deleted since. */
const deletedSince = async (call: Call, before: readonly ApiObject[]): Promise<readonly string[]> => {
  const { items } = await call<ApiList<Pod>>('GET', '/api/v1/pods');
  const staying = new Set(
    items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name),
  );
  return before
    .filter(isStaying)
    .map(({ metadata }) => metadata.name)
    .filter((name) => !staying.has(name))
    .toSorted();
};

const nominationOf = (pod: Pod): string =>
  (pod.status?.['nominatedNodeName'] as string | undefined) ?? pod.spec.nodeName ?? '';

/** Why the decision is none of those that are expected; `undefined`: it is one. */
const problemOf = async (
  call: Call,
  expected: Expected,
  pod: Pod,
  before: readonly ApiObject[],
): Promise<string | undefined> => {
  const told = pod.spec.nodeName ?? conditionOf(pod)?.message ?? '';
  if ('nodes' in expected)
    return expected.nodes.includes(told) ? undefined : `not one of ${expected.nodes.join()}: ${told}`;
  if ('message' in expected)
    return told === expected.message ? undefined : `not "${expected.message}": ${told}`;
  // Nomination and deletions are written after the condition, or before the pod is bound.
  await wait(SEEN_MS);
  const later = await call<Pod>(
    'GET',
    `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`,
  );
  const [node, gone] = [nominationOf(later), await deletedSince(call, before)];
  const victims = expected.victims.get(node);
  const all = [...expected.victims].map(([name, names]) => `${name} without ${names.join()}`).join(', or ');
  return victims?.join() === gone.join() ? undefined : `not ${all}: ${node} without ${gone.join()}`;
};

const judge = async (call: Call, seed: number): Promise<Verdict> => {
  const name = `world ${seed}`;
  const world = worldOf(seed, `w${seed}-`);
  try {
    await putWorld(call, world);
    await wait(SEEN_MS);
    const before = await readStage(call);
    const pending = await putPending(call, world);
    const expected = expectedOf(pending, before);
    const problem = await problemOf(call, expected, await decided(call, pending), before);
    return problem === undefined ? { name } : { name, problem };
  } finally {
    await clearStage(call, world);
  }
};

/** Until the scheduler is the leader. */
const firstDecision = async (call: Call): Promise<void> => {
  const path = `/api/v1/namespaces/${NAMESPACES[0]}/pods`;
  const spec = { containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 0 };
  await call('POST', path, { metadata: { name: 'first' }, spec });
  await eventually('the first decision of the scheduler', FIRST_DECISION_MS, async () =>
    conditionOf(await call<Pod>('GET', `${path}/first`)),
  );
  await call('DELETE', `${path}/first`, { gracePeriodSeconds: 0 });
};

const main = async (first: number, worlds: number): Promise<void> => {
  if (!hasGo()) throw new Error('building a kube-scheduler needs Go');
  const { scheduler } = await buildBinaries();
  mkdirSync(LOGS, { recursive: true });
  const verdicts = await withHost(HOST, async ({ url, folder, adminToken }) => {
    const client = createApiClient(url, readFileSync(join(folder, 'ca.crt'), 'utf8'));
    const call: Call = (method, path, body) => expectOk(client.call(method, path, adminToken, body));
    const program = startScheduler(scheduler, join(folder, 'kubeconfig'), join(LOGS, 'scheduler.log'));
    try {
      await prepareStage(call);
      await firstDecision(call);
      const all: Verdict[] = [];
      for (let seed = first; seed < first + worlds; seed += 1) all.push(await judge(call, seed));
      return all;
    } finally {
      client.close();
      await program.stop();
    }
  });
  report(SCRIPT, verdicts, 0);
};

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, worlds: { type: 'string', default: '300' } },
});
await main(Number(values.seed), Number(values.worlds));
