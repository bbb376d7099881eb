/** Two agents make this machine two nodes of the deployed stack, without a watch; kubectl reaches their pods; one of them is lost. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { ApiList } from '../../../shared/kube/types/meta.ts';
import { request } from '../../localstack/function-url.ts';
import {
  type AgentProcess,
  killPods,
  removeGroupsAndMounts,
  startAgent,
  wordsOfLine,
} from '../../support/agent/machines/agent-process.ts';
import { reachedAs, reachPod } from '../../support/agent/machines/reached-pod.ts';
import { makeSharedFolder } from '../../support/agent/pods/shared-folder.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { startProxy } from '../../support/servers/proxy-process.ts';
import { hasKubectl } from '../../support/shell/kubectl.ts';
import { call, cliToken, must, output, profile } from '../support/deployment.ts';
import { tolerating } from '../support/tolerations.ts';
import { eventually } from '../support/wait.ts';

const APP = { app: 'two-agents' };
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const PODS = '/api/v1/namespaces/default/pods';
const NAMES = ['agent-a', 'agent-b'] as const;
type Name = (typeof NAMES)[number];
/** For each step: an emulator may take seconds for one. */
const WITHIN_MS = 240_000;

const folder = mkdtempSync(join(tmpdir(), 'rollcall-two-agents-'));
const started = makeSharedFolder(join(folder, 'started'));
/** Pods of any user write to it. */
const startedFile = join(started, 'all');
writeFileSync(startedFile, '');
chmodSync(startedFile, 0o666);
const admin = cliToken('--admin');
const agents = new Map<Name, AgentProcess>();
let words: readonly string[];

const rootOf = (name: Name): string => join(folder, name);
const outputs = (): readonly string[] => [...agents.values()].map((agent) => agent.output().slice(-2_000));
const seen = <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> =>
  eventually(what, WITHIN_MS, look, outputs);

/** The server of the second listens where none of its Node's addresses leads: as behind NAT. */
const ADDRESSES: Readonly<Record<Name, string>> = { 'agent-a': '0.0.0.0', 'agent-b': '127.0.0.2' };

const configOf = (name: Name): string => {
  const file = join(folder, `${name}.yaml`);
  const lines = [
    `nodeLeaseDurationSeconds: ${profile.graceMs / 1000}`,
    `podLogsDir: ${join(folder, 'logs', name)}`,
    `address: ${ADDRESSES[name]}`,
    'port: 0',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
};

const start = (name: Name): void => {
  const own = ['--root-dir', rootOf(name), '--hostname-override', name, '--node-labels', 'of=two-agents'];
  agents.set(name, startAgent([...words, ...own, '--config', configOf(name)]));
};

const isReady = async (name: Name): Promise<boolean> => {
  const { body } = await call<Partial<Node>>({ method: 'GET', path: `/api/v1/nodes/${name}`, token: admin });
  const conditions = body.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
};

/** Nodes are asked to run one each, and may run both. */
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: APP.app },
  spec: {
    replicas: 2,
    selector: { matchLabels: APP },
    template: {
      metadata: { labels: APP },
      spec: {
        schedulerName: 'rollcall',
        nodeSelector: { of: 'two-agents' },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: APP },
          },
        ],
        tolerations: tolerating(2),
        terminationGracePeriodSeconds: 1,
        volumes: [{ name: 'shared', hostPath: { path: started } }],
        containers: [
          {
            name: 'c',
            image: 'host',
            command: [
              '/bin/sh',
              '-c',
              `echo "$NODE $POD" >>${startedFile}; echo "on $NODE"; while :; do echo tick; sleep 0.5; done`,
            ],
            volumeMounts: [{ name: 'shared', mountPath: started }],
            env: [
              { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
              { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            ],
          },
        ],
      },
    },
  },
};

const allPods = async (): Promise<readonly Pod[]> => {
  const path = `${PODS}?labelSelector=app%3D${APP.app}`;
  return (await must<ApiList<Pod>>({ method: 'GET', path, token: admin })).items;
};

/** The pods that run and stay. */
const running = async (): Promise<readonly Pod[]> =>
  (await allPods()).filter(
    ({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase === 'Running',
  );

const startedLines = (): readonly string[] => readFileSync(startedFile, 'utf8').split('\n').filter(Boolean);

/** Only root can give the containers groups by which they are ended here. */
describe.runIf(process.getuid?.() === 0)('two agents on the deployed stack', () => {
  beforeAll(() => {
    words = wordsOfLine(cliToken('--bootstrap', '--print-join'), join(folder, 'bootstrap-token'));
  });

  afterAll(async () => {
    await must({ method: 'DELETE', path: `${DEPLOYMENTS}/${APP.app}`, token: admin });
    for (const [name, agent] of agents) {
      await agent.end('SIGKILL');
      await killPods(rootOf(name));
      await removeGroupsAndMounts(rootOf(name));
      await must({ method: 'DELETE', path: `/api/v1/nodes/${name}`, token: admin });
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('both join by the printed line, which has the two addresses of the stack', async () => {
    expect(words.filter((word) => word.startsWith('--'))).toEqual([
      '--server',
      '--heartbeat-server',
      '--bootstrap-token-file',
    ]);
    for (const name of NAMES) start(name);
    for (const name of NAMES) await seen(`${name} is ready`, () => isReady(name));
  });

  const storedToken = (name: Name): string =>
    (JSON.parse(readFileSync(join(rootOf(name), 'token.json'), 'utf8')) as { readonly token: string }).token;

  it('a beat announces work, and work that is known is not sent again', async () => {
    const [name] = NAMES;
    const send = (url: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
      request({
        url: output(url),
        path,
        headers: { ...headers, authorization: `Bearer ${storedToken(name)}`, accept: 'application/json' },
      });
    // The change router raises the revision some time after the change: a node that is ready may not have one yet.
    const lease = await seen('a beat that announces work', async () => {
      const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
      const answer = await send('HeartbeatUrl', `${leases}/${name}`);
      return answer.headers['rollcall-work-revision'] !== undefined && answer;
    });
    expect(lease.headers['rollcall-work-revision']).toMatch(/^\d+$/);
    const path = `/apis/rollcall.dev/v1/nodes/${name}/work`;
    const work = await send('ApiUrl', path);
    expect(work.status).toBe(200);
    let { etag } = work.headers;
    // A node that has just become ready still loses a taint, which its machine is told of.
    const again = await seen('work that does not change any more', async () => {
      const answer = await send('ApiUrl', path, { 'if-none-match': etag ?? '' });
      etag = answer.headers.etag;
      return answer.status === 304 && answer;
    });
    expect(again.body).toBe('');
  });

  it('they run a pod each, soon after it was bound', async () => {
    await must({ method: 'POST', path: DEPLOYMENTS, token: admin, body: deployment });
    const pods = await seen('two pods run', async () => {
      const found = await running();
      return found.length === 2 && found;
    });
    expect(new Set(pods.map(({ spec }) => spec.nodeName))).toEqual(new Set(NAMES));
    expect(startedLines().toSorted()).toEqual(
      pods.map(({ metadata, spec }) => `${spec.nodeName} ${metadata.name}`).toSorted(),
    );
  });

  it('the functions alone say that kubectl needs the proxy for logs, exec and top', async () => {
    const [pod] = await running();
    for (const [path, code] of [
      [`${PODS}/${pod?.metadata.name}/log`, 501],
      [`${PODS}/${pod?.metadata.name}/exec?command=ls&stdout=true`, 501],
      ['/apis/metrics.k8s.io/v1beta1/nodes', 501],
    ] as const) {
      const { status, body } = await call<{ message: string }>({ method: 'GET', path, token: admin });
      expect([status, body.message]).toEqual([code, expect.stringContaining('rollcall proxy')]);
    }
  });

  it.runIf(hasKubectl)(
    'kubectl reaches the pods through the proxy: directly, and by a channel that the agent opens',
    async () => {
      const pods = await running();
      const url = `https://127.0.0.1:${await freePort()}`;
      const proxy = await startProxy(output('ApiUrl'), '--advertise-url', url);
      try {
        for (const { metadata, spec } of pods) {
          const node = String(spec.nodeName);
          const reached = await reachPod(proxy.env, metadata.name, join(folder, 'copies', node));
          expect([node, reached]).toEqual([node, reachedAs(`on ${node}`)]);
        }
        const used = await seen('both nodes and both pods are measured', async () => {
          const shown = [await proxy.kubectl('top', 'node'), await proxy.kubectl('top', 'pod')].join('');
          return [...NAMES, ...pods.map(({ metadata }) => metadata.name)].every((name) =>
            new RegExp(`^${name} +\\d+m `, 'm').test(shown),
          );
        });
        expect(used).toBe(true);
      } finally {
        await proxy.stop();
      }
    },
  );

  it('the pod of a lost machine comes back on the other one', async () => {
    const [lost, left] = NAMES;
    await agents.get(lost)?.end('SIGKILL');
    await killPods(rootOf(lost));
    const lostAt = performance.now();
    const pods = await seen(`two pods run on ${left}`, async () => {
      const found = (await running()).filter(({ spec }) => spec.nodeName === left);
      return found.length === 2 && found;
    });
    const seconds = ((performance.now() - lostAt) / 1000).toFixed(1);
    process.stdout.write(`a lost machine on LocalStack, until its pod runs on the other: ${seconds} s\n`);
    for (const { metadata } of pods) expect(startedLines()).toContain(`${left} ${metadata.name}`);
    expect(startedLines()).toHaveLength(3);
  });

  it('the lost machine comes back, and confirms that nothing is left of its pod', async () => {
    const [lost] = NAMES;
    expect((await allPods()).filter(({ spec }) => spec.nodeName === lost)).toHaveLength(1);
    start(lost);
    await seen('its pod is gone', async () => (await allPods()).every(({ spec }) => spec.nodeName !== lost));
    await seen(`${lost} is ready`, () => isReady(lost));
    expect(startedLines()).toHaveLength(3);
  });
});
